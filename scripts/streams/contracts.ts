/** Generates pairs of stream contracts that differ in one declaration: it is added, removed, or one property is altered. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isObject, type Json, type JsonObject } from "../../generator/json.js";

export const TYPES = ["e1", "e2", "e3", "e4"] as const;

/** A kind of values that a field may have: its schema, and values that writers may send. */
export interface FieldKind {
  readonly schema: JsonObject;
  readonly values: readonly Json[];
}

const TEXT: FieldKind = { schema: { type: "string" }, values: ["x", "y", "p_x_x", "/x"] };
const NUMBER: FieldKind = { schema: { type: "integer" }, values: [0, 1, 2] };

/** The kinds of the two fields that rules compare. */
export const KINDS: { readonly [kind: string]: FieldKind } = {
  string: TEXT,
  enum: { schema: { enum: ["x", "y", "z"] }, values: ["x", "y", "z"] },
  openEnum: { schema: { type: "string", "x-extensible-enum": ["x", "y"] }, values: ["x", "y"] },
  boolean: { schema: { type: "boolean" }, values: [true, false] },
  integer: NUMBER,
  nullable: { schema: { type: ["string", "null"] }, values: ["x", "y", null] },
  list: { schema: { type: "array", items: { type: "string" } }, values: [["x"], ["y"], ["x", "y"], []] },
  constant: { schema: { const: "x" }, values: ["x"] },
  pattern: { schema: { type: "string", pattern: "^[a-f]{2}$" }, values: ["ab", "cd"] },
  long: { schema: { type: "string", minLength: 3 }, values: ["xyz", "abc", "xyzxyz", "/xy"] },
  amount: { schema: { type: "integer", minimum: 100 }, values: [100, 101, 140] },
  // Fields of these kinds have few values in common.
  low: { schema: { type: "integer", maximum: 100 }, values: [100, 99, 0] },
  fraction: { schema: { type: "number" }, values: [0, 0.5, 1] },
  start: { schema: { type: "string", pattern: "^q" }, values: ["q7", "qab"] },
  end: { schema: { type: "string", pattern: "7$" }, values: ["q7", "ab7"] },
};

interface FieldKinds {
  readonly [field: string]: FieldKind;
}

/** The other fields of every payload. */
const OTHER_FIELDS: FieldKinds = {
  key: { schema: { type: "string" }, values: ["x", "y"] },
  n: NUMBER,
  m: NUMBER,
  o: { schema: { type: "integer" }, values: [0, 1, 100] },
  t: { schema: { type: "string" }, values: ["x", "y", "xy"] },
  u: { schema: { type: "string" }, values: ["x", "xy", "p_x_y"] },
  state: { schema: { type: "string" }, values: ["x", "y", "z"] },
  flag: { schema: { type: "boolean" }, values: [true, false] },
  names: {
    schema: { type: "array", items: { type: "string" } },
    values: [["flag"], ["nowhere"], []],
  },
};

/** Fields whose values are rarely equal, and seldom among the smallest ones. */
const NARROW_FIELDS: FieldKinds = {
  ...OTHER_FIELDS,
  n: { schema: { type: "integer", minimum: 0, maximum: 5 }, values: [0, 1, 5] },
  m: { schema: { type: "integer", minimum: 7 }, values: [7, 8, 14] },
  o: { schema: { type: "number" }, values: [0, 0.5, 50, 101] },
  t: { schema: { type: "string", minLength: 7 }, values: ["abcdefg", "gfedcba"] },
};

const ENVELOPE_FIELDS: FieldKinds = {
  alias: { schema: { type: "string" }, values: ["s", "x"] },
  kind: { schema: { type: "string" }, values: ["x", "y"] },
  agent: { schema: { type: "string" }, values: ["A", "B", "C"] },
  parent: { schema: { type: "string" }, values: ["", "A", "B"] },
};

/** The fields of a contract, apart from its stream rules. */
export interface ContractFields {
  /** The kinds of the fields `a` and `b`. */
  readonly a: FieldKind;
  readonly b: FieldKind;
  readonly isNumbered: boolean;
  /** True if every payload has all fields. */
  readonly isComplete: boolean;
  /** True if fields have few values, which are rarely equal. */
  readonly isNarrow: boolean;
}

