/** Creates random schemas, mutations of schemas, and values. The same seed gives the same results. */

import { createObject, isObject, type Json, type JsonObject } from "../../generator/json.js";
import type { Random } from "../../generator/random.js";
import { type Dialect, isAtLeast } from "../../generator/schema/dialects.js";
import { getSubschemaLayout } from "../../generator/schema/keywords.js";

/** The field names, patterns, numbers and texts that random schemas and values contain. */
export interface Words {
  readonly keys: readonly string[];
  readonly patterns: readonly string[];
  readonly numbers: readonly number[];
  readonly strings: readonly string[];
}

const WORDS: Words = {
  keys: ["a", "b", "c", "ab", "x-1"],
  patterns: ["^a", "b$", "^[a-c]+$", "^x-", "a", "^$", "^.{2}$", "\\d", "^(a|b)*$", "[^a]"],
  numbers: [0, 1, 2, 3, 4, 5, 6, 10, -1, 0.5, 1.5, 2.5, 100],
  strings: ["", "a", "b", "ab", "abc", "x-1", "é", "aa", "1"],
};
const TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"];

/** Creates a small random value from the words of the schemas. */
export function createRandomValue(random: Random, depth = 3): Json {
  switch (random.below(depth > 0 ? 9 : 6)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
    case 3:
      return random.pick(WORDS.numbers);
    case 4:
    case 5:
      return random.pick(WORDS.strings);
    case 6:
      return Array.from({ length: random.below(4) }, () => createRandomValue(random, depth - 1));
    default: {
      const size = random.below(4);
      return createObject(
        Array.from({ length: size }, () => [random.pick(WORDS.keys), createRandomValue(random, depth - 1)]),
      );
    }
  }
}

/** Creates keywords from the words, with subschemas from `createSubschema`. The table calls the parameters r, w, s and x. */
type KeywordMaker = (
  random: Random,
  words: Words,
  createSubschema: () => Json,
  dialect: Dialect,
) => JsonObject;

const createList = (random: Random, make: () => Json, maxLength = 3) =>
  Array.from({ length: 1 + random.below(maxLength) }, make);
const createMembers = (random: Random, keys: readonly string[], make: () => Json) =>
  createObject(createList(random, () => null).map(() => [random.pick(keys), make()]));
const pickSome = <T>(random: Random, words: readonly T[]) => [
  ...new Set(createList(random, () => null, 4).map(() => random.pick(words))),
];

