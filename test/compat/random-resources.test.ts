/** If this fails, the verdict on random pairs of resources differs from the two inclusions. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { checkCompatibility } from "../../generator/compat/check.js";
import { createContainmentCache } from "../../generator/compat/proof/readings.js";
import { checkContainment } from "../../generator/contain/contain.js";
import { isObject, type Json, type JsonObject, objectFrom } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import type { Definition, Schema } from "../../generator/schema/json-schema.js";
import { buildDocument, type Profile, readAs } from "../../generator/schema/readings.js";
import { makeAjv } from "../../generator/validators/ajv.js";
import { type Sample, sample } from "../model/schema-arbitrary.js";

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
    definitions: objectFrom(named),
  };
}

function createReading(profile: Profile, { resources: [resource], definitions }: Protocol): Schema {
  return buildDocument(readAs(profile, resource?.schema ?? true, definitions));
}

const locate = (file: string, pointer: string) => ({ file, pointer });
const compileSchema = (schema: Schema) => makeAjv({ ownProperties: true }).compile(schema);

/** Two schemas: unrelated ones, a stricter or looser second one, or equal ones with different definitions. */
const resourcePair = fc
  .tuple(sample, sample, fc.constantFrom("unrelated", "stricter", "looser", "definitions", "nested"))
  .map(([a, b, how]) => {
    const [old, now] = [a.schema, b.schema];
    const holder = (schema: Schema): Schema => ({ properties: { a: { type: "array", items: schema } } });
    const schemas: { readonly [how: string]: readonly [Schema, Schema] } = {
      unrelated: [old, now],
      stricter: [old, { allOf: [old, now] }],
      looser: [old, { anyOf: [old, now] }],
      definitions: [old, old],
      nested: [holder(old), holder({ allOf: [old, now] })],
    };
    const [before, after] = schemas[how] ?? [old, now];
    const definitions = how === "definitions" ? b.definitions : a.definitions;
    return { before, after, old: a.definitions, now: definitions, values: [...a.values, ...b.values] };
  })
  .filter(({ before, after }) => isObject(before) && isObject(after));

it("the verdict on a resource is that of the two inclusions", { timeout: 600_000 }, async () => {
  const seen = { broken: 0, additive: 0, undecided: 0 };
  const examine = async (
    input: typeof resourcePair extends fc.Arbitrary<infer T> ? T : never,
  ): Promise<void> => {
    const before = createProtocol(input.before as JsonObject, input.old);
    const after = createProtocol(input.after as JsonObject, input.now);
    const { findings } = await checkCompatibility({
      current: { protocol: after, locate },
      baselines: [{ protocol: before, locate, label: "before" }],
      history: [],
      hasAllBaselines: true,
      cache: createContainmentCache(),
    });
    const errors = findings.filter(({ severity }) => severity === "error");
    const [sent, sends, read] = [
      createReading("writer", before),
      createReading("writer", after),
      createReading("reader", before),
    ];
    const [wasSent, isSent, isRead] = [compileSchema(sent), compileSchema(sends), compileSchema(read)];
    const breaks = (value: Json): boolean =>
      (wasSent(value) && !isSent(value)) || (isSent(value) && !isRead(value));
    for (const { witness, affects } of errors)
      if (affects.length > 0 && witness !== undefined) expect(breaks(witness)).toBe(true);
    if (input.values.some(breaks)) expect(errors).not.toEqual([]);
    const verdicts = [await checkContainment(sent, sends), await checkContainment(sends, read)].map(
      ({ verdict }) => verdict,
    );
    if (verdicts.every((verdict) => verdict === "contained")) {
      seen.additive++;
      expect(errors).toEqual([]);
    } else if (verdicts.includes("not-contained")) {
      seen.broken++;
      expect(errors).not.toEqual([]);
    } else {
      seen.undecided++;
      expect(findings).not.toEqual([]);
    }
  };
  await fc.assert(fc.asyncProperty(resourcePair, examine), { numRuns: RUNS });
  expect(seen.broken).toBeGreaterThan(RUNS / 10);
  expect(seen.additive).toBeGreaterThan(RUNS / 20);
});
