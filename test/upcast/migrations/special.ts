/** Migrations of which each is decided by itself. */
import { isObject, type Json, type JsonObject } from "../../../generator/json.js";
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

/** Changes the payload of an event. */
const data =
  (change: (payload: JsonObject) => JsonObject) =>
  (event: JsonObject): JsonObject => ({ ...event, data: change(event.data as JsonObject) });
/** Renames members of an object at once. */
const rename =
  (names: { readonly [old: string]: string }) =>
  (value: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(value).map(([name, each]) => [names[name] ?? name, each] as const));
/** Changes a member that is an object. */
const at =
  (name: string, change: (value: JsonObject) => Json) =>
  (value: JsonObject): JsonObject =>
    isObject(value[name]) ? { ...value, [name]: change(value[name] as JsonObject) } : value;
/** Replaces values of a member. */
const replace =
  (name: string, values: { readonly [value: string]: Json }) =>
  (value: JsonObject): JsonObject =>
    value[name] === undefined || values[String(value[name])] === undefined
      ? value
      : { ...value, [name]: values[String(value[name])] as Json };
const keep = (event: JsonObject): JsonObject => event;
const oneOfTexts = (...values: readonly string[]): JsonObject => ({ ...text, enum: values });
const tagged = (kind: Json, properties: JsonObject, ...required: readonly string[]): JsonObject =>
  object({ kind: fixed(kind), ...properties }, ["kind", ...required]);

