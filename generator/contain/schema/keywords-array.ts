/** The keywords about arrays. */
import type { Json } from "../../json.js";
import { isAtLeast } from "../../schema/dialects.js";
import type { Formula } from "../formula.js";
import { createSizeCompiler, type KeywordCompilers, type KeywordContext } from "./keyword-compiler.js";

const on = "array" as const;

function compileTuple(items: readonly Json[], at: KeywordContext): Formula {
  return at.formulas.and(
    ...items.map((item, index) =>
      at.formulas.literal({ on, is: "item", index, value: at.compileChild(item) }),
    ),
  );
}

function compileRest(from: number, schema: Json, at: KeywordContext): Formula {
  const value = at.compileChild(schema);
  return value === at.formulas.anything ? value : at.formulas.literal({ on, is: "rest", from, value });
}

/** Returns the length of `prefixItems`, or of the list form of `items`. */
export function tupleLength({ schema, dialect }: KeywordContext): number {
  const items = schema[dialect === "2020-12" ? "prefixItems" : "items"];
  return Array.isArray(items) ? items.length : 0;
}

function compileContains(item: Json, at: KeywordContext): Formula {
  const { formulas, schema, dialect } = at;
  const value = at.compileChild(item);
  const { minContains: min = 1, maxContains: max } = isAtLeast(dialect, "2019-09") ? schema : {};
  const parts: Formula[] = [];
  if (min !== 0) parts.push(formulas.literal({ on, is: "containsAtLeast", count: min as number, value }));
  if (max !== undefined)
    parts.push(formulas.literal({ on, is: "containsAtMost", count: max as number, value }));
  return formulas.and(...parts);
}

/** The compilers of the keywords about arrays. */
export const ARRAY_KEYWORDS: KeywordCompilers = {
  prefixItems: compileTuple,
  items: (items: Json, at) =>
    Array.isArray(items)
      ? compileTuple(items, at)
      : compileRest(at.dialect === "2020-12" ? tupleLength(at) : 0, items, at),
  additionalItems: (rest: Json, at) =>
    Array.isArray(at.schema.items) ? compileRest(tupleLength(at), rest, at) : at.formulas.anything,
  contains: compileContains,
  minItems: createSizeCompiler(on, "atLeast"),
  maxItems: createSizeCompiler(on, "atMost"),
  uniqueItems: (isUnique: boolean, { formulas }) =>
    isUnique ? formulas.literal({ on, is: "unique" }) : formulas.anything,
};
