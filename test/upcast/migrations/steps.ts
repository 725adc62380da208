/** Migrations with declared steps. */
import { isObject, type Json } from "../../../generator/json.js";
import {
  at,
  createStepMigrations,
  data,
  keep,
  node,
  oneOfTexts,
  rename,
  replace,
  type StepRow,
} from "./changes.js";
import { integer, list, type Migration, map, object, refer, renamed, text } from "./migration.js";

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

/** Migrations with declared steps: those of one field first, then those at every depth. */
export const STEPS: readonly Migration[] = [...createStepMigrations(STEP_ROWS), ...DEEP_STEPS];
