/** If this fails, the verdict on random pairs of resources differs from the two inclusions. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { checkCompatibility } from "../../generator/compat/check.js";
import { createContainmentCache } from "../../generator/compat/proof/readings.js";
import { checkContainment } from "../../generator/contain/contain.js";
import { createObject, isObject, type Json, type JsonObject } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import type { Definition, Schema } from "../../generator/schema/json-schema.js";
import { buildDocument, type Profile, readAs } from "../../generator/schema/readings.js";
import { makeAjv } from "../../generator/validators/ajv.js";
import { type Sample, sample } from "../schema/schema-arbitrary.js";

const RUNS = Number(process.env.RESOURCE_RUNS ?? 60);
const createLocation = (file: string, pointer = "") => ({ file, pointer });

/** Creates a protocol with one resource and an event that never changes. */
function createProtocol(schema: JsonObject, definitions: Sample["definitions"]): Protocol {
  const named = Object.entries(definitions).map(([name, each]): [string, Definition] => [
    name,
    { ...each, at: createLocation("shared", `/$defs/${name}`) },
  ]);
  return {
    name: "tea",
    major: 1,
    id: "tea/v1",
    version: "1.0",
    title: "Tea",
    description: "Tea.",
    guarantees: [],
    evolution: [],
    groups: {},
    tombstones: [],
    waivers: [],
    at: createLocation("protocol.json"),
    envelope: {
      discriminator: "type",
      placement: "nested",
      property: "data",
      payloadFields: [],
      schema: { type: "object", properties: { type: { type: "string" }, data: { type: "object" } } },
      at: createLocation("envelope"),
    },
    events: [
      {
        type: "tea.served",
        group: "tea",
        summary: "",
        description: "",
        since: "1.0",
        stability: "stable",
        payload: { type: "object" },
        examples: [],
        at: createLocation("served"),
      },
    ],
    resources: [
      { name: "list", summary: "", description: "", schema, examples: [], at: createLocation("list") },
    ],
    definitions: createObject(named),
  };
}

function createReading(profile: Profile, { resources: [resource], definitions }: Protocol): Schema {
  return buildDocument(readAs(profile, resource?.schema ?? true, definitions));
}

const compileSchema = (schema: Schema) => makeAjv({ ownProperties: true }).compile(schema);

/** Creates two schemas: unrelated ones, a schema and a stricter or looser one, or equal ones with different definitions. */
const resourcePair = fc
  .tuple(sample, sample, fc.constantFrom("unrelated", "stricter", "looser", "definitions", "nested"))
  .map(([a, b, how]) => {
    const [before, other] = [a.schema, b.schema];
    const nest = (schema: Schema): Schema => ({ properties: { a: { type: "array", items: schema } } });
    const schemas: { readonly [how: string]: readonly [Schema, Schema] } = {
      unrelated: [before, other],
      stricter: [before, { allOf: [before, other] }],
      looser: [before, { anyOf: [before, other] }],
      definitions: [before, before],
      nested: [nest(before), nest({ allOf: [before, other] })],
    };
    return {
      schemas: schemas[how] ?? [before, other],
      definitions: [a.definitions, how === "definitions" ? b.definitions : a.definitions] as const,
      values: [...a.values, ...b.values],
    };
  })
  .filter(({ schemas }) => schemas.every(isObject));

it("the verdict on a resource is that of the two inclusions", { timeout: 600_000 }, async () => {
  const counts = { broken: 0, additive: 0, undecided: 0 };
  const examine = async (
    input: typeof resourcePair extends fc.Arbitrary<infer T> ? T : never,
  ): Promise<void> => {
    const before = createProtocol(input.schemas[0] as JsonObject, input.definitions[0]);
    const after = createProtocol(input.schemas[1] as JsonObject, input.definitions[1]);
    const { findings } = await checkCompatibility({
      current: { protocol: after, locate: createLocation },
      baselines: [{ protocol: before, locate: createLocation, label: "before" }],
      history: [],
      hasAllBaselines: true,
      cache: createContainmentCache(),
    });
    const errors = findings.filter(({ severity }) => severity === "error");
    const oldWriter = createReading("writer", before);
    const currentWriter = createReading("writer", after);
    const oldReader = createReading("reader", before);
    const wasSent = compileSchema(oldWriter);
    const isSent = compileSchema(currentWriter);
    const wasAccepted = compileSchema(oldReader);
    const isBreak = (value: Json): boolean => (isSent(value) ? !wasAccepted(value) : wasSent(value));
    for (const { witness, affects } of errors)
      if (affects.length > 0 && witness !== undefined) expect(isBreak(witness)).toBe(true);
    if (input.values.some(isBreak)) expect(errors).not.toEqual([]);
    const backward = await checkContainment(oldWriter, currentWriter);
    const forward = await checkContainment(currentWriter, oldReader);
    const verdicts = [backward.verdict, forward.verdict];
    if (verdicts.every((verdict) => verdict === "contained")) {
      counts.additive++;
      expect(errors).toEqual([]);
    } else if (verdicts.includes("not-contained")) {
      counts.broken++;
      expect(errors).not.toEqual([]);
    } else {
      counts.undecided++;
      expect(findings).not.toEqual([]);
    }
  };
  await fc.assert(fc.asyncProperty(resourcePair, examine), { numRuns: RUNS });
  expect(counts.broken).toBeGreaterThan(RUNS / 10);
  expect(counts.additive).toBeGreaterThan(RUNS / 20);
});