const UNIONS: readonly Migration[] = [
  {
    name: "the same rename in all branches",
    before: { properties: { u: oneOf(tagged("p", { x: integer }), tagged("q", { x: integer, z: text })) } },
    after: {
      properties: {
        u: oneOf(
          tagged("p", { y: renamed(integer, "x") }),
          tagged("q", { y: renamed(integer, "x"), z: text }),
        ),
      },
    },
    carry: data(at("u", rename({ x: "y" }))),
  },
  {
    name: "another rename in each branch",
    before: { properties: { u: oneOf(tagged("p", { x: integer }), tagged("q", { x: integer })) } },
    after: {
      properties: {
        u: oneOf(tagged("p", { y: renamed(integer, "x") }), tagged("q", { z: renamed(integer, "x") })),
      },
    },
    carry: data(at("u", (u) => rename({ x: u.kind === "p" ? "y" : "z" })(u))),
  },
  {
    name: "a swap in one branch, and a takeover in the other one",
    before: {
      properties: { u: oneOf(tagged("p", { x: integer, y: integer }), tagged("q", { x: integer })) },
    },
    after: {
      properties: {
        u: oneOf(
          tagged("p", { x: renamed(integer, "y"), y: renamed(integer, "x") }),
          tagged("q", { x: integer, y: renamed(integer, "x") }),
        ),
      },
    },
    carry: data(at("u", (u) => rename(u.kind === "p" ? { x: "y", y: "x" } : { x: "y" })(u))),
  },
  {
    name: "the tag is renamed, and a field gets its old name",
    before: { properties: { u: oneOf(tagged("p", { x: integer }), tagged("q", { x: integer })) } },
    after: {
      properties: {
        u: oneOf(
          object({ type: renamed(fixed("p"), "kind"), kind: renamed(integer, "x") }, ["type"]),
          object({ type: renamed(fixed("q"), "kind"), x: integer }, ["type"]),
        ),
      },
    },
    carry: data(at("u", (u) => rename(u.kind === "p" ? { kind: "type", x: "kind" } : { kind: "type" })(u))),
  },
  {
    name: "the value of the tag and a field of its branch change",
    before: { properties: { u: oneOf(tagged("p", { x: integer }), tagged("q", { x: integer })) } },
    after: {
      properties: { u: oneOf(tagged("r", { y: renamed(integer, "x") }), tagged("q", { x: integer })) },
    },
    tombstones: [tombstone("value", "p", "r")],
    carry: data(at("u", (u) => (u.kind === "p" ? { ...rename({ x: "y" })(u), kind: "r" } : u))),
  },
  {
    name: "branches are told apart by numbers",
    before: { properties: { u: oneOf(tagged(1, { x: integer }), tagged(2, { x: integer })) } },
    after: { properties: { u: oneOf(tagged(1, { x: integer }), tagged(2, { y: renamed(integer, "x") })) } },
    carry: data(at("u", (u) => (u.kind === 2 ? rename({ x: "y" })(u) : u))),
  },
  {
    name: "branches are told apart by lists of values",
    before: {
      properties: {
        u: oneOf(
          object({ kind: oneOfTexts("p", "q"), x: integer }, ["kind"]),
          object({ kind: oneOfTexts("r", "s"), x: integer }, ["kind"]),
        ),
      },
    },
    after: {
      properties: {
        u: oneOf(
          object({ kind: oneOfTexts("p", "q"), x: integer }, ["kind"]),
          object({ kind: oneOfTexts("r", "s"), y: renamed(integer, "x") }, ["kind"]),
        ),
      },
    },
    carry: data(at("u", (u) => (u.kind === "r" || u.kind === "s" ? rename({ x: "y" })(u) : u))),
  },
  {
    name: "no field tells the branches apart",
    before: {
      properties: {
        u: oneOf(object({ p: integer, x: integer }, ["p"]), object({ q: integer, x: integer }, ["q"])),
      },
    },
    after: {
      properties: {
        u: oneOf(
          object({ p: integer, y: renamed(integer, "x") }, ["p"]),
          object({ q: integer, x: integer }, ["q"]),
        ),
      },
    },
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "the tag of the branches is optional",
    before: {
      properties: {
        u: {
          description: "Either.",
          anyOf: [object({ kind: fixed("p"), x: integer }), object({ kind: fixed("q"), x: integer })],
        },
      },
    },
    after: {
      properties: {
        u: {
          description: "Either.",
          anyOf: [
            object({ kind: fixed("p"), y: renamed(integer, "x") }),
            object({ kind: fixed("q"), x: integer }),
          ],
        },
      },
    },
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "a tombstone below one branch",
    before: { properties: { b: oneOf(tagged("p", { x: integer }), tagged("q", { x: integer })) } },
    after: { properties: { b: oneOf(tagged("p", { y: integer }), tagged("q", { x: integer })) } },
    tombstones: [tombstone("field", "x", "y", "tea.served#/properties/b/oneOf/0")],
    carry: data(at("b", (b) => (b.kind === "p" ? rename({ x: "y" })(b) : b))),
  },
  {
    name: "a tombstone below a branch that is not there",
    before: { properties: { b: oneOf(tagged("p", { x: integer }), tagged("q", { x: integer })) } },
    after: { properties: { b: oneOf(tagged("p", { y: integer }), tagged("q", { x: integer })) } },
    tombstones: [tombstone("field", "x", "y", "tea.served#/properties/b/oneOf/5")],
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "a tombstone of the second branch behind a reference",
    before: {
      properties: { b: refer("Either") },
      defs: { Either: oneOf(tagged("p", { x: integer }), tagged("q", { x: integer })) },
    },
    after: {
      properties: { b: refer("Either") },
      defs: { Either: oneOf(tagged("p", { x: integer }), tagged("q", { y: integer })) },
    },
    tombstones: [tombstone("field", "x", "y", "tea.served#/properties/b/oneOf/1")],
    carry: data(at("b", (b) => (b.kind === "q" ? rename({ x: "y" })(b) : b))),
  },
  {
    name: "an object in a branch has a field with another name",
    before: {
      properties: {
        u: oneOf(tagged("p", { i: object({ x: integer }) }), tagged("q", { i: object({ x: integer }) })),
      },
    },
    after: {
      properties: {
        u: oneOf(
          tagged("p", { i: object({ y: renamed(integer, "x") }) }),
          tagged("q", { i: object({ x: integer }) }),
        ),
      },
    },
    carry: data(at("u", (u) => (u.kind === "p" ? at("i", rename({ x: "y" }))(u) : u))),
  },
  {
    name: "a field beside a union and one in a branch change",
    before: {
      properties: {
        u: {
          type: "object",
          description: "One of two.",
          properties: { s: text },
          oneOf: [
            { type: "object", properties: { kind: fixed("p"), x: integer }, required: ["kind"] },
            { type: "object", properties: { kind: fixed("q"), x: integer }, required: ["kind"] },
          ],
        },
      },
    },
    after: {
      properties: {
        u: {
          type: "object",
          description: "One of two.",
          properties: { t: renamed(text, "s") },
          oneOf: [
            {
              type: "object",
              properties: { kind: fixed("p"), y: renamed(integer, "x") },
              required: ["kind"],
            },
            { type: "object", properties: { kind: fixed("q"), x: integer }, required: ["kind"] },
          ],
        },
      },
    },
    carry: data(at("u", (u) => rename(u.kind === "p" ? { s: "t", x: "y" } : { s: "t" })(u))),
  },
  {
    name: "a value of one branch is replaced",
    before: {
      properties: {
        u: oneOf(tagged("p", { s: oneOfTexts("m", "n") }), tagged("q", { s: oneOfTexts("m", "n") })),
      },
    },
    after: {
      properties: {
        u: oneOf(tagged("p", { s: oneOfTexts("m", "o") }), tagged("q", { s: oneOfTexts("m", "n") })),
      },
    },
    tombstones: [tombstone("value", "n", "o", "tea.served#/properties/u/oneOf/0/properties/s")],
    carry: data(at("u", (u) => (u.kind === "p" ? replace("s", { n: "o" })(u) : u))),
  },
  {
    name: "items of which each is one of several",
    before: { properties: { l: list(oneOf(tagged("p", { x: integer }), tagged("q", { x: integer }))) } },
    after: {
      properties: { l: list(oneOf(tagged("p", { x: integer }), tagged("q", { y: renamed(integer, "x") }))) },
    },
    carry: data((payload) => ({
      ...payload,
      ...(Array.isArray(payload.l) && {
        l: payload.l.map((item: Json) =>
          isObject(item) && item.kind === "q" ? rename({ x: "y" })(item) : item,
        ),
      }),
    })),
  },
];

