/** If this fails, validators that share the code of definitions give other issues, or generated modules repeat the code. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emitValidators, MAX_MODULE_EVENTS } from "../../generator/emit/typescript/validators.js";
import type { Json } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import { readRuntime } from "../../generator/load/runtime.js";
import type { EventType, Protocol } from "../../generator/protocol/protocol.js";
import { codePoints, equal, matcher, once } from "../../generator/runtime/runtime.js";
import type { Schema } from "../../generator/schema/json-schema.js";
import type { Reading } from "../../generator/schema/readings.js";
import {
  callSharedDefinitions,
  nameSharedFunction,
  type SharedReadings,
} from "../../generator/validators/share-definitions.js";
import { createValidatorCode } from "../../generator/validators/validator-code.js";
import { writeOutputs } from "../emit/emit-all.js";
import { compileGeneratedCode, listIssuesWith } from "../emit/evaluate.js";
import { runNode } from "../emit/run.js";
import { anyReading, anyValue } from "../emit/schemas.js";
import { createTemporaryFolder } from "../folders.js";

const RUNTIME: { readonly [name: string]: unknown } = { codePoints, equal, matcher, once };

/** Compiles a reading in one module with the shared functions. Also returns the names of the functions that it calls. */
function compileModule(whole: Reading, shared: SharedReadings) {
  const { reading, calls } = callSharedDefinitions(whole, shared);
  const callees = Object.entries(shared).map(([name, each]) => ({
    ...createValidatorCode(callSharedDefinitions(each, shared).reading, "called"),
    name,
  }));
  const { expression, imports } = createValidatorCode(reading);
  const lines = callees.map((each) => `const ${nameSharedFunction(each.name)} = ${each.expression};`);
  const all = [...new Set([...imports, ...callees.flatMap((each) => each.imports)])];
  const make = new Function(...all, `"use strict"; ${lines.join("\n")} return ${expression};`);
  return { listIssues: listIssuesWith(make(...all.map((name) => RUNTIME[name]))), calls };
}

const shareAllDefinitions = ({ $defs }: Reading): SharedReadings =>
  Object.fromEntries(Object.entries($defs).map(([name, schema]) => [name, { schema, $defs }]));

/** Functions that put a schema beside references. Some references are beside keywords for unevaluated fields or items. */
const schemaWrapper = fc.constantFrom<(schema: Schema) => Schema>(
  (schema) => ({ anyOf: [{ $ref: "#/$defs/N" }, schema], unevaluatedProperties: false }),
  (schema) => ({ allOf: [schema], items: { $ref: "#/$defs/M" }, unevaluatedItems: false }),
  (schema) => ({ oneOf: [{ $ref: "#/$defs/M" }, schema] }),
  (schema) => ({ additionalProperties: { $ref: "#/$defs/N" }, not: schema }),
  (schema) => ({ if: schema, then: { $ref: "#/$defs/N" }, unevaluatedProperties: { $ref: "#/$defs/M" } }),
);
const anyUse: fc.Arbitrary<Reading> = fc
  .tuple(anyReading, schemaWrapper)
  .map(([{ schema, $defs }, wrap]) => ({ schema: wrap(schema), $defs }));