/** The kinds of all fields. */
export function listFieldKinds({ a, b, isNarrow }: ContractFields) {
  return { payload: { a, b, ...(isNarrow ? NARROW_FIELDS : OTHER_FIELDS) }, envelope: ENVELOPE_FIELDS };
}

/** Writes the schemas of a contract. */
export function writeContract(folder: string, contract: ContractFields): void {
  const { isNumbered, isComplete } = contract;
  const { payload, envelope } = listFieldKinds(contract);
  const describe = (fields: FieldKinds): JsonObject =>
    Object.fromEntries(
      Object.entries(fields).map(([name, { schema }]) => [name, { description: "A field.", ...schema }]),
    );
  const write = (file: string, content: JsonObject): void => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), JSON.stringify(content));
  };
  const about = { title: "A", description: "An object.", type: "object", "x-stability": "candidate" };
  write("protocol.json", {
    name: "trial",
    major: 1,
    version: "1.0",
    title: "Trial",
    description: "A protocol.",
    envelope: { discriminator: "type", payload: { placement: "nested", property: "data" } },
    stream: isNumbered ? { key: ["id"], sequence: "seq", first: 0 } : { key: ["id"] },
  });
  write("envelope.schema.json", {
    ...about,
    properties: {
      type: { type: "string", description: "The type." },
      id: { type: "string", description: "The stream." },
      seq: { type: "integer", minimum: 0, description: "The number." },
      ...describe(envelope),
      data: { type: "object", description: "The payload." },
    },
    required: ["type", "id", "data", ...(isNumbered ? ["seq"] : [])],
  });
  for (const type of TYPES)
    write(`events/${type}.schema.json`, {
      ...about,
      title: type,
      "x-since": "1.0",
      properties: describe(payload),
      required: isComplete ? Object.keys(payload) : [],
    });
}

