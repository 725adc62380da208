/** Migrations from a later version to an earlier one. */
import type { JsonObject } from "../../../generator/json.js";
import { at, convert, data, keep, node, oneOfTexts, rename, replace, tagged } from "./changes.js";
import {
  fixed,
  integer,
  list,
  type Migration,
  map,
  object,
  oneOf,
  refer,
  renamed,
  text,
  tombstone,
  type Version,
} from "./migration.js";

import { event, events, move, number, of, scale } from "./version-parts.js";

/** A migration back to an earlier version. */
const down = (
  name: string,
  before: Version,
  after: Version,
  carry: (payload: JsonObject) => JsonObject,
  more: Partial<Migration> = {},
): Migration => ({ name: `${name}, back`, before, after, carry: data(carry), isDowncast: true, ...more });

const pair = { f: { ...text, pattern: "^[a-z]+$" }, l: { ...text, pattern: "^[a-z]+$" } };

/** Migrations from a later version to an earlier one. */
export const DOWNCASTS: readonly Migration[] = [
  down("a rename", of({ a: integer }), of({ b: renamed(integer, "a") }), rename({ b: "a" })),
  down(
    "a swap",
    of({ a: integer, b: text }),
    of({ a: renamed(text, "b"), b: renamed(integer, "a") }),
    rename({ a: "b", b: "a" }),
  ),
  down(
    "a chain of names",
    of({ a: integer, b: text }),
    of({ b: renamed(integer, "a"), c: renamed(text, "b") }),
    rename({ b: "a", c: "b" }),
  ),
  down("a new field", of({ a: integer }), of({ a: integer, n: text }), (payload) => payload),
  down(
    "a new required field with a default",
    of({ a: integer }),
    { ...of({ a: integer, n: { ...text, default: "x" } }), required: ["n"] },
    (payload) => payload,
  ),
  down(
    "a field that only the earlier version requires",
    { ...of({ a: integer, n: text }), required: ["n"] },
    {
      ...of({ a: integer }),
      tombstones: [
        { kind: "field", name: "n", in: "tea.served", removedIn: "2.0", reason: "It is not needed." },
      ],
    },
    (payload) => payload,
    { verdict: "impossible" },
  ),
  down(
    "a field with a default that only the earlier version requires",
    { ...of({ a: integer, n: { ...text, default: "none" } }), required: ["n"] },
    of({ a: integer }),
    (payload) => ({ n: "none", ...payload }),
  ),
  down(
    "kilometres that became metres",
    of({ d: { ...number, minimum: 0 } }),
    of({ d: { ...number, minimum: 0, maximum: 1e9 } }),
    convert("d", (value) => Number(`${value}e-3`)),
    { steps: [scale("/data/d", 1000)] },
  ),
  down(
    "kilometres up to a bound that became metres",
    of({ d: { ...number, minimum: 0, maximum: 1000 } }),
    of({ d: { type: "integer", minimum: 0, maximum: 1_000_000, description: "Metres." } }),
    convert("d", (value) => Number(`${value}e-3`)),
    { steps: [scale("/data/d", 1000)] },
  ),
  down(
    "whole kilometres that became metres of any number",
    of({ d: { ...integer, maximum: 1000 } }),
    of({ d: integer }),
    (payload) => payload,
    { steps: [scale("/data/d", 1000)], verdict: "impossible" },
  ),
  down(
    "whole kilometres that became metres",
    of({ d: { ...number, minimum: 0, maximum: 1000, multipleOf: 0.5 } }),
    of({ d: { type: "integer", minimum: 0, maximum: 1_000_000, multipleOf: 500, description: "Metres." } }),
    convert("d", (value) => Number(`${value}e-3`)),
    { steps: [scale("/data/d", 1000)], verdict: "undecided" },
  ),
  down(
    "metres that became kilometres",
    of({ d: { ...integer, maximum: 1000 } }),
    of({ d: { ...number, minimum: 0, maximum: 1 } }),
    convert("d", (value) => Number(`${value}e3`)),
    { steps: [scale("/data/d", 0.001)], verdict: "impossible" },
  ),
  down(
    "numbers without a unit of their own",
    of({ d: { ...number, minimum: 0, maximum: 1000 } }),
    of({ d: { ...number, minimum: 0, maximum: 1 } }),
    convert("d", (value) => {
      const [digits = "", exponent = "0"] = String(value).split("e");
      return Number(`${digits}e${Number(exponent) + 3}`);
    }),
    { steps: [scale("/data/d", 0.001)] },
  ),
  down("minutes that became seconds", of({ d: integer }), of({ d: integer }), (payload) => payload, {
    steps: [scale("/data/d", 60)],
    verdict: "incomplete",
  }),
  down(
    "a number that became a text",
    of({ x: integer }),
    of({ x: { ...text, pattern: "^(?:0|[1-9][0-9]{0,5})$" } }),
    convert("x", (value) => Number(value)),
    { steps: [{ step: "number-to-text", at: "/data/x" }] },
  ),
  down(
    "a small number that became a text",
    of({ x: { ...integer, maximum: 999_999 } }),
    of({ x: { ...text, pattern: "^(?:0|[1-9][0-9]{0,5})$" } }),
    convert("x", (value) => Number(value)),
    { steps: [{ step: "number-to-text", at: "/data/x" }] },
  ),
  down(
    "digits that became a number",
    of({ x: { ...text, pattern: "^(?:0|[1-9][0-9]{0,5})$" } }),
    of({ x: { ...integer, maximum: 999_999 } }),
    convert("x", (value) => String(value)),
    { steps: [{ step: "text-to-number", at: "/data/x" }] },
  ),
  down(
    "milliseconds that became a time",
    of({
      x: {
        type: "integer",
        minimum: -62_135_596_800_000,
        maximum: 253_402_300_799_999,
        description: "When.",
      },
    }),
    of({ x: { ...text, format: "date-time", pattern: "^[1-9].{18}\\.\\d{3}Z$" } }),
    convert("x", (value) => Date.parse(String(value))),
    { steps: [{ step: "number-to-time", at: "/data/x", unit: "milliseconds" }], verdict: "impossible" },
  ),
  down(
    "milliseconds of this century that became a time",
    of({
      x: { type: "integer", minimum: 946_684_800_000, maximum: 4_102_444_799_999, description: "When." },
    }),
    of({ x: { ...text, format: "date-time", pattern: "^20[0-9][0-9]-.{14}\\.\\d{3}Z$" } }),
    convert(
      "x",
      (value) => Date.parse(String(value).replace(":60.", ":59.")) + (/:60\./.test(String(value)) ? 1000 : 0),
    ),
    { steps: [{ step: "number-to-time", at: "/data/x", unit: "milliseconds" }], verdict: "impossible" },
  ),
  down(
    "seconds that became a time, without a bound",
    of({ x: { type: "integer", description: "When." } }),
    of({ x: { ...text, format: "date-time", pattern: "^20.*:[0-5]\\dZ$" } }),
    convert("x", (value) => Date.parse(String(value)) / 1000),
    // Not every integer is a time, which does not matter for the way back.
    { steps: [{ step: "number-to-time", at: "/data/x", unit: "seconds" }] },
  ),
  down(
    "a text that was split",
    of({ p: object({ n: { ...text, pattern: "^[a-z]+/[a-z]+$" } }, ["n"]) }),
    of({ p: object(pair, ["f", "l"]) }),
    at("p", ({ f, l, ...rest }) => ({ ...rest, n: `${f}/${l}` })),
    { steps: [{ step: "split", from: "/data/p/n", separator: "/", to: ["/data/p/f", "/data/p/l"] }] },
  ),
  down(
    "a text that was split, of which one part may be absent",
    of({ n: text }),
    of(pair),
    (payload) => payload,
    {
      steps: [{ step: "parse", at: "/data/n", text: "{/data/f}/{/data/l}" }],
      verdict: "impossible",
    },
  ),
  down(
    "two texts that were joined",
    of({ p: object(pair, ["f", "l"]) }),
    of({ p: object({ n: { ...text, pattern: "^[a-z]+ [a-z]+$" } }, ["n"]) }),
    at("p", ({ n, ...rest }) => {
      const [f = "", l = ""] = String(n).split(" ");
      return { ...rest, f, l };
    }),
    { steps: [{ step: "template", at: "/data/p/n", text: "{/data/p/f} {/data/p/l}" }] },
  ),
  down(
    "two texts that were joined to any text",
    of({ p: object({ f: text, l: text }, ["f", "l"]) }),
    of({ p: object({ n: text }, ["n"]) }),
    (payload) => payload,
    {
      steps: [{ step: "template", at: "/data/p/n", text: "{/data/p/f} {/data/p/l}" }],
      verdict: "impossible",
    },
  ),
  down(
    "values with other names",
    of({ s: oneOfTexts("m", "n") }),
    of({ s: oneOfTexts("o", "n") }),
    replace("s", { o: "m" }),
    { tombstones: [tombstone("value", "m", "o")] },
  ),
  down(
    "a value with another name in a renamed field",
    of({ s: oneOfTexts("m", "n") }),
    of({ t: renamed(oneOfTexts("o", "n"), "s") }),
    ({ t, ...rest }) => (t === undefined ? rest : { ...rest, s: t === "o" ? "m" : t }),
    { tombstones: [tombstone("value", "m", "o")] },
  ),
  down(
    "two values that became one",
    of({ s: oneOfTexts("m", "n", "k") }),
    of({ s: oneOfTexts("o", "k") }),
    (payload) => payload,
    { steps: [{ step: "map", at: "/data/s", values: { m: "o", n: "o" } }], verdict: "impossible" },
  ),
  down(
    "a value that became another one of the earlier version",
    of({ s: oneOfTexts("m", "n", "k") }),
    of({ s: oneOfTexts("n", "k") }),
    (payload) => payload,
    { tombstones: [tombstone("value", "m", "n")] },
  ),
  down(
    "a number that replaced a text",
    of({ s: oneOfTexts("low", "high") }),
    of({ s: { enum: [1, 2], description: "A level." } }),
    convert("s", (value) => (value === 1 ? "low" : "high")),
    { steps: [{ step: "map", at: "/data/s", values: { low: 1, high: 2 } }] },
  ),
  down(
    "a constant of every version",
    { ...of({ v: fixed("1"), x: integer }), required: ["v"] },
    { ...of({ v: fixed("2"), x: integer }), required: ["v"] },
    (payload) => ({ ...payload, v: "1" }),
  ),
  down(
    "fields that moved into an object",
    of({ x: integer, y: integer }),
    of({ p: object({ x: integer, y: integer }) }),
    ({ p, ...rest }) => (p === undefined ? rest : { ...rest, p: {}, ...(p as JsonObject) }),
    { steps: [move("/data/x", "/data/p/x"), move("/data/y", "/data/p/y")] },
  ),
  down(
    "names in items, in a map and in a tuple",
    of({ i: list(object({ a: integer })), m: map(object({ a: integer })) }),
    of({ i: list(object({ b: renamed(integer, "a") })), m: map(object({ b: renamed(integer, "a") })) }),
    (payload) => JSON.parse(JSON.stringify(payload).replaceAll('"b":', '"a":')),
  ),
  down(
    "one branch of a union",
    of({ u: oneOf(tagged("p", { a: integer }), tagged("q", { a: integer })) }),
    of({ u: oneOf(tagged("p", { b: renamed(integer, "a") }), tagged("q", { a: integer })) }),
    at("u", (u) => (u.kind === "p" ? rename({ b: "a" })(u) : u)),
  ),
  down(
    "a name at every depth",
    { ...of({ o: refer("N") }), defs: { N: object({ v: integer, c: list(refer("N")) }) } },
    { ...of({ o: refer("N") }), defs: { N: object({ w: renamed(integer, "v"), c: list(refer("N")) }) } },
    at("o", node(rename({ w: "v" }), "c")),
  ),
  down(
    "the way to lower depths and a name there",
    { ...of({ o: refer("N") }), defs: { N: object({ v: integer, c: list(refer("N")) }) } },
    {
      ...of({ o: refer("N") }),
      defs: { N: object({ w: renamed(integer, "v"), d: renamed(list(refer("N")), "c") }) },
    },
    at("o", node(rename({ w: "v", d: "c" }), "d")),
  ),
  down(
    "a field that is renamed twice",
    of({ a: integer }),
    of({ c: renamed(integer, "b") }),
    rename({ c: "a" }),
    { between: [of({ b: renamed(integer, "a") })] },
  ),
  down(
    "units over three versions",
    of({ t: integer }),
    of({ t: { ...text, format: "date-time", pattern: "^19[7-9].{15}[0-5].\\.\\d{3}Z$" } }),
    convert("t", (value) => Date.parse(String(value)) / 1000),
    {
      between: [of({ t: { type: "integer", description: "Milliseconds." } }, [scale("/data/t", 1000)])],
      steps: [{ step: "number-to-time", at: "/data/t", unit: "milliseconds" }],
      verdict: "impossible",
    },
  ),
  {
    name: "a renamed event type, back",
    before: events({ "tea.a": event(1, { x: integer }) }, { x: integer }),
    after: events({ "tea.b": event(2, { y: renamed(integer, "x") }, { "x-renamed-from": "tea.a" }) }),
    isDowncast: true,
    carry: (original) => ({ ...data(rename({ y: "x" }))(original), type: "tea.a" }),
  },
  {
    name: "two event types that swapped their names, back",
    before: events(
      { "tea.a": event(1, { x: integer }), "tea.b": event(1, { y: integer }) },
      { x: integer, y: integer },
    ),
    after: events({
      "tea.a": event(2, { y: integer }, { "x-renamed-from": "tea.b" }),
      "tea.b": event(2, { x: integer }, { "x-renamed-from": "tea.a" }),
    }),
    isDowncast: true,
    carry: (original) => ({ ...original, type: original.type === "tea.a" ? "tea.b" : "tea.a" }),
  },
  {
    name: "two event types that became one, back",
    before: events({ "tea.a": event(1, { x: integer }), "tea.b": event(1, { x: integer }) }),
    after: {
      ...events({ "tea.c": event(2, { x: integer }) }),
    },
    tombstones: [tombstone("event", "tea.a", "tea.c"), tombstone("event", "tea.b", "tea.c")],
    isDowncast: true,
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "a new event type, back",
    before: events({ "tea.a": event(1, { x: integer }) }, { x: integer }),
    after: events({
      "tea.a": event(2, { y: renamed(integer, "x") }),
      "tea.n": event(2, { y: integer }),
    }),
    isDowncast: true,
    carry: (original) => (original.type === "tea.a" ? data(rename({ y: "x" }))(original) : original),
  },
];
