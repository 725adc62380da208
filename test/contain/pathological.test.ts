/** If this fails, `accrete compat` or `accrete subset` crashes or hangs on schemas that are expensive to compare. */
import { describe, expect, it } from "vitest";
import { checkContainment } from "../../generator/contain/contain.js";
import type { Json } from "../../generator/json.js";

/** The first letters of the acceptable verdicts: contained, not-contained, undecided. */
type Verdicts = "c" | "n" | "u" | "nu" | "cu";

const LONG_TEXT = `${"a".repeat(60)}!`;
const FORBIDDEN = Array.from({ length: 40 }, (_, i) => ({ not: { contains: { const: `forbidden${i}` } } }));
const ONE_OF_149 = { type: "integer", minimum: 1, maximum: 149 };

const CASES: readonly (readonly [name: string, a: Json, b: Json, verdicts: Verdicts])[] = [
  ["40 rules that forbid items", { type: "array", minItems: 1, allOf: FORBIDDEN }, { maxItems: 0 }, "nu"],
  ["10,000 nots", nest(10_000, (inner) => ({ not: inner })), true, "u"],
  ["10,000 properties deep", nest(10_000, (inner) => ({ properties: { a: inner } })), false, "u"],
  ["10,000 items deep", true, nest(10_000, (inner) => ({ items: inner })), "u"],
  ["a constant 10,000 deep", { const: nest(10_000, (inner) => [inner]) }, true, "u"],
  ["an exponential automaton", createText("^(a|b)*a(a|b){14}$"), createText("^(a|b)*a(a|b){13}$"), "nu"],
  [
    "an exponential automaton without anchors",
    createText("(a|b)*a(a|b){14}"),
    createText("(a|b)*b(a|b){14}"),
    "nu",
  ],
  ["a million copies", createText("^(a{1000}){1000}$"), { maxLength: 5 }, "nu"],
  ["catastrophic backtracking", createText("^(a+)+$"), { pattern: "^(a|aa)+$", maxLength: 30 }, "nu"],
  ["catastrophic backtracking on a constant", { const: LONG_TEXT }, createText("^(a+)+$"), "n"],
  [
    "catastrophic backtracking on a key",
    { const: { [LONG_TEXT]: 1 } },
    { propertyNames: createText("^(a|a)*$") },
    "n",
  ],
  ["200 overlapping branches", createOverlappingBranches(200), createOverlappingBranches(199), "nu"],
  [
    "200 overlapping branches, compared with themselves",
    createOverlappingBranches(200),
    createOverlappingBranches(200),
    "c",
  ],
  ["200 overlapping intervals", createIntervals(200), createIntervals(199), "nu"],
  ["mutually recursive and uninhabited", createMutualRecursion(["b"], ["a"]), false, "c"],
  ["mutually recursive and inhabited", createMutualRecursion(["b"], []), false, "n"],
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
  ["an object of 5 MB", createWideObject(60_000), { ...createWideObject(60_000), required: ["x"] }, "u"],
  ["a constant of 5 MB", { const: "x".repeat(5e6) }, { type: "string", maxLength: 9 }, "nu"],
  [
    "3,000 properties, one changed",
    createWideObject(3_000),
    { ...createWideObject(3_000), required: ["x"] },
    "nu",
  ],
  ["an enum of 20,000", { enum: createNames(20_000) }, { enum: createNames(19_999) }, "n"],
  [
    "150 different values of 149",
    { type: "array", uniqueItems: true, minItems: 150, items: ONE_OF_149 },
    false,
    "cu",
  ],
];

describe("the step budget ends the search, without a deadline and without a crash, for", () => {
  it.each(CASES)("%s", async (_name, a, b, verdicts) => {
    const answer = await checkContainment(a, b, { timeoutMs: Number.POSITIVE_INFINITY });
    expect(verdicts).toContain(answer.verdict.charAt(0));
    if (answer.verdict === "undecided") expect(answer.reason).not.toMatch(/^unexpected/);
  });
});

function nest(depth: number, wrap: (inner: Json) => Json): Json {
  let schema: Json = { type: "string" };
  for (let i = 0; i < depth; i++) schema = wrap(schema);
  return schema;
}

function createText(pattern: string): Json {
  return { type: "string", pattern };
}

function createNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `v${i}`);
}

function createOverlappingBranches(count: number): Json {
  return {
    oneOf: createNames(count).map((name, i) => ({ type: "object", properties: { [name]: { minimum: i } } })),
  };
}

function createIntervals(count: number): Json {
  return { oneOf: createNames(count).map((_, i) => ({ type: "integer", minimum: i, maximum: i + 50 })) };
}

function createMutualRecursion(requiredByA: readonly string[], requiredByB: readonly string[]): Json {
  const a = { type: "object", required: requiredByA, properties: { b: { $ref: "#/$defs/b" } } };
  const b = { type: "object", required: requiredByB, properties: { a: { $ref: "#/$defs/a" } } };
  return { $ref: "#/$defs/a", $defs: { a, b } };
}

function createWideObject(count: number): { readonly [key: string]: Json } {
  const properties = createNames(count).map((name) => [
    `property ${name}`,
    { type: "string", description: "x".repeat(40) },
  ]);
  return { type: "object", properties: Object.fromEntries(properties) };
}
