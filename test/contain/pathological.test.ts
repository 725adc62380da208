/**
 * If this fails, input that is built to exhaust the engine makes it crash or hang. The step budget must end the search, at
 * the same step on every machine.
 */
import { describe, expect, it } from "vitest";
import { checkContainment } from "../../generator/contain/contain.js";
import type { Json } from "../../generator/json.js";

/** The first letters of the acceptable verdicts: contained, not-contained, undecided. */
type Verdicts = "c" | "n" | "u" | "nu" | "cu";

const X60 = `${"a".repeat(60)}!`;
const FORBIDDEN = Array.from({ length: 40 }, (_, i) => ({ not: { contains: { const: `forbidden${i}` } } }));
const ONE_OF_149 = { type: "integer", minimum: 1, maximum: 149 };

const CASES: readonly (readonly [name: string, a: Json, b: Json, verdicts: Verdicts])[] = [
  ["40 rules that count items", { type: "array", minItems: 1, allOf: FORBIDDEN }, { maxItems: 0 }, "nu"],
  ["10,000 nots", nested(10_000, (inner) => ({ not: inner })), true, "u"],
  ["10,000 properties deep", nested(10_000, (inner) => ({ properties: { a: inner } })), false, "u"],
  ["10,000 items deep", true, nested(10_000, (inner) => ({ items: inner })), "u"],
  ["a constant 10,000 deep", { const: nested(10_000, (inner) => [inner]) }, true, "u"],
  ["an exponential automaton", text("^(a|b)*a(a|b){14}$"), text("^(a|b)*a(a|b){13}$"), "nu"],
  ["the same, unanchored", text("(a|b)*a(a|b){14}"), text("(a|b)*b(a|b){14}"), "nu"],
  ["a million copies", text("^(a{1000}){1000}$"), { maxLength: 5 }, "nu"],
  ["catastrophic backtracking", text("^(a+)+$"), { pattern: "^(a|aa)+$", maxLength: 30 }, "nu"],
  ["catastrophic backtracking on a constant", { const: X60 }, text("^(a+)+$"), "n"],
  ["catastrophic backtracking on a key", { const: { [X60]: 1 } }, { propertyNames: text("^(a|a)*$") }, "n"],
  ["200 overlapping branches", overlapping(200), overlapping(199), "nu"],
  ["200 overlapping branches, reflexive", overlapping(200), overlapping(200), "c"],
  ["200 overlapping intervals", intervals(200), intervals(199), "nu"],
  ["mutually recursive and uninhabited", mutual(["b"], ["a"]), false, "c"],
  ["mutually recursive and inhabited", mutual(["b"], []), false, "n"],
  ["maxItems 10^9", { type: "array", maxItems: 1e9 }, { maxItems: 1e9 - 1 }, "u"],
  ["minItems 10^9", { type: "array", minItems: 1e9 }, { minItems: 5 }, "c"],
  ["minLength 10^9", { type: "string", minLength: 1e9 }, { minLength: 1e9 + 1 }, "u"],
  ["minProperties 10^9", { type: "object", minProperties: 1e9 }, { maxProperties: 3 }, "u"],
  [
    "minContains 10^9",
    { contains: { const: 1 }, minContains: 1e9, type: "array" },
    { items: { const: 1 } },
    "u",
  ],
  ["multipleOf 1e-300", { type: "number", multipleOf: 1e-300 }, { multipleOf: 1e-299 }, "nu"],
  ["multipleOf 1e300", { type: "number", multipleOf: 1e300 }, { multipleOf: 1e-300 }, "c"],
  ["5 MB", wide(60_000), { ...wide(60_000), required: ["x"] }, "u"],
  ["5 MB in one constant", { const: "x".repeat(5e6) }, { type: "string", maxLength: 9 }, "nu"],
  ["3,000 properties, one changed", wide(3_000), { ...wide(3_000), required: ["x"] }, "nu"],
  ["an enum of 20,000", { enum: range(20_000) }, { enum: range(19_999) }, "n"],
  [
    "150 different values of 149",
    { type: "array", uniqueItems: true, minItems: 150, items: ONE_OF_149 },
    false,
    "cu",
  ],
];

describe("pathological input ends by its steps, without a clock, and never in a crash", () => {
  it.each(CASES)("%s", async (_name, a, b, verdicts) => {
    const answer = await checkContainment(a, b, { timeoutMs: Number.POSITIVE_INFINITY });
    expect(verdicts).toContain(answer.verdict.charAt(0));
    if (answer.verdict === "undecided") expect(answer.reason).not.toMatch(/^unexpected/);
  });
});

function nested(depth: number, wrap: (inner: Json) => Json): Json {
  let schema: Json = { type: "string" };
  for (let i = 0; i < depth; i++) schema = wrap(schema);
  return schema;
}

function text(pattern: string): Json {
  return { type: "string", pattern };
}

function range(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `v${i}`);
}

function overlapping(count: number): Json {
  return {
    oneOf: range(count).map((name, i) => ({ type: "object", properties: { [name]: { minimum: i } } })),
  };
}

function intervals(count: number): Json {
  return { oneOf: range(count).map((_, i) => ({ type: "integer", minimum: i, maximum: i + 50 })) };
}

function mutual(requiredByA: readonly string[], requiredByB: readonly string[]): Json {
  const a = { type: "object", required: requiredByA, properties: { b: { $ref: "#/$defs/b" } } };
  const b = { type: "object", required: requiredByB, properties: { a: { $ref: "#/$defs/a" } } };
  return { $ref: "#/$defs/a", $defs: { a, b } };
}

function wide(count: number): { readonly [key: string]: Json } {
  const properties = range(count).map((name) => [
    `property ${name}`,
    { type: "string", description: "x".repeat(40) },
  ]);
  return { type: "object", properties: Object.fromEntries(properties) };
}
