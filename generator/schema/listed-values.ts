import { isObject, type Json } from "../json.js";

/** A list of values that a schema states without following references. An open list may be extended later. */
interface ListedValues {
  readonly keyword: (typeof LIST_KEYWORDS)[number];
  readonly values: readonly Json[];
  readonly isOpen: boolean;
}

/** The keywords that list the values that are allowed or known. */
export const LIST_KEYWORDS = ["const", "enum", "x-extensible-enum"] as const;

/** Returns the lists of values that a schema states without following references, in the order `const`, `enum`, `x-extensible-enum`. */
export function readListedValues(schema: Json): ListedValues[] {
  if (!isObject(schema)) return [];
  return LIST_KEYWORDS.flatMap((keyword) => {
    const value = schema[keyword];
    if (value === undefined) return [];
    const values = keyword === "const" ? [value] : value;
    return Array.isArray(values) ? [{ keyword, values, isOpen: keyword === "x-extensible-enum" }] : [];
  });
}
