/** Renames of the fields of one object, in objects at many places. */
import { createObject, isObject, type Json, type JsonObject } from "../../../generator/json.js";
import {
  fixed,
  integer,
  list,
  type Migration,
  map,
  object,
  oneOf,
  refer,
  text,
  type Version,
} from "./migration.js";

/**
 * A row: the fields before, the fields afterwards, and the new names by the old ones. `b<a` was renamed from a, `!` is required,
 * `~` is deprecated.
 */
type Row = readonly [
  name: string,
  before: string,
  after: string,
  names: { readonly [old: string]: string },
  verdict?: Migration["verdict"],
];

const ROWS: readonly Row[] = [
  ["a rename", "a c", "b<a c", { a: "b" }],
  ["a rename of a required field", "a! c", "b<a! c", { a: "b" }],
  ["a chain", "a b", "b<a c<b", { a: "b", b: "c" }],
  ["a chain of required fields in the other order", "a! b!", "c<b! b<a!", { a: "b", b: "c" }],
  ["a chain of four", "a b c d", "b<a c<b d<c e<d", { a: "b", b: "c", c: "d", d: "e" }],
  ["a swap", "a b", "a<b b<a", { a: "b", b: "a" }],
  ["a swap of required fields", "a! b!", "a<b! b<a!", { a: "b", b: "a" }],
  ["a circle of three", "a b c", "b<a c<b a<c", { a: "b", b: "c", c: "a" }],
  [
    "a circle of four, and the temporary name is taken",
    "a b c d old_a",
    "b<a c<b d<c a<d old_a",
    { a: "b", b: "c", c: "d", d: "a" },
  ],
  ["two swaps", "a b c d", "a<b b<a c<d d<c", { a: "b", b: "a", c: "d", d: "c" }],
  ["a swap and a chain", "a b c d", "a<b b<a d<c e<d", { a: "b", b: "a", c: "d", d: "e" }],
  ["a name that is taken over", "a", "a b<a", { a: "b" }],
  ["names that are taken over in a chain", "a b", "a b<a c<b", { a: "b", b: "c" }],
  ["an old name that stays for a while", "a", "a~ b<a", {}],
  ["a former name that nobody has", "a", "a b<z", {}],
  ["a field that was renamed before", "b", "b<a", {}],
  ["new fields beside a rename", "a", "b<a n m", { a: "b" }],
  ["a name in the way", "a b", "b<a", {}, "impossible"],
  ["two new names for one field", "a", "b<a c<a", {}, "incomplete"],
];

function readFields(spec: string): JsonObject {
  const fields = spec.split(" ").map((word): [string, JsonObject] => {
    const [, name = "", was] = /^(\w+)(?:<(\w+))?/.exec(word) ?? [];
    const schema = {
      ...integer,
      ...(was !== undefined && { "x-renamed-from": was }),
      ...(word.endsWith("~") && { deprecated: true, "x-deprecated-since": "2.0", "x-replaced-by": "b" }),
    };
    return [name, schema];
  });
  return createObject(fields);
}

function readRequired(spec: string): string[] {
  return spec.split(" ").flatMap((word) => (word.endsWith("!") ? [/^\w+/.exec(word)?.[0] ?? ""] : []));
}

/** The fields of one version. */
interface Fields {
  readonly properties: JsonObject;
  readonly required: readonly string[];
}

/** Changes an object. */
type Change = (object: Json) => Json;

/** A place for an object: the version around it, and the same place in data. */
interface Holder {
  readonly create: (fields: Fields, original: Fields) => Version;
  readonly carry: (data: JsonObject, change: Change) => JsonObject;
}

const member = (data: JsonObject, name: string, change: Change): JsonObject =>
  data[name] === undefined ? data : { ...data, [name]: change(data[name] ?? null) };
const items =
  (change: Change): Change =>
  (value) =>
    Array.isArray(value) ? value.map((item: Json) => change(item)) : value;
const values =
  (change: Change): Change =>
  (value) =>
    isObject(value)
      ? createObject(Object.entries(value).map(([name, each]) => [name, change(each)] as const))
      : value;
/** Changes a node and those below it, which are at `names`. */
const nodes = (change: Change, ...names: readonly string[]): Change => {
  const visit: Change = (node) => {
    if (!isObject(node)) return node;
    const below = names.reduce(
      (result, name) =>
        member(result, name, (child) =>
          Array.isArray(child) ? child.map((each: Json) => visit(each)) : visit(child),
        ),
      node,
    );
    return change(below);
  };
  return visit;
};
const under = (schema: JsonObject, defs?: JsonObject): Version => ({
  properties: { o: schema },
  required: ["o"],
  ...(defs && { defs }),
});
const toObject = ({ properties, required }: Fields, more: JsonObject = {}): JsonObject =>
  object({ ...more, ...properties }, [...required]);

