import { isObject, type Json } from "../json.js";

/** A list of values that a schema states itself; others may come if it is open. */
interface ListedValues {
  readonly keyword: "const" | "enum" | "x-extensible-enum";
  readonly values: readonly Json[];
  readonly isOpen: boolean;
}

const KEYWORDS = ["const", "enum", "x-extensible-enum"] as const;

/** Returns the lists of values that a schema states itself, in the order `const`, `enum`, `x-extensible-enum`. */
export function listedValues(schema: Json): ListedValues[] {
  if (!isObject(schema)) return [];
  return KEYWORDS.flatMap((keyword) => {
    const value = schema[keyword];
    if (value === undefined) return [];
    const values = keyword === "const" ? [value] : value;
    return Array.isArray(values) ? [{ keyword, values, isOpen: keyword === "x-extensible-enum" }] : [];
  });
}
