/** Creates random small protocols with every placement, labels at every level, shared definitions and resources. */
import type { Json, JsonObject } from "../../../generator/json.js";
import type { Random } from "../../../generator/random.js";
import {
  type Draft,
  ENVELOPE,
  getEventPath,
  getObject,
  MANIFEST,
  type ProtocolFiles,
  SHARED,
} from "./protocol-files.js";

export const STABILITIES = ["experimental", "candidate", "stable"] as const;
const FIELDS = ["a", "b", "kind", "note", "size", "tags", "owner"];
const WORDS = ["x", "y", "ab", "abc", "z-1"];
const PATTERNS = ["^[a-c]+$", "^x", "^.{2}$", "b"];
const TYPES = ["tea.made", "tea.sold", "cup.lost"];
export const DEFINITIONS = ["Code", "Place", "Amount", "Choice"];

/** Creates a protocol. The same random source gives the same protocol. */
export function createRandomProtocol(random: Random): ProtocolFiles {
  const placement = random.pick(["nested", "nested", "inline", "keyed"]);
  const discriminator = "type";
  const payload = { placement, ...(placement === "nested" && { property: "data" }) };
  const definitions = createRandomDefinitions(random);
  const files: Draft = {
    [MANIFEST]: {
      name: "tea",
      major: 1,
      version: "1.0",
      title: "Tea",
      description: "A small protocol.",
      envelope: { discriminator, payload },
    },
    [ENVELOPE]: createRandomEnvelope(random, placement === "nested"),
    [SHARED]: { title: "Common", description: "Shared.", $defs: definitions },
  };
  const count = random.pick([1, 1, 1, 2]);
  for (const type of TYPES.slice(0, count))
    files[getEventPath(type)] = createRandomEvent(random, type, placement);
  if (random.chance(0.25)) files["resources/list.schema.json"] = createRandomResource(random);
  return resolveReferences(files);
}

function createRandomEnvelope(random: Random, isNested: boolean): JsonObject {
  const properties: { [name: string]: Json } = {
    type: { type: "string", description: "What happened." },
    id: addDescription(random.chance(0.8) ? { type: "string" } : { type: "string", minLength: 1 }),
  };
  if (random.chance(0.3)) properties.trace = addRandomLabel(random, createRandomSchema(random, 1));
  const required = [
    "type",
    ...random.pick([["id"], []]),
    ...(random.chance(0.2) && properties.trace ? ["trace"] : []),
  ];
  if (isNested) {
    const common = random.chance(0.2)
      ? { properties: { region: addRandomLabel(random, createRandomSchema(random, 0)) } }
      : {};
    properties.data = { type: "object", description: "The payload.", ...common };
    required.push("data");
  }
  return {
    title: "Envelope",
    description: "Around every event.",
    ...(random.chance(0.8) && { "x-stability": random.pick(["candidate", "candidate", "stable"]) }),
    type: "object",
    properties,
    required,
  };
}

/** Creates the schema of an event type. */
export function createRandomEvent(random: Random, type: string, placement: string): JsonObject {
  const head: JsonObject = {
    title: "Something about tea",
    description: "Sent when it happens.",
    "x-since": "1.0",
    "x-stability": random.pick(["stable", "stable", "stable", "candidate", "experimental"]),
  };
  const key = `${type.split(".")[0]}_${type.split(".")[1]}`;
  if (placement === "keyed" && random.chance(0.1)) return head;
  return {
    ...head,
    ...(placement === "keyed" && { "x-payload-property": key }),
    ...createRandomObject(random, 2),
    ...(random.chance(0.12) && { additionalProperties: true }),
  };
}

function createRandomResource(random: Random): JsonObject {
  const target = random.pick([`../${ENVELOPE}`, `../${getEventPath(TYPES[0] ?? "")}`]);
  const list = { type: "array", items: { $ref: target }, description: "The events." };
  const object = createRandomObject(random, 1);
  return {
    title: "A list",
    description: "The answer of a list endpoint.",
    ...(random.chance(0.5) && { "x-stability": random.pick(STABILITIES) }),
    ...object,
    ...(random.chance(0.5) && { properties: { ...getObject(object, "properties"), list } }),
  };
}

