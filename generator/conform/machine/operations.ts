/** What decides the results of values and conditions besides their operands. */
import type { Condition, Value } from "./language.js";

/** Fields of the event or nothing, the place of the event or the whole of it, or rows. */
type Source = "fields" | "place" | "rows";

const VALUES: { readonly [operation in Value["op"]]: Source } = {
  constant: "fields",
  payload: "fields",
  envelope: "fields",
  type: "fields",
  first: "fields",
  add: "fields",
  multiply: "fields",
  subtract: "fields",
  divide: "fields",
  minimum: "fields",
  bytes: "fields",
  units: "fields",
  join: "fields",
  sequence: "place",
  epoch: "place",
  event: "place",
  index: "place",
  gap: "place",
  item: "place",
  path: "place",
  counterpart: "place",
  key: "rows",
  cell: "rows",
  textUnits: "rows",
  covered: "rows",
  keys: "rows",
};

const CONDITIONS: { readonly [operation in Condition["op"]]: Source } = {
  not: "fields",
  all: "fields",
  any: "fields",
  equal: "fields",
  differ: "fields",
  less: "fields",
  atMost: "fields",
  present: "fields",
  is: "fields",
  in: "fields",
  matches: "fields",
  lists: "fields",
  related: "fields",
  hasReplacement: "fields",
  seenFromStart: "place",
  ended: "place",
  hasMember: "place",
  hasPath: "place",
  exists: "rows",
  current: "rows",
  sameText: "rows",
  endsWithText: "rows",
};

const SOURCES: ReadonlyMap<string, Source> = new Map(Object.entries({ ...VALUES, ...CONDITIONS }));

/** Returns whether an operation is one of conditions. */
export function isCondition(node: { readonly op: string }): node is Condition {
  return node.op in CONDITIONS;
}

/** Returns whether a node reads nothing but fields of the event, apart from its operands. */
export function readsFields({ op }: { readonly op: string }): boolean {
  return SOURCES.get(op) === "fields";
}

/** Returns whether a node reads rows, apart from its operands. */
export function readsRow({ op }: { readonly op: string }): boolean {
  return SOURCES.get(op) === "rows";
}
