/** If this fails, an output ignores a keyword of a schema without listing it as unexpressed. */
import { describe, expect, it } from "vitest";
import { emitBundle } from "../../generator/emit/bundle.js";
import { renderCatalog } from "../../generator/emit/catalog/catalog.js";
import { CATALOG_FACETS } from "../../generator/emit/catalog/renderer.js";
import { emitGo } from "../../generator/emit/go/go.js";
import { GO_FACETS } from "../../generator/emit/go/types.js";
import { emitPython } from "../../generator/emit/python/python.js";
import { PYTHON_FACETS } from "../../generator/emit/python/types.js";
import { emitRust } from "../../generator/emit/rust/rust.js";
import { RUST_FACETS } from "../../generator/emit/rust/types.js";
import { TYPED } from "../../generator/emit/typescript/type-schema.js";
import { emitTypes } from "../../generator/emit/typescript/types.js";
import type { Json, JsonObject } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { createRandom } from "../../generator/random.js";
import { makeValue } from "../../generator/sample/make-value.js";
import { createSchemaMerger, SAMPLED_FACETS } from "../../generator/sample/merged-schema.js";
import {
  type Coverage,
  createSpotWithoutPlace,
  describeSchema,
  findOmittedKeywords,
  SELF,
} from "../../generator/schema/describe.js";
import { getKeywords, type KeywordName } from "../../generator/schema/keywords.js";
import { PROTOCOLS } from "./fixtures.js";

const text = { type: "string" };
const list = { type: "array", items: text };
const map = { type: "object", properties: { a: text, b: text } };

/** A value of each keyword, and a schema whose meaning changes if the keyword is added. */
const EXAMPLES: { readonly [keyword: string]: readonly [value: Json, base: JsonObject] } = {
  $schema: ["https://json-schema.org/draft/2020-12/schema", text],
  $comment: ["c", text],
  $ref: ["#/$defs/Known", {}],
  $defs: [{ Local: true }, text],
  $anchor: ["here", text],
  title: ["A title", text],
  description: ["A description.", text],
  default: ["d", text],
  examples: [["e"], text],
  deprecated: [true, text],
  readOnly: [true, text],
  writeOnly: [true, text],
  contentEncoding: ["base64", text],
  contentMediaType: ["text/plain", text],
  contentSchema: [{ type: "number" }, text],
  type: ["boolean", {}],
  const: ["c", text],
  enum: [["x", "y"], text],
  multipleOf: [7, { type: "integer", maximum: 70 }],
  minimum: [5, { type: "integer" }],
  maximum: [5, { type: "integer" }],
  exclusiveMinimum: [5, { type: "integer" }],
  exclusiveMaximum: [5, { type: "integer" }],
  minLength: [30, text],
  maxLength: [1, text],
  pattern: ["^q+$", text],
  format: ["uuid", text],
  minItems: [3, list],
  maxItems: [0, list],
  uniqueItems: [true, list],
  minContains: [2, { ...list, contains: { const: "c" } }],
  maxContains: [2, { ...list, contains: { const: "c" } }],
  contains: [{ const: "c" }, list],
  prefixItems: [[{ type: "boolean" }], { ...list, minItems: 1 }],
  items: [{ type: "boolean" }, { type: "array", minItems: 1 }],
  unevaluatedItems: [false, { type: "array", prefixItems: [text] }],
  minProperties: [1, map],
  maxProperties: [1, map],
  required: [["a"], map],
  properties: [{ c: text }, { type: "object" }],
  patternProperties: [{ "^p": text }, { type: "object" }],
  additionalProperties: [text, { type: "object" }],
  unevaluatedProperties: [true, map],
  propertyNames: [{ maxLength: 3 }, map],
  allOf: [[{ minLength: 30, description: "Long." }, { $ref: "#/$defs/Known" }], {}],
  anyOf: [[{ type: "boolean" }, { type: "null" }], {}],
  oneOf: [[{ type: "boolean" }, { type: "null" }], {}],
  if: [{ required: ["a"] }, { ...map, then: { required: ["b"] } }],
  then: [{ required: ["b"] }, { ...map, if: { required: ["a"] } }],
  else: [{ required: ["b"] }, { ...map, if: { required: ["a"] } }],
  not: [{ required: ["a"] }, map],
  dependentRequired: [{ a: ["b"] }, map],
  dependentSchemas: [{ a: { required: ["b"] } }, map],
  "x-stability": ["candidate", text],
  "x-since": ["1.1", text],
  "x-deprecated-since": ["1.2", { ...text, deprecated: true }],
  "x-replaced-by": ["other", { ...text, deprecated: true }],
  "x-renamed-from": ["before", text],
  "x-requires": ["a thing", text],
  "x-emitted-by": [["runtime"], text],
  "x-source": [["a document"], text],
  "x-group": ["g", text],
  "x-type": ["t", text],
  "x-payload-property": ["p", text],
  "x-sensitive": [true, text],
  "x-replaces": [true, list],
  "x-known-values": [["x", "y"], text],
  "x-extensible-enum": [["x", "y"], text],
  "x-writer": [{ minLength: 30 }, text],
};

