/** Migrations over several versions, and back to earlier ones. */
import type { JsonObject } from "../../../generator/json.js";
import type { UpcastStep } from "../../../generator/protocol/upcast.js";
import { SERVED } from "../../compat/tea.js";
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

const number = { type: "number", description: "A number." };
const event = (major: number, properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  properties,
  "x-since": `${major}.0`,
  ...more,
});
const events = (files: { readonly [type: string]: JsonObject }, properties: JsonObject = {}): Version => ({
  properties,
  files: {
    [SERVED]: null,
    ...Object.fromEntries(Object.entries(files).map(([type, each]) => [`events/${type}.schema.json`, each])),
  },
});
const of = (properties: JsonObject, steps?: readonly UpcastStep[]): Version => ({
  properties,
  ...(steps && { steps }),
});
const move = (from: string, to: string): UpcastStep => ({ step: "move", from, to });
const scale = (place: string, by: number): UpcastStep => ({ step: "scale", at: place, by });
const writeTime = (value: unknown): string => new Date(Number(value)).toISOString();

/** Migrations from the first version of several to the last one. */
const CHAINS: readonly Migration[] = [
  {
    name: "a field is renamed twice",
    before: of({ a: integer }),
    between: [of({ b: renamed(integer, "a") })],
    after: of({ c: renamed(integer, "b") }),
    carry: data(rename({ a: "c" })),
  },
  {
    name: "a field is renamed three times, once in an object",
    before: of({ a: integer }),
    between: [
      of({ b: renamed(integer, "a") }),
      of({ p: object({ b: integer }) }, [move("/data/b", "/data/p/b")]),
    ],
    after: of({ p: object({ c: renamed(integer, "b") }) }),
    carry: data(({ a, ...rest }) => (a === undefined ? rest : { ...rest, p: { c: a } })),
  },
  {
    name: "a swap and the same swap again",
    before: of({ a: integer, b: integer }),
    between: [of({ a: renamed(integer, "b"), b: renamed(integer, "a") })],
    after: of({ a: renamed(integer, "b"), b: renamed(integer, "a") }),
    carry: keep,
  },
  {
    name: "seconds become milliseconds and then a time",
    before: of({ t: integer }),
    between: [
      of({ t: { type: "integer", minimum: 0, maximum: 4e12, description: "Milliseconds." } }, [
        scale("/data/t", 1000),
      ]),
    ],
    after: of({ t: { ...text, format: "date-time" } }),
    steps: [{ step: "number-to-time", at: "/data/t", unit: "milliseconds" }],
    carry: data(convert("t", (value) => writeTime(Number(value) * 1000))),
  },
  {
    name: "a value gets another name twice",
    before: of({ s: oneOfTexts("m", "n") }),
    between: [{ ...of({ s: oneOfTexts("o", "n") }), tombstones: [tombstone("value", "m", "o")] }],
    after: of({ s: oneOfTexts("p", "n") }),
    tombstones: [tombstone("value", "o", "p")],
    carry: data(replace("s", { m: "p" })),
  },
  {
    name: "a value is replaced by one that is replaced in the next version",
    before: of({ s: oneOfTexts("m", "n") }),
    between: [{ ...of({ s: oneOfTexts("n") }), tombstones: [tombstone("value", "m", "n")] }],
    after: of({ s: oneOfTexts("o") }),
    tombstones: [tombstone("value", "n", "o")],
    carry: data(replace("s", { m: "o", n: "o" })),
  },
  {
    name: "an event type is renamed twice, and its field with it",
    before: events({ "tea.a": event(1, { x: integer }), "tea.k": event(1, { x: integer }) }),
    between: [
      events({
        "tea.b": event(2, { y: renamed(integer, "x") }, { "x-renamed-from": "tea.a" }),
        "tea.k": event(2, { x: integer }),
      }),
    ],
    after: events(
      {
        "tea.c": event(3, { z: renamed(integer, "y") }, { "x-renamed-from": "tea.b" }),
        "tea.k": event(3, { x: integer }),
      },
      { z: integer, x: integer },
    ),
    carry: (original) =>
      original.type === "tea.a" ? { ...data(rename({ x: "z" }))(original), type: "tea.c" } : original,
  },
  {
    name: "two event types swap their names, and then one of them changes",
    before: events({ "tea.a": event(1, { x: integer }), "tea.b": event(1, { y: integer }) }),
    between: [
      events({
        "tea.a": event(2, { y: integer }, { "x-renamed-from": "tea.b" }),
        "tea.b": event(2, { x: integer }, { "x-renamed-from": "tea.a" }),
      }),
    ],
    after: events(
      { "tea.a": event(3, { z: renamed(integer, "y") }), "tea.b": event(3, { x: integer }) },
      { z: integer, x: integer },
    ),
    carry: (original) =>
      original.type === "tea.a"
        ? { ...original, type: "tea.b" }
        : { ...data(rename({ y: "z" }))(original), type: "tea.a" },
  },
  {
    name: "a name is renamed twice at every depth",
    before: { ...of({ o: refer("N") }), defs: { N: object({ v: integer, c: list(refer("N")) }) } },
    between: [
      { ...of({ o: refer("N") }), defs: { N: object({ w: renamed(integer, "v"), c: list(refer("N")) }) } },
    ],
    after: {
      ...of({ o: refer("N") }),
      defs: { N: object({ x: renamed(integer, "w"), c: list(refer("N")) }) },
    },
    carry: data(at("o", node(rename({ v: "x" }), "c"))),
  },
  {
    name: "a text is split and made again in another order",
    before: of({ n: { ...text, pattern: "^[a-z]+ [a-z]+$" } }),
    between: [
      of({ f: { ...text, pattern: "^[a-z]+$" }, l: { ...text, pattern: "^[a-z]+$" } }, [
        { step: "parse", at: "/data/n", text: "{/data/f} {/data/l}" },
      ]),
    ],
    after: of({ n: text }),
    steps: [{ step: "template", at: "/data/n", text: "{/data/l}, {/data/f}" }],
    // A writer of the version between may send one of the two fields only.
    verdict: "impossible",
    carry: keep,
  },
  {
    name: "a text in an object is split and made again in another order",
    before: of({ p: object({ n: { ...text, pattern: "^[a-z]+ [a-z]+$" } }, ["n"]) }),
    between: [
      of(
        {
          p: object({ f: { ...text, pattern: "^[a-z]+$" }, l: { ...text, pattern: "^[a-z]+$" } }, ["f", "l"]),
        },
        [{ step: "parse", at: "/data/p/n", text: "{/data/p/f} {/data/p/l}" }],
      ),
    ],
    after: of({ p: object({ n: text }, ["n"]) }),
    steps: [{ step: "template", at: "/data/p/n", text: "{/data/p/l}, {/data/p/f}" }],
    carry: data(
      at(
        "p",
        convert("n", (value) => String(value).split(" ").reverse().join(", ")),
      ),
    ),
  },
  {
    name: "one branch of a union is renamed twice",
    before: of({ u: oneOf(tagged("p", { a: integer }), tagged("q", { a: integer })) }),
    between: [of({ u: oneOf(tagged("p", { b: renamed(integer, "a") }), tagged("q", { a: integer })) })],
    after: of({ u: oneOf(tagged("p", { c: renamed(integer, "b") }), tagged("q", { a: integer })) }),
    carry: data(at("u", (u) => (u.kind === "p" ? rename({ a: "c" })(u) : u))),
  },
  {
    name: "a new required field moves in the next version",
    before: of({ a: integer }),
    between: [{ ...of({ a: integer, s: { ...text, default: "none" } }), required: ["s"] }],
    after: { ...of({ a: integer, r: renamed(text, "s") }), required: ["r"] },
    carry: data((payload) => ({ ...payload, r: "none" })),
  },
  {
    name: "a name is free in one version and another field's in the next one",
    before: of({ a: integer, b: integer }),
    between: [of({ a: integer })],
    after: of({ a: integer, b: integer }),
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "a version between has a statement that is not carried out",
    before: of({ x: integer }),
    between: [of({ y: renamed(integer, "x"), z: renamed(integer, "x") })],
    after: of({ y: integer, z: integer }),
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "a version between would refuse an event",
    before: of({ x: { ...text, maxLength: 9 } }),
    between: [of({ x: { ...text, maxLength: 5 } })],
    after: of({ x: { ...text, maxLength: 9 } }),
    verdict: "impossible",
    carry: keep,
  },
  {
    name: "a constant of every version",
    before: { ...of({ v: fixed("1"), x: integer }), required: ["v"] },
    between: [{ ...of({ v: fixed("2"), x: integer }), required: ["v"] }],
    after: { ...of({ v: fixed("3"), x: integer }), required: ["v"] },
    carry: data((payload) => ({ ...payload, v: "3" })),
  },
];

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
const DOWNCASTS: readonly Migration[] = [
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

/** Migrations over several versions, and back. */
export const VERSIONS: readonly Migration[] = [...CHAINS, ...DOWNCASTS];