/** Changes a node after those below it, which are at `names`. */
const node = (change: (value: JsonObject) => JsonObject, ...names: readonly string[]) => {
  const visit = (value: JsonObject): JsonObject =>
    change(
      Object.fromEntries(
        Object.entries(value).map(([name, child]): [string, Json] => {
          if (!names.includes(name)) return [name, child];
          const visitChild = (each: Json): Json => (isObject(each) ? visit(each) : each);
          return [name, Array.isArray(child) ? child.map(visitChild) : visitChild(child)];
        }),
      ),
    );
  return visit;
};

const carryFirst = (value: JsonObject): JsonObject =>
  rename({ x: "xx" })(at("b", (second) => rename({ y: "yy" })(at("a", carryFirst)(second)))(value));

const RECURSIONS: readonly Migration[] = [
  {
    name: "the field that leads from a node to the next ones has another name",
    before: { properties: { o: refer("N") }, defs: { N: object({ v: integer, c: list(refer("N")) }) } },
    after: {
      properties: { o: refer("N") },
      defs: { N: object({ w: renamed(integer, "v"), k: renamed(list(refer("N")), "c") }) },
    },
    carry: data(at("o", node(rename({ v: "w", c: "k" }), "c"))),
  },
  {
    name: "the two sides of a tree are swapped",
    before: {
      properties: { o: refer("N") },
      defs: { N: object({ v: integer, l: refer("N"), r: refer("N") }, ["v"]) },
    },
    after: {
      properties: { o: refer("N") },
      defs: {
        N: object({ w: renamed(integer, "v"), r: renamed(refer("N"), "l"), l: renamed(refer("N"), "r") }, [
          "w",
        ]),
      },
    },
    carry: data(at("o", node(rename({ v: "w", l: "r", r: "l" }), "l", "r"))),
  },
  {
    name: "two definitions that hold each other",
    before: {
      properties: { o: refer("A") },
      defs: { A: object({ x: integer, b: refer("B") }), B: object({ y: integer, a: refer("A") }) },
    },
    after: {
      properties: { o: refer("A") },
      defs: {
        A: object({ xx: renamed(integer, "x"), b: refer("B") }),
        B: object({ yy: renamed(integer, "y"), a: refer("A") }),
      },
    },
    carry: data(at("o", carryFirst)),
    samples: [[{ o: { x: 1, b: { y: 2 } } }, { o: { xx: 1, b: { yy: 2 } } }]],
  },
  {
    name: "the tree itself has another name",
    before: { properties: { o: refer("N") }, defs: { N: object({ v: integer, c: list(refer("N")) }) } },
    after: {
      properties: { t: renamed(refer("N"), "o") },
      defs: { N: object({ w: renamed(integer, "v"), c: list(refer("N")) }) },
    },
    carry: data((payload) => rename({ o: "t" })(at("o", node(rename({ v: "w" }), "c"))(payload))),
  },
  {
    name: "a tree in the items of a list, which has another name",
    before: {
      properties: { l: list(object({ o: refer("N") })) },
      defs: { N: object({ v: integer, c: list(refer("N")) }) },
    },
    after: {
      properties: { m: renamed(list(object({ o: refer("N") })), "l") },
      defs: { N: object({ w: renamed(integer, "v"), c: list(refer("N")) }) },
    },
    carry: data((payload) =>
      Array.isArray(payload.l)
        ? {
            m: payload.l.map((item: Json) =>
              isObject(item) ? at("o", node(rename({ v: "w" }), "c"))(item) : item,
            ),
          }
        : payload,
    ),
  },
  {
    name: "a value is replaced at every depth",
    before: {
      properties: { o: refer("N") },
      defs: { N: object({ s: oneOfTexts("m", "n"), c: list(refer("N")) }) },
    },
    after: {
      properties: { o: refer("N") },
      defs: { N: object({ s: oneOfTexts("m", "o"), c: list(refer("N")) }) },
    },
    tombstones: [tombstone("value", "n", "o")],
    carry: data(at("o", node(replace("s", { n: "o" }), "c"))),
  },
  {
    name: "a field of an object in each node",
    before: {
      properties: { o: refer("N") },
      defs: { N: object({ i: object({ x: integer }), c: list(refer("N")) }) },
    },
    after: {
      properties: { o: refer("N") },
      defs: { N: object({ i: object({ y: renamed(integer, "x") }), c: list(refer("N")) }) },
    },
    carry: data(at("o", node(at("i", rename({ x: "y" })), "c"))),
  },
  {
    name: "a tree in each node of another one",
    before: {
      properties: { o: refer("N") },
      defs: { N: object({ e: refer("E"), c: list(refer("N")) }), E: object({ x: integer, f: refer("E") }) },
    },
    after: {
      properties: { o: refer("N") },
      defs: {
        N: object({ e: refer("E"), c: list(refer("N")) }),
        E: object({ y: renamed(integer, "x"), f: refer("E") }),
      },
    },
    carry: data(at("o", node(at("e", node(rename({ x: "y" }), "f")), "c"))),
  },
  {
    name: "nodes are the values of a map",
    before: { properties: { o: refer("N") }, defs: { N: object({ v: integer, c: map(refer("N")) }) } },
    after: {
      properties: { o: refer("N") },
      defs: { N: object({ w: renamed(integer, "v"), c: map(refer("N")) }) },
    },
    carry: data(
      at("o", (root) => {
        const visit = (value: JsonObject): JsonObject =>
          rename({ v: "w" })(
            at("c", (c) =>
              Object.fromEntries(
                Object.entries(c).map(([name, each]) => [name, isObject(each) ? visit(each) : each] as const),
              ),
            )(value),
          );
        return visit(root);
      }),
    ),
  },
];

