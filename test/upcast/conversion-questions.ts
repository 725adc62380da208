/** Random questions about steps that convert a value, and values that the conversions tell apart. */
import fc from "fast-check";
import type { Json, JsonObject } from "../../generator/json.js";
import type { UpcastStep } from "../../generator/protocol/upcast.js";
import { combineLimits, type RandomQuestion } from "./random-questions.js";

const NUMBERS: readonly number[] = [
  ...[0, 1, 5, 9, 10, 12, 99, 100, 101, 250, 999, 1000, 123456, 1e15, 1e21, 1.5e22, 1e300],
  ...[0.1, 0.5, 0.25, 1.5, 2.05, 9.99, 10.1, 99.5, 100.001, 1e-7, 123.456],
  ...[951782400, 951782400.5, 1582934400123, 253402300799, 253402300799999],
].flatMap((value) => [value, -value]);

const DECIMALS: readonly string[] = [
  ...["0", "1", "9", "10", "12", "99", "100", "101", "1000", "123456", "123456789012345", "1234567890123456"],
  ...["0.0", "0.1", "0.10", "0.05", "1.0", "1.5", "1.50", "2.05", "9.99", "10.1", "99.5", "100.001", "250.0"],
].flatMap((text) => [text, `-${text}`]);

const TIMES: readonly string[] = [
  "0000-01-01T00:00:00Z",
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
  ...["1969-12-31T23:59:59", "1970-01-01T00:00:00", "1970-01-02T00:00:00", "2016-12-31T23:59:60"],
  ...["2000-02-29T00:00:00", "2000-02-29T00:00:01", "2000-02-28T12:30:45", "2000-03-01T23:59:59"],
].flatMap((text) =>
  text.endsWith("Z")
    ? [text]
    : ["Z", ".5Z", ".000z", ".1239Z", "+00:00", "+02:30", "-23:59"].map((end) => text + end),
);

/** Events with one value each. */
export const CONVERTED_EVENTS: readonly JsonObject[] = [
  ...new Set<Json>([...NUMBERS, ...DECIMALS, ...TIMES, "", "x", "007", "1e3", true, null]),
].map((a): JsonObject => ({ a }));

const units = fc.constantFrom("seconds" as const, "milliseconds" as const);
const rounds = fc.constantFrom({}, { round: "down" as const });

const conversion: fc.Arbitrary<UpcastStep> = fc.oneof(
  fc.constant({ step: "number-to-text" as const, at: "/a" }),
  fc.constant({ step: "text-to-number" as const, at: "/a" }),
  fc
    .tuple(units, rounds)
    .map(([unit, round]) => ({ step: "number-to-time" as const, at: "/a", unit, ...round })),
  fc
    .tuple(units, rounds)
    .map(([unit, round]) => ({ step: "time-to-number" as const, at: "/a", unit, ...round })),
);

const bound = fc.constantFrom(
  0,
  1,
  -1,
  10,
  12,
  99,
  100,
  0.1,
  -0.1,
  9.99,
  2.05,
  -99.5,
  1e15,
  951782400,
  951782400000,
);
const numberLimit: fc.Arbitrary<JsonObject> = fc.oneof(
  fc
    .tuple(fc.constantFrom("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "const"), bound)
    .map(([keyword, value]) => ({ [keyword]: value })),
  fc.constantFrom<JsonObject>(
    { type: "integer" },
    { type: ["number", "null"] },
    { multipleOf: 10 },
    { multipleOf: 0.01 },
    { multipleOf: 1000 },
    { multipleOf: 1 },
    { enum: [0, 1.5, 100, -12, "x"] },
  ),
);
const textLimit = fc.constantFrom<JsonObject>(
  { type: "string" },
  { pattern: "^[0-9]+$" },
  { pattern: "^-?[0-9]+$" },
  { pattern: "^[0-9]{1,3}$" },
  { pattern: "^-?[0-9]+(?:\\.[0-9]+)?$" },
  { pattern: "\\." },
  { pattern: "^[1-9]" },
  { pattern: "^\\d{4}-\\d{2}-\\d{2}T" },
  { pattern: "Z$" },
  { maxLength: 2 },
  { maxLength: 20 },
  { minLength: 2 },
  { minLength: 24 },
  { const: "1.5" },
  { enum: ["0", "100", "-12", "1.50", "1970-01-01T00:00:00Z", "2000-02-29T00:00:00.000Z"] },
  { enum: [1, true] },
);

/** Questions about a limit on a converted value. */
export const conversionQuestion: fc.Arbitrary<RandomQuestion> = fc
  .record({ step: conversion, number: combineLimits(numberLimit), text: combineLimits(textLimit) })
  .map(({ step, number, text }) => ({
    sent: { type: "object", properties: { a: {} }, additionalProperties: false },
    steps: [step],
    accepted: { properties: { a: step.step.startsWith("number") ? text : number } },
  }));
