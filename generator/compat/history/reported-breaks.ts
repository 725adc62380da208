/**
 * Every break once: what the comparison with a newer release says is not said again for an older one, even where the
 * older one shows it otherwise (a field that went is a rename against the release before its replacement came).
 */
import type { Protocol } from "../../protocol/protocol.js";
import { type Change, identifyPlace, isBreak, type Judged } from "../change.js";
import { strictest } from "../policy.js";
import { rankOf } from "../side.js";
import { keyOf, namesOf } from "./released-names.js";
import { takenNames } from "./taken-names.js";

/** The places that a change is about, whatever the values there. */
export function placesOf({ kind, name, occurrences }: Change): string[] {
  return occurrences.map((place) => JSON.stringify([kind, name, ...identifyPlace(place)]));
}

/** Remembers what was said against newer versions, to tell what is said already of an older one. */
export function eachOnce(current: Protocol) {
  const reported = new Map<string, { readonly level: number; readonly waived: boolean }>();
  const lost = (change: Change, baseline: Protocol): string[] => {
    const candidates = takenNames(change).map(keyOf);
    if (candidates.length === 0) return [];
    const [held, now] = [namesOf(baseline), namesOf(current)];
    return candidates.filter((key) => held.has(key) && !now.has(key));
  };
  const find = (keys: readonly string[], level: number): { readonly waived: boolean } | undefined => {
    const found = keys.map((key) => reported.get(key));
    const all = keys.length > 0 && found.every((each) => each !== undefined && each.level >= level);
    return all ? { waived: found.some((each) => each?.waived) } : undefined;
  };
  return {
    /** The report of newer comparisons on the change, if it was of a contract at least as stable. */
    findReport: (change: Change, baseline: Protocol) => {
      const level = rankOf(strictest(change));
      return find(placesOf(change), level) ?? find(lost(change, baseline), level);
    },
    /** Notes the breaks of one comparison. */
    note: (changes: readonly Judged[], baseline: Protocol): void => {
      for (const change of changes.filter(({ proof }) => isBreak(proof))) {
        const level = rankOf(strictest(change));
        for (const key of [...placesOf(change), ...lost(change, baseline)])
          if ((reported.get(key)?.level ?? -1) < level)
            reported.set(key, { level, waived: change.waived === true });
      }
    },
  };
}
