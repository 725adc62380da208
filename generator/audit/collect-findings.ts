/** Keeps the findings that are printed, and adds all to the table that is written to a file. */
import type { Finding } from "../finding.js";
import type { FindingTable } from "./findings-file.js";

/** Collects findings. */
export interface FindingCollector {
  /** Adds a finding after all others. It is not kept if there is no room. */
  append(finding: Finding): void;
  /** Adds a finding about a place, in any order. Places are numbers that increase through the archive. */
  insert(finding: Finding, place: number): void;
  /** Returns whether an appended finding would be kept or written. */
  hasRoom(): boolean;
  /** Returns the first findings, sorted by their places. */
  list(): readonly Finding[];
  /** Returns all appended findings in their order; undefined if there was no room for some of them. */
  listAppended(): readonly Finding[] | undefined;
}

/** The number of findings beyond the limit that are kept until they are sorted. */
const SORT_INTERVAL = 1000;
/** The number of appended findings that are kept, whatever the limit, because some may turn out to be wrong. */
const MIN_APPENDED = 10_000;

/** Creates a collector that keeps the first `limit` findings, 0 for all, and adds every finding to `table`. */
export function createFindingCollector(limit: number, table: FindingTable | undefined): FindingCollector {
  let keptFindings: { readonly finding: Finding; readonly place: number }[] = [];
  let isIncomplete = false;
  const isFull = (): boolean => limit > 0 && keptFindings.length >= Math.max(limit, MIN_APPENDED);
  const sort = (): void => {
    keptFindings.sort((a, b) => a.place - b.place);
    if (limit > 0) keptFindings = keptFindings.slice(0, limit);
  };
  return {
    append(finding) {
      table?.add(finding);
      if (isFull()) isIncomplete = true;
      else keptFindings.push({ finding, place: keptFindings.length });
    },
    insert(finding, place) {
      table?.add(finding);
      keptFindings.push({ finding, place });
      if (limit > 0 && keptFindings.length >= 2 * limit + SORT_INTERVAL) sort();
    },
    hasRoom: () => table !== undefined || !isFull(),
    list() {
      sort();
      return keptFindings.map(({ finding }) => finding);
    },
    listAppended: () => (isIncomplete ? undefined : keptFindings.map(({ finding }) => finding)),
  };
}
