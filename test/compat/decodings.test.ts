/** If this fails, readers decode values wrongly without a finding, or an equal decoding is reported. */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import type { JsonObject } from "../../generator/json.js";
import { checkExample } from "./examples.js";
import { checkHistory, createVersion, createWaiver, POURED, SERVED, text } from "./tea-history.js";

const ENVELOPE = "envelope.schema.json";
const SHARED = "shared/blobs.schema.json";
const { description } = text;
const integer = { type: "integer", description };

async function compareFiles(before: ExampleFiles, after: ExampleFiles) {
  return (await checkExample({ before, after })).findings;
}

const createServed = (payload: JsonObject, stability = "stable"): ExampleFiles => ({
  [SERVED]: { "x-stability": stability, ...payload },
});
const createBlobField = (schema: JsonObject): ExampleFiles => createServed({ properties: { blob: schema } });
const createBlobDefinition = (Blob: JsonObject): ExampleFiles => ({
  [SHARED]: { title: "Blobs", description: "Shared.", $defs: { Blob } },
});
const BLOB_REFERENCE = { $ref: "../shared/blobs.schema.json#/$defs/Blob" };
const PLAIN_FIELDS = { kind: text, blob: text };

/** The places of a schema, each with a contract that has the schema there. */
const PLACES: { readonly [name: string]: (schema: JsonObject) => ExampleFiles } = {
  "a field": createBlobField,
  "a field of a nested object": (schema) =>
    createBlobField({ type: "object", properties: { inner: schema } }),
  items: (schema) => createBlobField({ type: "array", items: schema }),
  "a tuple": (schema) => createBlobField({ type: "array", prefixItems: [text, schema] }),
  contains: (schema) => createBlobField({ type: "array", contains: schema }),
  "undeclared fields": (schema) => createBlobField({ type: "object", additionalProperties: schema }),
  "fields by pattern": (schema) => createBlobField({ type: "object", patternProperties: { "^b": schema } }),
  "names of fields": (schema) =>
    createBlobField({ type: "object", additionalProperties: true, propertyNames: schema }),
  "a definition": (schema) => ({ ...createBlobField(BLOB_REFERENCE), ...createBlobDefinition(schema) }),
  "items of a definition": (schema) => ({
    ...createBlobField({ type: "array", items: BLOB_REFERENCE }),
    ...createBlobDefinition(schema),
  }),
  allOf: (schema) =>
    createBlobField({ ...text, type: schema.type ?? "string", allOf: [{ minLength: 0 }, schema] }),
  "an alternative beside null": (schema) => createBlobField({ anyOf: [schema, { type: "null" }] }),
  "an alternative beside another text": (schema) => createBlobField({ oneOf: [schema, { type: "boolean" }] }),
  "a field of an alternative": (schema) =>
    createServed({
      properties: PLAIN_FIELDS,
      anyOf: [{ properties: { kind: { const: "a" }, blob: schema } }, { required: ["kind"] }],
    }),
  "a condition": (schema) =>
    createServed({
      properties: PLAIN_FIELDS,
      if: { properties: { kind: { const: "a" } } },
      then: { properties: { blob: schema } },
    }),
  dependentSchemas: (schema) =>
    createServed({ properties: PLAIN_FIELDS, dependentSchemas: { kind: { properties: { blob: schema } } } }),
  "a recursive definition": (schema) => ({
    ...createBlobField(BLOB_REFERENCE),
    ...createBlobDefinition({
      type: "object",
      properties: { inner: schema, more: { $ref: "#/$defs/Blob" } },
    }),
  }),
  "the envelope": (schema) => ({
    ...createServed({}),
    [ENVELOPE]: {
      "x-stability": "stable",
      properties: {
        type: text,
        id: text,
        blob: schema,
        data: { type: "object", description },
      },
    },
  }),
  "the payload fields of the envelope": (schema) => ({
    ...createServed({}),
    [ENVELOPE]: {
      "x-stability": "stable",
      properties: {
        type: text,
        id: text,
        data: { type: "object", description, properties: { blob: schema } },
      },
    },
  }),
  "a resource": (schema) => ({
    ...createServed({}),
    "resources/tea-list.schema.json": {
      title: "Teas",
      description: "A list.",
      type: "object",
      properties: { rows: { type: "array", description, items: schema } },
    },
  }),
};

