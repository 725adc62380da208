/** Migrations in which several statements and steps meet at one place. */
import { isObject, type Json, type JsonObject } from "../../../generator/json.js";
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
} from "./migration.js";
import { event, events, move, number, of, scale } from "./version-parts.js";

const members = (change: (value: JsonObject) => Json) => (value: JsonObject) =>
  Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, isObject(each) ? change(each) : each] as const),
  );
const items = (name: string, change: (value: JsonObject) => Json) =>
  convert(name, (value) =>
    Array.isArray(value) ? value.map((each: Json) => (isObject(each) ? change(each) : each)) : value,
  );
const envelopeOf = (payload: string, discriminator: string, more: JsonObject = {}): JsonObject => ({
  properties: {
    [discriminator]: text,
    id: { type: "string", minLength: 1, description: "Identifier." },
    [payload]: { type: "object", description: "The payload." },
    ...more,
  },
  required: [discriminator, "id", payload],
});
const family = (name: string, replacedBy: string) => tombstone("event", name, replacedBy);
const flag = { type: "boolean", description: "A flag." };

/** Migrations with several statements and steps at one place. */
export const TWISTS: readonly Migration[] = [
  {
    name: "a chain in the values of a map in one branch",
    before: of({
      u: oneOf(
        tagged("p", { m: map(object({ a: integer, b: integer })) }),
        tagged("q", { m: map(object({ a: integer, b: integer })) }),
      ),
    }),
    after: of({
      u: oneOf(
        tagged("p", { m: map(object({ b: renamed(integer, "a"), c: renamed(integer, "b") })) }),
        tagged("q", { m: map(object({ a: integer, b: integer })) }),
      ),
    }),
    carry: data(at("u", (u) => (u.kind === "p" ? at("m", members(rename({ a: "b", b: "c" })))(u) : u))),
  },
  {
    name: "the way to the next node has another name, and a value gets the old one",
    before: { ...of({ o: refer("N") }), defs: { N: object({ next: refer("N"), v: integer }) } },
    after: {
      ...of({ o: refer("N") }),
      defs: { N: object({ after: renamed(refer("N"), "next"), next: renamed(integer, "v") }) },
    },
    carry: data(at("o", node(rename({ next: "after", v: "next" }), "next"))),
  },
  {
    name: "two objects swap their names, and one of them has another field",
    before: of({ o: object({ x: integer }), p: object({ x: integer }) }),
    after: of({
      o: renamed(object({ x: integer }), "p"),
      p: renamed(object({ y: renamed(integer, "x") }), "o"),
    }),
    carry: data((payload) => rename({ o: "p", p: "o" })(at("o", rename({ x: "y" }))(payload))),
  },
  {
    name: "an object gets the name of its field, and the field that of the object",
    before: of({ o: object({ a: integer, b: integer }) }),
    after: of({ a: renamed(object({ o: renamed(integer, "a"), b: integer }), "o") }),
    carry: data((payload) => rename({ o: "a" })(at("o", rename({ a: "o" }))(payload))),
  },
  {
    name: "an object and a number swap their names",
    before: of({ o: object({ x: integer }), n: integer }),
    after: of({ n: renamed(object({ y: renamed(integer, "x") }), "o"), o: renamed(integer, "n") }),
    carry: data((payload) => rename({ o: "n", n: "o" })(at("o", rename({ x: "y" }))(payload))),
  },
  {
    name: "a branch in a branch",
    before: of({
      u: oneOf(
        tagged("p", { i: oneOf(tagged("a", { x: integer }), tagged("b", { x: integer })) }, "i"),
        tagged("q", { i: oneOf(tagged("a", { x: integer }), tagged("b", { x: integer })) }, "i"),
      ),
    }),
    after: of({
      u: oneOf(
        tagged(
          "p",
          { i: oneOf(tagged("a", { y: renamed(integer, "x") }), tagged("b", { x: integer })) },
          "i",
        ),
        tagged("q", { i: oneOf(tagged("a", { x: integer }), tagged("b", { x: integer })) }, "i"),
      ),
    }),
    carry: data(
      at("u", (u) => (u.kind === "p" ? at("i", (i) => (i.kind === "a" ? rename({ x: "y" })(i) : i))(u) : u)),
    ),
  },
  {
    name: "a rename where a condition holds",
    before: {
      ...of({ k: oneOfTexts("p", "q"), x: integer }),
      required: ["k"],
    },
    after: {
      ...of({ k: oneOfTexts("p", "q") }),
      required: ["k"],
      more: {
        if: { properties: { k: { const: "p" } }, required: ["k"] },
        then: { properties: { y: renamed(integer, "x") } },
        else: { properties: { x: integer } },
      },
    },
    carry: data((payload) => (payload.k === "p" ? rename({ x: "y" })(payload) : payload)),
  },
  {
    name: "values of a list of values are replaced",
    before: of({ l: list(oneOfTexts("m", "n")) }),
    after: of({ l: list(oneOfTexts("m", "o")) }),
    tombstones: [tombstone("value", "n", "o", "tea.served#/properties/l/items")],
    carry: data(
      convert("l", (l) => (Array.isArray(l) ? l.map((each: Json) => (each === "n" ? "o" : each)) : l)),
    ),
  },
  {
    name: "two values of a set become one",
    before: of({ l: { ...list(oneOfTexts("m", "n")), uniqueItems: true } }),
    after: of({ l: { ...list(oneOfTexts("m")), uniqueItems: true } }),
    tombstones: [tombstone("value", "n", "m")],
    verdict: "impossible",
    carry: keep,
  },
  {
    name: "two values swap",
    before: of({ s: oneOfTexts("m", "n") }),
    after: of({ s: oneOfTexts("m", "n") }),
    steps: [{ step: "map", at: "/data/s", values: { m: "n", n: "m" } }],
    carry: data(replace("s", { m: "n", n: "m" })),
  },
  {
    name: "a declared step replaces the tag, and a field of the branch is renamed",
    before: of({ u: oneOf(tagged("p", { x: integer }), tagged("q", { x: integer })) }),
    after: of({ u: oneOf(tagged("r", { y: renamed(integer, "x") }), tagged("q", { x: integer })) }),
    steps: [{ step: "map", at: "/data/u/kind", values: { p: "r" } }],
    carry: data(at("u", (u) => (u.kind === "p" ? { ...rename({ x: "y" })(u), kind: "r" } : u))),
  },
  {
    name: "a declared step swaps the tags, and a field of one branch is renamed",
    before: of({ u: oneOf(tagged("p", { x: integer }), tagged("q", { z: integer })) }),
    after: of({ u: oneOf(tagged("q", { y: renamed(integer, "x") }), tagged("p", { z: integer })) }),
    steps: [{ step: "map", at: "/data/u/kind", values: { p: "q", q: "p" } }],
    carry: data(
      at("u", (u) => (u.kind === "p" ? { ...rename({ x: "y" })(u), kind: "q" } : { ...u, kind: "p" })),
    ),
  },
  {
    name: "a declared step moves an object, and a field in it is renamed",
    before: of({ o: object({ x: integer, w: integer }) }),
    after: of({ p: object({ y: renamed(integer, "x"), w: integer }) }),
    steps: [move("/data/o", "/data/p")],
    carry: data((payload) => rename({ o: "p" })(at("o", rename({ x: "y" }))(payload))),
  },
  {
    name: "a declared step moves an object into another one, and its fields are swapped",
    before: of({ o: object({ x: integer, y: integer }), h: object({ n: integer }, ["n"]) }),
    after: of({
      h: object({ n: integer, o: object({ x: renamed(integer, "y"), y: renamed(integer, "x") }) }, ["n"]),
    }),
    steps: [move("/data/o", "/data/h/o")],
    carry: data(({ o, h, ...rest }) =>
      o === undefined
        ? { ...rest, ...(h !== undefined && { h }) }
        : { ...rest, h: { ...Object(h), o: rename({ x: "y", y: "x" })(o as JsonObject) } },
    ),
    // Without `h`, the object that the step makes has no `n`.
    verdict: "impossible",
  },
  {
    name: "a declared step moves a list, and its items are renamed",
    before: of({ l: list(object({ x: integer })), h: object({}) }),
    after: of({ h: object({ l: list(object({ y: renamed(integer, "x") })) }) }),
    steps: [move("/data/l", "/data/h/l")],
    carry: data(({ l, h, ...rest }) =>
      l === undefined
        ? { ...rest, ...(h !== undefined && { h }) }
        : { ...rest, h: { ...Object(h), ...items("l", rename({ x: "y" }))({ l }) } },
    ),
  },
  {
    name: "milliseconds in lists in the values of a map become seconds",
    before: of({ m: map(list(object({ ms: integer }))) }),
    after: of({ m: map(list(object({ s: renamed({ ...number, minimum: 0 }, "ms") }))) }),
    steps: [scale("/data/m/{*}/*/ms", 0.001)],
    carry: data(
      convert("m", (m) =>
        Object.fromEntries(
          Object.entries(m as JsonObject).map(([name, l]) => [
            name,
            (l as Json[]).map((each) => {
              const { ms, ...rest } = each as JsonObject;
              return ms === undefined ? each : { ...rest, s: Number(`${String(ms)}e-3`) };
            }),
          ]),
        ),
      ),
    ),
  },
  {
    name: "another unit in one branch, and its name with it",
    before: of({ u: oneOf(tagged("p", { t: integer }), tagged("q", { t: integer })) }),
    after: of({
      u: oneOf(tagged("p", { s: renamed({ ...number, minimum: 0 }, "t") }), tagged("q", { t: integer })),
    }),
    steps: [{ ...scale("/data/u/t", 0.001), when: { "/data/u/kind": ["p"] } }],
    carry: data(
      at("u", ({ t, ...u }) =>
        t === undefined ? u : u.kind === "p" ? { ...u, s: Number(`${String(t)}e-3`) } : { ...u, t },
      ),
    ),
  },
  {
    name: "the payload, the discriminator, the event type and a field have other names",
    before: {
      properties: {},
      files: {
        [SERVED]: null,
        "envelope.schema.json": envelopeOf("data", "type"),
        "events/tea.a.schema.json": event(1, { x: integer, y: integer }),
      },
    },
    after: {
      properties: { x: integer, y: integer },
      files: {
        [SERVED]: null,
        "protocol.json": {
          envelope: { discriminator: "kind", payload: { placement: "nested", property: "body" } },
        },
        "envelope.schema.json": envelopeOf("body", "kind"),
        "events/tea.b.schema.json": event(
          2,
          { x: renamed(integer, "y"), y: renamed(integer, "x") },
          { "x-renamed-from": "tea.a" },
        ),
      },
    },
    carry: ({ type: _type, data: payload, ...rest }) => ({
      ...rest,
      kind: "tea.b",
      body: rename({ x: "y", y: "x" })(payload as JsonObject),
    }),
  },
  {
    name: "a family of event types is renamed, and one of them gets another name",
    before: events({
      "turn.a": event(1, { x: integer }),
      "turn.b": event(1, { x: integer }),
      "tea.k": event(1, { x: integer }),
    }),
    after: events(
      {
        "call.a": event(2, { x: integer }),
        "step.b": event(2, { y: renamed(integer, "x") }, { "x-renamed-from": "turn.b" }),
        "tea.k": event(2, { x: integer }),
      },
      { x: integer, y: integer },
    ),
    tombstones: [family("turn.*", "call.*")],
    carry: (original) =>
      original.type === "turn.a"
        ? { ...original, type: "call.a" }
        : original.type === "turn.b"
          ? { ...data(rename({ x: "y" }))(original), type: "step.b" }
          : original,
  },
  {
    name: "a family and a narrower family of event types are renamed",
    before: events({ "turn.a": event(1, { x: integer }), "turn.tool.b": event(1, { x: integer }) }),
    after: events({ "call.a": event(2, { x: integer }), "use.b": event(2, { x: integer }) }, { x: integer }),
    tombstones: [family("turn.*", "call.*"), family("turn.tool.*", "use.*")],
    carry: (original) => ({ ...original, type: original.type === "turn.a" ? "call.a" : "use.b" }),
  },
  {
    name: "a family and one of its event types have tombstones",
    before: events({ "turn.a": event(1, { x: integer }), "turn.b": event(1, { x: integer }) }),
    after: events({ "call.a": event(2, { x: integer }), "step.b": event(2, { x: integer }) }, { x: integer }),
    tombstones: [family("turn.*", "call.*"), family("turn.b", "step.b")],
    carry: (original) => ({ ...original, type: original.type === "turn.a" ? "call.a" : "step.b" }),
  },
  {
    name: "names with signs of places",
    before: of({ "a/b": integer, "a~b": integer, "a.b": integer, " ": integer }),
    after: of({
      "a/b": renamed(integer, "a~b"),
      "a~b": renamed(integer, "a.b"),
      "a.b": renamed(integer, "a/b"),
      e: renamed(integer, " "),
    }),
    carry: data(rename({ "a~b": "a/b", "a.b": "a~b", "a/b": "a.b", " ": "e" })),
  },
  {
    name: "names that are numbers are swapped",
    before: of({ "0": integer, "1": integer }),
    after: of({ "0": renamed(integer, "1"), "1": renamed(integer, "0") }),
    carry: data(rename({ "0": "1", "1": "0" })),
  },
  {
    name: "a name that is a sign for all items",
    before: of({ "*": integer, x: integer }),
    after: of({ star: renamed(integer, "*"), x: integer }),
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "names of members that every object has",
    before: of({ constructor: integer, toString: integer }),
    after: of({ valueOf: renamed(integer, "constructor"), constructor: renamed(integer, "toString") }),
    carry: data(rename({ constructor: "valueOf", toString: "constructor" })),
  },
  {
    name: "a renamed field takes more values",
    before: of({ x: integer }),
    after: of({ y: renamed(number, "x") }),
    carry: data(rename({ x: "y" })),
  },
  {
    name: "a renamed field takes fewer values",
    before: of({ x: integer }),
    after: of({ y: renamed({ ...integer, maximum: 999_999 }, "x") }),
    verdict: "impossible",
    carry: keep,
  },
  {
    name: "two events share a definition, and one keeps the old name",
    before: events({
      "tea.a": event(1, { o: object({ x: integer }) }),
      "tea.b": event(1, { o: object({ x: integer }) }),
    }),
    after: events(
      {
        "tea.a": event(2, { o: object({ y: renamed(integer, "x") }) }),
        "tea.b": event(2, { o: object({ x: integer }) }),
      },
      {},
    ),
    carry: (original) => (original.type === "tea.a" ? data(at("o", rename({ x: "y" })))(original) : original),
  },
  {
    name: "values whose names have a pattern",
    before: of({
      m: {
        type: "object",
        description: "A map.",
        patternProperties: { "^k": object({ x: integer }) },
        additionalProperties: false,
      },
    }),
    after: of({
      m: {
        type: "object",
        description: "A map.",
        patternProperties: { "^k": object({ y: renamed(integer, "x") }) },
        additionalProperties: false,
      },
    }),
    carry: data(at("m", members(rename({ x: "y" })))),
  },
  {
    name: "an object or a list of such objects",
    before: of({
      o: { description: "One or several.", anyOf: [object({ x: integer }), list(object({ x: integer }))] },
    }),
    after: of({
      o: {
        description: "One or several.",
        anyOf: [object({ y: renamed(integer, "x") }), list(object({ y: renamed(integer, "x") }))],
      },
    }),
    carry: data((payload) => at("o", rename({ x: "y" }))(items("o", rename({ x: "y" }))(payload))),
  },
  {
    name: "a node or nothing",
    before: {
      ...of({ o: refer("N") }),
      defs: {
        N: { description: "A node.", anyOf: [{ type: "null" }, object({ v: integer, next: refer("N") })] },
      },
    },
    after: {
      ...of({ o: refer("N") }),
      defs: {
        N: {
          description: "A node.",
          anyOf: [{ type: "null" }, object({ w: renamed(integer, "v"), next: refer("N") })],
        },
      },
    },
    carry: data(at("o", node(rename({ v: "w" }), "next"))),
  },
  {
    name: "branches are told apart by a flag",
    before: of({ u: oneOf(tagged(true, { x: integer }), tagged(false, { x: integer })) }),
    after: of({ u: oneOf(tagged(true, { y: renamed(integer, "x") }), tagged(false, { x: integer })) }),
    carry: data(at("u", (u) => (u.kind === true ? rename({ x: "y" })(u) : u))),
  },
  {
    name: "a field that needs another one is renamed",
    before: { ...of({ x: integer, z: integer }), more: { dependentRequired: { x: ["z"] } } },
    after: { ...of({ y: renamed(integer, "x"), z: integer }), more: { dependentRequired: { y: ["z"] } } },
    carry: data(rename({ x: "y" })),
  },
  {
    name: "nodes in lists in the values of a map",
    before: {
      ...of({ o: refer("N") }),
      defs: { N: object({ v: integer, w: integer, c: map(list(refer("N"))) }) },
    },
    after: {
      ...of({ o: refer("N") }),
      defs: { N: object({ v: renamed(integer, "w"), w: renamed(integer, "v"), c: map(list(refer("N"))) }) },
    },
    carry: data(at("o", carryMapNode)),
  },
  {
    name: "an expression: the sides of a sum are swapped, and a number has another name",
    before: {
      ...of({ o: refer("E") }),
      defs: {
        E: oneOf(
          tagged("num", { n: integer }, "n"),
          tagged("sum", { l: refer("E"), r: refer("E") }, "l", "r"),
        ),
      },
    },
    after: {
      ...of({ o: refer("E") }),
      defs: {
        E: oneOf(
          tagged("num", { value: renamed(integer, "n") }, "value"),
          tagged("sum", { l: renamed(refer("E"), "r"), r: renamed(refer("E"), "l") }, "l", "r"),
        ),
      },
    },
    carry: data(
      at(
        "o",
        node((e) => rename(e.kind === "num" ? { n: "value" } : { l: "r", r: "l" })(e), "l", "r"),
      ),
    ),
  },
  {
    name: "an event type becomes one of two by a value, and each has another name for a field",
    before: events({ "tea.a": event(1, { k: oneOfTexts("p", "q"), x: integer }, { required: ["k"] }) }),
    after: events(
      {
        "tea.b": event(2, { k: oneOfTexts("p"), y: renamed(integer, "x") }, { required: ["k"] }),
        "tea.c": event(2, { k: oneOfTexts("q"), x: integer }, { required: ["k"] }),
      },
      {},
    ),
    steps: [
      { step: "rename-type", types: ["tea.a"], to: "tea.b", when: { "/data/k": ["p"] } },
      { step: "rename-type", types: ["tea.a"], to: "tea.c", when: { "/data/k": ["q"] } },
    ],
    carry: (original) =>
      (original.data as JsonObject).k === "p"
        ? { ...data(rename({ x: "y" }))(original), type: "tea.b" }
        : { ...original, type: "tea.c" },
  },
  {
    name: "items have both the old name and its successor",
    before: of({
      l: list(
        object({
          x: { ...integer, deprecated: true, "x-deprecated-since": "1.0", "x-replaced-by": "y" },
          y: renamed(integer, "x"),
        }),
      ),
    }),
    after: of({ l: list(object({ y: integer })) }),
    carry: data(
      items("l", ({ x, ...rest }) => (rest.y !== undefined || x === undefined ? rest : { ...rest, y: x })),
    ),
  },
  {
    name: "three versions: a swap in the values of a map, and a chain",
    before: of({ m: map(object({ a: integer, b: integer })) }),
    between: [of({ m: map(object({ a: renamed(integer, "b"), b: renamed(integer, "a") })) })],
    after: of({ m: map(object({ b: renamed(integer, "a"), c: renamed(integer, "b") })) }),
    // First, a and b swap. Then a, the old b, becomes b, and b, the old a, becomes c.
    carry: data(at("m", members(rename({ a: "c" })))),
  },
  {
    name: "four versions: the tag, its value, and a field of the branch",
    before: of({ u: oneOf(tagged("p", { x: integer }), tagged("q", { x: integer })) }),
    between: [
      of({
        u: oneOf(
          object({ type: renamed(fixed("p"), "kind"), x: integer }, ["type"]),
          object({ type: renamed(fixed("q"), "kind"), x: integer }, ["type"]),
        ),
      }),
      {
        ...of({
          u: oneOf(
            object({ type: fixed("r"), x: integer }, ["type"]),
            object({ type: fixed("q"), x: integer }, ["type"]),
          ),
        }),
        tombstones: [tombstone("value", "p", "r")],
      },
    ],
    after: of({
      u: oneOf(
        object({ type: fixed("r"), y: renamed(integer, "x") }, ["type"]),
        object({ type: fixed("q"), x: integer }, ["type"]),
      ),
    }),
    carry: data(
      at("u", (u) =>
        rename(u.kind === "p" ? { kind: "type", x: "y" } : { kind: "type" })(replace("kind", { p: "r" })(u)),
      ),
    ),
  },
  {
    name: "a text is made of two fields of the items of a list",
    before: of({
      l: list(
        object({ f: { ...text, pattern: "^[a-z]+$" }, g: { ...text, pattern: "^[a-z]+$" } }, ["f", "g"]),
      ),
    }),
    after: of({ l: list(object({ name: text }, ["name"])) }),
    steps: [{ step: "template", at: "/data/l/*/name", text: "{/data/l/*/g}, {/data/l/*/f}" }],
    carry: data(items("l", ({ f, g, ...rest }) => ({ ...rest, name: `${String(g)}, ${String(f)}` }))),
  },
  {
    name: "a text in the values of a map is split, and one part takes its name",
    before: of({ m: map(object({ v: { ...text, pattern: "^[a-z]+/[a-z]+$" } })) }),
    after: of({ m: map(object({ v: text, w: text })) }),
    steps: [{ step: "split", from: "/data/m/{*}/v", separator: "/", to: ["/data/m/{*}/w", "/data/m/{*}/v"] }],
    carry: data(
      at(
        "m",
        members(({ v, ...rest }) => {
          if (v === undefined) return rest;
          const [w = "", now = ""] = String(v).split("/");
          return { ...rest, w, v: now };
        }),
      ),
    ),
  },
  {
    name: "only the second position of a tuple in each node is swapped",
    before: {
      ...of({ o: refer("N") }),
      defs: {
        N: object({
          t: {
            ...list({}),
            prefixItems: [object({ a: integer, b: integer }), object({ a: integer, b: integer })],
            items: false,
          },
          next: refer("N"),
        }),
      },
    },
    after: {
      ...of({ o: refer("N") }),
      defs: {
        N: object({
          t: {
            ...list({}),
            prefixItems: [
              object({ a: integer, b: integer }),
              object({ a: renamed(integer, "b"), b: renamed(integer, "a") }),
            ],
            items: false,
          },
          next: refer("N"),
        }),
      },
    },
    carry: data(
      at(
        "o",
        node(
          convert("t", (t) =>
            (t as Json[]).map((each, index) =>
              index === 1 && isObject(each) ? rename({ a: "b", b: "a" })(each) : each,
            ),
          ),
          "next",
        ),
      ),
    ),
  },
  {
    name: "a deprecated field of every node names its successor",
    before: {
      ...of({ o: refer("N") }),
      defs: {
        N: object({
          x: { ...integer, deprecated: true, "x-deprecated-since": "1.0", "x-replaced-by": "y" },
          y: integer,
          c: list(refer("N")),
        }),
      },
    },
    after: { ...of({ o: refer("N") }), defs: { N: object({ y: integer, c: list(refer("N")) }) } },
    carry: data(
      at(
        "o",
        node(({ x, ...rest }) => (rest.y !== undefined || x === undefined ? rest : { ...rest, y: x }), "c"),
      ),
    ),
  },
  {
    name: "closed objects with a swap",
    before: { ...of({ a: integer, b: integer }), more: { additionalProperties: false } },
    after: {
      ...of({ a: renamed(integer, "b"), b: renamed(integer, "a") }),
      more: { additionalProperties: false },
    },
    carry: data(rename({ a: "b", b: "a" })),
  },
  {
    name: "a flag and a list swap their names, and each branch has its own chain",
    before: of({
      u: oneOf(
        tagged("p", { f: flag, l: list(integer), z: integer }),
        tagged("q", { f: flag, l: list(integer), z: integer }),
      ),
    }),
    after: of({
      u: oneOf(
        tagged("p", { l: renamed(flag, "f"), f: renamed(list(integer), "l"), z: integer }),
        tagged("q", { f: flag, z: renamed(list(integer), "l"), y: renamed(integer, "z") }),
      ),
    }),
    carry: data(at("u", (u) => rename(u.kind === "p" ? { f: "l", l: "f" } : { l: "z", z: "y" })(u))),
  },
  {
    name: "a declared step renames the way to the next nodes, and a value has another name",
    before: { ...of({ o: refer("N") }), defs: { N: object({ v: integer, c: list(refer("N")) }) } },
    after: {
      ...of({ o: refer("N") }),
      defs: { N: object({ w: renamed(integer, "v"), k: list(refer("N")) }) },
    },
    steps: [{ ...move("/data/o/**/c", "/data/o/**/k"), through: ["/data/o/**/c/*"] }],
    carry: data(at("o", node(rename({ v: "w", c: "k" }), "c"))),
  },
  {
    name: "a declared step reads a text, and its parts get other names",
    before: of({ n: { ...text, pattern: "^[a-z]+ [a-z]+$" } }),
    after: of({ p: object({ first: renamed(text, "f"), last: renamed(text, "l") }) }),
    steps: [{ step: "parse", at: "/data/n", text: "{/data/p/f} {/data/p/l}" }],
    carry: data(({ n, ...rest }) => {
      const [first = "", last = ""] = String(n).split(" ");
      return n === undefined ? rest : { ...rest, p: { first, last } };
    }),
  },
  {
    name: "a declared step moves a field, and one of its values is replaced",
    before: of({ s: oneOfTexts("m", "n") }),
    after: of({ o: object({ s: oneOfTexts("m", "o") }) }),
    steps: [move("/data/s", "/data/o/s")],
    tombstones: [tombstone("value", "n", "o", "tea.served#/properties/s")],
    carry: data(({ s, ...rest }) => (s === undefined ? rest : { ...rest, o: { s: s === "n" ? "o" : s } })),
  },
  {
    name: "a declared step moves an object with a deprecated field",
    before: of({
      o: object({
        x: { ...integer, deprecated: true, "x-deprecated-since": "1.0", "x-replaced-by": "y" },
        y: integer,
      }),
    }),
    after: of({ p: object({ y: integer }) }),
    steps: [move("/data/o", "/data/p")],
    carry: data((payload) =>
      rename({ o: "p" })(
        at("o", ({ x, ...rest }) => (rest.y !== undefined || x === undefined ? rest : { ...rest, y: x }))(
          payload,
        ),
      ),
    ),
  },
  {
    name: "a declared step moves a field of one branch into an object, where it has another name",
    before: of({ u: oneOf(tagged("p", { x: integer }), tagged("q", { x: integer })) }),
    after: of({
      u: oneOf(tagged("p", { o: object({ y: renamed(integer, "x") }) }), tagged("q", { x: integer })),
    }),
    steps: [{ ...move("/data/u/x", "/data/u/o/x"), when: { "/data/u/kind": ["p"] } }],
    carry: data(
      at("u", (u) => {
        const { x, ...rest } = u;
        return u.kind === "p" && x !== undefined ? { ...rest, o: { y: x } } : u;
      }),
    ),
  },
  {
    name: "a tombstone names the renamed event type",
    before: events({ "tea.a": event(1, { x: integer }) }),
    after: events({ "tea.b": event(2, { y: integer }, { "x-renamed-from": "tea.a" }) }, { y: integer }),
    tombstones: [tombstone("field", "x", "y", "tea.b")],
    carry: (original) => ({ ...data(rename({ x: "y" }))(original), type: "tea.b" }),
  },
  {
    name: "an object that may be null",
    before: of({ o: { ...object({ x: integer, y: integer }), type: ["object", "null"] } }),
    after: of({
      o: { ...object({ x: renamed(integer, "y"), y: renamed(integer, "x") }), type: ["object", "null"] },
    }),
    carry: data(at("o", rename({ x: "y", y: "x" }))),
  },
  {
    name: "a definition with further fields",
    before: {
      ...of({
        o: { description: "A part.", allOf: [refer("Base"), object({ z: integer })] },
        b: refer("Base"),
      }),
      defs: { Base: object({ x: integer }) },
    },
    after: {
      ...of({
        o: { description: "A part.", allOf: [refer("Base"), object({ x: renamed(integer, "z") })] },
        b: refer("Base"),
      }),
      defs: { Base: object({ y: renamed(integer, "x") }) },
    },
    carry: data((payload) => at("b", rename({ x: "y" }))(at("o", rename({ x: "y", z: "x" }))(payload))),
  },
  {
    name: "a number becomes a text under another name in the items of a list",
    before: of({ l: list(object({ n: integer })) }),
    after: of({ l: list(object({ t: renamed({ ...text, pattern: "^[0-9]+$" }, "n") })) }),
    steps: [{ step: "number-to-text", at: "/data/l/*/n" }],
    carry: data(items("l", ({ n, ...rest }) => (n === undefined ? rest : { ...rest, t: String(n) }))),
  },
  {
    name: "two fields would become one",
    before: of({ a: integer, b: integer }),
    after: of({ z: integer }),
    tombstones: [tombstone("field", "a", "z"), tombstone("field", "b", "z")],
    verdict: "impossible",
    carry: keep,
  },
  {
    name: "a rename where a condition does not hold",
    before: { ...of({ k: oneOfTexts("p", "q"), x: integer }), required: ["k"] },
    after: {
      ...of({ k: oneOfTexts("p", "q") }),
      required: ["k"],
      more: {
        if: { properties: { k: { const: "p" } }, required: ["k"] },
        then: { properties: { x: integer } },
        else: { properties: { y: renamed(integer, "x") } },
      },
    },
    // The condition holds for all values but one, which no step can say.
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "a rename that depends on another field",
    before: of({ k: integer, x: integer }),
    after: {
      ...of({ k: integer, x: integer }),
      more: { dependentSchemas: { k: { properties: { y: renamed(integer, "x") } } } },
    },
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "an object beside members with a pattern",
    before: of({
      m: {
        type: "object",
        description: "A map.",
        properties: { n: object({ x: integer }) },
        patternProperties: { "^k": integer },
        additionalProperties: false,
      },
    }),
    after: of({
      m: {
        type: "object",
        description: "A map.",
        properties: { n: object({ y: renamed(integer, "x") }) },
        patternProperties: { "^k": integer },
        additionalProperties: false,
      },
    }),
    carry: data(at("m", at("n", rename({ x: "y" })))),
  },
  {
    name: "the payload moves out of its property, and two fields swap",
    before: of({ x: integer, y: integer }),
    after: {
      ...of({ x: renamed(integer, "y"), y: renamed(integer, "x") }),
      files: {
        "protocol.json": { envelope: { discriminator: "type", payload: { placement: "inline" } } },
        "envelope.schema.json": {
          properties: { type: text, id: { type: "string", minLength: 1, description: "Identifier." } },
          required: ["type", "id"],
        },
      },
    },
    // The empty payload stays, and readers ignore it.
    carry: ({ data: payload, ...rest }) => ({
      ...rest,
      data: {},
      ...rename({ x: "y", y: "x" })(payload as JsonObject),
    }),
  },
  {
    name: "the payload moves into a property, and two fields swap",
    before: {
      ...of({ x: integer, y: integer }),
      files: {
        "protocol.json": { envelope: { discriminator: "type", payload: { placement: "inline" } } },
        "envelope.schema.json": {
          properties: { type: text, id: { type: "string", minLength: 1, description: "Identifier." } },
          required: ["type", "id"],
        },
      },
    },
    after: of({ x: renamed(integer, "y"), y: renamed(integer, "x") }),
    carry: ({ type = "", id = "", ...payload }) => ({
      type,
      id,
      data: rename({ x: "y", y: "x" })(payload),
    }),
  },
  {
    name: "a list of lists of branches in a map",
    before: of({ m: map(list(list(oneOf(tagged("p", { x: integer }), tagged("q", { x: integer }))))) }),
    after: of({
      m: map(
        list(
          list(oneOf(tagged("p", { y: renamed(integer, "x") }), tagged("q", { z: renamed(integer, "x") }))),
        ),
      ),
    }),
    carry: data(
      convert("m", (m) =>
        Object.fromEntries(
          Object.entries(m as JsonObject).map(([name, lists]) => [
            name,
            (lists as Json[]).map((l) =>
              (l as Json[]).map((each) =>
                rename({ x: (each as JsonObject).kind === "p" ? "y" : "z" })(each as JsonObject),
              ),
            ),
          ]),
        ),
      ),
    ),
  },
  {
    name: "the tag and the field beside it swap their names",
    before: of({ u: oneOf(tagged("p", { x: text }), tagged("q", { x: text })) }),
    after: of({
      u: oneOf(
        object({ x: renamed(fixed("p"), "kind"), kind: renamed(text, "x") }, ["x"]),
        object({ x: renamed(fixed("q"), "kind"), kind: renamed(text, "x") }, ["x"]),
      ),
    }),
    carry: data(at("u", rename({ kind: "x", x: "kind" }))),
  },
  {
    name: "a tombstone without successor, and a field under the old name",
    before: of({ x: integer, y: integer }),
    after: of({ x: renamed(integer, "y") }),
    tombstones: [],
    // The old x would be in the way of y.
    verdict: "impossible",
    carry: keep,
  },
  {
    name: "seconds become milliseconds in one branch of a tree",
    before: {
      ...of({ o: refer("E") }),
      defs: {
        E: oneOf(tagged("wait", { s: integer }, "s"), tagged("both", { l: refer("E"), r: refer("E") })),
      },
    },
    after: {
      ...of({ o: refer("E") }),
      defs: {
        E: oneOf(
          tagged("wait", { ms: renamed({ type: "integer", description: "A number." }, "s") }, "ms"),
          tagged("both", { l: refer("E"), r: refer("E") }),
        ),
      },
    },
    steps: [{ ...scale("/data/o/**/s", 1000), through: ["/data/o/**/l", "/data/o/**/r"] }],
    carry: data(
      at(
        "o",
        node(({ s, ...rest }) => (s === undefined ? rest : { ...rest, ms: Number(s) * 1000 }), "l", "r"),
      ),
    ),
  },
  {
    name: "five versions: a name goes around",
    before: of({ a: integer, b: integer, c: integer }),
    between: [
      of({ b: renamed(integer, "a"), c: renamed(integer, "b"), a: renamed(integer, "c") }),
      of({ b: renamed(integer, "a"), c: renamed(integer, "b"), a: renamed(integer, "c") }),
      of({ b: renamed(integer, "a"), c: renamed(integer, "b"), a: renamed(integer, "c") }),
    ],
    after: of({ b: renamed(integer, "a"), a: renamed(integer, "b"), c: integer }),
    carry: data(rename({ a: "b", b: "a" })),
  },
  {
    name: "two values swap, back",
    before: of({ s: oneOfTexts("m", "n") }),
    after: of({ s: oneOfTexts("m", "n") }),
    steps: [{ step: "map", at: "/data/s", values: { m: "n", n: "m" } }],
    isDowncast: true,
    carry: data(replace("s", { m: "n", n: "m" })),
  },
  {
    name: "an event type becomes one of two by a value, back",
    before: events(
      { "tea.a": event(1, { k: oneOfTexts("p", "q"), x: integer }, { required: ["k"] }) },
      { x: integer },
    ),
    after: events({
      "tea.b": event(2, { k: oneOfTexts("p"), y: renamed(integer, "x") }, { required: ["k"] }),
      "tea.c": event(2, { k: oneOfTexts("q"), x: integer }, { required: ["k"] }),
    }),
    steps: [
      { step: "rename-type", types: ["tea.a"], to: "tea.b", when: { "/data/k": ["p"] } },
      { step: "rename-type", types: ["tea.a"], to: "tea.c", when: { "/data/k": ["q"] } },
    ],
    isDowncast: true,
    carry: (original) => ({
      ...(original.type === "tea.b" ? data(rename({ y: "x" }))(original) : original),
      type: "tea.a",
    }),
  },
  {
    name: "an expression whose sides were swapped, back",
    before: {
      ...of({ o: refer("E") }),
      defs: { E: oneOf(tagged("num", { n: integer }), tagged("sum", { l: refer("E"), r: refer("E") })) },
    },
    after: {
      ...of({ o: refer("E") }),
      defs: {
        E: oneOf(
          tagged("num", { value: renamed(integer, "n") }),
          tagged("sum", { l: renamed(refer("E"), "r"), r: renamed(refer("E"), "l") }),
        ),
      },
    },
    isDowncast: true,
    carry: data(
      at(
        "o",
        node((e) => rename(e.kind === "num" ? { value: "n" } : { l: "r", r: "l" })(e), "l", "r"),
      ),
    ),
  },
  {
    name: "a former name stands in another object than the field",
    before: of({ x: integer }),
    after: of({ o: object({ y: renamed(integer, "x") }) }),
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "a former name stands in the items of a list, and the field beside it",
    before: of({ l: list(object({ a: integer })), x: integer }),
    after: of({ l: list(object({ a: integer, y: renamed(integer, "x") })) }),
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "a former name that another field had, which is withdrawn",
    before: of({ o: object({ z: integer }), x: integer }),
    after: of({ o: object({ z: integer, y: renamed(integer, "x") }) }),
    tombstones: [
      { kind: "field", name: "x", in: "tea.served#", removedIn: "2.0", reason: "It is not needed." },
    ],
    carry: keep,
  },
];

function carryMapNode(value: JsonObject): JsonObject {
  const below = at(
    "c",
    (c) =>
      Object.fromEntries(
        Object.entries(c).map(([name, each]) => [
          name,
          Array.isArray(each) ? each.map((one: Json) => (isObject(one) ? carryMapNode(one) : one)) : each,
        ]),
      ) as JsonObject,
  )(value);
  return rename({ v: "w", w: "v" })(below);
}
