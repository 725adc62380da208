import { isObject, type Json, type JsonObject, listItems } from "../json.js";
import { mapSubschemas } from "./walk.js";

/** A list of values in a schema. */
interface ListedValues {
  readonly keyword: (typeof LIST_KEYWORDS)[number];
  readonly values: readonly Json[];
  /** True if values may be added later. */
  readonly isOpen: boolean;
}

/** The keyword of an open enumeration. */
export const OPEN_LIST = "x-extensible-enum";
/** The keyword of a list of values that limits nothing. */
export const KNOWN_VALUES = "x-known-values";

/** The keywords that list the values that are allowed or known. */
export const LIST_KEYWORDS = ["const", "enum", OPEN_LIST] as const;

/** Returns the lists of values of a schema: `const`, `enum`, `x-extensible-enum`. Does not follow references. */
export function readListedValues(schema: Json): ListedValues[] {
  if (!isObject(schema)) return [];
  return LIST_KEYWORDS.flatMap((keyword) => {
    const value = schema[keyword];
    if (value === undefined) return [];
    const values = keyword === "const" ? [value] : value;
    return Array.isArray(values) ? [{ keyword, values, isOpen: keyword === OPEN_LIST }] : [];
  });
}

/** Returns the values of `x-known-values`, which limit nothing; undefined if there are none. Does not follow references. */
export function readKnownValues(schema: JsonObject): readonly Json[] | undefined {
  const values = schema[KNOWN_VALUES];
  return Array.isArray(values) ? listItems(values) : undefined;
}

/** Returns the schema of the strings of an open list. */
export function buildOpenList(...values: readonly string[]): JsonObject {
  return { type: "string", [OPEN_LIST]: values };
}

/** Returns `schema` with each open list at twice its length: it gets as many new values as it had. Does not follow references. */
export function extendOpenLists(schema: Json, newValue: string): Json {
  if (!isObject(schema)) return schema;
  const extended = mapSubschemas(schema, (sub) => extendOpenLists(sub, newValue));
  const values = schema[OPEN_LIST];
  if (!Array.isArray(values)) return extended;
  const newValues = values.map((_value, index) => (index === 0 ? newValue : `${newValue}_${index + 1}`));
  return { ...extended, [OPEN_LIST]: [...values, ...newValues] };
}
