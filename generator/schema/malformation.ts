/**
 * Checks the values of keywords as the metaschemas of the dialects do. A schema that its metaschema refuses has no defined
 * meaning. Values that only a `format` of the metaschema restricts, such as patterns, are checked where they are read.
 */
import { formatCanonicalJson, isObject, type Json, type JsonObject } from "../json.js";
import { type Dialect, isAtLeast } from "./dialects.js";
import { EVERY_TYPE } from "./json-schema.js";
import { getKeywords, type ValueKind } from "./keywords.js";

/** A test for a value, and a noun for the values that pass. */
interface ValueTest {
  readonly description: string;
  readonly isValid: (value: Json, dialect: Dialect) => boolean;
}

const isTypeName = (value: Json): boolean => typeof value === "string" && EVERY_TYPE.has(value);

const text: ValueTest = { description: "a string", isValid: (value) => typeof value === "string" };
const flag: ValueTest = { description: "a boolean", isValid: (value) => typeof value === "boolean" };

/** The test for each kind of value; undefined if any value is allowed. */
const TESTS: { readonly [K in ValueKind]: ValueTest | undefined } = {
  any: undefined,
  boolean: flag,
  string: text,
  text,
  "text or null": text,
  regex: text,
  format: text,
  dialect: text,
  stability: text,
  number: { description: "a number", isValid: (value) => typeof value === "number" },
  limit: {
    description: "a number (a boolean in draft-04)",
    isValid: (value, dialect) => typeof value === (dialect === "draft4" ? "boolean" : "number"),
  },
  positive: {
    description: "a number above 0",
    isValid: (value) => typeof value === "number" && value > 0,
  },
  count: {
    description: "a non-negative integer",
    isValid: (value) => typeof value === "number" && Number.isInteger(value) && value >= 0,
  },
  array: { description: "a list", isValid: Array.isArray },
  names: { description: "a list of different strings", isValid: isListOfNames },
  "name map": {
    description: "a map of lists of different strings",
    isValid: (value, dialect) => isMapOf(value, (each) => isListOfNames(each, dialect)),
  },
  "flag map": {
    description: "a map of booleans",
    isValid: (value) => isMapOf(value, (each) => typeof each === "boolean"),
  },
  type: {
    description: "the name of a type, or a list of different type names",
    isValid: (value) => isTypeName(value) || (isFilledList(value, isTypeName) && hasDifferentItems(value)),
  },
  values: {
    description: "a list of different values",
    isValid: (value, dialect) =>
      Array.isArray(value) &&
      (isAtLeast(dialect, "2019-09") || (value.length > 0 && hasDifferentItems(value))),
  },
  identifier: {
    description: "a URI reference (without a fragment, since 2019-09)",
    isValid: (value, dialect) =>
      typeof value === "string" && (!isAtLeast(dialect, "2019-09") || /^[^#]*#?$/.test(value)),
  },
  anchor: {
    description: "a plain name",
    isValid: (value, dialect) =>
      typeof value === "string" &&
      (dialect === "2020-12" ? /^[A-Za-z_][-A-Za-z0-9._]*$/ : /^[A-Za-z][-A-Za-z0-9.:_]*$/).test(value),
  },
  schema: { description: "a schema", isValid: isSchema },
  list: {
    description: "a list of at least one schema",
    isValid: (value, dialect) => isFilledList(value, (each) => isSchema(each, dialect)),
  },
  map: {
    description: "a map of schemas",
    isValid: (value, dialect) => isMapOf(value, (each) => isSchema(each, dialect)),
  },
  "schema or list": {
    description: "a schema (or a list of them, before 2020-12)",
    isValid: (value, dialect) =>
      isSchema(value, dialect) ||
      (dialect !== "2020-12" && isFilledList(value, (each) => isSchema(each, dialect))),
  },
  "map of schema or list": {
    description: "a map of schemas and lists of different strings",
    isValid: (value, dialect) =>
      isMapOf(value, (each) => isSchema(each, dialect) || isListOfNames(each, dialect)),
  },
};

/** Keywords that may be a boolean instead of a schema in draft-04. */
const BOOLEAN_OR_SCHEMA = ["additionalItems", "additionalProperties"];
/** Keywords that draft-04 allows only together with another keyword. */
const REQUIRED_COMPANIONS: { readonly [keyword: string]: string } = {
  exclusiveMinimum: "minimum",
  exclusiveMaximum: "maximum",
};

/** Returns whether a value is a schema; draft-04 has no boolean schemas. */
export function isSchema(value: Json, dialect: Dialect): boolean {
  return isObject(value) || (typeof value === "boolean" && dialect !== "draft4");
}

/** Describes a keyword whose value the dialect does not allow, as a clause; undefined if it allows all values. */
export function findMalformation(schema: JsonObject, dialect: Dialect): string | undefined {
  for (const [keyword, value] of Object.entries(schema)) {
    const row = getKeywords(dialect).get(keyword);
    if (!row) continue;
    if (dialect === "draft4") {
      if (BOOLEAN_OR_SCHEMA.includes(keyword) && typeof value === "boolean") continue;
      const needed = REQUIRED_COMPANIONS[keyword];
      if (needed !== undefined && !Object.hasOwn(schema, needed))
        return `"${keyword}" needs "${needed}" beside it`;
    }
    const test = TESTS[row.value];
    if (test && !test.isValid(value, dialect)) return `"${keyword}" is not ${test.description}`;
  }
  return undefined;
}

function isListOfNames(value: Json, dialect: Dialect): boolean {
  if (!Array.isArray(value) || (dialect === "draft4" && value.length === 0)) return false;
  return value.every((name) => typeof name === "string") && hasDifferentItems(value);
}

function isMapOf(value: Json, isWanted: (each: Json) => boolean): boolean {
  return isObject(value) && Object.values(value).every(isWanted);
}

function isFilledList(value: Json, isWanted: (each: Json) => boolean): value is readonly Json[] {
  return Array.isArray(value) && value.length > 0 && value.every(isWanted);
}

function hasDifferentItems(items: readonly Json[]): boolean {
  return new Set(items.map(formatCanonicalJson)).size === items.length;
}