/** One field with declared steps, and what becomes of the payload. */
type StepRow = readonly [
  name: string,
  before: JsonObject,
  after: JsonObject,
  steps: Migration["steps"],
  change: (payload: JsonObject) => JsonObject,
  verdict?: Migration["verdict"],
];

const number = { type: "number", description: "A number." };
const seconds = { ...number, minimum: 0, multipleOf: 0.5, maximum: 1000 };
const split = (value: Json | undefined, separator: string, count: number): string[] => {
  const parts = String(value).split(separator);
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)];
};

const STEP_ROWS: readonly StepRow[] = [
  [
    "a text becomes two",
    { m: { ...text, pattern: "^[a-c]/[a-c/]*$" } },
    { p: text, q: text },
    [{ step: "split", from: "/data/m", separator: "/", to: ["/data/p", "/data/q"] }],
    ({ m, ...rest }) =>
      m === undefined ? rest : { ...rest, p: split(m, "/", 2)[0] ?? "", q: split(m, "/", 2)[1] ?? "" },
  ],
  [
    "a text becomes three, one under the old name",
    { m: { ...text, pattern: "^[a-c]:[a-c]:[a-c]*$" } },
    { m: text, q: text, r: text },
    [{ step: "split", from: "/data/m", separator: ":", to: ["/data/m", "/data/q", "/data/r"] }],
    ({ m, ...rest }) => {
      const [a = "", b = "", c = ""] = split(m, ":", 3);
      return m === undefined ? rest : { ...rest, m: a, q: b, r: c };
    },
  ],
  [
    "a text that need not have the separator",
    { m: text },
    { p: text, q: text },
    [{ step: "split", from: "/data/m", separator: "/", to: ["/data/p", "/data/q"] }],
    (payload) => payload,
    "impossible",
  ],
  [
    "milliseconds become seconds",
    { ms: integer },
    { s: { ...number, minimum: 0 } },
    [
      { step: "scale", at: "/data/ms", by: 0.001 },
      { step: "move", from: "/data/ms", to: "/data/s" },
    ],
    ({ ms, ...rest }) => (ms === undefined ? rest : { ...rest, s: Number(`${String(ms)}e-3`) }),
  ],
  [
    "milliseconds become seconds, and the new name is declared",
    { ms: integer },
    { s: renamed({ ...number, minimum: 0 }, "ms") },
    [{ step: "scale", at: "/data/ms", by: 0.001 }],
    ({ ms, ...rest }) => (ms === undefined ? rest : { ...rest, s: Number(`${String(ms)}e-3`) }),
  ],
  [
    "half seconds become whole milliseconds",
    { s: seconds },
    { s: { type: "integer", description: "Milliseconds." } },
    [{ step: "scale", at: "/data/s", by: 1000 }],
    (payload) => (payload.s === undefined ? payload : { s: Math.round(Number(payload.s) * 1000) }),
  ],
  [
    "any seconds would have to become whole milliseconds",
    { s: { ...number, minimum: 0 } },
    { s: { type: "integer", description: "Milliseconds." } },
    [{ step: "scale", at: "/data/s", by: 1000 }],
    (payload) => payload,
    "impossible",
  ],
  [
    "milliseconds would have to become whole seconds",
    { ms: integer },
    { ms: integer },
    [{ step: "scale", at: "/data/ms", by: 0.001 }],
    (payload) => payload,
    "impossible",
  ],
  [
    "a state is divided by another field",
    { s: oneOfTexts("m", "n"), f: { type: "boolean", description: "A flag." } },
    { s: oneOfTexts("m", "n", "o"), f: { type: "boolean", description: "A flag." } },
    [{ step: "map", at: "/data/s", values: { n: "o" }, when: { "/data/f": [true] } }],
    (payload) => (payload.f === true ? replace("s", { n: "o" })(payload) : payload),
  ],
  [
    "two states become one and a reason",
    { s: oneOfTexts("m", "n1", "n2") },
    { s: oneOfTexts("m", "n"), r: oneOfTexts("1", "2") },
    [
      { step: "constant", to: "/data/r", value: "1", when: { "/data/s": ["n1"] } },
      { step: "constant", to: "/data/r", value: "2", when: { "/data/s": ["n2"] } },
      { step: "map", at: "/data/s", values: { n1: "n", n2: "n" } },
    ],
    ({ s }) =>
      s === "n1" ? { s: "n", r: "1" } : s === "n2" ? { s: "n", r: "2" } : s === undefined ? {} : { s },
  ],
  [
    "a default depends on another field",
    { s: oneOfTexts("m", "n") },
    { s: oneOfTexts("m", "n"), d: integer },
    [
      { step: "default", to: "/data/d", value: 7, when: { "/data/s": ["m"] } },
      { step: "default", to: "/data/d", value: 9, when: { "/data/s": ["n"] } },
    ],
    (payload) => (payload.s === undefined ? payload : { ...payload, d: payload.s === "m" ? 7 : 9 }),
  ],
  [
    "fields move into an object",
    { x: integer, y: integer },
    { p: object({ x: integer, y: integer }) },
    [
      { step: "move", from: "/data/x", to: "/data/p/x" },
      { step: "move", from: "/data/y", to: "/data/p/y" },
    ],
    (payload) => (Object.keys(payload).length === 0 ? {} : { p: payload }),
  ],
  [
    "fields move out of an object",
    { p: object({ x: integer, y: integer }) },
    { p: object({}), x: integer, y: integer },
    [
      { step: "move", from: "/data/p/x", to: "/data/x" },
      { step: "move", from: "/data/p/y", to: "/data/y" },
    ],
    ({ p }) => (isObject(p) ? { p: {}, ...p } : {}),
  ],
  [
    "two fields would have to become one",
    { x: integer, y: integer },
    { z: integer },
    [
      { step: "move", from: "/data/x", to: "/data/z" },
      { step: "move", from: "/data/y", to: "/data/z" },
    ],
    (payload) => payload,
    "impossible",
  ],
  [
    "an alias is merged",
    { x: integer, y: integer },
    { y: integer },
    [{ step: "move", from: "/data/x", to: "/data/y", alias: true }],
    ({ x, y }) => (y !== undefined ? { y } : x !== undefined ? { y: x } : {}),
  ],
  [
    "a step puts another value where a declared rename leads",
    { x: integer },
    { y: renamed(integer, "x") },
    [{ step: "constant", to: "/data/y", value: 1 }],
    (payload) => payload,
    "incomplete",
  ],
  [
    "a unit in the values of a map",
    { m: map(object({ ms: integer })) },
    { m: map(object({ s: { ...number, minimum: 0 } })) },
    [
      { step: "scale", at: "/data/m/{*}/ms", by: 0.001 },
      { step: "move", from: "/data/m/{*}/ms", to: "/data/m/{*}/s" },
    ],
    at("m", (m) =>
      Object.fromEntries(
        Object.entries(m).map(([name, each]) => {
          if (!isObject(each) || each.ms === undefined) return [name, each] as const;
          const { ms, ...rest } = each;
          return [name, { ...rest, s: Number(`${String(ms)}e-3`) }] as const;
        }),
      ),
    ),
  ],
  [
    "the first of a pair changes its unit",
    { t: { ...list(integer), prefixItems: [integer, integer] } },
    { t: { ...list(integer), prefixItems: [number, integer] } },
    [{ step: "scale", at: "/data/t/[0]", by: 0.5 }],
    (payload) =>
      Array.isArray(payload.t)
        ? { t: payload.t.map((each: Json, index) => (index === 0 ? Number(each) / 2 : each)) }
        : payload,
  ],
  [
    "the items behind a pair change their values",
    { t: { ...list(oneOfTexts("m", "n")), prefixItems: [oneOfTexts("m", "n")] } },
    { t: { ...list(oneOfTexts("m", "o")), prefixItems: [oneOfTexts("m", "n")] } },
    [{ step: "map", at: "/data/t/[1..]", values: { n: "o" } }],
    (payload) =>
      Array.isArray(payload.t)
        ? { t: payload.t.map((each: Json, index) => (index > 0 && each === "n" ? "o" : each)) }
        : payload,
  ],
];