/** Changes of the decoding of a text, and of formats that say how to read a value. */
const BREAKS: { readonly [name: string]: readonly [JsonObject, JsonObject] } = {
  "contentEncoding changed": [{ contentEncoding: "base64" }, { contentEncoding: "base64url" }],
  "contentEncoding added": [{}, { contentEncoding: "base64" }],
  "contentEncoding removed": [{ contentEncoding: "base64" }, {}],
  "contentMediaType changed": [{ contentMediaType: "image/png" }, { contentMediaType: "image/jpeg" }],
  "contentMediaType added": [{}, { contentMediaType: "application/json" }],
  "contentSchema changed": [
    { contentMediaType: "application/json", contentSchema: { type: "string" } },
    { contentMediaType: "application/json", contentSchema: { type: "integer" } },
  ],
  "byte to binary": [{ format: "byte" }, { format: "binary" }],
  "byte added": [{}, { format: "byte" }],
  "byte to base64url": [{ format: "byte" }, { contentEncoding: "base64url" }],
  "idn-email to iri": [{ format: "idn-email" }, { format: "iri" }],
  "int32 to int64": [
    { type: "integer", format: "int32" },
    { type: "integer", format: "int64" },
  ],
  "float to double": [
    { type: "number", format: "float" },
    { type: "number", format: "double" },
  ],
};

const createText = (more: JsonObject): JsonObject => ({ ...text, ...more });
/** The places at which the contract allows texts only, so that changes of numbers cannot be tested there. */
const PLACES_OF_TEXTS: ReadonlySet<string> = new Set([
  "names of fields",
  "a field of an alternative",
  "a condition",
  "dependentSchemas",
]);
const breaksAtPlaces = Object.entries(PLACES).flatMap(([place, createFiles]) =>
  Object.entries(BREAKS).map(([name, [before, after]]) => ({
    name: `${name} in ${place}`,
    place,
    createFiles,
    before,
    after,
  })),
);

describe("a break of decoding", () => {
  const possibleBreaks = breaksAtPlaces.filter(
    ({ place, before }) => before.type === undefined || !PLACES_OF_TEXTS.has(place),
  );

  it.each(possibleBreaks)("$name", async ({ createFiles, before, after }) => {
    const findings = await compareFiles(createFiles(createText(before)), createFiles(createText(after)));
    expect(findings.map(({ rule, severity }) => [rule, severity])).toEqual([["decoding-changed", "error"]]);
    expect(findings[0]?.witness).toBeUndefined();
  });

  it("is found among several alternatives that are texts", async () => {
    const createUnion = (...branches: JsonObject[]) => createBlobField({ anyOf: branches.map(createText) });
    const [one, other] = [{ contentEncoding: "base64" }, { contentEncoding: "quoted-printable" }];
    for (const [before, after] of [
      [createUnion(one, other), createUnion(one)],
      [createUnion(one), createUnion(one, other)],
      [createUnion(one), createUnion(one, {})],
    ] as const)
      expect((await compareFiles(before, after)).map(({ rule }) => rule)).toContain("decoding-changed");
  });

  it("is found if an undeclared field becomes declared", async () => {
    const createPhotos = (properties: JsonObject) =>
      createBlobField({
        type: "object",
        properties,
        additionalProperties: createText({ contentEncoding: "base64" }),
      });
    const findings = await compareFiles(
      createPhotos({}),
      createPhotos({ photo: createText({ contentEncoding: "base64url" }) }),
    );
    expect(findings.map(({ rule }) => rule)).toContain("decoding-changed");
  });

  it.each(["experimental", "candidate", "stable"])(
    "of a %s event has the severity of that stability",
    async (stability) => {
      const createFiles = (contentEncoding: string) =>
        createServed({ properties: { blob: createText({ contentEncoding }) } }, stability);
      const [finding] = await compareFiles(createFiles("base64"), createFiles("base64url"));
      expect(finding?.severity).toBe(stability === "experimental" ? "note" : "error");
      expect(finding?.message).toContain('contentEncoding "base64" → "base64url"');
    },
  );

  it("of an experimental field is a note", async () => {
    const createFiles = (contentEncoding: string) =>
      createBlobField(createText({ contentEncoding, "x-stability": "experimental" }));
    const [finding] = await compareFiles(createFiles("base64"), createFiles("base64url"));
    expect(finding).toMatchObject({ rule: "decoding-changed", severity: "note" });
  });

  it("of a definition that several events share is one finding", async () => {
    const events = {
      ...createServed({ properties: { blob: BLOB_REFERENCE } }),
      [POURED]: { "x-stability": "stable", properties: { blob: BLOB_REFERENCE } },
    };
    const createFiles = (contentEncoding: string) => ({
      ...events,
      ...createBlobDefinition(createText({ contentEncoding })),
    });
    const findings = await compareFiles(createFiles("base64"), createFiles("base64url"));
    expect(findings.map(({ events: types }) => types)).toEqual([["tea.poured", "tea.served"]]);
  });

  it("can be waived in a candidate event, for this change alone", async () => {
    const createEncodedVersion = (version: string, contentEncoding: string, waivers: object[] = []) =>
      createVersion(version, { blob: createText({ contentEncoding }) }, { waivers });
    const first = createEncodedVersion("1.0", "base64");
    const { findings } = await checkHistory([first, createEncodedVersion("1.1", "base64url")]);
    const waiver = createWaiver(findings[0]);
    expect(await checkHistory([first, createEncodedVersion("1.1", "base64url", [waiver])])).toMatchObject({
      exitCode: 0,
    });
    expect((await checkHistory([first, createEncodedVersion("1.1", "base32", [waiver])])).exitCode).toBe(1);
  });
});

