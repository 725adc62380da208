/** Keeps the findings that are printed: those about the first places of the archive. */
import type { Finding } from "../finding.js";

/** Collects findings in any order. */
export interface FindingCollector {
  /** Adds a finding about a place. Places are numbers that increase through the archive. */
  add(finding: Finding, place: number): void;
  /** Returns the findings, sorted by their places. */
  list(): readonly Finding[];
}

/** Creates a collector that keeps `limit` findings, 0 for all. */
export function createFindingCollector(limit: number): FindingCollector {
  let kept: { readonly finding: Finding; readonly place: number }[] = [];
  const sort = (): void => {
    kept.sort((a, b) => a.place - b.place);
    if (limit > 0) kept = kept.slice(0, limit);
  };
  return {
    add(finding, place) {
      kept.push({ finding, place });
      if (limit > 0 && kept.length >= 2 * limit + 1000) sort();
    },
    list() {
      sort();
      return kept.map(({ finding }) => finding);
    },
  };
}
