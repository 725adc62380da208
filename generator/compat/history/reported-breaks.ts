/**
 * Remembers reported breaks, so that a break against a newer release is not reported again for an older release. Against
 * the older release, the same break may be another change. For example, if a later release added the replacement of a
 * removed field, the removal is a rename against the releases before it.
 */
import type { Protocol } from "../../protocol/protocol.js";
import { type Change, type ComparedChange, identifyPlace, isBreak } from "../change.js";
import { findHighestStability } from "../policy.js";
import { rankStability } from "../side.js";
import { collectProtocolNames, createNameKey } from "./released-names.js";

/** Returns a key for each place of a change. The key has no values, so that it is the same against every baseline. */
export function listPlaceKeys({ rule, name, places }: Change): string[] {
  return places.map((place) => JSON.stringify([rule.id, name, ...identifyPlace(place)]));
}

/** A report about one place or one removed name. */
interface Report {
  /** The rank of the stability of the contract that broke. */
  readonly level: number;
  readonly waived: boolean;
}

/** Creates a record of the breaks that comparisons with newer baselines reported. */
export function trackReports(current: Protocol) {
  const reports = new Map<string, Report>();
  const listRemovedNames = (change: Change, baseline: Protocol): string[] => {
    const candidates = change.rule.removedNames?.(change) ?? [];
    if (candidates.length === 0) return [];
    const oldNames = collectProtocolNames(baseline);
    const currentNames = collectProtocolNames(current);
    return candidates.filter((key) => oldNames.find(key) && !currentNames.find(key)).map(createNameKey);
  };
  /** Returns the common report of all keys; undefined if one of them is not reported at this level. */
  const findCommonReport = (keys: readonly string[], level: number): Report | undefined => {
    const reportsOfKeys = keys.map((key) => reports.get(key));
    const isReported =
      keys.length > 0 && reportsOfKeys.every((report) => report !== undefined && report.level >= level);
    return isReported ? { level, waived: reportsOfKeys.some((report) => report?.waived) } : undefined;
  };
  return {
    /** Returns the report of a comparison with a newer baseline on the change, if it is about a contract that is at least as stable. */
    findReport: (change: Change, baseline: Protocol): Pick<Report, "waived"> | undefined => {
      const level = rankStability(findHighestStability(change));
      return (
        findCommonReport(listPlaceKeys(change), level) ??
        findCommonReport(listRemovedNames(change, baseline), level)
      );
    },
    /** Adds the breaks of one comparison. */
    addBreaks: (changes: readonly ComparedChange[], baseline: Protocol): void => {
      for (const change of changes.filter(({ proof }) => isBreak(proof))) {
        const level = rankStability(findHighestStability(change));
        for (const key of [...listPlaceKeys(change), ...listRemovedNames(change, baseline)]) {
          const report = reports.get(key);
          if (report === undefined || report.level < level)
            reports.set(key, { level, waived: change.waived === true });
        }
      }
    },
  };
}