const base64 = { contentEncoding: "base64" };
const createJsonContent = (schema: JsonObject): JsonObject => ({
  contentMediaType: "application/json",
  contentSchema: schema,
});
const createObject = (properties: JsonObject): JsonObject => ({ type: "object", properties });

/** Creates an object with one alternative for each decoding of its text. */
const createBlocks = (keyword: string, ...decodings: readonly JsonObject[]): ExampleFiles =>
  createBlobField({
    [keyword]: decodings.map((decoding, index) => ({
      type: "object",
      properties: { kind: { const: `k${index}` }, text: createText(decoding) },
      required: ["kind"],
    })),
  });
const base16 = { contentEncoding: "base16" };
const createCondition = (holds: JsonObject, fails: JsonObject): ExampleFiles =>
  createServed({
    properties: PLAIN_FIELDS,
    if: { properties: { kind: { const: "a" } } },
    then: { properties: { blob: holds } },
    else: { properties: { blob: fails } },
  });
const createPatternFields = (a: JsonObject, b: JsonObject): ExampleFiles =>
  createBlobField({ type: "object", patternProperties: { "^a": createText(a), "^b": createText(b) } });

/** Changes of the decodings of single alternatives, after which the set of all decodings is the same. */
const ALTERNATIVE_CHANGES: { readonly [name: string]: readonly [ExampleFiles, ExampleFiles] } = {
  "is copied from another alternative": [
    createBlocks("oneOf", {}, {}, base64),
    createBlocks("oneOf", base64, {}, base64),
  ],
  "is exchanged between two alternatives": [
    createBlocks("anyOf", base64, base16),
    createBlocks("anyOf", base16, base64),
  ],
  "is exchanged between two formats": [
    createBlocks("oneOf", { format: "iri" }, { format: "idn-email" }),
    createBlocks("oneOf", { format: "idn-email" }, { format: "iri" }),
  ],
  "is exchanged between then and else": [createCondition(base64, base16), createCondition(base16, base64)],
  "is exchanged between two patterns": [
    createPatternFields(base64, base16),
    createPatternFields(base16, base64),
  ],
};