const STEPS = STEP_ROWS.map(
  ([name, before, after, steps = [], change, verdict = "proven"]): Migration => ({
    name,
    before: { properties: before },
    after: { properties: after },
    steps,
    verdict,
    carry: data(change),
  }),
);

const DEEP_STEPS: readonly Migration[] = [
  {
    name: "a declared step at every depth, along a path",
    before: { properties: { o: refer("N") }, defs: { N: object({ v: integer, c: list(refer("N")) }) } },
    after: { properties: { o: refer("N") }, defs: { N: object({ w: integer, c: list(refer("N")) }) } },
    steps: [{ step: "move", from: "/data/o/**/v", to: "/data/o/**/w", through: ["/data/o/**/c/*"] }],
    carry: data(at("o", node(rename({ v: "w" }), "c"))),
  },
  {
    name: "a declared step at every depth, along all paths",
    before: { properties: { o: refer("N") }, defs: { N: object({ v: integer, c: refer("N") }) } },
    after: { properties: { o: refer("N") }, defs: { N: object({ w: integer, c: refer("N") }) } },
    steps: [{ step: "move", from: "/data/o/**/v", to: "/data/o/**/w" }],
    carry: data(at("o", node(rename({ v: "w" }), "c"))),
  },
  {
    name: "a declared unit at every depth",
    before: { properties: { o: refer("N") }, defs: { N: object({ ms: integer, c: list(refer("N")) }) } },
    after: { properties: { o: refer("N") }, defs: { N: object({ ms: number, c: list(refer("N")) }) } },
    steps: [{ step: "scale", at: "/data/o/**/ms", by: 0.5, through: ["/data/o/**/c/*"] }],
    carry: data(
      at(
        "o",
        node((value) => (value.ms === undefined ? value : { ...value, ms: Number(value.ms) / 2 }), "c"),
      ),
    ),
  },
  {
    name: "a step that reaches the first level only",
    before: {
      properties: { o: refer("N") },
      defs: { N: object({ v: integer, c: list(refer("N")) }, ["v"]) },
    },
    after: {
      properties: { o: refer("N") },
      defs: { N: object({ w: integer, c: list(refer("N")) }, ["w"]) },
    },
    steps: [{ step: "move", from: "/data/o/v", to: "/data/o/w" }],
    verdict: "impossible",
    carry: keep,
  },
];

