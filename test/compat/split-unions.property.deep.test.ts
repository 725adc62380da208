/**
 * If this fails, compat proves from the parts of two unions that nothing breaks, although a message breaks. The oracle is
 * a validator for the few keywords of this test, which Ajv confirms: it must not find a value that the smaller schema
 * accepts and the larger one refuses.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, it } from "vitest";
import { splitQuestion } from "../../generator/compat/proof/split-question.js";
import { checkContainment } from "../../generator/contain/contain.js";
import { getJsonType, getOwn, isObject, type Json, type JsonObject } from "../../generator/json.js";
import { createRandom, type Random } from "../../generator/random.js";

const RUNS = Number(process.env.ACCRETE_TEST_SPLIT_RUNS ?? 500);
const VALUES_PER_RUN = 60;
const FIELDS = ["t", "u", "x", "y"] as const;
const DEFINITIONS = ["A", "B", "C", "D"] as const;

const leaf = fc.constantFrom<Json>(
  { const: "p" },
  { const: "q" },
  { enum: ["p", "q"] },
  { type: "string" },
  { type: ["string", "null"] },
  { type: "integer" },
  true,
);
const reference = fc.constantFrom(...DEFINITIONS).map((name): Json => ({ $ref: `#/$defs/${name}` }));
const field = fc.oneof(
  { weight: 3, arbitrary: leaf },
  { weight: 2, arbitrary: reference },
  { weight: 1, arbitrary: fc.oneof(leaf, reference).map((items): Json => ({ type: "array", items })) },
);
const closing = fc.oneof(
  { weight: 3, arbitrary: fc.constant<JsonObject>({}) },
  { weight: 2, arbitrary: fc.constant<JsonObject>({ unevaluatedProperties: false }) },
  { weight: 1, arbitrary: fc.constant<JsonObject>({ additionalProperties: false }) },
  { weight: 1, arbitrary: leaf.map((additionalProperties): JsonObject => ({ additionalProperties })) },
);
const fields = fc.record(
  { t: field, u: field, x: field, y: field },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;
const object = fc
  .record({ properties: fields, required: fc.subarray([...FIELDS], { maxLength: 2 }), closing })
  .map(({ properties, required, closing }): Json => ({ type: "object", properties, required, ...closing }));
const parts = fc.array(fc.oneof(reference, object, leaf), { minLength: 1, maxLength: 3 });
const union = fc
  .record({ anyOf: parts, closing, around: fc.option(fields, { nil: undefined }) })
  .map(({ anyOf, closing, around }): Json => ({ anyOf, ...(around && { properties: around }), ...closing }));
const conjunction = fc
  .record({ allOf: fc.array(fc.oneof(reference, object), { minLength: 1, maxLength: 2 }), closing })
  .map(({ allOf, closing }): Json => ({ allOf, ...closing }));
const definition = fc.oneof(
  { weight: 3, arbitrary: object },
  { weight: 3, arbitrary: union },
  { weight: 1, arbitrary: conjunction },
  { weight: 1, arbitrary: reference },
);
/** Objects of which several may accept the same value. */
const overlapping = fc
  .record({ properties: fields, tag: fc.constantFrom("p", "q"), required: fc.subarray(["t", "x"]) })
  .map(
    ({ properties, tag, required }): Json => ({ properties: { ...properties, t: { const: tag } }, required }),
  );
const closedUnion = fc.subarray(["B", "C", "D"], { minLength: 2 }).map(
  (names): Json => ({
    anyOf: names.map((name) => ({ $ref: `#/$defs/${name}` })),
    unevaluatedProperties: false,
  }),
);
const schema = fc
  .oneof(
    fc.record({ A: definition, B: definition, C: definition, D: definition }),
    fc.record({ A: closedUnion, B: overlapping, C: overlapping, D: fc.oneof(overlapping, object) }),
  )
  .map(($defs): JsonObject => ({ properties: { x: { $ref: "#/$defs/A" } }, required: ["x"], $defs }));