/** Full declarations of each member, which together have every property that it may have. */
export const FULL_DECLARATIONS: { readonly [member: string]: JsonObject | readonly JsonObject[] } = {
  gaps: { type: "e1", first: "n", last: "m" },
  terminal: { opens: ["e1"], types: ["e2"], final: true, once: true },
  openings: { type: "e1", after: ["e2"] },
  lifecycles: [
    { key: "a", start: ["e1"], end: ["e2"], after: ["e3"], needsStart: true },
    { key: "a", start: ["e1"], end: ["e2"], restart: ["e3"], endsInStream: true },
  ],
  pairs: { open: "e1", close: "e2", same: ["a"], reset: ["e3"] },
  transitions: {
    name: "thing",
    moves: { x: ["y"], y: ["z"], z: [] },
    events: [
      { type: "e1", key: "a", to: "b", from: "state", when: { flag: true } },
      { type: "e2", key: "a", state: "y" },
    ],
  },
  machines: {
    name: "thing",
    key: "a",
    initial: "x",
    changes: [
      { types: ["e1"], when: { flag: true }, from: ["x", "y"], to: "y" },
      { types: ["e2", "e1"], from: ["y"], to: "z" },
    ],
    forbids: [
      { in: ["y"], types: ["e3", "e4"], except: ["e4"], same: "b" },
      { in: ["x"], types: ["e4"], when: { flag: true }, same: "a" },
      { in: ["z"], types: ["e3"], has: ["u"] },
    ],
  },
  texts: { delta: "e1", part: "t", whole: "e2", text: "b", key: ["a"], restart: ["e3"] },
  offsets: {
    type: "e1",
    key: ["a", "b"],
    offset: "n",
    data: "t",
    start: ["e3"],
    end: "e2",
    totals: { x: "m" },
    unless: "flag",
  },
  exclusives: { types: ["e1", "e2"], reset: ["e3"] },
  rising: [
    { type: "e1", fields: ["a", "n"], restart: ["e3"] },
    { type: "e1", fields: ["n"], step: 1, first: 1, restart: ["e3"] },
  ],
  ordered: { type: "e1", fields: ["n", "a", "b"], upToSequence: true },
  sums: { type: "e1", sum: "a", of: ["n", "b"], plus: { type: "e2", field: "m", until: ["e3"], initial: 0 } },
  counts: { type: "e1", field: "b", of: ["e2"], key: "a", start: ["e3"] },
  only: { types: ["e1"], field: "b", of: { type: "e2", key: "a" }, is: ["x"], not: ["y"] },
  aliases: { field: "alias", of: "id", where: { kind: "x" } },
  relativePaths: { type: "e1", field: "a" },
  hierarchy: { id: "agent", parent: "parent" },
  preparations: {
    type: "e1",
    name: "b",
    when: { flag: true },
    failed: ["e4"],
    work: { start: "e2", end: ["e3"], key: "a", name: "b" },
  },
  dedicatedStreams: [
    { types: ["e1"], key: "a", stream: "id", where: { kind: "x" }, excluded: ["e2"] },
    { types: ["e1"], key: "a", stream: "id", always: true },
  ],
  agree: { types: ["e1", "e2"], fields: ["a", "b"] },
  differ: { type: "e1", field: "a", from: "b", fromEnvelope: "id" },
  constant: [
    { key: "key", types: ["e1", "e2"], fields: ["a", "b"], oneValue: true, restart: ["e3"] },
    { types: ["e1", "e2"], fields: ["alias", "kind"], inEnvelope: true },
  ],
  templates: { field: "u", template: "p_{a}_{b}" },
  chains: { type: "e1", previous: "a", current: "b", copies: [{ type: "e2", field: "a" }] },
  thresholds: { type: "e1", value: "n", of: "a", percent: "o", once: true },
  redactions: { keys: "names", paths: "a" },
  stages: { key: "a", stages: [["e1"], ["e2"], ["e3"], ["e4"]], repeat: ["e2"] },
  blocks: [
    {
      after: ["e1"],
      when: { flag: true },
      without: ["u"],
      key: "a",
      forbids: ["e2"],
      forbidsWhen: { flag: true },
      until: { types: ["e3"], key: "b", when: { flag: true }, expiry: ["e4"] },
    },
    { after: ["e1"], beforeEnd: true, forbids: ["e2", "e3"], except: ["e3"] },
  ],
};

const SINGLE_MEMBERS: ReadonlySet<string> = new Set(["terminal", "hierarchy", "redactions"]);

/** Properties without which a declaration means nothing. */
const REQUIRED: { readonly [member: string]: readonly string[] } = {
  gaps: ["type"],
  terminal: ["opens", "types"],
  openings: ["type"],
  lifecycles: ["key", "start", "end"],
  pairs: ["open", "close"],
  transitions: ["name", "moves", "events", "type", "key"],
  machines: ["name", "initial", "changes", "types", "in"],
  texts: ["delta", "part", "whole", "text", "key"],
  offsets: ["type", "key", "offset", "data"],
  exclusives: ["types", "reset"],
  rising: ["type", "fields"],
  ordered: ["type", "fields"],
  sums: ["type", "sum", "of", "field"],
  counts: ["type", "field", "of", "key", "start"],
  only: ["types", "field", "type", "key"],
  aliases: ["field", "of"],
  relativePaths: ["type", "field"],
  hierarchy: ["id", "parent"],
  preparations: ["type", "name", "work", "start", "end", "key"],
  dedicatedStreams: ["types", "key", "stream"],
  agree: ["types", "fields"],
  differ: ["type", "field"],
  constant: ["fields"],
  templates: ["field", "template"],
  chains: ["type", "previous", "current", "field"],
  thresholds: ["type", "value", "of", "percent"],
  redactions: ["keys", "paths"],
  stages: ["key", "stages"],
  blocks: ["after", "forbids", "types"],
};