describe("shared definitions", () => {
  it("give the same issues as validators that share no code, in any place of any schema", () => {
    const seen = { accepted: 0, refused: 0, called: 0 };
    fc.assert(
      fc.property(anyUse, fc.array(anyValue, { minLength: 4, maxLength: 8 }), (reading, values) => {
        const { listIssues, calls } = compileModule(reading, shareAllDefinitions(reading));
        seen.called += calls.length;
        const alone = compileGeneratedCode(reading);
        for (const value of values) {
          const issues = listIssues(value);
          expect(new Set(issues)).toEqual(new Set(alone(value)));
          seen[issues.length === 0 ? "accepted" : "refused"]++;
        }
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 300) },
    );
    expect(Math.min(seen.accepted, seen.refused, seen.called)).toBeGreaterThan(50);
  });

  const leaf = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false };
  const tree = { type: "object", properties: { a: { $ref: "#/$defs/N" } } };
  const ref = { $ref: "#/$defs/N" };
  const CASES: readonly (readonly [what: string, reading: Reading, calls: number, value: Json])[] = [
    ["a field", { schema: { properties: { x: ref } }, $defs: { N: leaf } }, 1, { x: { a: 1 } }],
    ["the root", { schema: ref, $defs: { N: leaf } }, 1, { b: 1 }],
    [
      "an alternative beside unevaluatedProperties",
      { schema: { anyOf: [ref, { type: "null" }], unevaluatedProperties: false }, $defs: { N: leaf } },
      1,
      { a: 1 },
    ],
    [
      "an alternative that evaluates some fields",
      { schema: { anyOf: [ref], unevaluatedProperties: false }, $defs: { N: { properties: { a: true } } } },
      0,
      { a: 1, b: 2 },
    ],
    ["a condition", { schema: { not: ref }, $defs: { N: leaf } }, 0, { a: "" }],
    [
      "a tree",
      { schema: { items: ref }, $defs: { N: tree } },
      1,
      [{ a: { a: 3 } }, { a: { a: { a: null } } }],
    ],
  ];
  it("evaluate fields for the keywords beside the reference", () => {
    const schema = { anyOf: [ref, { type: "null" }], unevaluatedProperties: false };
    const reading = { schema, $defs: { N: leaf } };
    expect(compileModule(reading, shareAllDefinitions(reading)).listIssues({ a: "" })).toEqual([]);
  });

  it.each(CASES)("are called or copied as expected for %s", (_what, reading, calls, value) => {
    const shared = compileModule(reading, shareAllDefinitions(reading));
    expect(shared.calls).toHaveLength(calls);
    expect(shared.listIssues(value)).not.toEqual([]);
    expect(shared.listIssues(value)).toEqual(compileGeneratedCode(reading)(value));
  });
});

describe("modules", () => {
  const fields = Object.fromEntries(Array.from({ length: 14 }, (_, i) => [`f${i}`, { type: "string" }]));
  const event = {
    "x-stability": "candidate",
    title: "t",
    description: "d",
    type: "object",
    properties: { big: { $ref: "../shared/big.schema.json" } },
  };
  const createProtocol = async (count: number): Promise<Protocol> => {
    const root = createTemporaryFolder({
      "x/v1/protocol.json": JSON.stringify({
        name: "x",
        major: 1,
        version: "1.0",
        title: "x",
        description: "x",
        envelope: { discriminator: "type", payload: { placement: "nested", property: "data" } },
      }),
      "x/v1/envelope.schema.json": JSON.stringify({
        title: "Envelope",
        description: "d",
        type: "object",
        required: ["type", "data"],
        properties: { type: { type: "string" }, data: { type: "object" } },
      }),
      "x/v1/shared/big.schema.json": JSON.stringify({ type: "object", properties: fields }),
      "x/v1/events/e.schema.json": JSON.stringify(event),
    });
    const { protocols, findings } = await loadSchemas(root);
    const [protocol] = protocols;
    if (!protocol) throw new Error(findings.map(({ message }) => message).join());
    const [only] = protocol.events;
    const events = Array.from({ length: count }, (_, i) => ({ ...(only as EventType), type: `e${i}` }));
    return { ...protocol, events };
  };

  // MAX_MODULE_EVENTS is the largest number of events in one module.
  it.each([2, MAX_MODULE_EVENTS + 1])(
    "of %i events contain the code of a shared definition once",
    async (count) => {
      const outputs = await emitValidators(await createProtocol(count));
      const code = outputs.filter(({ path }) => path.endsWith(".js")).map(({ content }) => content);
      const made = code.join("").match(/const \$Big = /g) ?? [];
      expect(made).toHaveLength(2);
      const root = createTemporaryFolder({ "runtime.js": readRuntimeText() });
      writeOutputs(
        root,
        outputs.map(({ path, content }) => ({ path: path.replace("x/v1/", ""), content })),
      );
      const main = `
      import * as all from "./writer.js";
      const names = Object.keys(all).filter((name) => name.startsWith("$"));
      const faults = [...all.events.values()].map((event, i) =>
        [{ f1: "" }, { f1: 1 }].map((big) => event.issues({ type: "e" + i, data: { big } }).map((issue) => issue.pointer)));
      console.log(JSON.stringify({ names, faults: [...new Set(faults.map((each) => JSON.stringify(each)))] }));`;
      expect(runNode(root, main, null, "module")).toEqual({ names: [], faults: ['[[],["/data/big/f1"]]'] });
    },
  );
});

function readRuntimeText(): string {
  return readRuntime().find(({ path }) => path === "runtime.js")?.content ?? "";
}
