/** If this fails, writers of an imported protocol may send undeclared fields, or may not fill maps and open objects. */
import { rmSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import { createValidators } from "../../generator/validators/protocol-validators.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryProject } from "../commands/temporary-project.js";

const text = { type: "string" };
const a = { type: "object", properties: { a: text } };
const base = {
  $defs: {
    Base: a,
    Z: { properties: { z: { properties: { b: text } } } },
    Map: { type: "object" },
    Open: { ...a, additionalProperties: true },
  },
};

/** The schema of a field, values that writers may send, and values that only readers and the original accept. */
interface Shape {
  readonly schema: JsonObject;
  readonly sent: readonly Json[];
  readonly read: readonly Json[];
}

const SHAPES: { readonly [about: string]: Shape } = {
  "an object that lists its fields": {
    schema: a,
    sent: [{}, { a: "x" }],
    read: [{ b: 1 }, { a: "x", b: 1 }],
  },
  "an object without a type": {
    schema: { properties: { a: text } },
    sent: [1, { a: "x" }],
    read: [{ b: 1 }],
  },
  "objects inside lists": { schema: { type: "array", items: a }, sent: [[{ a: "x" }]], read: [[{ b: 1 }]] },
  "any object": { schema: { type: "object" }, sent: [{}, { b: 1 }], read: [] },
  "any object with empty properties": {
    schema: { type: "object", properties: {} },
    sent: [{ b: 1 }],
    read: [],
  },
  "any object by reference": { schema: { $ref: "#/$defs/Map" }, sent: [{ b: 1 }], read: [] },
  "any nullable object": { schema: { type: ["object", "null"] }, sent: [null, { b: 1 }], read: [] },
  "a map": { schema: { type: "object", additionalProperties: text }, sent: [{ b: "x" }], read: [] },
  "a map by names": {
    schema: { type: "object", propertyNames: { minLength: 2 } },
    sent: [{ bb: 1 }],
    read: [],
  },
  "a map beside a listed field": {
    schema: { ...a, additionalProperties: { type: "integer" } },
    sent: [{ a: "x", b: 1 }],
    read: [],
  },
  "a field that is required and nowhere listed": {
    schema: { ...a, required: ["b"] },
    sent: [{ b: 1 }, { a: "x", b: 1, c: 2 }],
    read: [],
  },
  "more fields than are listed": { schema: { ...a, minProperties: 2 }, sent: [{ a: "x", b: 1 }], read: [] },
  "a field that another one requires": {
    schema: { ...a, dependentRequired: { a: ["b"] } },
    sent: [{ a: "x", b: 1 }],
    read: [],
  },
  "an object that says it is open": {
    schema: { ...a, additionalProperties: true },
    sent: [{ b: 1 }],
    read: [],
  },
  "an object closed by itself": {
    schema: { ...a, additionalProperties: false },
    sent: [{ a: "x" }],
    read: [],
  },
  "names by pattern": {
    schema: { type: "object", patternProperties: { "^x": text } },
    sent: [{ xa: "x" }],
    read: [{ b: 1 }],
  },
  "listed fields and names by pattern": {
    schema: { ...a, patternProperties: { "^x": text } },
    sent: [{ a: "x", xa: "x" }],
    read: [{ b: 1 }],
  },
  "unevaluatedProperties with a schema": {
    schema: { ...a, unevaluatedProperties: { type: "integer" } },
    sent: [{ a: "x", b: 1 }],
    read: [],
  },
  "unevaluatedProperties: false": {
    schema: { allOf: [{ $ref: "#/$defs/Base" }], properties: { b: text }, unevaluatedProperties: false },
    sent: [{ a: "x", b: "x" }],
    read: [],
  },
  "a base and further fields": {
    schema: { allOf: [{ $ref: "#/$defs/Base" }, { type: "object", properties: { b: text } }] },
    sent: [{ a: "x", b: "x" }],
    read: [{ a: "x", c: 1 }],
  },
  "a base that says it is open": {
    schema: { allOf: [{ $ref: "#/$defs/Open" }, { type: "object", properties: { b: text } }] },
    sent: [{ a: "x", b: "x", c: 1 }],
    read: [],
  },
  "a base of any content and listed fields": {
    schema: { allOf: [{ $ref: "#/$defs/Map" }, a] },
    sent: [{ a: "x" }],
    read: [{ b: 1 }],
  },
  "alternatives that list their fields": {
    schema: {
      anyOf: [{ $ref: "#/$defs/Base" }, { type: "object", properties: { b: text }, required: ["b"] }],
    },
    sent: [{ a: "x" }, { b: "x" }],
    read: [{ c: 1 }],
  },
  "an alternative of any content": {
    schema: { anyOf: [{ ...a, required: ["a"] }, { type: "object" }] },
    sent: [{ a: "x" }, { c: 1 }],
    read: [],
  },
  "a nullable alternative": {
    schema: { anyOf: [{ $ref: "#/$defs/Base" }, { type: "null" }] },
    sent: [null, { a: "x" }],
    read: [{ b: 1 }],
  },
  "alternatives that require listed fields": {
    schema: { ...a, anyOf: [{ required: ["a"] }, { maxProperties: 0 }] },
    sent: [{}, { a: "x" }],
    read: [{ a: "x", b: 1 }],
  },
  "a field that two parts describe": {
    schema: {
      allOf: [
        { type: "object", properties: { x: a, y: { properties: { z: a } } } },
        {
          properties: {
            x: { type: "object", properties: { b: text }, required: ["b"] },
            y: { $ref: "#/$defs/Z" },
          },
        },
      ],
    },
    sent: [{ x: { a: "x", b: "x" } }, { x: { b: "x", c: 1 } }, { y: { z: { a: "x", b: "x" } } }],
    read: [{ c: 1 }],
  },
  "a field that a union describes again": {
    schema: {
      type: "object",
      properties: { x: a },
      oneOf: [
        { properties: { x: { type: "object", properties: { b: text }, required: ["b"] } }, required: ["x"] },
        { maxProperties: 0 },
      ],
    },
    sent: [{}, { x: { a: "x", b: "x" } }],
    read: [],
  },
  "a field that two parts describe alike": {
    schema: { allOf: [{ properties: { x: a } }, { properties: { x: { ...a, required: ["a"] } } }] },
    sent: [{ x: { a: "x" } }],
    read: [{ x: { a: "x", b: 1 } }],
  },
  "one definition as a value and as a base": {
    schema: {
      type: "object",
      properties: {
        one: { $ref: "#/$defs/Base" },
        two: { allOf: [{ $ref: "#/$defs/Base" }, { properties: { b: text } }] },
      },
    },
    sent: [{ one: { a: "x" }, two: { a: "x", b: "x" } }],
    read: [{ one: { b: "x" } }, { two: { c: "x" } }],
  },
};

const createEvent = (type: string, fields: JsonObject): JsonObject => ({
  type: "object",
  required: ["type"],
  properties: { type: { const: type }, ...fields },
});

async function importSchema(schema: JsonObject, ...more: string[]) {
  const { root, locateFile, run } = createTemporaryProject({ "my.json": JSON.stringify(schema) });
  const schemas = locateFile("schemas");
  const done = await run(["import @/my.json", ...more].join(" "));
  expect(done).toMatchObject({ exitCode: 0, stderr: "" });
  const [protocol] = (await loadSchemas(schemas)).protocols;
  if (!protocol) throw new Error("no protocol");
  return { ...done, root, schemas, decode: createValidators(protocol).decodeEvent };
}

describe("writers of an imported protocol may send", () => {
  it.each(Object.entries(SHAPES))("%s", async (_about, { schema, sent, read }) => {
    const oneOf = [createEvent("x", { v: schema }), createEvent("y", {})];
    const original = new Ajv2020({ strict: false }).compile({ ...base, oneOf });
    for (const open of [false, true]) {
      const { decode, stdout } = await importSchema({ ...base, oneOf }, ...(open ? ["--open"] : []));
      const results = [...sent, ...read].map((v) => ({
        original: original({ type: "x", v }),
        writer: decode({ type: "x", v }, { profile: "writer" }).kind === "known",
        reader: decode({ type: "x", v }).kind === "known",
      }));
      const want = [...sent.map(() => true), ...read.map(() => open)];
      expect(results).toEqual(want.map((writer) => ({ original: true, writer, reader: true })));
      expect(stdout).not.toMatch(/CHANGED|UNDECIDED|LOST/);
      expect(stdout).toMatch(/proven (equal to|within) the original, formats ignored: 2 of 2 events/);
    }
  });

  it("no undeclared field beside the event type, even if the event has no other field", async () => {
    const schema = { oneOf: [createEvent("x", { v: text }), createEvent("y", {})] };
    const { decode, stdout } = await importSchema(schema);
    expect(stdout).toContain("closed for writers");
    expect(decode({ type: "y", more: 1 }, { profile: "writer" }).kind).toBe("invalid");
    expect(decode({ type: "y", more: 1 }).kind).toBe("known");
    const opened = await importSchema(schema, "--open");
    expect(opened.decode({ type: "y", more: 1 }, { profile: "writer" }).kind).toBe("known");
  });
});

it("allows a later optional field, which is a break after an import with --open", async () => {
  const version = (fields: JsonObject) => ({
    oneOf: [createEvent("x", { v: { type: "object", properties: fields } }), createEvent("y", {})],
  });
  for (const [more, exitCode] of [
    [[], 0],
    [["--open"], 1],
  ] as const) {
    const before = await importSchema(version({ a: text }), ...more);
    const after = await importSchema(version({ a: text, b: text }), ...more);
    const argv = ["compat", "--schemas", after.schemas, "--against", `dir:${before.schemas}`];
    expect((await runAccrete(argv)).exitCode).toBe(exitCode);
    rmSync(before.root, { recursive: true });
  }
});

it("does not mention closed objects if there were none", async () => {
  const sealed = (type: string): JsonObject => ({
    ...createEvent(type, { v: text }),
    additionalProperties: false,
  });
  const { stdout } = await importSchema({ oneOf: [sealed("x"), sealed("y")] });
  expect(stdout).toContain("proven equal to the original, formats ignored: 2 of 2 events");
  expect(stdout).not.toContain("closed for writers");
});
