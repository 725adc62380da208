import { describe, expect, it } from "vitest";
import { checkContainment } from "../../generator/contain/contain.js";
import type { Json } from "../../generator/json.js";

type Verdict = "contained" | "not-contained" | "undecided";

/** Input that is built to hurt, with the verdicts that are acceptable for it. */
const CASES: readonly (readonly [name: string, a: Json, b: Json, verdicts: readonly Verdict[]])[] = [
  [
    "40 rules that count items",
    {
      type: "array",
      minItems: 1,
      allOf: Array.from({ length: 40 }, (_, i) => ({ not: { contains: { const: `forbidden${i}` } } })),
    },
    { maxItems: 0 },
    ["undecided", "not-contained"],
  ],
  ["10,000 nots", nested(10_000, (inner) => ({ not: inner })), true, ["undecided"]],
  ["10,000 properties deep", nested(10_000, (inner) => ({ properties: { a: inner } })), false, ["undecided"]],
  ["10,000 items deep", true, nested(10_000, (inner) => ({ items: inner })), ["undecided"]],
  ["a constant 10,000 deep", { const: nested(10_000, (inner) => [inner]) }, true, ["undecided"]],
  [
    "an exponential automaton",
    text("^(a|b)*a(a|b){14}$"),
    text("^(a|b)*a(a|b){13}$"),
    ["undecided", "not-contained"],
  ],
  [
    "the same, unanchored",
    text("(a|b)*a(a|b){14}"),
    text("(a|b)*b(a|b){14}"),
    ["undecided", "not-contained"],
  ],
  ["a million copies", text("^(a{1000}){1000}$"), { maxLength: 5 }, ["undecided", "not-contained"]],
  [
    "catastrophic backtracking",
    text("^(a+)+$"),
    { pattern: "^(a|aa)+$", maxLength: 30 },
    ["not-contained", "undecided"],
  ],
  [
    "catastrophic backtracking on a constant",
    { const: `${"a".repeat(60)}!` },
    text("^(a+)+$"),
    ["not-contained"],
  ],
  [
    "catastrophic backtracking on a key",
    { const: { [`${"a".repeat(60)}!`]: 1 } },
    { propertyNames: { pattern: "^(a|a)*$" } },
    ["not-contained"],
  ],
  ["200 overlapping branches", overlapping(200), overlapping(199), ["undecided", "not-contained"]],
  ["200 overlapping branches, reflexive", overlapping(200), overlapping(200), ["contained"]],
  ["200 overlapping intervals", intervals(200), intervals(199), ["undecided", "not-contained"]],
  ["mutually recursive and uninhabited", mutual(["b"], ["a"]), false, ["contained"]],
  ["mutually recursive and inhabited", mutual(["b"], []), false, ["not-contained"]],
  ["maxItems 10^9", { type: "array", maxItems: 1e9 }, { maxItems: 1e9 - 1 }, ["undecided"]],
  ["minItems 10^9", { type: "array", minItems: 1e9 }, { minItems: 5 }, ["contained"]],
  ["minLength 10^9", { type: "string", minLength: 1e9 }, { minLength: 1e9 + 1 }, ["undecided"]],
  ["minProperties 10^9", { type: "object", minProperties: 1e9 }, { maxProperties: 3 }, ["undecided"]],
  [
    "minContains 10^9",
    { type: "array", contains: { const: 1 }, minContains: 1e9 },
    { items: { const: 1 } },
    ["undecided"],
  ],
  [
    "multipleOf 1e-300",
    { type: "number", multipleOf: 1e-300 },
    { multipleOf: 1e-299 },
    ["undecided", "not-contained"],
  ],
  ["multipleOf 1e300", { type: "number", multipleOf: 1e300 }, { multipleOf: 1e-300 }, ["contained"]],
  ["5 MB", wide(60_000), { ...wide(60_000), required: ["x"] }, ["undecided"]],
  [
    "5 MB in one constant",
    { const: "x".repeat(5e6) },
    { type: "string", maxLength: 9 },
    ["not-contained", "undecided"],
  ],
  [
    "3,000 properties, one changed",
    wide(3_000),
    { ...wide(3_000), required: ["x"] },
    ["undecided", "not-contained"],
  ],
  ["an enum of 20,000", { enum: range(20_000) }, { enum: range(19_999) }, ["not-contained"]],
  [
    "a list of 150 different values of 149",
    { type: "array", uniqueItems: true, minItems: 150, items: { type: "integer", minimum: 1, maximum: 149 } },
    false,
    ["contained", "undecided"],
  ],
];

describe("pathological input ends by its steps, without a clock, and never in a crash", () => {
  it.each(CASES)("%s", async (_name, a, b, verdicts) => {
    const answer = await checkContainment(a, b, { timeoutMs: Number.POSITIVE_INFINITY });
    expect(verdicts).toContain(answer.verdict);
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
