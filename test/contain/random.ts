/** Random schemas, mutations of schemas and instances, from a seeded source: the same seed gives the same run. */

import { isObject, type Json, type JsonObject, objectFrom } from "../../generator/json.js";
import type { Random } from "../../generator/random.js";
import { type Dialect, since } from "../../generator/schema/dialects.js";
import { holdsSubschemas } from "../../generator/schema/keywords.js";

const KEYS = ["a", "b", "c", "ab", "x-1"];
const PATTERNS = ["^a", "b$", "^[a-c]+$", "^x-", "a", "^$", "^.{2}$", "\\d", "^(a|b)*$", "[^a]"];
const NUMBERS = [0, 1, 2, 3, 4, 5, 6, 10, -1, 0.5, 1.5, 2.5, 100];
const STRINGS = ["", "a", "b", "ab", "abc", "x-1", "é", "aa", "1"];
const TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"];

/** A random instance, small and made of the same words as the schemas. */
export function randomValue(random: Random, depth = 3): Json {
  switch (random.below(depth > 0 ? 9 : 6)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
    case 3:
      return random.pick(NUMBERS);
    case 4:
    case 5:
      return random.pick(STRINGS);
    case 6:
      return Array.from({ length: random.below(4) }, () => randomValue(random, depth - 1));
    default: {
      const size = random.below(4);
      return objectFrom(
        Array.from({ length: size }, () => [random.pick(KEYS), randomValue(random, depth - 1)]),
      );
    }
  }
}

type Make = (random: Random, depth: number, dialect: Dialect) => JsonObject;

const sub = (random: Random, depth: number, dialect: Dialect) => randomSchema(random, depth - 1, dialect);
const list = (random: Random, depth: number, dialect: Dialect, most = 3) =>
  Array.from({ length: 1 + random.below(most) }, () => sub(random, depth, dialect));
const keyed = (keys: readonly string[], random: Random, make: () => Json) =>
  objectFrom(Array.from({ length: 1 + random.below(3) }, () => [random.pick(keys), make()]));
const someKeys = (random: Random) => [...new Set([random.pick(KEYS), random.pick(KEYS)])];
const constants = (random: Random) =>
  Array.from({ length: 1 + random.below(4) }, () => random.pick([...STRINGS, ...NUMBERS, null]));

const FLAT: readonly Make[] = [
  (r) => ({ type: r.chance(0.7) ? r.pick(TYPES) : [...new Set([r.pick(TYPES), r.pick(TYPES)])] }),
  (r) => ({ type: r.pick(["object", "array", "string", "integer"]) }),
  (r) => ({ enum: [...new Set(constants(r))] }),
  (r, _d, x) => (since(x, "draft6") ? { const: randomValue(r, 2) } : {}),
  (r) => ({ minimum: r.pick(NUMBERS) }),
  (r) => ({ maximum: r.pick(NUMBERS) }),
  (r, _d, x) =>
    x === "draft4" ? { minimum: 1, exclusiveMinimum: true } : { exclusiveMinimum: r.pick(NUMBERS) },
  (r, _d, x) =>
    x === "draft4" ? { maximum: 4, exclusiveMaximum: r.chance(0.5) } : { exclusiveMaximum: r.pick(NUMBERS) },
  (r) => ({ multipleOf: r.pick([1, 2, 3, 0.5, 1.5, 5]) }),
  (r) => ({ minLength: r.below(4) }),
  (r) => ({ maxLength: r.below(4) }),
  (r) => ({ pattern: r.pick(PATTERNS) }),
  (r) => ({ minItems: r.below(4) }),
  (r) => ({ maxItems: r.below(4) }),
  () => ({ uniqueItems: true }),
  (r) => ({ minProperties: r.below(4) }),
  (r) => ({ maxProperties: r.below(4) }),
  (r) => ({ required: someKeys(r) }),
  (r, _d, x) => (since(x, "2019-09") ? { dependentRequired: { [r.pick(KEYS)]: someKeys(r) } } : {}),
];

const DEEP: readonly Make[] = [
  (r, d, x) => ({ properties: keyed(KEYS, r, () => sub(r, d, x)) }),
  (r, d, x) => ({ properties: keyed(KEYS, r, () => sub(r, d, x)), required: someKeys(r) }),
  (r, d, x) => ({ patternProperties: keyed(PATTERNS, r, () => sub(r, d, x)) }),
  (r, d, x) => ({ additionalProperties: r.chance(0.5) ? false : sub(r, d, x) }),
  (r, d, x) => (since(x, "draft6") ? { propertyNames: sub(r, d, x) } : {}),
  (r, d, x) => ({ items: sub(r, d, x) }),
  (r, d, x) =>
    x === "2020-12"
      ? { prefixItems: list(r, d, x) }
      : { items: list(r, d, x), additionalItems: sub(r, d, x) },
  (r, d, x) => (since(x, "draft6") ? { contains: sub(r, d, x) } : {}),
  (r, d, x) =>
    since(x, "2019-09") ? { contains: sub(r, d, x), minContains: r.below(3), maxContains: r.below(3) } : {},
  (r, d, x) => ({ allOf: list(r, d, x) }),
  (r, d, x) => ({ anyOf: list(r, d, x) }),
  (r, d, x) => ({ oneOf: list(r, d, x) }),
  (r, d, x) => ({ not: sub(r, d, x) }),
  (r, d, x) => (since(x, "draft7") ? { if: sub(r, d, x), [r.pick(["then", "else"])]: sub(r, d, x) } : {}),
  (r, d, x) => ({
    [since(x, "2019-09") ? "dependentSchemas" : "dependencies"]: { [r.pick(KEYS)]: sub(r, d, x) },
  }),
  (r, d, x) => (since(x, "2019-09") ? { unevaluatedProperties: r.chance(0.6) ? false : sub(r, d, x) } : {}),
  (r, d, x) => (since(x, "2019-09") ? { unevaluatedItems: r.chance(0.6) ? false : sub(r, d, x) } : {}),
  () => ({ $ref: "#/definitions/r" }),
];