/** Edits of one schema. Each returns the edited schema, or the same one if the edit does not apply. */
const EDITS: readonly ((schema: JsonObject, random: Random) => JsonObject)[] = [
  ({ additionalProperties: _additional, unevaluatedProperties: _unevaluated, ...rest }) => rest,
  (each) => ({ ...each, unevaluatedProperties: false }),
  ({ required: _required, ...rest }) => rest,
  (each, random) =>
    isObject(each.properties)
      ? {
          ...each,
          properties: { ...each.properties, [random.pick(FIELDS)]: random.pick([true, { type: "string" }]) },
        }
      : each,
  (each, random) => {
    if (!isObject(each.properties)) return each;
    const name = random.pick(FIELDS);
    return {
      ...each,
      properties: Object.fromEntries(Object.entries(each.properties).filter(([other]) => other !== name)),
    };
  },
  (each) => (Array.isArray(each.anyOf) ? { ...each, anyOf: [...each.anyOf].reverse() } : each),
  (each, random) =>
    Array.isArray(each.anyOf)
      ? { ...each, anyOf: [...each.anyOf, { $ref: `#/$defs/${random.pick(DEFINITIONS)}` }] }
      : each,
  (each) =>
    Array.isArray(each.anyOf) && each.anyOf.length > 1 ? { ...each, anyOf: each.anyOf.slice(1) } : each,
  (each) => (each.const === undefined ? each : { type: "string" }),
  (each) => (each.const === undefined ? each : { enum: [each.const, "r"] }),
];

/** Applies edits to random schemas of a document. */
function editSchemas(document: JsonObject, random: Random, count: number): JsonObject {
  const rate = 1 / (1 + random.below(6));
  let remaining = count;
  const edit = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(edit);
    if (!isObject(value)) return value;
    const copy = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, edit(each)]));
    const isSchema = ["anyOf", "allOf", "properties", "const", "type"].some((name) =>
      Object.hasOwn(copy, name),
    );
    if (!isSchema || remaining === 0 || random.next() > rate) return copy;
    remaining--;
    return random.pick(EDITS)(copy, random);
  };
  return edit(document) as JsonObject;
}

function getDefinition(reference: string, { $defs }: JsonObject): Json {
  return ($defs as JsonObject)[reference.slice("#/$defs/".length)] as Json;
}

/** Builds a value that the schema probably accepts, with undeclared fields now and then. */
function buildValue(schema: Json, root: JsonObject, random: Random, depth: number): Json {
  if (!isObject(schema) || depth > 5) return random.pick<Json>(["p", "q", "r", 1, null, {}]);
  const { $ref, const: constant, enum: values, type, items, anyOf, allOf } = schema;
  const build = (each: Json): Json => buildValue(each, root, random, depth + 1);
  if (typeof $ref === "string")
    return build((root.$defs as JsonObject)[$ref.slice("#/$defs/".length)] as Json);
  if (constant !== undefined) return constant;
  if (Array.isArray(values)) return random.pick(values);
  if (type === "array") return Array.from({ length: random.below(3) }, () => build(items ?? true));
  if (type === "integer") return random.below(3);
  if (type === "string" || (Array.isArray(type) && type[0] === "string")) return random.pick(["p", "q", "r"]);
  const chosen = Array.isArray(anyOf) ? anyOf.filter((_, i) => i === 0 || random.next() < 0.4) : [];
  const alternative = Array.isArray(anyOf) ? [random.pick(anyOf)] : [];
  const built = [...(Array.isArray(allOf) ? allOf : []), ...(random.next() < 0.5 ? alternative : chosen)].map(
    build,
  );
  const other = built.find((each) => !isObject(each));
  if (other !== undefined) return other;
  const declared = Object.entries(isObject(schema.properties) ? schema.properties : {})
    .filter(
      ([name]) => (Array.isArray(schema.required) && schema.required.includes(name)) || random.next() < 0.5,
    )
    .map(([name, each]) => [name, build(each)]);
  const undeclared =
    random.next() < 0.3 ? [[random.pick(FIELDS), random.pick<Json>(["p", "q", 1, null])]] : [];
  return Object.assign({}, Object.fromEntries(undeclared), ...built, Object.fromEntries(declared));
}

