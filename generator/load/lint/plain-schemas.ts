/** Recognises schemas that some value certainly satisfies, without a search. Most schemas of protocols are of this kind. */
import { areEqual, getJsonType, getOwn, isObject, type Json, type JsonObject } from "../../json.js";
import { EVERY_TYPE } from "../../schema/json-schema.js";
import { filterKeywords } from "../../schema/keywords.js";
import { readListedValues } from "../../schema/listed-values.js";
import { addIntegers } from "../../schema/merge.js";
import { derivePossibleTypes } from "../../schema/possible-types.js";
import { type Definitions, findTarget } from "../../schema/reference.js";
import { findTag } from "../../schema/tags.js";

const ANNOTATIONS = filterKeywords(({ facet, holds }) => facet === "annotations" && holds === undefined);
/** Keywords that do not restrict values by themselves. */
const NEUTRAL = new Set([...ANNOTATIONS, "$defs", "contentSchema", "format"]);

/** Returns the keywords of a schema that restrict values, apart from `format`. */
export function listRestrictions(schema: JsonObject): string[] {
  return Object.keys(schema).filter((keyword) => !NEUTRAL.has(keyword));
}

/** Returns whether a schema says in the simplest way that there is no value: `false`, or `not` of everything. */
export function isPlainlyImpossible(schema: Json | undefined): boolean {
  if (!isObject(schema)) return schema === false;
  const { not } = schema;
  return (
    listRestrictions(schema).join() === "not" &&
    (not === true || (isObject(not) && listRestrictions(not).length === 0))
  );
}

/** A test whether some value certainly satisfies a schema. It fails for schemas that it does not understand. Formats are not considered. */
interface PlainTest {
  (schema: Json | undefined): boolean;
  /** Tells the test that some value satisfies a schema. */
  readonly accept: (schema: JsonObject) => void;
}

/** Creates a test of schemas whose references lead into `definitions`. */
export function createPlainTest(definitions: Definitions): PlainTest {
  const results = new Map<JsonObject, boolean>();
  const isPlain = (schema: Json | undefined): boolean => {
    if (!isObject(schema)) return schema !== false;
    const known = results.get(schema);
    if (known !== undefined) return known;
    // A schema that needs a value of itself has none.
    results.set(schema, false);
    const result = testSchema(schema);
    results.set(schema, result);
    return result;
  };
  const testSchema = (schema: JsonObject): boolean => {
    const merged = mergeParts(schema, definitions);
    if (merged === undefined) return false;
    const keywords = listRestrictions(merged);
    if (keywords.length === 0) return true;
    const types = new Set<string>(
      merged.type === undefined ? EVERY_TYPE : addIntegers([merged.type].flat().map(String)),
    );
    const others = keywords.filter((keyword) => keyword !== "type");
    const [list, ...otherLists] = readListedValues(merged);
    if (list !== undefined)
      return (
        otherLists.length === 0 &&
        others.length === 1 &&
        list.values.some((value) => types.has(getJsonType(value)))
      );
    const { anyOf, oneOf } = merged;
    if (keywords.length === 1 && Array.isArray(anyOf)) return anyOf.some(isPlain);
    if (keywords.length === 1 && Array.isArray(oneOf))
      return areDisjoint(oneOf, definitions) && oneOf.some(isPlain);
    if (!keywords.every((keyword) => TYPED_KEYWORDS.has(keyword))) return false;
    return [...types].some((type) => getOwn(TESTS_BY_TYPE, type)?.(merged, isPlain));
  };
  return Object.assign(isPlain, { accept: (schema: JsonObject) => void results.set(schema, true) });
}

/** Returns one schema with the keywords of a schema, its references, `allOf` and `x-writer`; undefined if two of them restrict the same. */
function mergeParts(
  schema: JsonObject,
  definitions: Definitions,
  ancestors: readonly JsonObject[] = [],
): JsonObject | undefined {
  const { $ref, allOf, "x-writer": writer, ...own } = schema;
  const parts = [
    ...($ref === undefined ? [] : [findTarget(schema, definitions)?.schema ?? false]),
    ...(Array.isArray(allOf) ? allOf : []),
    ...(writer === undefined ? [] : [writer]),
  ];
  if (parts.length === 0) return schema;
  const merged: { [keyword: string]: Json } = { ...own };
  for (const part of parts) {
    if (part === true) continue;
    if (!isObject(part) || part === schema || ancestors.includes(part)) return undefined;
    const flat = mergeParts(part, definitions, [...ancestors, schema]);
    if (flat === undefined) return undefined;
    for (const keyword of listRestrictions(flat)) {
      const value = flat[keyword] ?? null;
      const combined = combineKeyword(keyword, getOwn(merged, keyword), value);
      if (combined === undefined) return undefined;
      merged[keyword] = combined;
    }
  }
  return merged;
}

