/** Measures the likeness of schemas, from 0 to 1. */
import { formatCanonicalJson, isObject, type Json, type JsonObject } from "../../json.js";
import { CONSTRAINTS, stripAnnotations } from "./likeness.js";

/** The likeness of two values that have only their type in common. */
const SAME_TYPE = 0.5;
/** The likeness of two objects without a common field, and of two enums without a common value. */
const SAME_TYPE_ONLY = 0.25;
/** The likeness of a value and of an object or list that holds such a value. */
const WRAPPED = 0.4;
/** The likeness of a value and of a list of such values. */
const LISTED = 0.7;
/** The factor for values of which only one may be null. */
const NULLABLE = 0.95;
/** The factor for values of which only one alternative is alike. */
const ALTERNATIVE = 0.9;
/** More alternatives are not compared. */
const MAX_ALTERNATIVES = 8;

/**
 * Returns the likeness of two schemas without references: 1 if they are equal. Objects are compared by the names of their
 * fields, enums by their values, and lists and maps by their items. Other values are half alike if they have a type in
 * common. A value is similar to an object or a list that holds such a value.
 */
export function scoreShapeLikeness(a: Json, b: Json): number {
  const old = stripAnnotations(a);
  const now = stripAnnotations(b);
  if (formatCanonicalJson(old) === formatCanonicalJson(now)) return 1;
  const plainOld = removeNull(old);
  const plainNow = removeNull(now);
  const isNullChanged = (plainOld === old) !== (plainNow === now);
  return scorePlainShapes(plainOld, plainNow) * (isNullChanged ? NULLABLE : 1);
}

/** Returns whether a schema has so few keywords that many others are equal to it by chance. */
export function isNearlyEmpty(schema: Json): boolean {
  const plain = removeNull(stripAnnotations(schema));
  if (!isObject(plain)) return true;
  return Object.keys(plain).every((keyword) => ["type", "minLength", "minimum"].includes(keyword));
}

const PLAIN_KEYWORDS = new Set(
  "type format minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf items properties required".split(
    " ",
  ),
);
/** An object with more fields is an object of its own kind. */
const MAX_PLAIN_FIELDS = 2;

/** Returns whether fields with different meanings may well have a schema: any text, number or time, and small objects of them. */
export function isPlain(schema: Json): boolean {
  const plain = removeNull(stripAnnotations(schema));
  if (!isObject(plain)) return true;
  const fields = Object.values(isObject(plain.properties) ? plain.properties : {});
  const items = getItems(plain);
  const parts = [...fields, ...(items === undefined ? [] : [items])];
  return (
    Object.keys(plain).every((keyword) => PLAIN_KEYWORDS.has(keyword) || !CONSTRAINTS.has(keyword)) &&
    fields.length <= MAX_PLAIN_FIELDS &&
    parts.every(isPlain)
  );
}

function scorePlainShapes(a: Json, b: Json): number {
  if (formatCanonicalJson(a) === formatCanonicalJson(b)) return 1;
  if (listAlternatives(a).length + listAlternatives(b).length > 0) return scoreAlternatives(a, b);
  const oldFields = listFields(a);
  const newFields = listFields(b);
  if (oldFields && newFields) return scoreSets(Object.keys(oldFields), Object.keys(newFields));
  const oldEntries = getEntries(a);
  const newEntries = getEntries(b);
  if (oldEntries !== undefined && newEntries !== undefined)
    return WRAPPED + (1 - WRAPPED) * scoreShapeLikeness(oldEntries, newEntries);
  const oldValues = listValues(a);
  const newValues = listValues(b);
  if (oldValues && newValues) return scoreSets(oldValues, newValues);
  const oldItems = getItems(a);
  const newItems = getItems(b);
  if (oldItems !== undefined && newItems !== undefined)
    return WRAPPED + (1 - WRAPPED) * scoreShapeLikeness(oldItems, newItems);
  if (listTypes(a).some((type) => listTypes(b).includes(type))) return SAME_TYPE;
  if (isListed(a, newItems) || isListed(b, oldItems)) return LISTED;
  return isWrapped(a, b) || isWrapped(b, a) ? WRAPPED : 0;
}

