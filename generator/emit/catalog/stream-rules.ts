/** What a contract promises about whole streams, in sentences: one for each declaration in `stream.rules`. */
import type { Bound, StreamRules } from "../../protocol/stream-rules.js";
import { eventId, type Pen } from "./renderer.js";

/** The sentences of each kind of declaration; a kind that is missing here does not compile. */
const SENTENCES: {
  readonly [kind in keyof StreamRules]-?: (
    declared: NonNullable<StreamRules[kind]> extends readonly (infer One)[]
      ? One
      : NonNullable<StreamRules[kind]>,
    words: Words,
  ) => string;
} = {
  terminal: ({ types, opens, final, once }, { or }) =>
    `A stream ends with ${or(types)}${once ? ", once" : ""}; it begins anew with ${or(opens)}.${final ? " Nothing comes after the end." : ""}`,
  openings: ({ type, after = [] }, { or, event }) =>
    `${event(type)} comes first in its stream${after.length > 0 ? `, or after ${or(after)}` : ""}.`,
  gaps: ({ type, first, last }, { event, code }) =>
    `${event(type)} says that events are missing${first === undefined || last === undefined ? "" : `: those from ${code(first)} to ${code(last)}`}.`,
  lifecycles: ({ key, start, end, after = [], needsStart }, { or, code }) =>
    `What ${code(key)} names begins with ${or(start)}${end.length === 0 ? "." : ` and ends once, with ${or(end)}; nothing more is said of it then${after.length > 0 ? `, but for ${or(after)}` : ""}.`}${needsStart ? " Nothing is said of it before." : ""}`,
  pairs: ({ open, close, same = [] }, { event, fields }) =>
    `${event(open)} and ${event(close)} come in turns${same.length > 0 ? `, with the same ${fields(same)}` : ""}.`,
  transitions: ({ name, moves, events }, { prose, code, types, values }) => {
    const states = Object.entries(moves).map(
      ([from, to]) => `${code(from)} → ${to.length > 0 ? values(to) : "no other"}`,
    );
    return `The states of each ${prose(name)}: ${states.join("; ")}. They are told by ${types(events.map(({ type }) => type))}.`;
  },
  texts: ({ delta, part, whole, text, key }, { event, code, fields }) =>
    `The pieces in ${code(part)} of ${event(delta)} make up ${code(text)} of ${event(whole)} with the same ${fields(key)}, character by character; no piece comes after it.`,
  offsets: ({ type, key: [source, output], offset, data }, { event, code }) =>
    `${code(offset)} of ${event(type)} is the number of bytes of UTF-8 that were sent in ${code(data)} before, for each ${code(output)} of each ${code(source)}.`,
  exclusives: ({ types, reset }, { or }) =>
    `Only one of ${or(types)} is used at a time; ${or(reset)} lets the other one follow.`,
  rising: ({ type, fields: names }, { event, fields }) =>
    `In each ${event(type)}, ${fields(names)} ${names.length === 1 ? "is" : "are"} at least what the one before had.`,
  ordered: ({ type, fields: names }, { event, code }) =>
    `In ${event(type)}, ${names.map((name) => code(name)).join(" ≤ ")}.`,
  sums: ({ type, sum, of }, { event, code }) =>
    `In ${event(type)}, ${code(sum)} = ${of.map((name) => code(name)).join(" + ")}.`,
  only: ({ types: names, field, of, is, not }, { types, code, values, event }) =>
    `${types(names)}: only where ${code(field)}${of ? ` of ${event(of.type)} with the same ${code(of.key)}` : ""} is ${is ? values(is) : `not ${values(not ?? [])}`}.`,
  aliases: ({ field, of, where = {} }, { code }) =>
    `${code(field)} repeats ${code(of)}${Object.entries(where)
      .map(([name, value]) => `, and stands only where ${code(name)} is ${code(value)}`)
      .join("")}.`,
  relativePaths: ({ type, field }, { event, code }) =>
    `${code(field)} of ${event(type)} holds no absolute path.`,
  hierarchy: ({ id, parent }, { code }) =>
    `${code(parent)} is empty, or names the ${code(id)} of one whose own ${code(parent)} is empty: there are two layers.`,
};

/** How things are named. */
interface Words {
  prose(text: string): string;
  code(name: string): string;
  event(type: string): string;
  /** Event types, the last one after "or" or "and". */
  or(types: readonly string[]): string;
  types(types: readonly string[]): string;
  fields(names: readonly string[]): string;
  values(values: readonly string[]): string;
}

/** A sentence for every promise about streams, each as a line of a list; empty if there is none. */
export function streamRuleLines(rules: StreamRules | undefined, pen: Pen): string {
  const event = (type: string): string => pen.link(eventId(type), type);
  const words: Words = {
    ...{ prose: pen.prose, code: pen.code, event },
    or: (types) => pen.list(types.map(event), "or"),
    types: (types) => pen.list([...new Set(types)].map(event), "and"),
    fields: (names) => pen.list(names.map(pen.code), "and"),
    values: (values) => pen.list(values.map(pen.code), "or"),
  };
  const kinds = Object.keys(SENTENCES) as (keyof StreamRules)[];
  return kinds.flatMap((kind) => sentences(kind, rules?.[kind], words)).join("\n");
}

function sentences<Kind extends keyof StreamRules>(
  kind: Kind,
  declared: StreamRules[Kind],
  words: Words,
): string[] {
  const all = declared === undefined ? [] : [declared].flat();
  const say = SENTENCES[kind] as (one: unknown, words: Words) => string;
  return all.map((one) => {
    const { profile } = one as Bound;
    return `- ${say(one, words)}${profile === "writer" ? " Readers may not rely on it." : ""}`;
  });
}