/** Returns one value of a keyword that means the same as both; undefined if this function knows none. */
function combineKeyword(keyword: string, a: Json | undefined, b: Json): Json | undefined {
  if (a === undefined || areEqual(a, b)) return b;
  if (keyword === "required" && Array.isArray(a) && Array.isArray(b)) return [...new Set([...a, ...b])];
  if (keyword === "properties" && isObject(a) && isObject(b))
    return Object.keys(b).every((name) => !Object.hasOwn(a, name)) ? { ...a, ...b } : undefined;
  return undefined;
}

/** Returns whether no value satisfies two of the alternatives, by their types or by a tag. */
export function areDisjoint(alternatives: readonly Json[], definitions: Definitions): boolean {
  if (alternatives.length < 2 || findTag(alternatives, definitions)) return true;
  const types = alternatives.flatMap((each) => [...derivePossibleTypes(each, definitions)]);
  return new Set(types).size === types.length;
}

/** Returns whether a value of one type certainly satisfies a schema that has keywords of `TYPED_KEYWORDS` only. */
type TypeTest = (schema: JsonObject, isPlain: (schema: Json | undefined) => boolean) => boolean;

/** Keywords that restrict values of single types. */
const TYPED_KEYWORDS = filterKeywords(
  ({ facet }, name) =>
    ["types", "bounds", "texts", "properties", "otherProperties", "items", "contains"].includes(facet) ||
    name === "propertyNames" ||
    name === "dependentRequired",
);

const readNumber = (value: Json | undefined, fallback: number): number =>
  typeof value === "number" ? value : fallback;
const hasNone = (schema: JsonObject, ...keywords: readonly string[]): boolean =>
  keywords.every((keyword) => !Object.hasOwn(schema, keyword));

/** Matches patterns that may match no text, because they assert something in the middle, or have an empty class. */
const ASSERTS_INSIDE = /\(\?[=!<]|\\[bB]|[^(|[\\]\^|\$(?!$|[)|])|\[\]/;

function hasPlainNumber(schema: JsonObject): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const low = Math.max(readNumber(minimum, -Infinity), readNumber(exclusiveMinimum, -Infinity));
  const high = Math.min(readNumber(maximum, Infinity), readNumber(exclusiveMaximum, Infinity));
  // The bounds themselves may be excluded or no integers.
  if (high - low >= 2 * Math.max(1, readNumber(multipleOf, 1))) return true;
  return (
    hasNone(schema, "exclusiveMinimum", "exclusiveMaximum", "multipleOf") &&
    low <= high &&
    Number.isInteger(low)
  );
}

const TESTS_BY_TYPE: { readonly [type: string]: TypeTest } = {
  null: () => true,
  boolean: () => true,
  integer: hasPlainNumber,
  number: hasPlainNumber,
  string: ({ minLength, maxLength, pattern }) =>
    pattern === undefined
      ? readNumber(minLength, 0) <= readNumber(maxLength, Infinity)
      : // A pattern may match the empty text alone.
        readNumber(minLength, 0) === 0 && maxLength === undefined && !ASSERTS_INSIDE.test(String(pattern)),
  array: (schema, isPlain) => {
    const { items, prefixItems, minItems, maxItems, uniqueItems } = schema;
    if (!hasNone(schema, "contains", "unevaluatedItems")) return false;
    const least = readNumber(minItems, 0);
    const first = Array.isArray(prefixItems) ? prefixItems.slice(0, least) : [];
    return (
      least <= readNumber(maxItems, Infinity) &&
      (uniqueItems !== true || least <= 1) &&
      first.every(isPlain) &&
      (first.length >= least || isPlain(items))
    );
  },
  object: (schema, isPlain) => {
    const { properties, required, minProperties, maxProperties } = schema;
    if (!hasNone(schema, "patternProperties", "propertyNames", "dependentRequired")) return false;
    const names = Array.isArray(required) ? required.map(String) : [];
    const fields = isObject(properties) ? properties : {};
    return (
      readNumber(minProperties, 0) <= names.length &&
      names.length <= readNumber(maxProperties, Infinity) &&
      names.every((name) => Object.hasOwn(fields, name) && isPlain(fields[name]))
    );
  },
};