/** Two sets of stream rules that differ in one declaration. */
export interface RulePair {
  readonly member: string;
  readonly change: string;
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** Returns the pairs of a member. The rules in `context` stand on both sides. */
export function listRulePairs(member: string, context: JsonObject): RulePair[] {
  return [FULL_DECLARATIONS[member] ?? []]
    .flat()
    .flatMap((full) => listDeclarationPairs(member, full, context));
}

function listDeclarationPairs(member: string, full: JsonObject, context: JsonObject): RulePair[] {
  const required = REQUIRED[member] ?? [];
  const minimal = Object.fromEntries(Object.entries(full).filter(([name]) => required.includes(name)));
  const wrap = (declared: JsonObject | undefined): JsonObject => {
    const { [member]: own, ...others } = context;
    if (declared === undefined) return own === undefined ? others : { ...others, [member]: own };
    if (SINGLE_MEMBERS.has(member)) return { ...others, [member]: declared };
    return { ...others, [member]: [...((own as readonly Json[] | undefined) ?? []), declared] };
  };
  const changes: [string, JsonObject | undefined, JsonObject | undefined][] = [
    ["added", undefined, full],
    ["removed", full, undefined],
    ["minimal added", undefined, minimal],
    ["minimal removed", minimal, undefined],
    ["completed", minimal, full],
    ...alter(full, required).flatMap(([change, altered]): [string, JsonObject, JsonObject][] => [
      [change, full, altered],
      [`${change}, undone`, altered, full],
    ]),
  ];
  return changes.map(([change, before, after]) => ({
    member,
    change,
    before: wrap(before),
    after: wrap(after),
  }));
}

/** Names that can replace each other. */
const FAMILIES: readonly (readonly string[])[] = [
  TYPES,
  ["a", "b", "key", "state"],
  ["n", "m", "o"],
  ["t", "u"],
  ["x", "y", "z"],
  ["alias", "kind"],
  ["agent", "parent"],
];

/** Returns a declaration with each property removed, where it is optional, and with each value changed. */
function alter(declared: JsonObject, required: readonly string[], at = ""): [string, JsonObject][] {
  return Object.entries(declared).flatMap(([name, value]): [string, JsonObject][] => {
    const place = `${at}${name}`;
    const { [name]: _removed, ...rest } = declared;
    const removed: [string, JsonObject][] = required.includes(name) ? [] : [[`${place} removed`, rest]];
    const changed = alterValue(value, required, place).map(([change, other]): [string, JsonObject] => [
      change,
      { ...declared, [name]: other },
    ]);
    return [...removed, ...changed];
  });
}

function alterValue(value: Json, required: readonly string[], place: string): [string, Json][] {
  if (typeof value === "boolean") return [[`${place} flipped`, !value]];
  if (typeof value === "number") return [[`${place} ${value + 1} for ${value}`, value + 1]];
  if (typeof value === "string") {
    const family = FAMILIES.find((names) => names.includes(value));
    const other = family?.[(family.indexOf(value) + 1) % family.length];
    return other === undefined ? [] : [[`${place} ${other} for ${value}`, other]];
  }
  if (isObject(value)) return alter(value, required, `${place}.`);
  if (!Array.isArray(value)) return [];
  const [first, ...others] = value as readonly Json[];
  const shorter: [string, Json][] = others.length > 0 ? [[`${place} without the first`, others]] : [];
  const longer = alterValue(value.at(-1) ?? null, required, place).flatMap(([, other]): [string, Json][] =>
    typeof other === "string" && !value.includes(other)
      ? [[`${place} with ${other}`, [...value, other]]]
      : [],
  );
  const changed = first === undefined ? [] : alterValue(first, required, `${place}[0]`);
  const [last, secondLast] = value.toReversed();
  const swapped: [string, Json][] =
    last === undefined || secondLast === undefined
      ? []
      : [[`${place} with the last two swapped`, [...value.slice(0, -2), last, secondLast]]];
  return [
    ...shorter,
    ...swapped,
    ...longer,
    ...changed.map(([change, other]): [string, Json] => [change, [other, ...others]]),
  ];
}

/** The members of stream rules that contracts are generated for. */
export const MEMBERS = Object.keys(FULL_DECLARATIONS);
