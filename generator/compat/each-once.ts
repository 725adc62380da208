/**
 * Every break once: what the comparison with a newer release says is not said again for an older one, even where the
 * older one shows it otherwise (a field that went is a rename against the release before its replacement came).
 */
import type { Protocol } from "../model/protocol.js";
import type { Change, Judged } from "./change.js";
import { keyOf, namesOf } from "./ledger.js";
import { strictest } from "./policy.js";
import { rankOf } from "./side.js";
import { takenNames } from "./taken-names.js";

/** The places that a change is about, whatever the values there. */
function placesOf({ kind, name, occurrences }: Change): string[] {
  return occurrences.map(({ event, path }) => JSON.stringify([kind, name, event, path]));
}

/** Remembers what was said against newer versions, to tell what is said already of an older one. */
export function eachOnce(current: Protocol) {
  const said = new Map<string, number>();
  const lost = (change: Change, baseline: Protocol): string[] => {
    const candidates = takenNames(change).map(keyOf);
    if (candidates.length === 0) return [];
    const [held, now] = [namesOf(baseline), namesOf(current)];
    return candidates.filter((key) => held.has(key) && !now.has(key));
  };
  const known = (keys: readonly string[], level: number): boolean =>
    keys.length > 0 && keys.every((key) => (said.get(key) ?? -1) >= level);
  return {
    /** Whether newer comparisons said it, of a contract at least as stable. */
    isSaid: (change: Change, baseline: Protocol): boolean => {
      const level = rankOf(strictest(change));
      return known(placesOf(change), level) || known(lost(change, baseline), level);
    },
    /** Notes the breaks of one comparison. */
    note: (changes: readonly Judged[], baseline: Protocol): void => {
      for (const change of changes.filter(({ proof }) => proof.hurts.length > 0)) {
        const level = rankOf(strictest(change));
        for (const key of [...placesOf(change), ...lost(change, baseline)])
          said.set(key, Math.max(said.get(key) ?? -1, level));
      }
    },
  };
}
