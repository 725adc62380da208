/** Migrations of objects of which each is one of several. */
import { isObject, type Json } from "../../../generator/json.js";
import { at, data, keep, oneOfTexts, rename, replace, tagged } from "./changes.js";
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

/** Migrations of one of several objects, and of what tells them apart. */
export const UNIONS: readonly Migration[] = [
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
    name: "a rename in one branch, and a replacement of a field with the same name in another one",
    before: {
      properties: {
        u: oneOf(
          tagged("p", { x: integer }),
          tagged("q", {
            x: { ...integer, deprecated: true, "x-deprecated-since": "1.0", "x-replaced-by": "z" },
            z: integer,
          }),
        ),
      },
    },
    after: {
      properties: { u: oneOf(tagged("p", { y: renamed(integer, "x") }), tagged("q", { z: integer })) },
    },
    carry: data(
      at("u", (u) => {
        if (u.kind === "p") return rename({ x: "y" })(u);
        const { x, ...rest } = u;
        return x === undefined || rest.z !== undefined ? rest : { ...rest, z: x };
      }),
    ),
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
