/** Migrations that write several fields into one text, or read one text into several. */
import { isObject, type Json, type JsonObject } from "../../../generator/json.js";
import { at, createStepMigrations, data, node, type StepRow } from "./changes.js";
import { integer, list, type Migration, map, object, refer, text } from "./migration.js";

const word = { ...text, pattern: "^[a-z]+$", minLength: 1, maxLength: 20 };
const digits = { ...text, pattern: "^(?:0|[1-9][0-9]{0,5})$" };
/** Always has both fields, so that no event has one of them only. */
const both = (first: JsonObject, last: JsonObject): JsonObject => object({ f: first, l: last }, ["f", "l"]);

/** Writes the fields `f` and `l` of `p` into a text. */
const join =
  (write: (f: string, l: string) => string, name = "t") =>
  ({ f, l, ...rest }: JsonObject): JsonObject =>
    f === undefined ? rest : { ...rest, [name]: write(String(f), String(l)) };

const ROWS: readonly StepRow[] = [
  [
    "first and last name become one",
    { p: both(text, text) },
    { p: object({ t: text }, ["t"]) },
    [{ step: "template", at: "/data/p/t", text: "{/data/p/f} {/data/p/l}" }],
    at(
      "p",
      join((f, l) => `${f} ${l}`),
    ),
  ],
  [
    "a joined name must not be empty",
    { p: both(text, text) },
    { p: object({ t: { ...text, minLength: 1 } }, ["t"]) },
    [{ step: "template", at: "/data/p/t", text: "{/data/p/f} {/data/p/l}" }],
    at(
      "p",
      join((f, l) => `${f} ${l}`),
    ),
  ],
  [
    "a joined text has a pattern and a length",
    { p: both(word, digits) },
    { p: object({ t: { ...text, pattern: "^[a-z]+-[0-9]+$", maxLength: 27 } }, ["t"]) },
    [{ step: "template", at: "/data/p/t", text: "{/data/p/f}-{/data/p/l}" }],
    at(
      "p",
      join((f, l) => `${f}-${l}`),
    ),
  ],
  [
    "a joined text would be too long",
    { p: both(word, digits) },
    { p: object({ t: { ...text, maxLength: 26 } }, ["t"]) },
    [{ step: "template", at: "/data/p/t", text: "{/data/p/f}-{/data/p/l}" }],
    (payload) => payload,
    "impossible",
  ],
  [
    "a joined text would not match",
    { p: both(word, word) },
    { p: object({ t: { ...text, pattern: "^[a-z]+-[0-9]+$" } }, ["t"]) },
    [{ step: "template", at: "/data/p/t", text: "{/data/p/f}-{/data/p/l}" }],
    (payload) => payload,
    "impossible",
  ],
  [
    "a joined text has a pattern with a group",
    { p: both(word, word) },
    { p: object({ t: { ...text, pattern: "^(?:[a-z]+-)+[a-z]+$" } }, ["t"]) },
    [{ step: "template", at: "/data/p/t", text: "{/data/p/f}-{/data/p/l}" }],
    (payload) => payload,
    "undecided",
  ],
  [
    "fields of which one may be absent would be joined",
    { f: text, l: text },
    { t: text },
    [{ step: "template", at: "/data/t", text: "{/data/f} {/data/l}" }],
    (payload) => payload,
    "impossible",
  ],
  [
    "fields of which one may be absent get a default and are joined",
    { f: text, l: text },
    { t: text },
    [
      { step: "default", to: "/data/f", value: "?" },
      { step: "default", to: "/data/l", value: "?" },
      { step: "template", at: "/data/t", text: "{/data/f}, {/data/l}" },
    ],
    ({ f = "?", l = "?", ...rest }) => ({ ...rest, t: `${f}, ${l}` }),
  ],
  [
    "a number and a text are joined after the number became a text",
    { p: both(integer, word) },
    { p: object({ t: text }, ["t"]) },
    [
      { step: "number-to-text", at: "/data/p/f" },
      { step: "template", at: "/data/p/t", text: "{/data/p/f} {/data/p/l}" },
    ],
    at(
      "p",
      join((f, l) => `${f} ${l}`),
    ),
  ],
  [
    "a number would be joined",
    { p: both(integer, word) },
    { p: object({ t: text }, ["t"]) },
    [{ step: "template", at: "/data/p/t", text: "{/data/p/f} {/data/p/l}" }],
    (payload) => payload,
    "impossible",
  ],
  [
    "an id gets a prefix",
    { id: digits },
    { id: { ...text, pattern: "^order-[0-9]+$" } },
    [{ step: "template", at: "/data/id", text: "order-{/data/id}" }],
    ({ id, ...rest }) => (id === undefined ? rest : { ...rest, id: `order-${id}` }),
  ],
  [
    "an id loses a prefix and becomes a number",
    { id: { ...text, pattern: "^order-(?:0|[1-9][0-9]{0,5})$" } },
    { id: integer },
    [
      { step: "parse", at: "/data/id", text: "order-{/data/id}" },
      { step: "text-to-number", at: "/data/id" },
    ],
    ({ id, ...rest }) => (id === undefined ? rest : { ...rest, id: Number(String(id).slice(6)) }),
  ],
  [
    "a text would lose a prefix that it need not have",
    { id: text },
    { id: text },
    [{ step: "parse", at: "/data/id", text: "order-{/data/id}" }],
    (payload) => payload,
    "impossible",
  ],
  [
    "a name becomes first and last name",
    { t: { ...text, pattern: "^[a-z]* [a-z ]*$" } },
    { f: { ...text, pattern: "^[a-z]*$" }, l: text },
    [{ step: "parse", at: "/data/t", text: "{/data/f} {/data/l}" }],
    ({ t, ...rest }) => {
      const [f = "", ...others] = String(t).split(" ");
      return t === undefined ? rest : { ...rest, f, l: others.join(" ") };
    },
  ],
  [
    "an address becomes scheme, host and path",
    { u: { ...text, pattern: "^https?://[a-z]+/[a-z/]*$" } },
    { s: { ...text, enum: ["http", "https"] }, h: { ...text, pattern: "^[a-z]+$" }, p: text },
    [{ step: "parse", at: "/data/u", text: "{/data/s}://{/data/h}/{/data/p}" }],
    ({ u, ...rest }) => {
      const [, s = "", h = "", p = ""] = /^([a-z]+):\/\/([a-z]+)\/(.*)$/.exec(String(u)) ?? [];
      return u === undefined ? rest : { ...rest, s, h, p };
    },
  ],
  [
    "a size becomes two numbers in an object",
    { s: { ...text, pattern: "^[1-9][0-9]{0,3}x[1-9][0-9]{0,3}$" } },
    { s: object({ w: { ...integer, maximum: 9999 }, h: { ...integer, maximum: 9999 } }, ["w", "h"]) },
    [
      { step: "parse", at: "/data/s", text: "{/data/w}x{/data/h}" },
      { step: "text-to-number", at: "/data/w" },
      { step: "text-to-number", at: "/data/h" },
      { step: "move", from: "/data/w", to: "/data/s/w" },
      { step: "move", from: "/data/h", to: "/data/s/h" },
    ],
    ({ s, ...rest }) => {
      const [w, h] = String(s).split("x").map(Number);
      return s === undefined ? rest : { ...rest, s: { w: w ?? 0, h: h ?? 0 } };
    },
  ],
  [
    "a part would be too long",
    { t: { ...text, pattern: "^[a-z]*:[a-z]*$" } },
    { f: { ...text, maxLength: 3 }, l: text },
    [{ step: "parse", at: "/data/t", text: "{/data/f}:{/data/l}" }],
    (payload) => payload,
    "impossible",
  ],
  [
    "names in items of a list",
    { x: list(both(word, word)) },
    { x: list(object({ t: text }, ["t"])) },
    [{ step: "template", at: "/data/x/*/t", text: "{/data/x/*/f} {/data/x/*/l}" }],
    (payload) =>
      Array.isArray(payload.x)
        ? { x: payload.x.map((each: Json) => (isObject(each) ? join((f, l) => `${f} ${l}`)(each) : each)) }
        : payload,
  ],
  [
    "names in the values of a map",
    { x: map(object({ t: { ...text, pattern: "^[a-z]*-[a-z-]*$" } })) },
    { x: map(object({ f: text, l: text })) },
    [{ step: "parse", at: "/data/x/{*}/t", text: "{/data/x/{*}/f}-{/data/x/{*}/l}" }],
    at("x", (members) =>
      Object.fromEntries(
        Object.entries(members).map(([name, each]) => {
          if (!isObject(each) || each.t === undefined) return [name, each] as const;
          const [f = "", ...others] = String(each.t).split("-");
          return [name, { f, l: others.join("-") }] as const;
        }),
      ),
    ),
  ],
  [
    "two names change their order",
    { t: { ...text, pattern: "^[a-z]+, [a-z]+$" } },
    { t: { ...text, pattern: "^[a-z]+ [a-z]+$" } },
    [
      { step: "parse", at: "/data/t", text: "{/data/l}, {/data/f}" },
      { step: "template", at: "/data/t", text: "{/data/f} {/data/l}" },
    ],
    ({ t, ...rest }) => (t === undefined ? rest : { ...rest, t: String(t).split(", ").reverse().join(" ") }),
  ],
];

/** Migrations with texts that have parts. */
export const TEXTS: readonly Migration[] = [
  ...createStepMigrations(ROWS),
  {
    name: "a name at every depth",
    before: {
      properties: { o: refer("N") },
      defs: { N: object({ f: word, l: word, c: list(refer("N")) }, ["f", "l"]) },
    },
    after: { properties: { o: refer("N") }, defs: { N: object({ t: text, c: list(refer("N")) }, ["t"]) } },
    steps: [
      {
        step: "template",
        at: "/data/o/**/t",
        text: "{/data/o/**/f} {/data/o/**/l}",
        through: ["/data/o/**/c/*"],
      },
    ],
    carry: data(
      at(
        "o",
        node(
          join((f, l) => `${f} ${l}`),
          "c",
        ),
      ),
    ),
  },
];
