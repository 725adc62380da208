/** If this fails, an imported protocol accepts other events than the union that it was imported from. */
import { Ajv2020 } from "ajv/dist/2020.js";
import fc, { type Arbitrary } from "fast-check";
import { expect, it } from "vitest";
import { importUnion } from "../../generator/import/import-union.js";
import { loadImported } from "../../generator/import/load-imported.js";
import type { Json, JsonObject } from "../../generator/json.js";
import { createValidators } from "../../generator/validators/protocol-validators.js";

/** The number of unions. Set it for a long run. */
const UNIONS = Number(process.env.ACCRETE_TEST_IMPORTS ?? 15);

/** The time that a property may take, in milliseconds. */
const TIMEOUT = 60_000 + UNIONS * 1_000;

const FIELDS = ["id", "seq", "at", "note"];
const TAGS = ["started", "stopped", "failed"];

const fieldSchema: Arbitrary<JsonObject> = fc.constantFrom<JsonObject>(
  { type: "string" },
  { type: "string", description: "Said differently." },
  { type: "integer", minimum: 0 },
  { type: ["string", "null"] },
  { enum: ["x", 1] },
  { $ref: "#/$defs/Text" },
);

/** An object with some fields, which may be closed or refer to a base. */
const object: Arbitrary<JsonObject> = fc
  .record({
    properties: fc.dictionary(fc.constantFrom(...FIELDS), fieldSchema, {
      maxKeys: 4,
      noNullPrototype: true,
    }),
    required: fc.subarray(FIELDS),
    isClosed: fc.boolean(),
  })
  .map(({ properties, required, isClosed }) => ({
    type: "object",
    properties,
    required: required.filter((name) => Object.hasOwn(properties, name)),
    ...(isClosed && { additionalProperties: false }),
  }));

/** Fields that all alternatives share, by a base in an `allOf`, by copies, or beside the union. */
const shared: Arbitrary<{ readonly place: "allOf" | "copies" | "beside"; readonly schema: JsonObject }> =
  fc.record({
    place: fc.constantFrom("allOf", "copies", "beside"),
    schema: object.map(({ additionalProperties: _closed, ...rest }) => rest),
  });

const addFields = (schema: JsonObject, properties: JsonObject, required: readonly string[]): JsonObject => ({
  ...schema,
  properties: { ...(schema.properties as JsonObject), ...properties },
  required: [...new Set([...required, ...(schema.required as string[])])],
});

/** A union whose alternatives a field distinguishes, with the values of the field. */
const createTaggedUnion = (
  values: readonly Json[],
  objects: readonly JsonObject[],
  { place, schema: base }: { readonly place: string; readonly schema: JsonObject },
): JsonObject => {
  const baseFields = base.properties as JsonObject;
  const alternatives = objects.map((each, i) => {
    const tagged = addFields(each, { type: { const: values[i] ?? "" } }, ["type"]);
    if (place === "copies") return addFields(tagged, baseFields, base.required as string[]);
    return place === "allOf" ? { allOf: [{ $ref: "#/$defs/Base" }, tagged] } : tagged;
  });
  const union = { oneOf: alternatives };
  return {
    ...(place === "beside" ? { allOf: [{ $ref: "#/$defs/Base" }, union] } : union),
    $defs: { Base: base, Text: { type: "string", minLength: 1 } },
  };
};

const value = fc.constantFrom<Json>("", "x", "long", 0, 1, -1, null, true, {});
const message: Arbitrary<JsonObject> = fc.dictionary(fc.constantFrom(...FIELDS, "more"), value, {
  maxKeys: 5,
  noNullPrototype: true,
}) as Arbitrary<JsonObject>;

/** Imports a union in which writers may send everything that it accepts, and returns the test for writers. */
async function importForWriters(schema: JsonObject) {
  const settings = { name: "p", version: "1.0", open: true };
  const { parts } = importUnion(
    "a.json",
    { read: (file) => (file === "a.json" ? schema : undefined) },
    settings,
  );
  const { protocol, errors } = await loadImported(parts, undefined);
  if (protocol === undefined) throw new Error(errors.map(({ message: text }) => text).join("\n"));
  const { decodeEvent } = createValidators(protocol);
  const fields = Object.keys((protocol.envelope.schema.properties ?? {}) as JsonObject);
  return { fields, accepts: (event: Json) => decodeEvent(event, { profile: "writer" }).kind === "known" };
}

const compile = (schema: JsonObject) => new Ajv2020({ strict: false, logger: false }).compile(schema);
const objects = fc.array(object, { minLength: 2, maxLength: 3 });
const messages = fc.array(message, { minLength: 20, maxLength: 20 });

it(
  "accepts exactly the events of the union, also if fields become the envelope",
  async () => {
    let moved = 0;
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(objects, shared, messages, async (all, base, events) => {
        const schema = createTaggedUnion(TAGS, all, base);
        const original = compile(schema);
        const { fields, accepts } = await importForWriters(schema);
        moved += fields.length - 1;
        for (const event of events)
          for (const type of TAGS.slice(0, all.length)) {
            accepted += original({ ...event, type }) ? 1 : 0;
            expect({ event, type, accepts: accepts({ ...event, type }) }).toEqual({
              event,
              type,
              accepts: original({ ...event, type }),
            });
          }
      }),
      { numRuns: UNIONS, endOnFailure: true },
    );
    // A test without fields of the envelope, or without accepted events, would say nothing.
    expect(moved).toBeGreaterThan(UNIONS / 10);
    expect(accepted).toBeGreaterThan(UNIONS);
  },
  TIMEOUT,
);

it(
  "accepts exactly the wrapped messages of a union that a number distinguishes",
  async () => {
    await fc.assert(
      fc.asyncProperty(objects, shared, messages, async (all, base, events) => {
        const schema = createTaggedUnion([0, 1, 2], all, base);
        const original = compile(schema);
        const { accepts } = await importForWriters(schema);
        for (const event of events)
          for (const type of all.keys()) {
            const payload = { ...event, type };
            expect(accepts({ type: `type.${type}`, payload })).toBe(original(payload));
          }
      }),
      { numRuns: Math.ceil(UNIONS / 2), endOnFailure: true },
    );
  },
  TIMEOUT,
);

it(
  "accepts exactly the messages of an externally tagged union, with the added type",
  async () => {
    await fc.assert(
      fc.asyncProperty(objects, fc.boolean(), messages, async (all, isClosed, events) => {
        const schema = {
          oneOf: all.map((each, i) => ({
            type: "object",
            properties: { [TAGS[i] ?? ""]: each },
            required: [TAGS[i] ?? ""],
            ...(isClosed && { additionalProperties: false }),
          })),
          $defs: { Text: { type: "string", minLength: 1 } },
        };
        const original = compile(schema);
        const { accepts } = await importForWriters(schema);
        for (const event of events)
          for (const tag of TAGS.slice(0, all.length))
            for (const extra of [{}, { more: 1 }])
              expect(accepts({ type: tag, [tag]: event, ...extra })).toBe(
                original({ [tag]: event, ...extra }),
              );
      }),
      { numRuns: Math.ceil(UNIONS / 2), endOnFailure: true },
    );
  },
  TIMEOUT,
);
