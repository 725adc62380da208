/** Small schemas that are hard on tools: definitions that refer to each other many times, and keywords with many or large values. */
import type { Json, JsonObject } from "../../generator/json.js";
import { createRandom, type Random } from "../../generator/random.js";
import type { Files } from "./project.js";

/** Returns a definition that applies the next one in some way. */
export type Form = (next: JsonObject) => JsonObject;

/** Definitions that apply the next one several times to the same value, so that validators would never end. */
export const SAME_VALUE: { readonly [name: string]: Form } = {
  allOf: (next) => ({ allOf: [next, next] }),
  anyOf: (next) => ({ anyOf: [next, next] }),
  if: (next) => ({ if: next, then: next, else: next }),
  dependentSchemas: (next) => ({ dependentSchemas: { a: next, b: next } }),
};

/** Definitions that apply the next one to several parts of the value, or to one of them in each alternative. */
export const PARTS: { readonly [name: string]: Form } = {
  properties: (next) => createObject({ a: next, b: next }),
  items: (next) => createObject({ a: { type: "array", items: next }, b: { type: "array", items: next } }),
  map: (next) => ({ ...createObject({ a: next }), additionalProperties: next }),
  oneOf: (next) => ({ oneOf: [next, { ...createObject({ k: next }), required: ["k"] }] }),
  tagged: (next) => ({
    anyOf: ["x", "y"].map((tag) => ({
      ...createObject({ t: { const: tag }, [tag]: next }),
      required: ["t"],
    })),
  }),
};

/** The last definition of a chain, and a changed one. */
export const LEAF = createObject({ x: { type: "string" } });
export const STRICT_LEAF = { ...LEAF, required: ["x"] };

const ROOT = { $ref: "#/$defs/d0" };

function createObject(properties: JsonObject): JsonObject {
  return { type: "object", properties };
}

/** Returns `depth` definitions of a form, of which each refers to the next one; the last one refers to `last`. */
export function createChain(form: Form, depth: number, last: JsonObject): JsonObject {
  const names = Array.from({ length: depth }, (_, index) => `d${index}`);
  const definitions = names.map((name, index): [string, JsonObject] => [
    name,
    { description: "D.", ...form({ $ref: `#/$defs/d${index + 1}` }) },
  ]);
  return { ...Object.fromEntries(definitions), [`d${depth}`]: { description: "D.", ...last } };
}

/** Returns definitions of which each refers to five others, so that there are paths of every kind between them. */
export function connectDefinitions(count: number): JsonObject {
  const refer = (index: number): JsonObject => ({ $ref: `#/$defs/d${index % count}` });
  const create = (index: number): JsonObject => ({
    description: "D.",
    ...createObject({
      a: refer(index + 1),
      b: { anyOf: [refer(index + 2), { type: "null" }] },
      c: { type: "array", items: refer(index + 5) },
      d: refer(index + 17),
      e: { anyOf: [refer(index + 40), { type: "null" }] },
    }),
  });
  return Object.fromEntries(
    Array.from({ length: count }, (_, index): [string, JsonObject] => [`d${index}`, create(index)]),
  );
}

/** Returns definitions of random forms that refer to random others, those before them too. */
export function createRandomDefinitions(random: Random, count: number): JsonObject {
  const forms = [...Object.values(SAME_VALUE), ...Object.values(PARTS)];
  const cyclic = Object.values(PARTS);
  const create = (index: number): JsonObject => {
    const target = random.below(count + 1);
    // A definition that applies itself to the same value means nothing, so only parts lead back.
    const form = random.pick(target > index ? forms : cyclic.slice(0, 3));
    return { description: "D.", ...form({ $ref: `#/$defs/d${target}` }) };
  };
  return {
    ...Object.fromEntries(
      Array.from({ length: count }, (_, index): [string, JsonObject] => [`d${index}`, create(index)]),
    ),
    [`d${count}`]: { description: "D.", ...LEAF },
  };
}