/** Keywords for values of each type, and for values of any type. The deep ones contain subschemas. */
export const KEYWORDS: {
  readonly [type: string]: { readonly flat: readonly KeywordMaker[]; readonly deep: readonly KeywordMaker[] };
} = {
  any: {
    flat: [
      (r) => ({ type: r.chance(0.7) ? r.pick(TYPES) : pickSome(r, TYPES) }),
      (r) => ({ type: r.pick(["object", "array", "string", "integer"]) }),
      (r, w) => ({ enum: pickSome<Json>(r, [...w.strings, ...w.numbers, null]) }),
      (r, _w, _s, x) => (isAtLeast(x, "draft6") ? { const: createRandomValue(r, 2) } : {}),
    ],
    deep: [
      (r, _w, s) => ({ allOf: createList(r, s) }),
      (r, _w, s) => ({ anyOf: createList(r, s) }),
      (r, _w, s) => ({ oneOf: createList(r, s) }),
      (_r, _w, s) => ({ not: s() }),
      (r, _w, s, x) => (isAtLeast(x, "draft7") ? { if: s(), [r.pick(["then", "else"])]: s() } : {}),
      () => ({ $ref: "#/definitions/r" }),
    ],
  },
  number: {
    flat: [
      (r, w) => ({ minimum: r.pick(w.numbers) }),
      (r, w) => ({ maximum: r.pick(w.numbers) }),
      (r, w, _s, x) =>
        x === "draft4" ? { minimum: 1, exclusiveMinimum: true } : { exclusiveMinimum: r.pick(w.numbers) },
      (r, w, _s, x) =>
        x === "draft4"
          ? { maximum: 4, exclusiveMaximum: r.chance(0.5) }
          : { exclusiveMaximum: r.pick(w.numbers) },
      (r) => ({ multipleOf: r.pick([1, 2, 3, 4, 0.5, 1.5, 5]) }),
      () => ({ type: "integer" }),
      (r, w) => ({ enum: pickSome(r, w.numbers) }),
    ],
    deep: [],
  },
  string: {
    flat: [
      (r) => ({ minLength: r.below(4) }),
      (r) => ({ maxLength: r.below(4) }),
      (r, w) => ({ pattern: r.pick(w.patterns) }),
      (r, w) => ({ pattern: r.pick(w.patterns) }),
      (r, w) => ({ enum: pickSome(r, w.strings) }),
    ],
    deep: [],
  },
  array: {
    flat: [
      (r) => ({ minItems: r.below(4) }),
      (r) => ({ maxItems: r.below(4) }),
      () => ({ uniqueItems: true }),
    ],
    deep: [
      (_r, _w, s) => ({ items: s() }),
      (r, _w, s, x) =>
        x === "2020-12"
          ? { prefixItems: createList(r, s) }
          : { items: createList(r, s), additionalItems: s() },
      (_r, _w, s, x) => (isAtLeast(x, "draft6") ? { contains: s() } : {}),
      (r, _w, s, x) =>
        isAtLeast(x, "2019-09") ? { contains: s(), minContains: r.below(3), maxContains: r.below(3) } : {},
      (r, _w, s, x) => (isAtLeast(x, "2019-09") ? { unevaluatedItems: r.chance(0.6) ? false : s() } : {}),
    ],
  },
  object: {
    flat: [
      (r) => ({ minProperties: r.below(4) }),
      (r) => ({ maxProperties: r.below(4) }),
      (r, w) => ({ required: pickSome(r, w.keys) }),
      (r, w, _s, x) => ({
        [isAtLeast(x, "2019-09") ? "dependentRequired" : "dependencies"]: {
          [r.pick(w.keys)]: pickSome(r, w.keys),
        },
      }),
    ],
    deep: [
      (r, w, s) => ({ properties: createMembers(r, w.keys, s) }),
      (r, w, s) => ({ properties: createMembers(r, w.keys, s), required: pickSome(r, w.keys) }),
      (r, w, s) => ({ patternProperties: createMembers(r, w.patterns, s) }),
      (r, _w, s) => ({ additionalProperties: r.chance(0.5) ? false : s() }),
      (r, w, s) => ({ properties: createMembers(r, w.keys, s), additionalProperties: s() }),
      (r, w, s, x) =>
        isAtLeast(x, "draft6")
          ? { propertyNames: r.chance(0.5) ? { pattern: r.pick(w.patterns) } : s() }
          : {},
      (r, w, s, x) => ({
        [isAtLeast(x, "2019-09") ? "dependentSchemas" : "dependencies"]: { [r.pick(w.keys)]: s() },
      }),
      (r, _w, s, x) =>
        isAtLeast(x, "2019-09") ? { unevaluatedProperties: r.chance(0.6) ? false : s() } : {},
    ],
  },
};
/** All keywords without subschemas, and all keywords with subschemas. */
const FLAT = Object.values(KEYWORDS).flatMap(({ flat }) => flat);
const DEEP = Object.values(KEYWORDS).flatMap(({ deep }) => deep);

/** Creates a random schema of a dialect. References lead to `#/definitions/r`, which `createRandomDocument` adds. */
export function createRandomSchema(random: Random, depth: number, dialect: Dialect): Json {
  if (isAtLeast(dialect, "draft6") && random.chance(0.06)) return random.chance(0.5);
  const members: (readonly [string, Json])[] = [];
  for (let i = 1 + random.below(3); i > 0; i--) {
    const make = random.pick(depth > 0 && random.chance(0.55) ? DEEP : FLAT);
    const createSubschema = () => createRandomSchema(random, depth - 1, dialect);
    members.push(...Object.entries(make(random, WORDS, createSubschema, dialect)));
  }
  return createObject(members);
}

