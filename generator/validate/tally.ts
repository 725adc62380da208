import type { Finding } from "../finding.js";
import type { Summary } from "../report/reporter.js";
import { formatCount } from "../text.js";

/** The counts of a run so far. */
export interface Tally {
  events: number;
  invalid: number;
  unknown: number;
  errors: number;
  findings: number;
  /** Events by the id of their protocol. */
  readonly protocols: Map<string, number>;
  /** Findings by their rule, also those that are not printed. */
  readonly rules: Map<string, number>;
}

/** Creates empty counts. */
export function createTally(): Tally {
  return {
    events: 0,
    invalid: 0,
    unknown: 0,
    errors: 0,
    findings: 0,
    protocols: new Map(),
    rules: new Map(),
  };
}

/** Counts findings. */
export function countFindings(tally: Tally, findings: readonly Finding[]): void {
  for (const { rule, severity } of findings) {
    tally.findings++;
    if (severity === "error") tally.errors++;
    tally.rules.set(rule, (tally.rules.get(rule) ?? 0) + 1);
  }
}

/** Forgets the findings that were counted. */
export function forgetFindings(tally: Tally): void {
  tally.findings = 0;
  tally.errors = 0;
  tally.rules.clear();
}

/** Adds the counts of another thread to `tally`. */
export function addTally(tally: Tally, other: Tally): void {
  for (const field of ["events", "invalid", "unknown", "errors", "findings"] as const)
    tally[field] += other[field];
  for (const [id, count] of other.protocols) tally.protocols.set(id, (tally.protocols.get(id) ?? 0) + count);
  for (const [rule, count] of other.rules) tally.rules.set(rule, (tally.rules.get(rule) ?? 0) + count);
}

/** A finding and its position among all findings. */
export interface OrderedFinding {
  readonly finding: Finding;
  /** The number of bytes of all inputs before its line, minus 0.5 for findings that come before those about the line. */
  readonly order: number;
  /** The position among the findings of the same `order`. */
  readonly itemIndex: number;
}

/** Sorts the findings of several threads into the order in which one thread finds them. */
export function sortFindings(findings: readonly OrderedFinding[]): Finding[] {
  return [...findings]
    .sort((a, b) => a.order - b.order || a.itemIndex - b.itemIndex)
    .map(({ finding }) => finding);
}

/** Summarizes the counts of a run that printed at most `limit` findings, 0 for all. */
export function summarizeTally(
  { events, invalid, unknown, errors, findings, protocols, rules }: Tally,
  limit: number,
): Summary {
  const hidden = limit === 0 ? 0 : Math.max(0, findings - limit);
  const more = hidden > 0 ? [`${formatCount(hidden, "more finding")} not shown (--limit 0 shows all)`] : [];
  const parts = [
    formatCount(events, "event"),
    `${invalid} invalid`,
    ...(unknown > 0 ? [`${unknown} of unknown type`] : []),
    ...describeMixedMajors(protocols),
  ];
  return {
    text: [...more, parts.join(", ")].join("\n"),
    data: {
      events,
      invalid,
      unknown,
      errors,
      hidden,
      protocols: Object.fromEntries([...protocols].sort()),
      rules: Object.fromEntries([...rules].sort()),
    },
  };
}

/** Returns the number of events of each protocol that occurred in several major versions. */
function describeMixedMajors(protocols: ReadonlyMap<string, number>): string[] {
  const ids = [...protocols.keys()].sort();
  const getProtocolName = (id: string): string => id.slice(0, id.indexOf("/"));
  return ids
    .filter((id) => ids.some((other) => other !== id && getProtocolName(other) === getProtocolName(id)))
    .map((id) => `${protocols.get(id)} of ${id}`);
}