const INLINE_PAYLOADS = {
  "protocol.json": { envelope: { discriminator: "type", payload: { placement: "inline" } } },
};
const createEnvelope = (fields: JsonObject): ExampleFiles => ({
  [ENVELOPE]: { properties: { type: text, id: text, ...fields }, required: ["type", "id"] },
});
const createPayloadOfAllEvents = (fields: JsonObject): ExampleFiles => ({
  [ENVELOPE]: {
    properties: { type: text, id: text, data: { ...text, type: "object", properties: fields } },
  },
});
/** Changes after which a field is declared elsewhere and is no longer encoded. */
const MOVES: { readonly [name: string]: readonly [ExampleFiles, ExampleFiles] } = {
  "from a payload to all payloads": [
    { ...createBlobField(createText(base64)), ...createPayloadOfAllEvents({}) },
    { ...createServed({}), ...createPayloadOfAllEvents({ blob: text }) },
  ],
  "from all payloads to one": [
    { ...createServed({}), ...createPayloadOfAllEvents({ blob: text }) },
    { ...createBlobField(createText(base64)), ...createPayloadOfAllEvents({}) },
  ],
  "from a payload to the envelope beside it": [
    { ...INLINE_PAYLOADS, ...createBlobField(createText(base64)), ...createEnvelope({}) },
    { ...INLINE_PAYLOADS, ...createServed({}), ...createEnvelope({ blob: text }) },
  ],
};

it.each(Object.entries(MOVES))(
  "a field that moves %s and loses its decoding is a break",
  async (_name, [before, after]) => {
    const findings = await compareFiles(before, after);
    expect(findings.map(({ rule }) => rule)).toContain("decoding-changed");
  },
);

it("finds a change of decoding in the schema of the content", async () => {
  const createContent = (inner: JsonObject): ExampleFiles =>
    createBlobField(createText(createJsonContent(createObject({ a: inner }))));
  const findings = await compareFiles(createContent(text), createContent(createText(base64)));
  expect(findings.map(({ rule, severity }) => [rule, severity])).toEqual([["decoding-changed", "error"]]);
});

describe("a decoding that", () => {
  it.each(Object.entries(ALTERNATIVE_CHANGES))("%s is a break", async (_name, [before, after]) => {
    const findings = await compareFiles(before, after);
    const errors = findings.filter(({ severity }) => severity === "error");
    expect([...new Set(errors.map(({ rule }) => rule))]).toEqual(["decoding-changed"]);
  });

  it("changes in the same way in two alternatives has a fingerprint for each of them", async () => {
    const changes = [createBlocks("oneOf", base64, {}), createBlocks("oneOf", {}, base64)];
    const found = await Promise.all(
      changes.map((after) => compareFiles(createBlocks("oneOf", {}, {}), after)),
    );
    const fingerprints = found.map(([finding]) => finding?.fingerprint);
    expect(new Set(fingerprints).size).toBe(2);
  });
});

