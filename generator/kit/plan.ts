/** What can happen in streams of a protocol, read off its declared rules. Pure data in, a table of operations out. */
import type { Json } from "../json.js";
import { eventFields } from "../protocol/event-fields.js";
import type { Protocol } from "../protocol/protocol.js";
import type { Lifecycle, StreamRules } from "../protocol/stream-rules.js";
import type { Random } from "../random.js";
import type { Wanted } from "../sample/event-maker.js";
import { remembered } from "../sample/remembered.js";

/** An event that an operation wants to send. */
export interface Proposal {
  readonly type: string;
  readonly wanted: Wanted;
  /** How many numbers are skipped before it; the marker names them in the fields of `gap`. */
  readonly skip?: number;
  readonly gap?: { readonly first?: string; readonly last?: string };
}

/** What an operation may use. */
export interface Circumstances {
  readonly random: Random;
  readonly size: number;
  /** An event type that has to be among what is told; chance decides where it is absent. */
  readonly must?: string | undefined;
  /** A value of a field that nothing else has, of the kind that the field takes. */
  fresh(type: string, field: string): Json;
}

/** Something that can happen, as the events that tell it. */
export interface Happening {
  readonly name: string;
  /** The event types that it can be told to tell of. */
  readonly types: readonly string[];
  propose(circumstances: Circumstances): readonly Proposal[];
}

/** Everything that can happen in streams of `model`: single events first. */
export function happenings(model: Protocol): readonly Happening[] {
  const rules = model.stream?.rules ?? {};
  const special = specialTypes(model, rules);
  const single = model.events.map(({ type }) => type).filter((type) => !special.has(type));
  return [
    ...single.map((type) => ({ name: type, types: [type], propose: () => [{ type, wanted: {} }] })),
    // The rest are few kinds that matter more than single events: each stands in the table several times.
    ...repeat(Math.max(1, Math.ceil(single.length / 12)), [
      ...texts(rules),
      ...lives(model, rules),
      ...pairs(rules),
      ...things(rules),
      ...gaps(rules),
    ]),
  ];
}

/**
 * Each event type that operations can tell of, with the richest of them: chance alone would leave out the rare ones for
 * long. What opens and ends a stream comes by itself.
 */
export function tourOf(table: readonly Happening[], model: Protocol): ReadonlyMap<string, Happening> {
  const stops = model.events.flatMap(({ type }) => {
    const happening = table.findLast(({ types }) => types.includes(type));
    return happening === undefined ? [] : [[type, happening] as const];
  });
  return new Map(stops);
}

function repeat<T>(times: number, items: readonly T[]): T[] {
  return Array.from({ length: times }, () => items).flat();
}

/** The event types that have a field `key` and are neither start nor end of what it names. */
export function membersOf(model: Protocol, rule: Lifecycle): readonly string[] {
  return membersIn(model)(rule);
}

const membersIn = remembered((model: Protocol) =>
  remembered((rule: Lifecycle): readonly string[] => {
    const apart = new Set([...rule.start, ...rule.end, ...(rule.after ?? [])]);
    return model.events
      .filter((event) => !apart.has(event.type) && eventFields(model, event).has(rule.key))
      .map(({ type }) => type);
  }),
);

function specialTypes(model: Protocol, rules: StreamRules): ReadonlySet<string> {
  const { terminal, openings = [], lifecycles = [], pairs = [], texts = [], gaps = [] } = rules;
  return new Set([
    ...(terminal ? [...terminal.opens.slice(0, 1), ...terminal.types] : []),
    ...openings.map(({ type }) => type),
    ...lifecycles.flatMap((rule) => [...rule.start, ...rule.end]),
    ...lifecycles.filter(({ needsStart }) => needsStart).flatMap((rule) => membersOf(model, rule)),
    ...pairs.flatMap(({ open, close }) => [open, close]),
    ...texts.flatMap(({ delta, whole }) => [delta, whole]),
    ...gaps.map(({ type }) => type),
  ]);
}

/** Texts that pieces are cut of: plain words, so that they can be found again in what a consumer shows. */
const PIECES = ["Hello ", "wörld ", "日本 ", "and 🙂 so ", "on.\n", "one more piece "] as const;

function texts({ texts: rules = [] }: StreamRules): Happening[] {
  return rules.map(({ delta, part, whole, text, key }) => ({
    name: `text ${whole}`,
    types: [delta, whole],
    propose({ random, size, fresh, must }) {
      const names = Object.fromEntries(key.map((field) => [field, fresh(whole, field)]));
      const pieces = Array.from({ length: size + 1 }, () => random.pick(PIECES));
      return [
        ...pieces.map((piece) => ({ type: delta, wanted: { ...names, [part]: piece } })),
        ...(random.chance(0.8) || must === whole
          ? [{ type: whole, wanted: { ...names, [text]: pieces.join("") } }]
          : []),
      ];
    },
  }));
}

function lives(model: Protocol, { lifecycles = [] }: StreamRules): Happening[] {
  return lifecycles.map((rule) => {
    const members = membersOf(model, rule);
    return {
      name: `life of ${rule.key}`,
      types: [...rule.start, ...members, ...rule.end],
      propose({ random, size, fresh, must }) {
        const one = (types: readonly string[]): string | undefined =>
          types.find((type) => type === must) ?? types[random.below(types.length)];
        const [start, end] = [one(rule.start), one(rule.end)];
        const wanted = { [rule.key]: fresh(start ?? end ?? members[0] ?? "", rule.key) };
        const middle = Array.from(
          { length: members.length === 0 ? 0 : size },
          () => members[random.below(members.length)],
        );
        const said = members.find((type) => type === must);
        const types = [start, said, ...middle, random.chance(0.8) || end === must ? end : undefined];
        return types.flatMap((type) => (type === undefined ? [] : [{ type, wanted }]));
      },
    };
  });
}

function pairs({ pairs: rules = [] }: StreamRules): Happening[] {
  return rules.map(({ open, close, same = [] }) => ({
    name: `pair ${open}`,
    types: [open, close],
    propose({ fresh }) {
      const wanted = Object.fromEntries(same.map((field) => [field, fresh(open, field)]));
      return [
        { type: open, wanted },
        { type: close, wanted },
      ];
    },
  }));
}

function things({ transitions = [] }: StreamRules): Happening[] {
  return transitions.map(({ name, events }) => ({
    name: `states of ${name}`,
    types: [],
    propose({ random, size, fresh }) {
      const [first] = events;
      const id = first === undefined ? "" : fresh(first.type, first.key);
      const name = Array.isArray(id) ? (id[0] as Json) : id;
      return Array.from({ length: size + 1 }, () => events[random.below(events.length)]).flatMap((event) => {
        if (event === undefined) return [];
        const listed = Array.isArray(fresh(event.type, event.key));
        return [{ type: event.type, wanted: { [event.key]: listed ? [name] : name } }];
      });
    },
  }));
}

function gaps({ gaps: rules = [] }: StreamRules): Happening[] {
  return rules.map(({ type, first, last }) => ({
    name: `gap ${type}`,
    types: [type],
    propose({ size }) {
      if (first === undefined || last === undefined) return [{ type, wanted: {} }];
      return [{ type, wanted: {}, skip: size + 1, gap: { first, last } }];
    },
  }));
}