function createRandomDefinitions(random: Random): JsonObject {
  const createLabel = () =>
    random.chance(0.3) ? { "x-stability": random.pick(["experimental", "experimental", "candidate"]) } : {};
  return {
    Code: { ...createRandomScalar(random), ...createLabel() },
    Place: { ...createRandomObject(random, 0), ...createLabel() },
    Amount: { ...createRandomScalar(random), ...createLabel() },
    Choice: { ...createRandomUnion(random, 0), ...createLabel() },
  };
}

/** Creates the schema of an object with one to three fields. */
export function createRandomObject(random: Random, depth: number): JsonObject {
  const names = pickMembers(random, FIELDS, 1 + random.below(3));
  const properties = Object.fromEntries(
    names.map((name): [string, Json] => [name, addRandomLabel(random, createRandomSchema(random, depth))]),
  );
  const required = names.filter(() => random.chance(0.4));
  const [first = "", second] = names;
  const more: JsonObject[] = [
    {
      if: { properties: { [first]: { const: "x" } } },
      [random.pick(["then", "else"])]: { required: names.slice(1) },
    },
    { dependentRequired: second === undefined ? {} : { [first]: [second] } },
    { anyOf: names.map((name) => ({ required: [name] })) },
    { minProperties: 1 },
    { "x-writer": { required: [first] } },
    { propertyNames: { maxLength: 5 + random.below(3) } },
    { not: { required: names.slice(0, 2) } },
    { dependentSchemas: { [first]: { properties: { [first]: createRandomScalar(random) } } } },
    { patternProperties: { "^x": createRandomScalar(random) } },
    { allOf: [{ properties: { extra: addDescription(createRandomScalar(random)) } }] },
  ];
  return {
    type: "object",
    properties,
    ...(required.length > 0 && { required }),
    ...(random.chance(0.25) && random.pick(more)),
  };
}

/** Creates a schema of any kind. */
export function createRandomSchema(random: Random, depth: number): JsonObject {
  const kind = random.next();
  if (kind < 0.22) return createReference(random);
  if (depth <= 0 || kind < 0.55) return createRandomScalar(random);
  if (kind < 0.75) return createRandomObject(random, depth - 1);
  if (kind < 0.87) return createRandomArray(random, depth - 1);
  if (kind < 0.92)
    return {
      type: "object",
      ...(random.chance(0.3) && { properties: { a: addDescription(createRandomScalar(random)) } }),
      additionalProperties: random.chance(0.5) ? true : addRandomLabel(random, createRandomSchema(random, 0)),
    };
  return createRandomUnion(random, depth - 1);
}

function createReference(random: Random): JsonObject {
  return { $ref: `${DEFINITION}${random.pick(DEFINITIONS)}` };
}

/** The prefix of references before `resolveReferences` replaces them by paths. */
const DEFINITION = "definition:";

/**
 * Replaces the references of a draft by paths from the file that contains them. To exclude recursion, definitions of
 * scalars refer to nothing, and other definitions only to scalars. All other references become the type string.
 */
export function resolveReferences(draft: Draft): ProtocolFiles {
  const scalars = new Set(["Code", "Amount"]);
  for (const [path, document] of Object.entries(draft)) {
    const up = "../".repeat(path.split("/").length - 1);
    const visit = (value: Json, definition?: string): void => {
      if (typeof value !== "object" || value === null) return;
      const object = value as { [key: string]: Json };
      const isWhole = typeof object.$ref === "string" && object.$ref.endsWith(".json");
      const target =
        typeof object.$ref === "string" && !isWhole ? (object.$ref.split(/\/|:/).at(-1) ?? "") : undefined;
      if (target !== undefined && definition === undefined) object.$ref = `${up}${SHARED}#/$defs/${target}`;
      else if (target !== undefined && !scalars.has(definition ?? "") && scalars.has(target))
        object.$ref = `#/$defs/${target}`;
      else if (target !== undefined) {
        delete object.$ref;
        object.type = "string";
      }
      for (const each of Object.values(object)) visit(each, definition);
    };
    if (path !== SHARED) visit(document);
    else for (const [name, each] of Object.entries(document.$defs)) visit(each as Json, name);
  }
  return draft;
}

function createRandomArray(random: Random, depth: number): JsonObject {
  const createItems = () =>
    random.chance(0.5)
      ? addRandomLabel(random, createRandomSchema(random, depth))
      : createRandomSchema(random, depth);
  return {
    type: "array",
    ...(random.chance(0.2)
      ? { prefixItems: [createItems(), createRandomScalar(random)] }
      : { items: createItems() }),
    ...(random.chance(0.2) && { minItems: 1 }),
    ...(random.chance(0.2) && { maxItems: 2 }),
    ...(random.chance(0.1) && { contains: createRandomScalar(random) }),
  };
}

