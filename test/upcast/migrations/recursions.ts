/** Migrations of definitions that hold themselves. */
import { isObject, type Json, type JsonObject } from "../../../generator/json.js";
import { at, data, keep, node, oneOfTexts, rename, replace } from "./changes.js";
import { integer, list, type Migration, map, object, refer, renamed, tombstone } from "./migration.js";

const carryFirst = (value: JsonObject): JsonObject =>
  rename({ x: "xx" })(at("b", (second) => rename({ y: "yy" })(at("a", carryFirst)(second)))(value));

/** Migrations of trees and of other definitions that hold themselves. */
export const RECURSIONS: readonly Migration[] = [
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
  {
    name: "26 definitions that refer twice to the next one",
    before: { properties: { u: refer("D0") }, defs: chainDefinitions(26, object({ x: integer })) },
    after: {
      properties: { u: refer("D0") },
      defs: chainDefinitions(26, object({ y: renamed(integer, "x") })),
    },
    verdict: "incomplete",
    carry: keep,
  },
  {
    // The condition of each move grows by the conditions of all objects around it, beyond what the proof can hold.
    name: "two definitions that refer twice to the next one",
    before: { properties: { u: refer("D0") }, defs: chainDefinitions(2, object({ x: integer })) },
    after: {
      properties: { u: refer("D0") },
      defs: chainDefinitions(2, object({ y: renamed(integer, "x") })),
    },
    verdict: "undecided",
    carry: data(at("u", (value) => renameLeaves(value, 2))),
  },
];

/** Returns definitions that refer twice to the next one; the last one refers to `leaf`. */
function chainDefinitions(count: number, leaf: JsonObject): JsonObject {
  const definitions = Array.from({ length: count }, (_, index): [string, JsonObject] => {
    const next = refer(`D${index + 1}`);
    return [`D${index}`, object({ a: next, b: next })];
  });
  return { ...Object.fromEntries(definitions), [`D${count}`]: leaf };
}

function renameLeaves(value: Json, depth: number): Json {
  if (!isObject(value)) return value;
  if (depth === 0) return rename({ x: "y" })(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      name === "a" || name === "b" ? renameLeaves(each, depth - 1) : each,
    ]),
  );
}
