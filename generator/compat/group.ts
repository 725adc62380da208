import { canonical } from "../json.js";
import type { Change, Occurrence } from "./change.js";
import type { Spot } from "./side.js";

/**
 * One edit, one change: differences that were met in several events but stand in the same place are put together,
 * and so are renames of one name to another, wherever they stand.
 */
export function grouped(changes: readonly Change[]): Change[] {
  const groups: { change: Change; claim: Change["claim"]; occurrences: Occurrence[] }[] = [];
  const byKey = new Map<string, (typeof groups)[number]>();
  for (const change of changes) {
    const keys = keysOf(change);
    const known = keys.map((key) => byKey.get(key)).find((group) => group !== undefined);
    const group = known ?? { change, claim: {}, occurrences: [] };
    if (!known) groups.push(group);
    group.claim = { ...group.claim, ...change.claim };
    group.occurrences.push(...change.occurrences);
    for (const key of keys) byKey.set(key, group);
  }
  return groups.map(({ change, claim, occurrences }) => ({
    ...change,
    claim,
    occurrences: sorted(occurrences),
  }));
}

function keysOf({ kind, name, from, to, before, after }: Change): string[] {
  const what = canonical([kind, name, from ?? null, to ?? null]);
  if (kind === "field-renamed") return [what];
  const places = [before && `before ${place(before)}`, after && `after ${place(after)}`];
  return places.flatMap((each) => (each === undefined ? [] : [`${what} ${each}`]));
}

function place({ file, pointer }: Spot): string {
  return `${file}#${pointer}`;
}

function sorted(occurrences: readonly Occurrence[]): Occurrence[] {
  const byPlace = new Map(occurrences.map((each) => [`${each.event} ${each.path}`, each]));
  return [...byPlace].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}
