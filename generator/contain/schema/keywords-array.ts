/** The keywords about arrays. */
import type { Json } from "../../json.js";
import { isAtLeast } from "../../schema/dialects.js";
import type { Formula } from "../formula.js";
import { createSizeCompiler, type KeywordCompilers, type KeywordContext } from "./keyword-compiler.js";

const type = "array" as const;

function compileTuple(items: readonly Json[], context: KeywordContext): Formula {
  return context.formulas.and(
    ...items.map((item, index) =>
      context.formulas.literal({ type, kind: "item", index, value: context.compileChild(item) }),
    ),
  );
}

function compileRest(from: number, schema: Json, context: KeywordContext): Formula {
  const value = context.compileChild(schema);
  return value === context.formulas.anything
    ? value
    : context.formulas.literal({ type, kind: "rest", from, value });
}

/** Returns the length of `prefixItems`, or of the list form of `items`. */
export function getTupleLength({ schema, dialect }: KeywordContext): number {
  const items = schema[dialect === "2020-12" ? "prefixItems" : "items"];
  return Array.isArray(items) ? items.length : 0;
}

function compileContains(item: Json, context: KeywordContext): Formula {
  const { formulas, schema, dialect } = context;
  const value = context.compileChild(item);
  const { minContains: min = 1, maxContains: max } = isAtLeast(dialect, "2019-09") ? schema : {};
  const parts: Formula[] = [];
  if (min !== 0) parts.push(formulas.literal({ type, kind: "containsAtLeast", count: min as number, value }));
  if (max !== undefined)
    parts.push(formulas.literal({ type, kind: "containsAtMost", count: max as number, value }));
  return formulas.and(...parts);
}

/** The compilers of the keywords about arrays. */
export const ARRAY_KEYWORDS: KeywordCompilers = {
  prefixItems: compileTuple,
  items: (items: Json, context) =>
    Array.isArray(items)
      ? compileTuple(items, context)
      : compileRest(context.dialect === "2020-12" ? getTupleLength(context) : 0, items, context),
  additionalItems: (rest: Json, context) =>
    Array.isArray(context.schema.items)
      ? compileRest(getTupleLength(context), rest, context)
      : context.formulas.anything,
  contains: compileContains,
  minItems: createSizeCompiler(type, "atLeast"),
  maxItems: createSizeCompiler(type, "atMost"),
  uniqueItems: (isUnique: boolean, { formulas }) =>
    isUnique ? formulas.literal({ type, kind: "unique" }) : formulas.anything,
};