/** Changes after which every value is decoded as before. */
const SILENT: { readonly [name: string]: readonly [ExampleFiles, ExampleFiles] } = {
  "a definition is extracted": [
    createBlobField(createText(base64)),
    { ...createBlobField(BLOB_REFERENCE), ...createBlobDefinition(createText(base64)) },
  ],
  "a definition is inlined": [
    { ...createBlobField(BLOB_REFERENCE), ...createBlobDefinition(createText(base64)) },
    createBlobField(createText(base64)),
  ],
  "the keyword moves beside the reference": [
    { ...createBlobField(BLOB_REFERENCE), ...createBlobDefinition(createText(base64)) },
    { ...createBlobField({ ...BLOB_REFERENCE, ...base64 }), ...createBlobDefinition(text) },
  ],
  "the keyword moves into allOf": [
    createBlobField(createText(base64)),
    createBlobField({ ...text, allOf: [base64] }),
  ],
  "null is written as an alternative": [
    createBlobField({ description, type: ["string", "null"], ...base64 }),
    createBlobField({ description, anyOf: [createText(base64), { type: "null" }] }),
  ],
  "alternatives change places": [
    createBlobField({ anyOf: [createText(base64), integer] }),
    createBlobField({ anyOf: [integer, createText(base64)] }),
  ],
  "oneOf becomes anyOf": [
    createBlobField({ oneOf: [createText(base64), integer] }),
    createBlobField({ anyOf: [createText(base64), integer] }),
  ],
  "an encoding is written in capitals": [
    createBlobField(createText(base64)),
    createBlobField(createText({ contentEncoding: "BASE64" })),
  ],
  "format byte of OpenAPI becomes base64": [
    createBlobField(createText({ format: "byte" })),
    createBlobField(createText(base64)),
  ],
  "a new field is encoded": [
    createBlobField(text),
    createServed({ properties: { blob: text, photo: createText(base64) } }),
  ],
  "int32 is added": [createBlobField(integer), createBlobField({ ...integer, format: "int32" })],
  "int32 is removed": [createBlobField({ ...integer, format: "int32" }), createBlobField(integer)],
  "iri is added": [createBlobField(text), createBlobField(createText({ format: "iri" }))],
  "the content has a new optional field": [
    createBlobField(createText(createJsonContent(createObject({ a: text })))),
    createBlobField(createText(createJsonContent(createObject({ a: text, b: text })))),
  ],
  "the content has another description": [
    createBlobField(createText(createJsonContent(createObject({ a: text })))),
    createBlobField(
      createText(createJsonContent(createObject({ a: { ...text, description: "Something else." } }))),
    ),
  ],
  "the content refers to a definition": [
    createBlobField(createText(createJsonContent(createObject({ a: text })))),
    {
      ...createBlobField(createText(createJsonContent(BLOB_REFERENCE))),
      ...createBlobDefinition(createObject({ a: text })),
    },
  ],
  "an alternative without a decoding is removed": [
    createServed({
      properties: { blob: createText(base64), kind: text },
      anyOf: [{ properties: { blob: { minLength: 0 } } }],
    }),
    createServed({ properties: { blob: createText(base64), kind: text } }),
  ],
  "an alternative gets a field that another one encodes": [
    createBlobField({
      oneOf: [
        createObject({ kind: { const: "a" }, text: createText(base64) }),
        createObject({ kind: { const: "b" } }),
      ],
    }),
    createBlobField({
      oneOf: [
        createObject({ kind: { const: "a" }, text: createText(base64) }),
        createObject({ kind: { const: "b" }, text }),
      ],
    }),
  ],
  "alternatives are reordered and written in another way": [
    createBlocks("oneOf", base64, base16),
    createBlobField({
      oneOf: [base16, base64].map((decoding, index) => ({
        type: "object",
        properties: { kind: { enum: [`k${1 - index}`] }, text: { allOf: [createText(decoding)] } },
        required: ["kind"],
      })),
    }),
  ],
  "an event with encoded fields is added": [
    createBlobField(text),
    {
      ...createBlobField(text),
      [POURED]: { properties: { blob: createText(base64) } },
    },
  ],
};

describe("no decoding changes if", () => {
  it.each(Object.entries(SILENT))("%s", async (_name, [before, after]) => {
    const findings = await compareFiles(before, after);
    expect(findings.filter(({ severity }) => severity !== "note")).toEqual([]);
  });
});

describe("beside a change of type", () => {
  it("the new decoding is not a finding of its own", async () => {
    const findings = await compareFiles(createBlobField(createText(base64)), createBlobField(integer));
    expect(findings.map(({ rule }) => rule)).toEqual(["type-changed"]);
  });

  it("a format that validators assert is compared by its values", async () => {
    const findings = await compareFiles(
      createBlobField(createText({ format: "email" })),
      createBlobField(createText({ format: "idn-email" })),
    );
    expect(findings.map(({ rule }) => rule)).toEqual(["format-removed"]);
  });
});

it("does not call values equal that are too many to be compared, and ends", async () => {
  // Each of ten definitions refers to all others, so that a value is at millions of paths.
  const names = Array.from({ length: 10 }, (_, index) => `D${index}`);
  const createContract = (encoding: string): ExampleFiles => ({
    ...createBlobField({ $ref: "../shared/blobs.schema.json#/$defs/D0" }),
    [SHARED]: {
      title: "Blobs",
      description: "Shared.",
      $defs: Object.fromEntries(
        names.map((name) => [
          name,
          {
            type: "object",
            properties: {
              blob: { ...text, contentEncoding: name === "D9" ? encoding : "base64" },
              ...Object.fromEntries(
                names.map((other) => [other, { description, allOf: [{ $ref: `#/$defs/${other}` }] }]),
              ),
            },
          },
        ]),
      ),
    },
  });
  const findings = await compareFiles(createContract("base64"), createContract("base16"));
  expect(findings).toMatchObject([
    {
      rule: "decoding-changed",
      severity: "error",
      message: expect.stringContaining("too many to compare how they are decoded"),
    },
  ]);
  expect(await compareFiles(createContract("base64"), createContract("base64"))).toEqual([]);
}, 60_000);
