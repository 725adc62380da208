/** The keywords about arrays. */
import type { Json } from "../../json.js";
import type { Formula } from "../formula.js";
import {
  count,
  type KeywordCompiler,
  type KeywordContext,
  list,
  refuseMalformed,
} from "./keyword-compiler.js";

const on = "array" as const;

function tuple(items: readonly Json[], at: KeywordContext): Formula {
  return at.formulas.and(
    ...items.map((item, index) => at.formulas.literal({ on, is: "item", index, value: at.child(item) })),
  );
}

function rest(from: number, value: Formula, { formulas }: KeywordContext): Formula {
  return value === formulas.anything ? value : formulas.literal({ on, is: "rest", from, value });
}

/** The length of `prefixItems`, or of the list form of `items`. */
export function tupleLength({ schema, dialect }: KeywordContext): number {
  const items = schema[dialect === "2020-12" ? "prefixItems" : "items"];
  return Array.isArray(items) ? items.length : 0;
}

function items(value: Json, at: KeywordContext): Formula {
  if (at.dialect === "2020-12") {
    return Array.isArray(value) ? refuseMalformed("items") : rest(tupleLength(at), at.child(value), at);
  }
  return Array.isArray(value) ? tuple(value, at) : rest(0, at.child(value), at);
}

function contains(value: Json, at: KeywordContext): Formula {
  const { formulas, schema, dialect } = at;
  const counted = dialect === "2019-09" || dialect === "2020-12";
  const min = counted && schema.minContains !== undefined ? count(schema.minContains, "minContains") : 1;
  const max = counted ? schema.maxContains : undefined;
  const item = at.child(value);
  const parts: Formula[] = [];
  if (min > 0) parts.push(formulas.literal({ on, is: "containsAtLeast", count: min, value: item }));
  if (max !== undefined) {
    parts.push(formulas.literal({ on, is: "containsAtMost", count: count(max, "maxContains"), value: item }));
  }
  return formulas.and(...parts);
}

function size(keyword: string, is: "atLeast" | "atMost"): KeywordCompiler {
  return (value, { formulas }) => formulas.literal({ on, is, count: count(value, keyword) });
}

/** The keyword compilers of this file. */
export const ARRAY_KEYWORDS: { readonly [keyword: string]: KeywordCompiler } = {
  prefixItems: (value, at) => tuple(list(value, "prefixItems"), at),
  items,
  additionalItems: (value, at) =>
    Array.isArray(at.schema.items) ? rest(tupleLength(at), at.child(value), at) : at.formulas.anything,
  contains,
  minItems: size("minItems", "atLeast"),
  maxItems: size("maxItems", "atMost"),
  uniqueItems: (value, { formulas }) => {
    if (typeof value !== "boolean") refuseMalformed("uniqueItems");
    return value ? formulas.literal({ on, is: "unique" }) : formulas.anything;
  },
};
