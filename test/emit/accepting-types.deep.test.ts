/** If this fails, `tsc` refuses a value that the reader validator accepts. The tests assign accepted values to generated types. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emitTypes } from "../../generator/emit/typescript/types.js";
import { isObject, type Json, type JsonObject } from "../../generator/json.js";
import { deriveEventName } from "../../generator/protocol/names.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import type { Definition, Schema } from "../../generator/schema/json-schema.js";
import { buildDocument, readAs } from "../../generator/schema/readings.js";
import { makeAjv } from "../../generator/validators/ajv.js";
import { createTemporaryFolder } from "../folders.js";
import { createDefinition, sample } from "../schema/schema-arbitrary.js";
import { writeOutputs } from "./emit-all.js";
import { PROTOCOLS, readValidFixtures } from "./fixtures.js";
import { checkTypes } from "./run.js";

const A: Schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
const orNull = [{ $ref: "#/$defs/A" }, { type: "null" }];
const VALUES: readonly Json[] = [
  null,
  true,
  1,
  "a",
  "z",
  [],
  [1],
  ["a"],
  {},
  { a: "a" },
  { a: 1 },
  { b: "a" },
  { x: 1, b: null },
];

/** Schemas whose types once refused values that their validators accept. */
const CASES: { readonly [about: string]: Schema } = {
  "a nullable reference that is open": { anyOf: orNull, additionalProperties: true },
  "a nullable reference beside properties": { anyOf: orNull, properties: { b: { type: "string" } } },
  "a nullable reference by oneOf beside required": {
    oneOf: orNull,
    properties: { a: true },
    required: ["a"],
  },
  "a nullable reference inside allOf": {
    allOf: [{ anyOf: orNull }, { properties: { b: { type: "string" } } }],
  },
  "properties without a type": { properties: { a: { type: "string" } } },
  "items without a type": { items: { type: "string" } },
  "properties and items without a type": { properties: { a: { type: "string" } }, items: { type: "string" } },
  "a typed object with untyped branches": {
    type: ["object", "null"],
    anyOf: [{ properties: { a: { type: "string" } } }, { properties: { b: { type: "string" } } }],
  },
  "names by pattern, others open": { type: "object", patternProperties: { "^a": { type: "string" } } },
  "names by pattern, others closed": {
    type: "object",
    patternProperties: { "^a": { type: "string" } },
    additionalProperties: false,
  },
  "known values without a type": { "x-extensible-enum": ["a", "b"] },
  "known values of a nullable field": { type: ["string", "null"], "x-extensible-enum": ["a"] },
  "a scalar reference beside properties": { $ref: "#/$defs/S", properties: { a: true } },
};

/** A schema, the definitions that it refers to, and values to check. */
interface CheckedSchema {
  readonly schema: Schema;
  readonly definitions: { readonly [name: string]: Definition };
  readonly values: readonly Json[];
}

const [first] = PROTOCOLS;

/** Creates a protocol without events whose definition `Root` is the schema. */
function createProtocol({ schema, definitions }: CheckedSchema, id: string): Protocol {
  if (!first) throw new Error("no protocol");
  const plain = { type: "object", properties: { type: { type: "string" } }, required: ["type"] } as const;
  const envelope = { ...first.envelope, placement: "inline", schema: plain } as const;
  return {
    ...first,
    id,
    envelope,
    events: [],
    resources: [],
    definitions: { ...definitions, Root: createDefinition(schema) },
  };
}

/** Returns the values that the reader reading of the schema accepts. */
function listAccepted({ schema, definitions, values }: CheckedSchema): readonly Json[] {
  const accepts = makeAjv({ ownProperties: true }).compile(
    buildDocument(readAs("reader", schema, definitions)),
  );
  return values.filter((value) => accepts(value));
}

/**
 * Returns the type of exactly this value. Names that an object lacks are declared absent, because TypeScript refuses an
 * object that has no field in common with a type whose fields are all optional.
 */
function formatExactType(value: Json, names: readonly string[]): string {
  if (Array.isArray(value)) return `[${value.map((item) => formatExactType(item, names)).join(", ")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, field]) => `${JSON.stringify(name)}: ${formatExactType(field, names)}`,
  );
  const absent = names
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => `${JSON.stringify(name)}?: never`);
  return `{ ${[...fields, ...absent].join("; ")} }`;
}

/** Assigns each accepted value to the type of its schema. Returns the errors of the compiler. */
async function findRefusals(checked: readonly CheckedSchema[]): Promise<string> {
  const root = createTemporaryFolder();
  for (const [index, one] of checked.entries()) {
    writeOutputs(root, [await emitTypes(createProtocol(one, `c${index}`))]);
    const lines = listAccepted(one).map((value, i) => {
      const type = formatExactType(value, ["a", "b", "c"]);
      return `declare const v${i}: ${type}; export const r${i}: Root = v${i};`;
    });
    const head = 'import type { Root } from "./types.js";\nexport type R = Root;';
    writeFileSync(path.join(root, `c${index}`, "check.ts"), `${head}\n${lines.join("\n")}\n`);
  }
  return checkTypes(root, "bundler");
}

const definitions = { A: createDefinition(A), S: createDefinition({ type: "string" }) };

describe("a generated type accepts what the reader validator accepts", () => {
  it("of schemas that are hard to type", async () => {
    const cases = Object.values(CASES).map((schema) => ({ schema, definitions, values: VALUES }));
    expect(cases.flatMap(listAccepted).length).toBeGreaterThan(50);
    expect(await findRefusals(cases)).toBe("");
  });

  it("of random schemas", async () => {
    const samples = fc.sample(sample, { seed: 14, numRuns: 120 });
    expect(samples.flatMap(listAccepted).length).toBeGreaterThan(300);
    expect(await findRefusals(samples)).toBe("");
  });

  it("of the fixtures of every protocol", () => {
    const root = createTemporaryFolder();
    for (const [index, protocol] of PROTOCOLS.entries()) {
      const values = protocol.events.flatMap(({ type }) =>
        readValidFixtures(protocol, type).map(
          (value) => [deriveEventName({ type }), value as JsonObject] as const,
        ),
      );
      const lines = values.map(
        ([name, value], i) =>
          `declare const v${i}: ${formatExactType(value, [])}; export const r${i}: types.${name} = v${i};`,
      );
      const module = path.resolve(`generated/${protocol.id}/types.ts`);
      const head = `import type * as types from ${JSON.stringify(module)};`;
      writeFileSync(path.join(root, `fixtures${index}.ts`), `${head}\n${lines.join("\n")}\n`);
    }
    const errors = checkTypes(root, "bundler").replaceAll(/^.*error TS5097.*\n/gm, "");
    expect(errors).toBe("");
  });

  it("but refuses values that the schema excludes", async () => {
    const schema: Schema = { anyOf: orNull, additionalProperties: true };
    const root = createTemporaryFolder();
    writeOutputs(root, [await emitTypes(createProtocol({ schema, definitions, values: [] }, "c"))]);
    const code = 'import type { Root } from "./types.js";\nexport const wrong: Root[] = ["a", 1, {}];\n';
    writeFileSync(path.join(root, "c", "check.ts"), code);
    expect(checkTypes(root, "bundler").match(/error TS/g)).toHaveLength(3);
  });
});