function createRandomUnion(random: Random, depth: number): JsonObject {
  const createBranch = (kind: string, name: string): JsonObject => ({
    type: "object",
    properties: {
      kind: { const: kind, description: "Which." },
      [name]: addRandomLabel(random, createRandomSchema(random, depth)),
    },
    required: random.chance(0.5) ? ["kind", name] : ["kind"],
  });
  const keyword = random.pick(["anyOf", "oneOf"]);
  if (random.chance(0.3)) return { [keyword]: [{ type: "string" }, { type: "integer", minimum: 0 }] };
  if (random.chance(0.3))
    return { [keyword]: [{ type: "string" }, { type: ["string", "null"], maxLength: 2 }] };
  return { [keyword]: [createBranch("x", "a"), createBranch("y", "b")] };
}

const SCALARS: readonly ((random: Random) => JsonObject)[] = [
  () => ({ type: "string" }),
  (random) => ({ type: "string", maxLength: 1 + random.below(3) }),
  (random) => ({ type: "string", minLength: 1 + random.below(2) }),
  (random) => ({ type: "string", pattern: random.pick(PATTERNS) }),
  (random) => ({ type: "string", enum: pickMembers(random, WORDS, 2) }),
  (random) => ({ type: "string", "x-extensible-enum": pickMembers(random, WORDS, 2) }),
  (random) => ({ type: "string", "x-writer": { maxLength: 2 + random.below(2) } }),
  (random) => ({ const: random.pick(WORDS) }),
  () => ({ type: "integer" }),
  (random) => ({ type: "integer", minimum: random.below(3) }),
  (random) => ({ type: "number", maximum: 2 + random.below(3) }),
  (random) => ({ type: "integer", multipleOf: 1 + random.below(3) }),
  () => ({ type: "boolean" }),
  () => ({ type: ["string", "null"] }),
  () => ({ type: ["integer", "string"] }),
  () => ({}),
];

/** Rules about one value that are spread over several keywords, so that a comparison of single keywords misses them. */
const HIDDEN: readonly ((random: Random) => JsonObject)[] = [
  (random) => ({ type: "integer", allOf: [{ multipleOf: 2 }, { multipleOf: 1 + random.below(3) }] }),
  (random) => ({ type: "string", allOf: [{ minLength: 1 }, { minLength: random.below(3) }] }),
  (random) => ({
    type: "string",
    allOf: [{ pattern: random.pick(PATTERNS) }, { pattern: random.pick(PATTERNS) }],
  }),
  (random) => ({ type: "number", allOf: [{ multipleOf: 0.5 }, { multipleOf: 1 + random.below(2) }] }),
  (random) => ({ type: "string", not: { pattern: random.pick(PATTERNS) } }),
  (random) => ({ type: "string", not: { enum: pickMembers(random, WORDS, 2) } }),
  (random) => ({ type: "integer", not: { minimum: 2 + random.below(3) } }),
  (random) => ({
    type: "string",
    if: { maxLength: 1 + random.below(2) },
    then: { pattern: random.pick(PATTERNS) },
  }),
  (random) => ({
    anyOf: [
      { type: "string", allOf: [{ maxLength: 3 }, { maxLength: 1 + random.below(3) }] },
      { type: "null" },
    ],
  }),
];

/** Creates the schema of a string, a number, a boolean or null. */
export function createRandomScalar(random: Random): JsonObject {
  return random.pick(random.chance(0.12) ? HIDDEN : SCALARS)(random);
}

/** Returns the schema with a description, and sometimes with a label. */
export function addRandomLabel(random: Random, schema: JsonObject): JsonObject {
  const label = random.chance(0.35)
    ? { "x-stability": random.pick(["experimental", "experimental", "experimental", "candidate", "stable"]) }
    : {};
  return { ...addDescription(schema), ...label };
}

function addDescription(schema: JsonObject): JsonObject {
  return { ...schema, description: "Something." };
}

/** Returns `count` different members of a list, in a random order. */
export function pickMembers<T>(random: Random, list: readonly T[], count: number): T[] {
  const rest = [...list];
  const picked: T[] = [];
  while (picked.length < count && rest.length > 0) picked.push(...rest.splice(random.below(rest.length), 1));
  return picked;
}