/** Returns the likeness of the two alternatives that are most alike. A schema without alternatives is its own alternative. */
function scoreAlternatives(a: Json, b: Json): number {
  const olds = listAlternatives(a);
  const news = listAlternatives(b);
  const scores = (olds.length === 0 ? [a] : olds)
    .slice(0, MAX_ALTERNATIVES)
    .flatMap((old) =>
      (news.length === 0 ? [b] : news).slice(0, MAX_ALTERNATIVES).map((now) => scoreShapeLikeness(old, now)),
    );
  return Math.max(0, ...scores) * ALTERNATIVE;
}

function listAlternatives(schema: Json): readonly Json[] {
  if (!isObject(schema)) return [];
  const alternatives = schema.anyOf ?? schema.oneOf;
  return Array.isArray(alternatives) ? alternatives : [];
}

/** Returns the likeness of two lists of names: by the share of those that both have. */
function scoreSets(a: readonly Json[], b: readonly Json[]): number {
  const others = new Set(b.map(formatCanonicalJson));
  const common = a.filter((each) => others.has(formatCanonicalJson(each))).length;
  return common === 0 ? SAME_TYPE_ONLY : SAME_TYPE + (1 - SAME_TYPE) * ((2 * common) / (a.length + b.length));
}

function isListed(value: Json, items: Json | undefined): boolean {
  return items !== undefined && scoreShapeLikeness(value, items) >= SAME_TYPE;
}

/** Returns whether the second schema is an object or a list that holds values of a type of the first one. */
function isWrapped(value: Json, holder: Json): boolean {
  const types = listTypes(value);
  const items = getItems(holder);
  const parts = [...Object.values(listFields(holder) ?? {}), ...(items === undefined ? [] : [items])];
  return parts.some((part) => listTypes(removeNull(part)).some((type) => types.includes(type)));
}

/** Returns the schema without null as a possible value. Returns the same schema if null is not possible. */
function removeNull(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const { type, anyOf, oneOf, allOf, ...rest } = schema;
  // A reference with a text beside it is an allOf with one part.
  const parts = Array.isArray(allOf) ? allOf : [];
  if (parts.length === 1 && Object.keys(schema).length === 1) return removeNull(parts[0] ?? true);
  if (Array.isArray(type) && type.includes("null")) {
    const types = type.filter((each) => each !== "null");
    return { ...schema, type: types.length === 1 ? (types[0] ?? types) : types };
  }
  const alternatives = anyOf ?? oneOf;
  if (!Array.isArray(alternatives)) return schema;
  const others = alternatives.filter((each) => !isObject(each) || each.type !== "null");
  const [only] = others;
  return others.length === 1 && alternatives.length === 2 && isObject(only) ? { ...rest, ...only } : schema;
}

/** Returns the fields of an object, also those that parts of `allOf` declare; undefined if there are none. */
function listFields(schema: Json): JsonObject | undefined {
  if (!isObject(schema)) return undefined;
  const { properties, allOf } = schema;
  const parts = Array.isArray(allOf) ? allOf.map((part) => listFields(part)) : [];
  const all = [isObject(properties) ? properties : undefined, ...parts].filter((each) => each !== undefined);
  return all.length === 0 ? undefined : Object.assign({}, ...all);
}

function listValues(schema: Json): readonly Json[] | undefined {
  if (!isObject(schema)) return undefined;
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}

function getItems(schema: Json): Json | undefined {
  return isObject(schema) && schema.items !== undefined && !Array.isArray(schema.items)
    ? schema.items
    : undefined;
}

/** Returns the schema of the values of a map. */
function getEntries(schema: Json): Json | undefined {
  return isObject(schema) && isObject(schema.additionalProperties) ? schema.additionalProperties : undefined;
}

function listTypes(schema: Json): Json[] {
  if (!isObject(schema)) return [];
  const types = schema.type ?? (listFields(schema) ? "object" : []);
  return [types].flat().map((type) => (type === "integer" ? "number" : type));
}
