/** If this fails, readers decode values wrongly without a finding, or an equal decoding is reported. */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import type { JsonObject } from "../../generator/json.js";
import { checkExample } from "./examples.js";
import { at, compat, history, SERVED, waiverOf } from "./tea-history.js";

const ENVELOPE = "envelope.schema.json";
const SHARED = "shared/blobs.schema.json";
const description = "Which.";
const text = { type: "string", description };
const integer = { type: "integer", description };

async function findingsOf(before: ExampleFiles, after: ExampleFiles) {
  return (await checkExample({ before, after })).findings;
}

const served = (payload: JsonObject, stability = "stable"): ExampleFiles => ({
  [SERVED]: { "x-stability": stability, ...payload },
});
const field = (schema: JsonObject): ExampleFiles => served({ properties: { blob: schema } });
const shared = (Blob: JsonObject): ExampleFiles => ({
  [SHARED]: { title: "Blobs", description: "Shared.", $defs: { Blob } },
});
const ref = { $ref: "../shared/blobs.schema.json#/$defs/Blob" };
const plain = { kind: text, blob: text };

/** Where a value can stand, each with a contract that has it there. */
const PLACES: { readonly [name: string]: (schema: JsonObject) => ExampleFiles } = {
  "a field": field,
  "a field inside": (schema) => field({ type: "object", properties: { inner: schema } }),
  items: (schema) => field({ type: "array", items: schema }),
  "a tuple": (schema) => field({ type: "array", prefixItems: [text, schema] }),
  contains: (schema) => field({ type: "array", contains: schema }),
  "undeclared fields": (schema) => field({ type: "object", additionalProperties: schema }),
  "fields by pattern": (schema) => field({ type: "object", patternProperties: { "^b": schema } }),
  "names of fields": (schema) => field({ type: "object", additionalProperties: true, propertyNames: schema }),
  "a definition": (schema) => ({ ...field(ref), ...shared(schema) }),
  "items of a definition": (schema) => ({ ...field({ type: "array", items: ref }), ...shared(schema) }),
  allOf: (schema) => field({ ...text, type: schema.type ?? "string", allOf: [{ minLength: 0 }, schema] }),
  "an alternative beside null": (schema) => field({ anyOf: [schema, { type: "null" }] }),
  "an alternative beside another text": (schema) => field({ oneOf: [schema, { type: "boolean" }] }),
  "a field of an alternative": (schema) =>
    served({
      properties: plain,
      anyOf: [{ properties: { kind: { const: "a" }, blob: schema } }, { required: ["kind"] }],
    }),
  "a condition": (schema) =>
    served({
      properties: plain,
      if: { properties: { kind: { const: "a" } } },
      then: { properties: { blob: schema } },
    }),
  "a schema that another field asks for": (schema) =>
    served({ properties: plain, dependentSchemas: { kind: { properties: { blob: schema } } } }),
  "a recursive definition": (schema) => ({
    ...field(ref),
    ...shared({ type: "object", properties: { inner: schema, more: { $ref: "#/$defs/Blob" } } }),
  }),
  "the envelope": (schema) => ({
    ...served({}),
    [ENVELOPE]: {
      "x-stability": "stable",
      properties: { type: text, id: text, blob: schema, data: { type: "object", description } },
    },
  }),
  "the payload fields of the envelope": (schema) => ({
    ...served({}),
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
    ...served({}),
    "resources/tea-list.schema.json": {
      title: "Teas",
      description: "A list.",
      type: "object",
      properties: { rows: { type: "array", description, items: schema } },
    },
  }),
};

/** Changes of how a text is decoded, and of what a number or text is. */
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

const of = (more: JsonObject): JsonObject => ({ ...text, ...more });
const pairs = Object.entries(PLACES).flatMap(([place, files]) =>
  Object.entries(BREAKS).map(([name, [before, after]]) => ({
    name: `${name} in ${place}`,
    files,
    before,
    after,
  })),
);

