/** Event types that went and event types that came, read as renames, families of them said once. */
import { canonical, isObject } from "../json.js";
import type { EventType, Protocol } from "../model/protocol.js";
import { type Candidate, type Match, matchNames } from "./match.js";
import { nameLikeness } from "./similar.js";
import { inlined } from "./view.js";

/** One event type under a new name, or a family of them. */
export interface EventRename {
  /** `approval.*` for a family. */
  readonly from: string;
  readonly to: string;
  readonly members: readonly (readonly [from: EventType, to: EventType])[];
  readonly declared: boolean;
  readonly score: number;
  readonly ties: readonly string[];
}

const LEAST_SCORE = 55;

/** The renames among event types that only one side has. */
export function eventRenames(
  removed: readonly EventType[],
  added: readonly EventType[],
  before: Protocol,
  after: Protocol,
): EventRename[] {
  const shapes = [fieldShapes(before), fieldShapes(after)] as const;
  const candidates = removed.flatMap((from) =>
    added.flatMap((to): Candidate<EventType>[] => {
      const declared = to.renamedFrom === from.type;
      if (!declared && to.renamedFrom !== undefined) return [];
      const score = declared ? 100 : likeness(from, to, shapes[0](from), shapes[1](to));
      return score >= LEAST_SCORE ? [{ from, to, score, declared }] : [];
    }),
  );
  return families(matchNames(candidates, ({ type }) => type));
}

function likeness(
  from: EventType,
  to: EventType,
  old: Map<string, string>,
  now: Map<string, string>,
): number {
  const names = nameLikeness(from.type, to.type);
  if (names < (Math.min(old.size, now.size) < 2 ? 0.5 : 0.2)) return 0;
  const same = [...old].filter(([name, shape]) => now.get(name) === shape).length;
  const all = new Set([...old.keys(), ...now.keys()]).size;
  const shape = all === 0 ? 0.8 : same / all;
  return Math.round(shape * 60 + names * 30 + (from.stability === to.stability ? 10 : 0));
}

function fieldShapes({ definitions }: Protocol): (event: EventType) => Map<string, string> {
  const known = new Map<EventType, Map<string, string>>();
  return (event) => {
    const { properties } = event.payload;
    const made =
      known.get(event) ??
      new Map(
        Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => [
          name,
          canonical(inlined(schema, definitions)),
        ]),
      );
    known.set(event, made);
    return made;
  };
}

/** Renames that replace the same words by the same words, put together. */
function families(matches: readonly Match<EventType>[]): EventRename[] {
  const groups = new Map<string, Match<EventType>[]>();
  for (const match of matches) {
    const { from, to } = patterns(match.from.type, match.to.type);
    const key = JSON.stringify([from, to, match.declared]);
    groups.set(key, [...(groups.get(key) ?? []), match]);
  }
  return [...groups.values()].map((members) => {
    const [first] = members;
    const single = members.length === 1;
    const names = patterns(first?.from.type ?? "", first?.to.type ?? "");
    return {
      from: single ? (first?.from.type ?? "") : names.from,
      to: single ? (first?.to.type ?? "") : names.to,
      members: members
        .map(({ from, to }) => [from, to] as const)
        .sort(([a], [b]) => (a.type < b.type ? -1 : 1)),
      declared: first?.declared ?? false,
      score: Math.min(...members.map(({ score }) => score)),
      ties: single ? (first?.ties ?? []).map(({ type }) => type) : [],
    };
  });
}

/** What of two names differs, the rest as `*`: `approval.*` and `gate.*` for `approval.resolved` and `gate.resolved`. */
function patterns(from: string, to: string): { from: string; to: string } {
  const [x, y] = [from, to].map((name) => name.split(/(?<=[._])|(?=[._])/));
  const [a, b] = [x ?? [], y ?? []];
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - 1 && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  // Whole words only, and at least one of them, behind a separator.
  if (tail >= 2) return { from: head(a, tail), to: head(b, tail) };
  let start = 0;
  while (start < Math.min(a.length, b.length) - 1 && a[start] === b[start]) start++;
  return start >= 2 ? { from: `*${rest(a, start)}`, to: `*${rest(b, start)}` } : { from, to };
}

function head(parts: readonly string[], tail: number): string {
  return `${parts.slice(0, parts.length - tail).join("")}${parts.at(-tail) ?? ""}*`;
}

function rest(parts: readonly string[], start: number): string {
  return `${parts[start - 1] ?? ""}${parts.slice(start).join("")}`;
}