/** Creates a random schema document, including the definition that its references name. */
export function createRandomDocument(random: Random, depth: number, dialect: Dialect): Json {
  return addDefinition(random, createRandomSchema(random, depth, dialect), dialect);
}

/** Adds the definition that the references of the schema name, unless the schema has definitions. */
export function addDefinition(random: Random, schema: Json, dialect: Dialect): Json {
  if (isObject(schema) && "definitions" in schema) return schema;
  if (!isObject(schema) || !JSON.stringify(schema).includes("$ref")) return schema;
  const target = {
    properties: { a: random.chance(0.7) ? { $ref: "#/definitions/r" } : {} },
    ...createKeywords(random, dialect),
  };
  const root = isAtLeast(dialect, "2019-09") || !("$ref" in schema) ? schema : { allOf: [schema] };
  return { ...root, definitions: { r: target } };
}

function createKeywords(random: Random, dialect: Dialect): JsonObject {
  const schema = createRandomSchema(random, 0, dialect);
  return isObject(schema) ? schema : {};
}

/** Changes one random part of the value. */
export function mutateValue(random: Random, value: Json, replacement: () => Json): Json {
  if (Array.isArray(value) && value.length > 0 && random.chance(0.85)) {
    const changed = random.below(value.length);
    if (random.chance(0.2)) return value.filter((_, i) => i !== changed);
    if (random.chance(0.1)) return [...value, value[changed] as Json];
    return value.map((item: Json, i) => (i === changed ? mutateValue(random, item, replacement) : item));
  }
  if (isObject(value) && Object.keys(value).length > 0 && random.chance(0.85)) {
    const changed = random.pick(Object.keys(value));
    const entries = Object.entries(value);
    if (random.chance(0.2)) return createObject(entries.filter(([key]) => key !== changed));
    return createObject(
      entries.map(([key, each]) => [key, key === changed ? mutateValue(random, each, replacement) : each]),
    );
  }
  if (typeof value === "number" && random.chance(0.6)) return value + random.pick([-1, 1, 0.5]);
  if (typeof value === "boolean" && random.chance(0.6)) return !value;
  return replacement();
}

/** Removes, adds or changes one keyword of the schema or of a subschema. The result is well-formed. */
export function mutateSchema(random: Random, schema: Json, dialect: Dialect, depth = 2): Json {
  if (!isObject(schema)) return createRandomSchema(random, 1, dialect);
  const children = Object.keys(schema).filter(
    (key) => getSubschemaLayout(dialect, key) && key !== "definitions",
  );
  if (children.length > 0 && depth > 0 && random.chance(0.7)) {
    const keyword = random.pick(children);
    const value = schema[keyword] as Json;
    return { ...schema, [keyword]: mutateSubschema(random, keyword, value, dialect, depth) };
  }
  const keys = Object.keys(schema).filter(
    (key) => !/^(definitions|\$.*|then|else|additionalItems)$/.test(key),
  );
  if (keys.length > 0 && random.chance(0.35)) {
    const dropped = random.pick(keys);
    return createObject(Object.entries(schema).filter(([key]) => key !== dropped));
  }
  const added = createRandomSchema(random, random.below(2), dialect);
  return isObject(added) ? { ...schema, ...added } : { ...schema };
}

function mutateSubschema(
  random: Random,
  keyword: string,
  value: Json,
  dialect: Dialect,
  depth: number,
): Json {
  const mutateChild = (child: Json) => mutateSchema(random, child, dialect, depth - 1);
  const layout = getSubschemaLayout(dialect, keyword);
  if (Array.isArray(value)) {
    const changed = random.below(value.length);
    return value.map((child: Json, i) => (i === changed ? mutateChild(child) : child));
  }
  if (!isObject(value) || layout === "schema" || layout === "schema or list") return mutateChild(value);
  const changed = random.pick(Object.keys(value));
  return createObject(
    Object.entries(value).map(([key, child]) => [
      key,
      key === changed && !Array.isArray(child) ? mutateChild(child) : child,
    ]),
  );
}