describe("a break of decoding", () => {
  // Names of fields are texts.
  const possible = pairs.filter(
    ({ name, before }) =>
      before.type === undefined || !/names of fields|of an alternative$|condition|asks for/.test(name),
  );

  it.each(possible)("$name", async ({ files, before, after }) => {
    const findings = await findingsOf(files(of(before)), files(of(after)));
    expect(findings.map(({ rule, severity }) => [rule, severity])).toEqual([["decoding-changed", "error"]]);
    expect(findings[0]?.witness).toBeUndefined();
  });

  it("is found among several alternatives that are texts", async () => {
    const anyOf = (...branches: JsonObject[]) => field({ anyOf: branches.map(of) });
    const [one, other] = [{ contentEncoding: "base64" }, { contentEncoding: "quoted-printable" }];
    for (const [before, after] of [
      [anyOf(one, other), anyOf(one)],
      [anyOf(one), anyOf(one, other)],
      [anyOf(one), anyOf(one, {})],
    ] as const)
      expect((await findingsOf(before, after)).map(({ rule }) => rule)).toContain("decoding-changed");
  });

  it("is found where an undeclared field is declared", async () => {
    const object = (properties: JsonObject) =>
      field({ type: "object", properties, additionalProperties: of({ contentEncoding: "base64" }) });
    const findings = await findingsOf(object({}), object({ photo: of({ contentEncoding: "base64url" }) }));
    expect(findings.map(({ rule }) => rule)).toContain("decoding-changed");
  });

  it.each(["experimental", "candidate", "stable"])("of a %s event is judged as such", async (stability) => {
    const files = (contentEncoding: string) =>
      served({ properties: { blob: of({ contentEncoding }) } }, stability);
    const [finding] = await findingsOf(files("base64"), files("base64url"));
    expect(finding?.severity).toBe(stability === "experimental" ? "note" : "error");
    expect(finding?.message).toContain('contentEncoding "base64" → "base64url"');
  });

  it("of an experimental field is a note", async () => {
    const files = (contentEncoding: string) => field(of({ contentEncoding, "x-stability": "experimental" }));
    const [finding] = await findingsOf(files("base64"), files("base64url"));
    expect(finding).toMatchObject({ rule: "decoding-changed", severity: "note" });
  });

  it("of a definition that several events share is one finding", async () => {
    const events = {
      ...served({ properties: { blob: ref } }),
      "events/tea.poured.schema.json": { "x-stability": "stable", properties: { blob: ref } },
    };
    const files = (contentEncoding: string) => ({ ...events, ...shared(of({ contentEncoding })) });
    const findings = await findingsOf(files("base64"), files("base64url"));
    expect(findings.map(({ events: types }) => types)).toEqual([["tea.poured", "tea.served"]]);
  });

  it("can be waived in a candidate event, for this change alone", async () => {
    const version = (number: string, contentEncoding: string, waivers: object[] = []) =>
      at(number, { blob: of({ contentEncoding }) }, { waivers });
    const first = version("1.0", "base64");
    const { findings } = await compat(await history([first, version("1.1", "base64url")]));
    const waiver = waiverOf(findings[0]);
    expect(await compat(await history([first, version("1.1", "base64url", [waiver])]))).toMatchObject({
      exitCode: 0,
    });
    expect((await compat(await history([first, version("1.1", "base32", [waiver])]))).exitCode).toBe(1);
  });
});

const base64 = { contentEncoding: "base64" };
const json = (schema: JsonObject): JsonObject => ({
  contentMediaType: "application/json",
  contentSchema: schema,
});
const object = (properties: JsonObject): JsonObject => ({ type: "object", properties });

/** The same decoding, and information that changes no value. */
/** Blocks of three kinds, each with the decoding of its text. */
const blocks = (keyword: string, ...decodings: readonly JsonObject[]): ExampleFiles =>
  field({
    [keyword]: decodings.map((decoding, index) => ({
      type: "object",
      properties: { kind: { const: `k${index}` }, text: of(decoding) },
      required: ["kind"],
    })),
  });