/** The definitions of a schema, whose root is `d0`, before and after a change. */
export interface HostileSchema {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

const list = <T>(length: number, create: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => create(index));
const record = (length: number, create: (index: number) => Json): JsonObject =>
  Object.fromEntries(list(length, (index) => [`f${index}`, create(index)]));
const text = { type: "string" };

/** Returns a schema without references, and the same with a change. */
function change(create: (isAfter: boolean) => JsonObject): HostileSchema {
  const wrap = (schema: JsonObject): JsonObject => ({ d0: { description: "D.", ...schema } });
  return { before: wrap(create(false)), after: wrap(create(true)) };
}

function nest(depth: number, wrap: (inner: JsonObject) => JsonObject, leaf: JsonObject): JsonObject {
  return list(depth, () => wrap).reduce((inner, each) => each(inner), leaf);
}

function createChainPair(form: Form, depth: number): HostileSchema {
  return { before: createChain(form, depth, LEAF), after: createChain(form, depth, STRICT_LEAF) };
}

/** A table of schemas by name. */
export const HOSTILE_SCHEMAS: { readonly [name: string]: HostileSchema } = {
  ...Object.fromEntries(
    Object.entries({ ...SAME_VALUE, ...PARTS }).flatMap(([name, form]) =>
      [26, 60].map((depth) => [`${depth} definitions, each ${name} twice`, createChainPair(form, depth)]),
    ),
  ),
  ...Object.fromEntries(
    [20, 60, 136].map((count) => {
      const before = connectDefinitions(count);
      const after = { ...before, d5: { ...STRICT_LEAF, description: "D." } };
      return [`${count} definitions in cycles`, { before, after }];
    }),
  ),
  ...Object.fromEntries(
    [1, 2, 3].map((seed) => [
      `40 random definitions (${seed})`,
      {
        before: createRandomDefinitions(createRandom(seed), 40),
        after: {
          ...createRandomDefinitions(createRandom(seed), 40),
          d40: { ...STRICT_LEAF, description: "D." },
        },
      },
    ]),
  ),
  "10,000 values": change((isAfter) => ({
    enum: list(isAfter ? 9999 : 10_000, (index) => `value ${index}`),
  })),
  "50,000 numbers": change((isAfter) => ({ enum: list(isAfter ? 49_999 : 50_000, (index) => index * 3) })),
  "1,000 objects as values": change((isAfter) => ({
    enum: list(isAfter ? 999 : 1000, (index) => ({ a: index, b: [index, { c: `${index}` }] })),
  })),
  "2,000 fields": change((isAfter) => createObject(record(isAfter ? 1999 : 2000, () => text))),
  "500 alternatives with tags": change((isAfter) => ({
    oneOf: list(isAfter ? 499 : 500, (index) => ({
      ...createObject({ t: { const: `t${index}` }, v: text }),
      required: ["t"],
    })),
  })),
  "300 alternatives without tags": change((isAfter) => ({
    anyOf: list(300, (index) => ({
      ...createObject({ [`a${index}`]: text, [`b${index}`]: text }),
      required: isAfter && index === 7 ? [`a${index}`, `b${index}`] : [`a${index}`],
    })),
  })),
  "100 fields nested in each other": change((isAfter) =>
    nest(100, (inner) => createObject({ a: inner }), isAfter ? STRICT_LEAF : LEAF),
  ),
  "300 lists nested in each other": change((isAfter) =>
    nest(
      300,
      (inner) => ({ type: "array", items: inner }),
      isAfter ? { type: "integer" } : { type: "number" },
    ),
  ),
  "200 not within each other": change((isAfter) =>
    nest(200, (inner) => ({ not: inner }), isAfter ? { type: "integer" } : { type: "number" }),
  ),
  "500 patterns at once": change((isAfter) => ({
    type: "string",
    allOf: list(500, (index) => ({ pattern: `[a-z]{${index % 7}}${isAfter && index === 9 ? "x" : ""}` })),
  })),
  "a pattern that counts to 1,000": change((isAfter) => ({
    type: "string",
    pattern: `^(?:a|b|ab){1,${isAfter ? 999 : 1000}}$`,
  })),
  "a pattern with nested counters": change((isAfter) => ({
    type: "string",
    pattern: `^(?:(?:(?:a{1,30}){1,30}){1,30}){1,${isAfter ? 29 : 30}}$`,
  })),
  "a pattern that backtracks": change((isAfter) => ({
    type: "string",
    pattern: `^(\\w+\\s?)+${isAfter ? "!" : ""}$`,
  })),
  "200 patterns of field names": change((isAfter) => ({
    type: "object",
    patternProperties: Object.fromEntries(
      list(200, (index) => [`^f${index}.*[a-f]$`, isAfter && index === 3 ? { type: "number" } : text]),
    ),
  })),
  "a list of 1,000 schemas": change((isAfter) => ({
    type: "array",
    prefixItems: list(1000, (index) => (isAfter && index === 500 ? { const: 1 } : { type: "number" })),
  })),
  "a list of a million items": change((isAfter) => ({
    type: "array",
    minItems: isAfter ? 1_000_001 : 1_000_000,
    items: text,
  })),
  "a text of ten million characters": change((isAfter) => ({
    type: "string",
    minLength: isAfter ? 10_000_001 : 10_000_000,
  })),
  "multiples of a small number": change((isAfter) => ({
    type: "number",
    multipleOf: isAfter ? 1e-9 : 1e-10,
    maximum: 1e308,
  })),
  "multiples of many primes": change((isAfter) => ({
    allOf: [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, ...(isAfter ? [41] : [])].map((multipleOf) => ({
      type: "integer",
      multipleOf,
    })),
  })),
  "each of 60 fields requires all others": change((isAfter) => ({
    ...createObject(record(60, () => text)),
    dependentRequired: record(60, (index) =>
      list(60, (other) => `f${other}`).filter((name) => isAfter || name !== `f${index}`),
    ),
  })),
  "100 conditions in a row": change((isAfter) =>
    nest(
      100,
      (inner) => ({ if: { ...createObject({ a: { const: 1 } }), required: ["a"] }, else: inner }),
      isAfter ? STRICT_LEAF : LEAF,
    ),
  ),
  "100 different items, counted": change((isAfter) => ({
    type: "array",
    uniqueItems: true,
    contains: { enum: list(100, (index) => index) },
    minContains: isAfter ? 91 : 90,
  })),
  "fields that no part of 100 evaluates": change((isAfter) => ({
    type: "object",
    anyOf: list(100, (index) =>
      createObject({ [`f${index}`]: isAfter && index === 2 ? { type: "number" } : text }),
    ),
    unevaluatedProperties: false,
  })),
};

/** Returns the files of a project whose only event has a field with these definitions. */
export function createHostileProtocol($defs: JsonObject): Files {
  const format = (value: JsonObject): string => JSON.stringify(value);
  const described = { description: "D." };
  return {
    "schemas/big/v1/protocol.json": format({
      ...{ name: "big", major: 1, version: "1.0", title: "B", description: "B." },
      envelope: { discriminator: "type", payload: { placement: "nested", property: "data" } },
    }),
    "schemas/big/v1/envelope.schema.json": format({
      ...{ title: "E", description: "E.", type: "object", required: ["type", "data"] },
      properties: { type: { type: "string", ...described }, data: { type: "object", ...described } },
    }),
    "schemas/big/v1/events/e.schema.json": format({
      ...{ title: "E", description: "E.", "x-since": "1.0", "x-stability": "stable" },
      ...{ type: "object", properties: { v: { ...ROOT, ...described } }, $defs },
    }),
  };
}

/** Returns definitions as a schema whose root is `d0`. */
export function createHostileRoot($defs: JsonObject): string {
  return JSON.stringify({ ...ROOT, $defs });
}

/** Returns definitions as a union of two events, one of which has a field with the schema `d0`. */
export function createHostileUnion($defs: JsonObject): string {
  const createEvent = (type: string, fields: JsonObject): JsonObject => ({
    ...createObject({ type: { const: type }, ...fields }),
    required: ["type"],
  });
  return JSON.stringify({ oneOf: [createEvent("e", { v: ROOT }), createEvent("f", {})], $defs });
}
