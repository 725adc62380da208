import type { Finding } from "../finding.js";
import { type Json, listKeys } from "../json.js";
import { formatScore, type ScoredFact } from "../kit/format-score.js";
import { type CheckedCase, formatCasesAsJunit, formatTapReport } from "../report/case-reports.js";
import { formatGithubReport } from "../report/github.js";
import { formatJsonReport } from "../report/json.js";
import type { Summary } from "../report/reporter.js";
import { formatCount, sanitizeLine, sanitizeText } from "../text.js";
import type { LawResult } from "./run-laws.js";

/** The laws that were checked, and for which adapter. */
interface LawReport {
  /** The file of the adapter, or its command. */
  readonly adapter: string;
  /** The id of the protocol. */
  readonly protocol: string;
  readonly seed: number;
  readonly runs: number;
  readonly results: readonly LawResult[];
  /** What the consumer shows, and about what nothing was tested. */
  readonly shown?: string;
  /** The facts of events, and whether the snapshot shows them. */
  readonly score?: readonly ScoredFact[];
}

const FORMATTERS = {
  text: formatText,
  json: (report: LawReport) => formatJsonReport(listFindings(report), { summary: summarize(report) }),
  junit: (report: LawReport) =>
    formatCasesAsJunit(`${report.adapter}, ${report.protocol}`, listCases(report)),
  tap: (report: LawReport) => formatTapReport(listCases(report)),
  github: (report: LawReport) => formatGithubReport(listFindings(report), { summary: summarize(report) }),
};

/** A value of `--format`. */
export type LawReportFormat = keyof typeof FORMATTERS;

/** The values of `--format`. */
export const LAW_REPORT_FORMATS = listKeys(FORMATTERS);

/** Formats the results of laws. */
export function formatLawReport(report: LawReport, format: LawReportFormat): string {
  return FORMATTERS[format](report);
}

/** Formats the broken laws with their streams, then those that were not checked, by reason, then the counts. */
function formatText(report: LawReport): string {
  const broken = report.results.filter(({ outcome }) => outcome === "broken");
  const others = report.results.filter(({ outcome }) => outcome !== "broken" && outcome !== "kept");
  return [
    ...broken.map(
      ({ id, reason = "", failure }) => `${sanitizeText(failure ? reason : `${id}: ${reason}`)}\n\n`,
    ),
    ...listIdsByReason(others).map(([reason, ids]) => `${ids.join(", ")}: ${reason}\n`),
    report.score === undefined ? "" : `${sanitizeText(formatScore(report.score))}\n\n`,
    report.shown === undefined ? "" : `${report.shown}\n`,
    `${summarize(report).text}\n`,
  ].join("");
}

/** Returns each outcome with its reason, and the ids of the laws that have both. */
function listIdsByReason(results: readonly LawResult[]): [reason: string, ids: string[]][] {
  const groups = new Map<string, string[]>();
  for (const { id, outcome, reason = "" } of results) {
    const text = `${OUTCOMES[outcome]}: ${sanitizeLine(reason)}`;
    groups.set(text, [...(groups.get(text) ?? []), id]);
  }
  return [...groups];
}

/** The words for each outcome, in the order in which the summary counts them. */
const OUTCOMES = {
  kept: "kept",
  broken: "broken",
  "known-broken": "known to be broken",
  unchecked: "not checked",
  skipped: "skipped",
} as const;

function summarize({ protocol, seed, runs, results, shown, score }: LawReport): Summary {
  const counts = Object.entries(OUTCOMES).flatMap(([outcome, words]) => {
    const count = results.filter((each) => each.outcome === outcome).length;
    return count === 0 ? [] : [`${count} ${words}`];
  });
  const laws = results.map(({ id, outcome, reason }) => ({
    id,
    outcome,
    ...(reason !== undefined && { reason }),
  }));
  const text = `${protocol}: ${formatCount(results.length, "law")}: ${counts.join(", ")} (seed ${seed}, ${formatCount(runs, "run")})`;
  return {
    text,
    data: {
      protocol,
      seed,
      runs,
      laws,
      ...(shown !== undefined && { shown }),
      ...(score && { score: score.map(describeFact) }),
    },
  };
}

function describeFact({ type, field, change, result: { outcome, alike } }: ScoredFact): Json {
  return {
    type,
    ...(field !== undefined && { field }),
    change,
    outcome,
    ...(alike && { alike: [...alike] }),
  };
}

/** Returns a finding for each broken law, and for each that could not be checked. */
function listFindings({ adapter, results }: LawReport): Finding[] {
  const at = { file: adapter, pointer: "" };
  return results.flatMap(({ id, outcome, reason = "", failure }): Finding[] => {
    if (outcome === "unchecked")
      return [{ rule: id, severity: "warning", message: `not checked: ${reason}`, at }];
    if (outcome !== "broken") return [];
    if (failure === undefined) return [{ rule: id, severity: "error", message: reason, at }];
    const stream = failure.stream as readonly Json[];
    return [{ rule: id, severity: "error", message: failure.summary, at, stream }];
  });
}

function listCases({ results }: LawReport): CheckedCase[] {
  return results.map(({ id, law, outcome, reason }): CheckedCase => {
    const name = `${id}: ${law}`;
    if (outcome === "kept" || reason === undefined) return { name };
    if (outcome === "broken") return { name, failure: reason };
    return { name, skipped: outcome === "skipped" ? reason : `${OUTCOMES[outcome]}: ${reason}` };
  });
}