const base16 = { contentEncoding: "base16" };
const cases = (holds: JsonObject, fails: JsonObject): ExampleFiles =>
  served({
    properties: plain,
    if: { properties: { kind: { const: "a" } } },
    then: { properties: { blob: holds } },
    else: { properties: { blob: fails } },
  });
const byPattern = (a: JsonObject, b: JsonObject): ExampleFiles =>
  field({ type: "object", patternProperties: { "^a": of(a), "^b": of(b) } });

/** Changes after which all alternatives together are decoded as they were, and one of them is not. */
const IN_CASES: { readonly [name: string]: readonly [ExampleFiles, ExampleFiles] } = {
  "of an alternative becomes that of another one": [
    blocks("oneOf", {}, {}, base64),
    blocks("oneOf", base64, {}, base64),
  ],
  "is exchanged between two alternatives": [blocks("anyOf", base64, base16), blocks("anyOf", base16, base64)],
  "is exchanged between two formats": [
    blocks("oneOf", { format: "iri" }, { format: "idn-email" }),
    blocks("oneOf", { format: "idn-email" }, { format: "iri" }),
  ],
  "is exchanged between then and else": [cases(base64, base16), cases(base16, base64)],
  "is exchanged between two patterns": [byPattern(base64, base16), byPattern(base16, base64)],
};

/** Changes after which a field is declared elsewhere and decoded differently. */
const inline = {
  "protocol.json": { envelope: { discriminator: "type", payload: { placement: "inline" } } },
};
const around = (fields: JsonObject): ExampleFiles => ({
  [ENVELOPE]: { properties: { type: text, id: text, ...fields }, required: ["type", "id"] },
});
const data = (fields: JsonObject): ExampleFiles => ({
  [ENVELOPE]: {
    properties: { type: text, id: text, data: { ...text, type: "object", properties: fields } },
  },
});
const MOVED: { readonly [name: string]: readonly [ExampleFiles, ExampleFiles] } = {
  "from a payload to all payloads": [
    { ...field(of(base64)), ...data({}) },
    { ...served({}), ...data({ blob: text }) },
  ],
  "from all payloads to one": [
    { ...served({}), ...data({ blob: text }) },
    { ...field(of(base64)), ...data({}) },
  ],
  "from a payload to the envelope beside it": [
    { ...inline, ...field(of(base64)), ...around({}) },
    { ...inline, ...served({}), ...around({ blob: text }) },
  ],
};

it.each(Object.entries(MOVED))("a field that goes %s keeps its decoding", async (_name, [before, after]) => {
  const findings = await findingsOf(before, after);
  expect(findings.map(({ rule }) => rule)).toContain("decoding-changed");
});

it("finds a change of decoding inside of the content", async () => {
  const content = (inner: JsonObject): ExampleFiles => field(of(json(object({ a: inner }))));
  const findings = await findingsOf(content(text), content(of(base64)));
  expect(findings.map(({ rule, severity }) => [rule, severity])).toEqual([["decoding-changed", "error"]]);
});

describe("a decoding that", () => {
  it.each(Object.entries(IN_CASES))("%s is a break", async (_name, [before, after]) => {
    const findings = await findingsOf(before, after);
    const errors = findings.filter(({ severity }) => severity === "error");
    expect([...new Set(errors.map(({ rule }) => rule))]).toEqual(["decoding-changed"]);
  });

  it("changes in two alternatives alike has a fingerprint for each of them", async () => {
    const changes = [blocks("oneOf", base64, {}), blocks("oneOf", {}, base64)];
    const found = await Promise.all(changes.map((after) => findingsOf(blocks("oneOf", {}, {}), after)));
    const fingerprints = found.map(([finding]) => finding?.fingerprint);
    expect(new Set(fingerprints).size).toBe(2);
  });
});

