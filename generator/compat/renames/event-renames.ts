/** Finds renames among removed and added event types, and groups those that follow one pattern. */
import { canonical, isObject, type Json } from "../../json.js";
import type { EventType, Protocol } from "../../protocol/protocol.js";
import { mapSubschemas } from "../../schema/walk.js";
import type { Rule } from "../change.js";
import { inlined } from "../diff/view.js";
import { EVENT_RULES } from "../rules/events.js";
import { type FieldShapes, findRegrouping, type Regrouping } from "./event-splits.js";
import { familiesOf } from "./families.js";
import { BY_PATTERN, type Candidate, followers, LEAST_SCORE, type Match, matchTwice } from "./match.js";
import { bare, letters, spelling, spellingLikeness } from "./similar.js";

/** One event type under a new name, a family of them, or event types that were split or merged. */
export interface EventRename {
  readonly rule: Rule;
  /** `approval.*` for a family; several names where event types were merged. */
  readonly from: string | readonly string[];
  /** Several names where an event type was split. */
  readonly to: string | readonly string[];
  readonly members: readonly (readonly [from: EventType, to: EventType])[];
  readonly declared: boolean;
  readonly score: number;
  readonly ties: readonly string[];
}

/** A version of a protocol and what its fields are called in the other one. */
interface Named {
  readonly protocol: Protocol;
  readonly renamed: ReadonlyMap<string, string>;
}

/** With this many equal fields two events are alike, whatever their names are. */
const MANY_FIELDS = 3;

/** Returns the renames among event types that only one side has. */
export function findEventRenames(
  removed: readonly EventType[],
  added: readonly EventType[],
  before: Named,
  after: Protocol,
): EventRename[] {
  const [old, now] = [fieldShapes(before), fieldShapes({ protocol: after, renamed: new Map() })];
  const spellings = new Map([...removed, ...added].map(({ type }) => [type, spelling(type)]));
  const spelled = ({ type }: EventType) => spellings.get(type) ?? spelling(type);
  const candidate = (from: EventType, to: EventType, least = 0): Candidate<EventType>[] => {
    const declared = to.renamedFrom === from.type;
    if (!declared && to.renamedFrom !== undefined) return [];
    const names = () => Math.max(least, spellingLikeness(spelled(from), spelled(to)));
    const score = declared ? 100 : likeness(names, old(from), now(to), from.stability === to.stability);
    return score >= LEAST_SCORE ? [{ from, to, score, declared }] : [];
  };
  const nameOf = ({ type }: EventType) => type;
  const first = removed.flatMap((from) => added.flatMap((to) => candidate(from, to)));
  const following = (found: readonly Match<EventType>[]) =>
    followers(found, removed, added, nameOf).flatMap(([from, to]) => candidate(from, to, BY_PATTERN));
  const matches = matchTwice(first, following, nameOf);
  const { regrouped, renamed } = withoutRegrouped(matches, removed, added, { old, now });
  return [...regrouped, ...inFamilies(renamed)];
}

/** Separates renames from event types that were split or merged. A declared rename is always a rename. */
function withoutRegrouped(
  matches: readonly Match<EventType>[],
  removed: readonly EventType[],
  added: readonly EventType[],
  shapes: { readonly old: FieldShapes; readonly now: FieldShapes },
): { readonly regrouped: readonly EventRename[]; readonly renamed: readonly Match<EventType>[] } {
  const taken = new Set(matches.flatMap(({ from, to }) => [from, to]));
  const isFree = (event: EventType): boolean => !taken.has(event);
  const regrouped: EventRename[] = [];
  const renamed = matches.filter((match) => {
    const free = { removed: removed.filter(isFree), added: added.filter(isFree) };
    const found = match.declared ? undefined : findRegrouping(match.from, match.to, free, shapes);
    if (found === undefined) return true;
    for (const event of [...found.from, ...found.to]) taken.add(event);
    regrouped.push(regroupingOf(found, match));
    return false;
  });
  return { regrouped, renamed };
}

function regroupingOf({ rule, from, to }: Regrouping, { score }: Match<EventType>): EventRename {
  const names = (events: readonly EventType[]): string[] => events.map(({ type }) => type).sort();
  return {
    ...{ rule, from: names(from), to: names(to), declared: false, score, ties: [] },
    members: from.flatMap((old) => to.map((now) => [old, now] as const)),
  };
}

function likeness(
  nameOf: () => number,
  old: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
  sameStability: boolean,
): number {
  const equal = [...old].filter(([name, shape]) => now.get(name) === shape).length;
  const shape = old.size + now.size === 0 ? 0.8 : (2 * equal) / (old.size + now.size);
  const most = Math.round(shape * 60 + 30 + (sameStability ? 10 : 0));
  if (most < LEAST_SCORE) return 0;
  const names = nameOf();
  // Two events of one group have half of their words in common anyway.
  const enough = Math.min(old.size, now.size) < 2 ? names > 0.5 : names > 0 || equal >= MANY_FIELDS;
  return enough ? Math.round(most - 30 * (1 - names)) : 0;
}

/** The event's own fields by name, letter cases and separators aside, with a text for what each may be. */
function fieldShapes({ protocol, renamed }: Named): (event: EventType) => ReadonlyMap<string, string> {
  const common = new Set(protocol.envelope.payloadFields);
  const known = new Map<EventType, ReadonlyMap<string, string>>();
  const nameOf = (name: string): string => letters(renamed.get(name) ?? name);
  return (event) => {
    const { properties } = event.payload;
    const own = Object.entries(isObject(properties) ? properties : {}).filter(([name]) => !common.has(name));
    const shape = (schema: Json) => canonical(relabelled(inlined(schema, protocol.definitions), nameOf));
    const made = known.get(event) ?? new Map(own.map(([name, schema]) => [nameOf(name), shape(schema)]));
    known.set(event, made);
    return made;
  };
}

function relabelled(schema: Json, nameOf: (name: string) => string): Json {
  if (!isObject(schema)) return schema;
  const plain = bare(mapSubschemas(schema, (sub) => relabelled(sub, nameOf)));
  if (!isObject(plain)) return plain;
  const { properties, required, ...rest } = plain;
  const fields = Object.entries(isObject(properties) ? properties : {});
  return {
    ...rest,
    ...(properties !== undefined && {
      properties: Object.fromEntries(fields.map(([name, sub]) => [nameOf(name), sub])),
    }),
    ...(Array.isArray(required) && { required: required.map((name) => nameOf(String(name))).sort() }),
  };
}

/** Renames that follow one pattern, put together. */
function inFamilies(matches: readonly Match<EventType>[]): EventRename[] {
  return [true, false].flatMap((declared) => {
    const alike = matches.filter((match) => match.declared === declared);
    const nameOf = ({ from, to }: Match<EventType>) => ({ from: from.type, to: to.type });
    const { families, single } = familiesOf(alike, nameOf, 2);
    return [
      ...families.map(({ from, to, members }) => rename(from, to, members)),
      ...single.map((match) => rename(match.from.type, match.to.type, [match])),
    ];
  });
}

function rename(from: string, to: string, members: readonly Match<EventType>[]): EventRename {
  return {
    ...{ rule: EVENT_RULES["event-renamed"], from, to, declared: members.every(({ declared }) => declared) },
    members: members
      .map((each) => [each.from, each.to] as const)
      .sort(([a], [b]) => (a.type < b.type ? -1 : 1)),
    score: Math.min(...members.map(({ score }) => score)),
    ties: members.flatMap(({ ties }) => ties.map(({ type }) => type)),
  };
}