/** A random schema of a dialect. References lead to `#/definitions/r`, which `randomDocument` adds. */
export function randomSchema(random: Random, depth: number, dialect: Dialect): Json {
  if (since(dialect, "draft6") && random.chance(0.06)) return random.chance(0.5);
  const members: (readonly [string, Json])[] = [];
  for (let i = 1 + random.below(3); i > 0; i--) {
    const make = depth > 0 && random.chance(0.55) ? random.pick(DEEP) : random.pick(FLAT);
    members.push(...Object.entries(make(random, depth, dialect)));
  }
  return objectFrom(members);
}

/** A random schema document with the definition that its references name. */
export function randomDocument(random: Random, depth: number, dialect: Dialect): Json {
  return withDefinition(random, randomSchema(random, depth, dialect), dialect);
}

/** The schema with the definition that its references name, unless it has it. */
export function withDefinition(random: Random, schema: Json, dialect: Dialect): Json {
  if (isObject(schema) && "definitions" in schema) return schema;
  if (!isObject(schema) || !JSON.stringify(schema).includes("$ref")) return schema;
  const target = {
    properties: { a: random.chance(0.7) ? { $ref: "#/definitions/r" } : {} },
    ...guarded(random, dialect),
  };
  const root = since(dialect, "2019-09") || !("$ref" in schema) ? schema : { allOf: [schema] };
  return { ...root, definitions: { r: target } };
}

function guarded(random: Random, dialect: Dialect): JsonObject {
  const schema = randomSchema(random, 0, dialect);
  return isObject(schema) ? schema : {};
}

/** The value with one place changed. */
export function mutate(random: Random, value: Json, replacement: () => Json): Json {
  if (Array.isArray(value) && value.length > 0 && random.chance(0.85)) {
    const at = random.below(value.length);
    if (random.chance(0.2)) return value.filter((_, i) => i !== at);
    if (random.chance(0.1)) return [...value, value[at] as Json];
    return value.map((item: Json, i) => (i === at ? mutate(random, item, replacement) : item));
  }
  if (isObject(value) && Object.keys(value).length > 0 && random.chance(0.85)) {
    const at = random.pick(Object.keys(value));
    const entries = Object.entries(value);
    if (random.chance(0.2)) return objectFrom(entries.filter(([key]) => key !== at));
    return objectFrom(
      entries.map(([key, each]) => [key, key === at ? mutate(random, each, replacement) : each]),
    );
  }
  if (typeof value === "number" && random.chance(0.6)) return value + random.pick([-1, 1, 0.5]);
  if (typeof value === "boolean" && random.chance(0.6)) return !value;
  return replacement();
}

/** The schema with one keyword dropped, added or changed somewhere; it stays well-formed. */
export function mutateSchema(random: Random, schema: Json, dialect: Dialect, depth = 2): Json {
  if (!isObject(schema)) return randomSchema(random, 1, dialect);
  const children = Object.keys(schema).filter(
    (key) => holdsSubschemas(dialect, key) && key !== "definitions",
  );
  if (children.length > 0 && depth > 0 && random.chance(0.7)) {
    const keyword = random.pick(children);
    const value = schema[keyword] as Json;
    return { ...schema, [keyword]: mutateInside(random, keyword, value, dialect, depth) };
  }
  const keys = Object.keys(schema).filter(
    (key) => !/^(definitions|\$.*|then|else|additionalItems)$/.test(key),
  );
  if (keys.length > 0 && random.chance(0.35)) {
    const dropped = random.pick(keys);
    return objectFrom(Object.entries(schema).filter(([key]) => key !== dropped));
  }
  const added = randomSchema(random, random.below(2), dialect);
  return isObject(added) ? { ...schema, ...added } : { ...schema };
}

function mutateInside(random: Random, keyword: string, value: Json, dialect: Dialect, depth: number): Json {
  const change = (child: Json) => mutateSchema(random, child, dialect, depth - 1);
  const holds = holdsSubschemas(dialect, keyword);
  if (Array.isArray(value)) {
    const at = random.below(value.length);
    return value.map((child: Json, i) => (i === at ? change(child) : child));
  }
  if (!isObject(value) || holds === "schema" || holds === "schema or list") return change(value);
  const at = random.pick(Object.keys(value));
  return objectFrom(
    Object.entries(value).map(([key, child]) => [
      key,
      key === at && !Array.isArray(child) ? change(child) : child,
    ]),
  );
}
