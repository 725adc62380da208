/**
 * Remembers reported breaks, so that a break against a newer release is not reported again for an older one. The older
 * release may show it as another change: a removed field, for example, is a rename against the release before its
 * replacement was added.
 */
import type { Protocol } from "../../protocol/protocol.js";
import { type Change, type ComparedChange, identifyPlace, isBreak } from "../change.js";
import { findHighestStability } from "../policy.js";
import { rankStability } from "../side.js";
import { collectNamesOf, createNameKey } from "./released-names.js";

/** Returns the places of a change as keys, without the values at these places. */
export function listPlaceKeys({ rule, name, occurrences }: Change): string[] {
  return occurrences.map((place) => JSON.stringify([rule.id, name, ...identifyPlace(place)]));
}

/** Creates a record of the breaks that comparisons with newer versions reported. */
export function trackReports(current: Protocol) {
  const reported = new Map<string, { readonly level: number; readonly waived: boolean }>();
  const removed = (change: Change, baseline: Protocol): string[] => {
    const candidates = (change.rule.removedNames?.(change) ?? []).map(createNameKey);
    if (candidates.length === 0) return [];
    const [held, now] = [collectNamesOf(baseline), collectNamesOf(current)];
    return candidates.filter((key) => held.has(key) && !now.has(key));
  };
  const find = (keys: readonly string[], level: number): { readonly waived: boolean } | undefined => {
    const found = keys.map((key) => reported.get(key));
    const all = keys.length > 0 && found.every((each) => each !== undefined && each.level >= level);
    return all ? { waived: found.some((each) => each?.waived) } : undefined;
  };
  return {
    /** Returns the report of newer comparisons on the change, if that concerned a contract at least as stable. */
    findReport: (change: Change, baseline: Protocol) => {
      const level = rankStability(findHighestStability(change));
      return find(listPlaceKeys(change), level) ?? find(removed(change, baseline), level);
    },
    /** Adds the breaks of one comparison. */
    note: (changes: readonly ComparedChange[], baseline: Protocol): void => {
      for (const change of changes.filter(({ proof }) => isBreak(proof))) {
        const level = rankStability(findHighestStability(change));
        for (const key of [...listPlaceKeys(change), ...removed(change, baseline)])
          if ((reported.get(key)?.level ?? -1) < level)
            reported.set(key, { level, waived: change.waived === true });
      }
    },
  };
}
