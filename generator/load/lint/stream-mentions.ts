import { join } from "../../json.js";
import type { StreamRules, Transitions } from "../../protocol/stream-rules.js";

/** A name that a rule of streams uses, and what it must be the name of. */
export interface Mention {
  /** JSON pointer below `stream.rules`. */
  readonly pointer: string;
  readonly name: string;
  readonly is:
    | { readonly kind: "type" | "envelope" }
    /** A payload field of each of these event types. */
    | { readonly kind: "field"; readonly types: readonly string[] }
    | { readonly kind: "state"; readonly states: readonly string[] };
}

type Text = string | undefined;

/** Every name that the rules use, in the order of the members' table. */
export function streamMentions(rules: StreamRules): Mention[] {
  return MEMBERS.flatMap((member) => {
    const declared = rules[member];
    const list = declared === undefined ? [] : Array.isArray(declared) ? declared : [declared];
    return list.flatMap((each, index) =>
      mentionsOf(member, each).map((mention) => {
        const at = Array.isArray(declared) ? join("", member, index) : join("", member);
        return { ...mention, pointer: at + mention.pointer };
      }),
    );
  });
}

const types = (names: readonly Text[], ...path: readonly string[]): Mention[] =>
  many(names, path, { kind: "type" });
const fields = (of: readonly Text[], names: readonly Text[], ...path: readonly string[]): Mention[] =>
  many(names, path, { kind: "field", types: of.filter((type) => type !== undefined) });
const envelope = (names: readonly Text[], ...path: readonly string[]): Mention[] =>
  many(names, path, { kind: "envelope" });

/** Names that stand at `path`, or in a list there if there is more than one place. */
function many(names: readonly Text[], path: readonly string[], is: Mention["is"]): Mention[] {
  return names.flatMap((name, index) =>
    name === undefined
      ? []
      : [{ pointer: join("", ...path.map((token) => (token === "*" ? index : token))), name, is }],
  );
}

type Member = keyof StreamRules;
type Declared<M extends Member> = Required<StreamRules>[M] extends readonly (infer One)[]
  ? One
  : Required<StreamRules>[M];

/** What each declaration names. A `*` in a path is the index in the list. */
const TABLE: { readonly [M in Member]: (declared: Declared<M>) => Mention[] } = {
  gaps: ({ type, first, last }) => [
    ...types([type], "type"),
    ...fields([type], [first], "first"),
    ...fields([type], [last], "last"),
  ],
  terminal: (rule) => [...types(rule.opens, "opens", "*"), ...types(rule.types, "types", "*")],
  openings: ({ type, after = [] }) => [...types([type], "type"), ...types(after, "after", "*")],
  lifecycles: ({ key, start, end, after = [] }) => [
    ...types(start, "start", "*"),
    ...types(end, "end", "*"),
    ...types(after, "after", "*"),
    ...fields([...start, ...end], [key], "key"),
  ],
  pairs: ({ open, close, same = [] }) => [
    ...types([open], "open"),
    ...types([close], "close"),
    ...fields([open, close], same, "same", "*"),
  ],
  transitions: stateMentions,
  texts: ({ delta, part, whole, text, key, restart = [] }) => [
    ...types([delta], "delta"),
    ...types([whole], "whole"),
    ...types(restart, "restart", "*"),
    ...fields([delta], [part], "part"),
    ...fields([whole], [text], "text"),
    ...fields([delta, whole], key, "key", "*"),
  ],
  offsets: ({ type, key, offset, data, start = [], end, totals = {}, unless }) => [
    ...types([type], "type"),
    ...types(start, "start", "*"),
    ...types([end], "end"),
    ...fields([type, ...start, end], [key[0]], "key", "0"),
    ...fields([type], [key[1]], "key", "1"),
    ...fields([type], [offset], "offset"),
    ...fields([type], [data], "data"),
    ...Object.entries(totals).flatMap(([output, field]) => fields([end], [field], "totals", output)),
    ...fields([end], [unless], "unless"),
  ],
  exclusives: (rule) => [...types(rule.types, "types", "*"), ...types(rule.reset, "reset", "*")],
  rising: (rule) => [...types([rule.type], "type"), ...fields([rule.type], rule.fields, "fields", "*")],
  ordered: (rule) => [...types([rule.type], "type"), ...fields([rule.type], rule.fields, "fields", "*")],
  sums: ({ type, sum, of }) => [
    ...types([type], "type"),
    ...fields([type], [sum], "sum"),
    ...fields([type], of, "of", "*"),
  ],
  only: ({ types: names, field, of }) => [
    ...types(names, "types", "*"),
    ...(of === undefined
      ? envelope([field], "field")
      : [
          ...types([of.type], "of", "type"),
          ...fields([of.type, ...names], [of.key], "of", "key"),
          ...fields([of.type], [field], "field"),
        ]),
  ],
  aliases: ({ field, of, where = {} }) => [
    ...envelope([field], "field"),
    ...envelope([of], "of"),
    ...Object.keys(where).flatMap((name) => envelope([name], "where", name)),
  ],
  relativePaths: ({ type, field }) => [...types([type], "type"), ...fields([type], [field], "field")],
  hierarchy: ({ id, parent }) => [...envelope([id], "id"), ...envelope([parent], "parent")],
};

const MEMBERS = Object.keys(TABLE) as Member[];

function mentionsOf<M extends Member>(member: M, declared: unknown): Mention[] {
  return TABLE[member](declared as Declared<M>);
}

function stateMentions({ moves, events }: Transitions): Mention[] {
  const is = { kind: "state", states: Object.keys(moves) } as const;
  return [
    ...Object.entries(moves).flatMap(([state, next]) => many(next, ["moves", state, "*"], is)),
    ...events.flatMap(({ type, key, to, from, state, when = {} }, index) => {
      const at = ["events", String(index)];
      return [
        ...types([type], ...at, "type"),
        ...fields([type], [key], ...at, "key"),
        ...fields([type], [to], ...at, "to"),
        ...fields([type], [from], ...at, "from"),
        ...Object.keys(when).flatMap((name) => fields([type], [name], ...at, "when", name)),
        ...many([state], [...at, "state"], is),
      ];
    }),
  ];
}
