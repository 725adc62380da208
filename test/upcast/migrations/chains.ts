import { at, convert, data, keep, node, oneOfTexts, rename, replace, tagged } from "./changes.js";
import {
  fixed,
  integer,
  list,
  type Migration,
  object,
  oneOf,
  refer,
  renamed,
  text,
  tombstone,
} from "./migration.js";

import { event, events, move, of, scale, writeTime } from "./version-parts.js";

/** Migrations from the first version of several to the last one. */
export const CHAINS: readonly Migration[] = [
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
    name: "a step changes the unit under the name that the field gets later",
    before: of({ s: integer }),
    after: of({ ms: renamed(integer, "s") }),
    steps: [{ step: "scale", at: "/data/ms", by: 1000 }],
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "a step changes the items of a list that the event does not have",
    before: of({ x: integer }),
    after: of({ x: integer }),
    steps: [{ step: "map", at: "/data/list/*/state", values: { on: "off" } }],
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