/** Returns whether a definition refers to itself for the same value, which no validator can end. */
function hasEndlessReference({ $defs }: JsonObject): boolean {
  const listTargets = (each: Json): string[] => {
    if (!isObject(each)) return [];
    const target = typeof each.$ref === "string" ? [each.$ref.slice("#/$defs/".length)] : [];
    return [
      ...target,
      ...[each.anyOf, each.allOf].flatMap((list) => (Array.isArray(list) ? list.flatMap(listTargets) : [])),
    ];
  };
  return DEFINITIONS.some((name) => {
    const reached = new Set(listTargets((($defs as JsonObject)[name] ?? true) as Json));
    for (const other of reached)
      for (const next of listTargets((($defs as JsonObject)[other] ?? true) as Json)) reached.add(next);
    return reached.has(name);
  });
}

/** Returns the fields that a schema evaluates if it accepts a value; undefined if it refuses the value. */
function evaluateFields(schema: Json, value: Json, root: JsonObject): ReadonlySet<string> | undefined {
  if (!isObject(schema)) return schema === false ? undefined : new Set();
  const { $ref, const: constant, enum: values, type, items, anyOf, allOf, properties, required } = schema;
  const evaluate = (part: Json, of = value) => evaluateFields(part, of, root);
  const evaluated = new Set<string>();
  /** Adds the fields that a part evaluates. Returns whether the part accepts the value. */
  const include = (part: Json): boolean => {
    const found = evaluate(part);
    for (const name of found ?? []) evaluated.add(name);
    return found !== undefined;
  };
  if (type !== undefined && ![type].flat().includes(Number.isInteger(value) ? "integer" : getJsonType(value)))
    return undefined;
  if (constant !== undefined && constant !== value) return undefined;
  if (Array.isArray(values) && !values.includes(value)) return undefined;
  if (typeof $ref === "string" && !include(getDefinition($ref, root))) return undefined;
  if (Array.isArray(allOf) && !allOf.map(include).every(Boolean)) return undefined;
  if (Array.isArray(anyOf) && !anyOf.map(include).some(Boolean)) return undefined;
  if (Array.isArray(value) && items !== undefined && !value.every((each) => evaluate(items, each)))
    return undefined;
  if (!isObject(value)) return evaluated;
  if (Array.isArray(required) && !required.every((name) => Object.hasOwn(value, name as string)))
    return undefined;
  const { additionalProperties, unevaluatedProperties } = schema;
  for (const [name, each] of Object.entries(value)) {
    const declared = isObject(properties) ? getOwn(properties, name) : undefined;
    const applied = declared ?? additionalProperties;
    if (applied === undefined) continue;
    if (!evaluate(applied, each)) return undefined;
    evaluated.add(name);
  }
  const isClosed = unevaluatedProperties === false;
  return isClosed && !Object.keys(value).every((name) => evaluated.has(name)) ? undefined : evaluated;
}

it("proves no inclusion of unions that a value refutes", async () => {
  let proven = 0;
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(schema, fc.nat(), fc.integer({ min: 1, max: 4 }), async (a, seed, count) => {
      const random = createRandom(seed);
      const b = editSchemas(a, random, count);
      fc.pre(JSON.stringify(a) !== JSON.stringify(b) && ![a, b].some(hasEndlessReference));
      const questions = splitQuestion(a, b);
      if (!questions) return;
      for (const [partOfA, partOfB] of questions)
        if ((await checkContainment(partOfA, partOfB, { maxSteps: 3_000 })).verdict !== "contained") return;
      proven++;
      for (let i = 0; i < VALUES_PER_RUN; i++) {
        const value = buildValue(a, a, random, 0);
        if (!evaluateFields(a, value, a)) continue;
        accepted++;
        expect(evaluateFields(b, value, b), JSON.stringify({ a, b, value })).toBeDefined();
      }
    }),
    { numRuns: RUNS, seed: 20_261_123 },
  );
  expect(proven).toBeGreaterThan(RUNS / 5);
  expect(accepted).toBeGreaterThan(RUNS);
});

it("judges values as Ajv does", () => {
  fc.assert(
    fc.property(schema, fc.nat(), (a, seed) => {
      fc.pre(!hasEndlessReference(a));
      const accepts = new Ajv2020({ strict: false, logger: false }).compile(a);
      const random = createRandom(seed);
      for (let i = 0; i < VALUES_PER_RUN; i++) {
        const value = buildValue(a, a, random, 0);
        expect(evaluateFields(a, value, a) !== undefined, JSON.stringify({ a, value })).toBe(accepts(value));
      }
    }),
    { numRuns: 60, seed: 20_261_123 },
  );
});