const envelope = (properties: JsonObject, ...required: readonly string[]): JsonObject => ({
  properties: {
    type: text,
    id: { type: "string", minLength: 1, description: "Identifier." },
    data: { type: "object", description: "The payload." },
    ...properties,
  },
  required: ["type", "id", "data", ...required],
});
const SERVED = "events/tea.served.schema.json";
const event = (major: number, properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  properties,
  "x-since": `${major}.0`,
  ...more,
});

const note = { description: "Anything." };
const STATEMENTS: readonly Migration[] = [
  {
    name: "a tombstone names the new field",
    before: { properties: { x: integer } },
    after: { properties: { y: integer } },
    tombstones: [tombstone("field", "x", "y")],
    carry: data(rename({ x: "y" })),
  },
  {
    name: "a tombstone and a former name form a chain",
    before: { properties: { x: integer, y: integer } },
    after: { properties: { y: renamed(integer, "x"), z: integer } },
    tombstones: [],
    steps: [{ step: "move", from: "/data/y", to: "/data/z" }],
    carry: data(rename({ x: "y", y: "z" })),
  },
  {
    name: "a deprecated field names its successor",
    before: {
      properties: {
        x: { ...integer, deprecated: true, "x-deprecated-since": "1.0", "x-replaced-by": "y" },
        y: renamed(integer, "x"),
      },
    },
    after: { properties: { y: renamed(integer, "x") } },
    tombstones: [tombstone("field", "x", "y")],
    carry: data(({ x, y }) => (y !== undefined ? { y } : x !== undefined ? { y: x } : {})),
  },
  {
    name: "a tombstone names a field that is not there",
    before: { properties: { x: integer } },
    after: { properties: { y: integer } },
    tombstones: [tombstone("field", "x", "nothing")],
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "a tombstone names a value that is not there",
    before: { properties: { s: oneOfTexts("m", "n") } },
    after: { properties: { s: { ...text, "x-extensible-enum": ["m"] } } },
    tombstones: [tombstone("value", "n", "o")],
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "a value is replaced",
    before: { properties: { s: oneOfTexts("m", "n") } },
    after: { properties: { s: oneOfTexts("m", "o") } },
    tombstones: [tombstone("value", "n", "o", "tea.served#/properties/s")],
    carry: data(replace("s", { n: "o" })),
  },
  {
    name: "a renamed field has a replaced value",
    before: { properties: { s: oneOfTexts("m", "n") } },
    after: { properties: { t: renamed(oneOfTexts("m", "o"), "s") } },
    tombstones: [tombstone("value", "n", "o")],
    carry: data((payload) => rename({ s: "t" })(replace("s", { n: "o" })(payload))),
  },
  {
    name: "the only number of a field is another one",
    before: { properties: { v: fixed(1), x: integer } },
    after: { properties: { v: fixed(2), x: integer } },
    carry: data((payload) => (payload.v === 1 ? { ...payload, v: 2 } : payload)),
  },
  {
    name: "a required field has a default",
    before: { properties: { x: integer } },
    after: { properties: { x: integer, y: { ...integer, default: 3 } }, required: ["y"] },
    carry: data((payload) => ({ ...payload, y: 3 })),
  },
  {
    name: "a field is renamed and gets a default",
    before: { properties: { x: integer } },
    after: { properties: { y: { ...renamed(integer, "x"), default: 3 } }, required: ["y"] },
    carry: data(({ x = 3 }) => ({ y: x })),
  },
  {
    name: "a field moves into the envelope",
    before: {
      properties: { tenant: text, x: integer },
      required: ["tenant"],
      files: { "envelope.schema.json": envelope({}) },
    },
    after: {
      properties: { x: integer },
      files: { "envelope.schema.json": envelope({ tenant: text }, "tenant") },
    },
    tombstones: [tombstone("field", "tenant", "/tenant")],
    carry: ({ data: payload, ...rest }) => {
      const { tenant = "", ...others } = payload as JsonObject;
      return { ...rest, tenant, data: others };
    },
  },
  {
    name: "a field moves into the envelope, and another one gets its name",
    before: {
      properties: { tenant: text, x: integer },
      required: ["tenant", "x"],
      files: { "envelope.schema.json": envelope({}) },
    },
    after: {
      properties: { tenant: renamed(integer, "x") },
      files: { "envelope.schema.json": envelope({ tenant: text }, "tenant") },
    },
    tombstones: [],
    steps: [{ step: "move", from: "/data/tenant", to: "/tenant" }],
    carry: ({ data: payload, ...rest }) => {
      const { tenant = "", x = 0 } = payload as JsonObject;
      return { ...rest, tenant, data: { tenant: x } };
    },
  },
  {
    name: "a field of the envelope is renamed",
    before: { properties: { x: integer }, files: { "envelope.schema.json": envelope({ run: text }, "run") } },
    after: {
      properties: { x: integer },
      files: { "envelope.schema.json": envelope({ session: renamed(text, "run") }, "session") },
    },
    carry: rename({ run: "session" }),
  },
  {
    name: "fields of the envelope are swapped",
    before: { properties: { x: integer }, files: { "envelope.schema.json": envelope({ p: text, q: text }) } },
    after: {
      properties: { x: integer },
      files: { "envelope.schema.json": envelope({ p: renamed(text, "q"), q: renamed(text, "p") }) },
    },
    carry: rename({ p: "q", q: "p" }),
  },
  {
    name: "an event type is renamed",
    before: {
      properties: {},
      files: { [SERVED]: null, "events/tea.a.schema.json": event(1, { x: integer }) },
    },
    after: {
      properties: { y: integer },
      files: {
        [SERVED]: null,
        "events/tea.b.schema.json": event(2, { y: renamed(integer, "x") }, { "x-renamed-from": "tea.a" }),
      },
    },
    carry: (original) => ({ ...data(rename({ x: "y" }))(original), type: "tea.b" }),
  },
  {
    name: "two event types are swapped",
    before: {
      properties: {},
      files: {
        [SERVED]: null,
        "events/tea.a.schema.json": event(1, { x: integer }),
        "events/tea.b.schema.json": event(1, { y: integer }),
      },
    },
    after: {
      properties: { x: integer, y: integer },
      files: {
        [SERVED]: null,
        "events/tea.a.schema.json": event(2, { y: integer }, { "x-renamed-from": "tea.b" }),
        "events/tea.b.schema.json": event(2, { x: integer }, { "x-renamed-from": "tea.a" }),
      },
    },
    carry: (original) => ({ ...original, type: original.type === "tea.a" ? "tea.b" : "tea.a" }),
  },
  {
    name: "two event types come from one",
    before: {
      properties: {},
      files: { [SERVED]: null, "events/tea.a.schema.json": event(1, { x: integer }) },
    },
    after: {
      properties: {},
      files: {
        [SERVED]: null,
        "events/tea.b.schema.json": event(2, { x: integer }, { "x-renamed-from": "tea.a" }),
        "events/tea.c.schema.json": event(2, { x: integer }, { "x-renamed-from": "tea.a" }),
      },
    },
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "a former name stands below `contains`",
    before: { properties: { l: { ...list({}), contains: { type: "object", properties: { x: note } } } } },
    after: {
      properties: { l: { ...list({}), contains: { type: "object", properties: { y: renamed(note, "x") } } } },
    },
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "a former name stands beside fields of a map",
    before: {
      properties: { m: { ...map(object({ x: integer })), properties: { n: object({ x: integer }) } } },
    },
    after: {
      properties: {
        m: { ...map(object({ y: renamed(integer, "x") })), properties: { n: object({ x: integer }) } },
      },
    },
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "a list becomes a tuple with another name in it",
    before: { properties: { l: list(object({ x: integer })) } },
    after: { properties: { l: { ...list({}), prefixItems: [object({ y: renamed(integer, "x") })] } } },
    verdict: "incomplete",
    carry: keep,
  },
  {
    name: "a tree becomes an object with one level",
    before: { properties: { o: refer("N") }, defs: { N: object({ x: integer, c: refer("N") }) } },
    after: {
      properties: {
        o: object({
          y: renamed(integer, "x"),
          c: { type: "object", additionalProperties: true, description: "Anything." },
        }),
      },
    },
    verdict: "incomplete",
    carry: keep,
  },
];

/** Migrations of which each is decided by itself. */
export const SPECIAL: readonly Migration[] = [
  ...UNIONS,
  ...RECURSIONS,
  ...STEPS,
  ...DEEP_STEPS,
  ...STATEMENTS,
];