const HOLDERS: { readonly [name: string]: Holder } = {
  "the payload": {
    create: (fields) => fields,
    carry: (data, change) => change(data) as JsonObject,
  },
  "an object": {
    create: (fields) => under(toObject(fields)),
    carry: (data, change) => member(data, "o", change),
  },
  "an object in an object": {
    create: (fields) => under(object({ i: toObject(fields) }, ["i"])),
    carry: (data, change) => member(data, "o", (outer) => member(outer as JsonObject, "i", change)),
  },
  "a definition that is used twice": {
    create: (fields) => ({
      properties: { o: refer("Part"), p: list(refer("Part")) },
      defs: { Part: toObject(fields) },
    }),
    carry: (data, change) => member(member(data, "o", change), "p", items(change)),
  },
  "items of a list": {
    create: (fields) => under(list(toObject(fields))),
    carry: (data, change) => member(data, "o", items(change)),
  },
  "items of items": {
    create: (fields) => under(list(list(toObject(fields)))),
    carry: (data, change) => member(data, "o", items(items(change))),
  },
  "values of a map": {
    create: (fields) => under(map(toObject(fields))),
    carry: (data, change) => member(data, "o", values(change)),
  },
  "items of the values of a map": {
    create: (fields) => under(map(list(toObject(fields)))),
    carry: (data, change) => member(data, "o", values(items(change))),
  },
  "the second item of a tuple": {
    create: (fields, original) =>
      under({ ...list(toObject(original)), prefixItems: [toObject(original), toObject(fields)] }),
    carry: (data, change) =>
      member(data, "o", (tuple) =>
        Array.isArray(tuple) ? tuple.map((item: Json, index) => (index === 1 ? change(item) : item)) : tuple,
      ),
  },
  "the items behind a tuple": {
    create: (fields, original) => under({ ...list(toObject(fields)), prefixItems: [toObject(original)] }),
    carry: (data, change) =>
      member(data, "o", (tuple) =>
        Array.isArray(tuple) ? tuple.map((item: Json, index) => (index > 0 ? change(item) : item)) : tuple,
      ),
  },
  "a tree": {
    create: (fields) => under(refer("Node"), { Node: toObject(fields, { children: list(refer("Node")) }) }),
    carry: (data, change) => member(data, "o", nodes(change, "children")),
  },
  "a binary tree": {
    create: (fields) =>
      under(refer("Node"), { Node: toObject(fields, { left: refer("Node"), right: refer("Node") }) }),
    carry: (data, change) => member(data, "o", nodes(change, "left", "right")),
  },
  "a list that a definition continues": {
    create: (fields) => ({
      properties: { l: list(refer("Node")) },
      defs: { Node: toObject(fields, { next: refer("Node") }) },
    }),
    carry: (data, change) => member(data, "l", items(nodes(change, "next"))),
  },
  "an object or null": {
    create: (fields) => under({ description: "Maybe.", anyOf: [toObject(fields), { type: "null" }] }),
    carry: (data, change) => member(data, "o", (value) => (value === null ? null : change(value))),
  },
  "one branch of a union": {
    create: (fields, original) =>
      under(
        oneOf(
          object({ kind: fixed("x"), ...fields.properties }, ["kind", ...fields.required]),
          object({ kind: fixed("y"), ...original.properties }, ["kind", ...original.required]),
        ),
      ),
    carry: (data, change) =>
      member(data, "o", (value) => (isObject(value) && value.kind === "x" ? change(value) : value)),
  },
  "one branch of a union in a tree": {
    create: (fields, original) =>
      under(refer("Node"), {
        Node: oneOf(
          object({ kind: fixed("x"), next: refer("Node"), ...fields.properties }, [
            "kind",
            ...fields.required,
          ]),
          object({ kind: fixed("y"), note: text, ...original.properties }, ["kind", ...original.required]),
        ),
      }),
    carry: (data, change) =>
      member(
        data,
        "o",
        nodes((node) => (isObject(node) && node.kind === "x" ? change(node) : node), "next"),
      ),
  },
};

/** Returns the object with its members under their new names, all at once. */
function substitute(names: { readonly [old: string]: string }): Change {
  return (value) =>
    isObject(value)
      ? createObject(Object.entries(value).map(([name, each]) => [names[name] ?? name, each] as const))
      : value;
}

/** Rows that are the same at every place, or that the old branch of a union would contradict. */
export const RENAMES: readonly Migration[] = Object.entries(HOLDERS).flatMap(([holder, { create, carry }]) =>
  ROWS.map(([name, before, after, names, verdict = "proven"]): Migration => {
    const [old, now] = [before, after].map((spec) => ({
      properties: readFields(spec),
      required: readRequired(spec),
    }));
    if (old === undefined || now === undefined) throw new Error("there are two versions");
    const change = substitute(names);
    return {
      name: `${name}, in ${holder}`,
      before: create(old, old),
      after: create(now, old),
      verdict,
      carry: (event) => ({ ...event, data: carry(event.data as JsonObject, change) }),
    };
  }),
);