const definitions: Protocol["definitions"] = {
  Known: { schema: { type: "string", enum: ["known"] }, at: { file: "known.json", pointer: "" } },
};

/** Creates a protocol with one event, whose payload has one field of this schema. */
function createProtocol(schema: Json): Protocol {
  const [protocol] = PROTOCOLS;
  const [event] = protocol?.events ?? [];
  if (!protocol || !event) throw new Error("there is no protocol");
  const payload = { type: "object", properties: { value: schema } };
  const events = [{ ...event, type: "only", payload, examples: [] }];
  return { ...protocol, events, definitions, resources: [], tombstones: [] };
}

/** Returns the texts of random values that are made for a schema. */
function createSamples(schema: Json): string {
  const mergeSchemas = createSchemaMerger(definitions);
  const makeSample = (seed: number) =>
    makeValue([schema as JsonObject], { mergeSchemas, random: createRandom(seed), isMinimal: false });
  return JSON.stringify(Array.from({ length: 40 }, (_, seed) => makeSample(seed)));
}

/** The outputs that are written from described schemas, with the keywords that they express. */
const CONSUMERS: readonly (readonly [
  name: string,
  coverage: Coverage,
  write: (schema: Json) => string | Promise<string>,
])[] = [
  ["types.ts", TYPED, async (schema) => (await emitTypes(createProtocol(schema))).content],
  ["Go", GO_FACETS, (schema) => JSON.stringify(emitGo(createProtocol(schema)))],
  ["Python", PYTHON_FACETS, (schema) => JSON.stringify(emitPython(createProtocol(schema)))],
  ["Rust", RUST_FACETS, (schema) => JSON.stringify(emitRust(createProtocol(schema)))],
  ["catalogue", CATALOG_FACETS, (schema) => renderCatalog(createProtocol(schema))],
  ["samples", SAMPLED_FACETS, createSamples],
];

const supportedKeywords = [...getKeywords()]
  .filter(([, row]) => row.unsupported === undefined)
  .map(([name]) => name);

function isListedAsUnexpressed(schema: JsonObject, keyword: string, coverage: Coverage): boolean {
  const described = describeSchema(createSpotWithoutPlace(schema), definitions, coverage, SELF);
  return findOmittedKeywords(described).some((each) => each.keyword === keyword);
}

describe("keywords", () => {
  it("are all in the table of examples", () => {
    expect(Object.keys(EXAMPLES).sort()).toEqual([...supportedKeywords].sort());
  });

  it.each(CONSUMERS)("are expressed by %s, or listed", async (_name, coverage, write) => {
    const lost: string[] = [];
    for (const keyword of supportedKeywords) {
      const [value, base] = EXAMPLES[keyword as KeywordName] ?? [true, {}];
      const schema = { ...base, [keyword]: value };
      if (isListedAsUnexpressed(schema, keyword, coverage)) continue;
      if ((await write(schema)) === (await write(base))) lost.push(keyword);
    }
    expect(lost).toEqual([]);
  });

  it("are all in schema.json", () => {
    for (const keyword of supportedKeywords) {
      const [value, base] = EXAMPLES[keyword] ?? [true, {}];
      const { content } = emitBundle(createProtocol({ ...base, [keyword]: value }));
      expect(JSON.parse(content).$defs.OnlyPayload.properties.value).toEqual({ ...base, [keyword]: value });
    }
  });
});