const SILENT: { readonly [name: string]: readonly [ExampleFiles, ExampleFiles] } = {
  "a definition is extracted": [field(of(base64)), { ...field(ref), ...shared(of(base64)) }],
  "a definition is inlined": [{ ...field(ref), ...shared(of(base64)) }, field(of(base64))],
  "the keyword moves beside the reference": [
    { ...field(ref), ...shared(of(base64)) },
    { ...field({ ...ref, ...base64 }), ...shared(text) },
  ],
  "the keyword moves into allOf": [field(of(base64)), field({ ...text, allOf: [base64] })],
  "null is written as an alternative": [
    field({ description, type: ["string", "null"], ...base64 }),
    field({ description, anyOf: [of(base64), { type: "null" }] }),
  ],
  "alternatives change places": [
    field({ anyOf: [of(base64), integer] }),
    field({ anyOf: [integer, of(base64)] }),
  ],
  "oneOf becomes anyOf": [field({ oneOf: [of(base64), integer] }), field({ anyOf: [of(base64), integer] })],
  "an encoding is written in capitals": [field(of(base64)), field(of({ contentEncoding: "BASE64" }))],
  "the name of OpenAPI for base64": [field(of({ format: "byte" })), field(of(base64))],
  "a new field is encoded": [field(text), served({ properties: { blob: text, photo: of(base64) } })],
  "int32 is added": [field(integer), field({ ...integer, format: "int32" })],
  "int32 is removed": [field({ ...integer, format: "int32" }), field(integer)],
  "iri is added": [field(text), field(of({ format: "iri" }))],
  "the content has a new optional field": [
    field(of(json(object({ a: text })))),
    field(of(json(object({ a: text, b: text })))),
  ],
  "the content is described otherwise": [
    field(of(json(object({ a: text })))),
    field(of(json(object({ a: { ...text, description: "Something else." } })))),
  ],
  "the content refers to a definition": [
    field(of(json(object({ a: text })))),
    { ...field(of(json(ref))), ...shared(object({ a: text })) },
  ],
  "another alternative requires more": [
    served({
      properties: { blob: of(base64), kind: text },
      anyOf: [{ properties: { blob: { minLength: 0 } } }],
    }),
    served({ properties: { blob: of(base64), kind: text } }),
  ],
  "an alternative gets a field that another one encodes": [
    field({ oneOf: [object({ kind: { const: "a" }, text: of(base64) }), object({ kind: { const: "b" } })] }),
    field({
      oneOf: [object({ kind: { const: "a" }, text: of(base64) }), object({ kind: { const: "b" }, text })],
    }),
  ],
  "alternatives are reordered and written otherwise": [
    blocks("oneOf", base64, base16),
    field({
      oneOf: [base16, base64].map((decoding, index) => ({
        type: "object",
        properties: { kind: { enum: [`k${1 - index}`] }, text: { allOf: [of(decoding)] } },
        required: ["kind"],
      })),
    }),
  ],
  "an event with encoded fields comes": [
    field(text),
    { ...field(text), "events/tea.poured.schema.json": { properties: { blob: of(base64) } } },
  ],
};

describe("the same decoding", () => {
  it.each(Object.entries(SILENT))("%s", async (_name, [before, after]) => {
    const findings = await findingsOf(before, after);
    expect(findings.filter(({ severity }) => severity !== "note")).toEqual([]);
  });
});

describe("beside a change of type", () => {
  it("the new decoding is no finding of its own", async () => {
    const findings = await findingsOf(field(of(base64)), field(integer));
    expect(findings.map(({ rule }) => rule)).toEqual(["type-changed"]);
  });

  it("a format that validators assert is compared by its values", async () => {
    const findings = await findingsOf(field(of({ format: "email" })), field(of({ format: "idn-email" })));
    expect(findings.map(({ rule }) => rule)).toEqual(["format-removed"]);
  });
});
