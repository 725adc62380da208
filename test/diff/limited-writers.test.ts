/** If this fails, `accrete diff` reports what no writer sends: unknown fields and kinds; or it misses breaks beside them. */
import path from "node:path";
import { expect, it } from "vitest";
import type { Json } from "../../generator/json.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryFolder } from "../folders.js";

const a = { type: "string" };
const b = { type: "integer" };
const open = { additionalProperties: {} };

const createKind = (kind: string): Json => ({ properties: { kind: { const: kind } }, required: ["kind"] });

/** The schema of a field before and after, and the errors. */
const CASES: readonly (readonly [name: string, before: Json, after: Json, errors: readonly string[]])[] = [
  ["an open object gets a field", { properties: { a }, ...open }, { properties: { a, b }, ...open }, []],
  ["a described object is no longer open", { properties: { a }, ...open }, { properties: { a } }, []],
  ["an object gets its first fields", {}, { properties: { a } }, []],
  [
    "an open object gets a required field",
    { properties: { a }, ...open },
    { properties: { a, b }, required: ["b"], ...open },
    ["field-added-required"],
  ],
  [
    "an open object is closed",
    { properties: { a }, ...open },
    { properties: { a }, additionalProperties: false },
    ["content-closed"],
  ],
  [
    "an open object gets a field and loses another",
    { properties: { a }, ...open },
    { properties: { b }, ...open },
    ["field-removed-optional"],
  ],
  [
    "a field of an open object has another type",
    { properties: { a }, ...open },
    { properties: { a: b }, ...open },
    ["type-changed"],
  ],
  [
    "a union loses the alternative for unknown kinds",
    { anyOf: [createKind("a"), createKind("b"), { properties: { kind: { type: "string" } } }] },
    { anyOf: [createKind("a"), createKind("b")] },
    [],
  ],
  [
    "a union loses a kind",
    { anyOf: [createKind("a"), createKind("b"), createKind("c")] },
    { anyOf: [createKind("a"), createKind("b")] },
    ["branch-removed"],
  ],
  ["the values of a map are limited", open, { additionalProperties: { type: "integer" } }, ["type-narrowed"]],
];

function createSchema(value: Json): string {
  const createEvent = (type: string): Json => ({
    type: "object",
    properties: { type: { const: type }, value: { type: "object", ...(value as object) } },
    required: ["type"],
  });
  return JSON.stringify({ oneOf: [createEvent("started"), createEvent("ended")] });
}

it.each(CASES)("%s", async (_name, before, after, errors) => {
  const root = createTemporaryFolder({ "old.json": createSchema(before), "new.json": createSchema(after) });
  const operands = ["old.json", "new.json"].map((file) => path.join(root, file));
  const { stdout } = await runAccrete(["diff", ...operands, "--format", "json"]);
  const { findings } = JSON.parse(stdout) as { findings: { rule: string; severity: string }[] };
  expect(findings.filter(({ severity }) => severity === "error").map(({ rule }) => rule)).toEqual(errors);
});
