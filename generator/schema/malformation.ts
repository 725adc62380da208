/**
 * What the metaschemas of the dialects allow each keyword to hold. A schema that is malformed by them has no meaning
 * to prove anything about. Values that only a `format` restricts, such as patterns, are refused where they are read.
 */
import { canonical, isObject, type Json, type JsonObject } from "../json.js";
import { type Dialect, since } from "./dialects.js";
import { type Holds, keywordsOf, type ValueKind } from "./keywords.js";

/** What a value must be, in words, and whether it is. */
interface Shape {
  readonly what: string;
  readonly fits: (value: Json, dialect: Dialect) => boolean;
}

const TYPE_NAMES: readonly Json[] = ["array", "boolean", "integer", "null", "number", "object", "string"];

const text: Shape = { what: "a string", fits: (value) => typeof value === "string" };
const flag: Shape = { what: "a boolean", fits: (value) => typeof value === "boolean" };
const number: Shape = { what: "a number", fits: (value) => typeof value === "number" };
const list: Shape = { what: "a list", fits: Array.isArray };
const step: Shape = { what: "a number above 0", fits: (value) => typeof value === "number" && value > 0 };
const count: Shape = {
  what: "a non-negative integer",
  fits: (value) => typeof value === "number" && Number.isInteger(value) && value >= 0,
};
const names: Shape = { what: "a list of different strings", fits: isListOfNames };
const types: Shape = {
  what: "the name of a type, or a list of different ones",
  fits: (value) =>
    TYPE_NAMES.includes(value) ||
    (Array.isArray(value) &&
      value.length > 0 &&
      isSet(value) &&
      value.every((name) => TYPE_NAMES.includes(name))),
};
const values: Shape = {
  what: "a list of different values",
  fits: (value, dialect) =>
    Array.isArray(value) && (since(dialect, "2019-09") || (value.length > 0 && isSet(value))),
};
const limit: Shape = {
  what: "a number (a boolean in draft-04)",
  fits: (value, dialect) => typeof value === (dialect === "draft4" ? "boolean" : "number"),
};
const identifier: Shape = {
  what: "a URI reference (without a fragment, since 2019-09)",
  fits: (value, dialect) =>
    typeof value === "string" && (!since(dialect, "2019-09") || /^[^#]*#?$/.test(value)),
};
const anchor: Shape = {
  what: "a plain name",
  fits: (value, dialect) =>
    typeof value === "string" &&
    (dialect === "2020-12" ? /^[A-Za-z_][-A-Za-z0-9._]*$/ : /^[A-Za-z][-A-Za-z0-9.:_]*$/).test(value),
};
const namesByKey: Shape = {
  what: "a map of lists of different strings",
  fits: (value, dialect) =>
    isObject(value) && Object.values(value).every((each) => isListOfNames(each, dialect)),
};
const flagsByKey: Shape = {
  what: "a map of booleans",
  fits: (value) => isObject(value) && Object.values(value).every((each) => typeof each === "boolean"),
};

/** What each kind of value is, by the metaschemas; those that hold subschemas are below. */
const SHAPES: { readonly [K in Exclude<ValueKind, Holds>]: Shape | undefined } = {
  any: undefined,
  boolean: flag,
  string: text,
  text,
  "text or null": text,
  number,
  limit,
  positive: step,
  count,
  names,
  "name map": namesByKey,
  "flag map": flagsByKey,
  type: types,
  values,
  regex: text,
  format: text,
  dialect: text,
  identifier,
  anchor,
  array: list,
  stability: text,
};

const aSchema = (value: Json, dialect: Dialect) => isSchema(value, dialect);
const schemas = (value: Json, dialect: Dialect) =>
  Array.isArray(value) && value.length > 0 && value.every((each) => isSchema(each, dialect));

const HOLDERS: { readonly [H in Holds]: Shape } = {
  schema: { what: "a schema", fits: aSchema },
  list: { what: "a list of schemas, one at least", fits: schemas },
  map: {
    what: "a map of schemas",
    fits: (value, dialect) =>
      isObject(value) && Object.values(value).every((each) => isSchema(each, dialect)),
  },
  "schema or list": {
    what: "a schema (or a list of them, before 2020-12)",
    fits: (value, dialect) => isSchema(value, dialect) || (dialect !== "2020-12" && schemas(value, dialect)),
  },
  "map of schema or list": {
    what: "a map of schemas and lists of different strings",
    fits: (value, dialect) =>
      isObject(value) &&
      Object.values(value).every((each) => isSchema(each, dialect) || isListOfNames(each, dialect)),
  },
};

/** Where draft-04 allows a boolean for a schema. */
const MAY_BE_BOOLEAN = ["additionalItems", "additionalProperties"];
/** What draft-04 allows only beside another keyword. */
const NEEDS: { readonly [keyword: string]: string } = {
  exclusiveMinimum: "minimum",
  exclusiveMaximum: "maximum",
};

/** Whether a value may stand where a schema is expected; draft-04 knows no boolean schemas. */
export function isSchema(value: Json, dialect: Dialect): boolean {
  return isObject(value) || (typeof value === "boolean" && dialect !== "draft4");
}

/** What is wrong with the keywords of a schema, as a sentence; undefined when they hold what their dialect allows. */
export function malformation(schema: JsonObject, dialect: Dialect): string | undefined {
  for (const [keyword, value] of Object.entries(schema)) {
    const row = keywordsOf(dialect).get(keyword);
    if (!row) continue;
    if (dialect === "draft4") {
      if (MAY_BE_BOOLEAN.includes(keyword) && typeof value === "boolean") continue;
      const needed = NEEDS[keyword];
      if (needed !== undefined && !Object.hasOwn(schema, needed))
        return `"${keyword}" stands without "${needed}"`;
    }
    const { value: kind, holds } = row;
    const shape = holds ? HOLDERS[holds] : SHAPES[kind as Exclude<ValueKind, Holds>];
    if (shape && !shape.fits(value, dialect)) return `"${keyword}" is not ${shape.what}`;
  }
  return undefined;
}

function isListOfNames(value: Json, dialect: Dialect): boolean {
  if (!Array.isArray(value) || (dialect === "draft4" && value.length === 0)) return false;
  return value.every((name) => typeof name === "string") && isSet(value);
}

function isSet(items: readonly Json[]): boolean {
  return new Set(items.map(canonical)).size === items.length;
}
