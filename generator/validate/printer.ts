import type { Finding } from "../finding.js";
import type { Input } from "../ingest/place.js";
import { EXIT, type ExitCode, getFolderInRepository, type Io } from "../io.js";
import { createProgressLine } from "../progress-line.js";
import { formatReport, REPORTERS, type ReportFormat } from "../report/report.js";
import type { Summary } from "../report/reporter.js";
import { formatCount, sanitizeLine } from "../text.js";
import type { Outcome } from "./run.js";
import { summarizeStats } from "./stats-report.js";
import { summarizeTally, type Tally } from "./tally.js";

/** Prints findings as they are found, if the format allows that, and a summary at the end. */
interface Printer {
  report(finding: Finding): void;
  /** Returns whether another finding can be printed. */
  hasRoom(): boolean;
  /** Prints the summary, with `details` before it, and returns the exit code. */
  end(outcome: Outcome, details?: Summary): ExitCode;
}

/**
 * Creates a printer of at most `limit` findings, 0 for all. If the input has no certain end, it says at once that further ones
 * are not printed. It calls `beforePrinting` before it prints anything.
 */
export function createPrinter(
  {
    format,
    limit,
    isLive = false,
  }: { readonly format: ReportFormat; readonly limit: number; readonly isLive?: boolean },
  io: Pick<Io, "stdout" | "stderr" | "colors">,
  beforePrinting: () => void,
): Printer {
  const printedAtEnd: Finding[] = [];
  let shown = 0;
  const hasRoom = (): boolean => limit === 0 || shown < limit;
  return {
    hasRoom,
    report(finding) {
      if (!hasRoom()) return;
      shown++;
      // Only the text format can be printed finding by finding.
      if (format !== "text") printedAtEnd.push(finding);
      else {
        beforePrinting();
        io.stdout(REPORTERS.text([finding], { color: io.colors }));
        if (isLive && !hasRoom())
          io.stderr(`Further findings are counted and not printed; --limit 0 prints all.\n`);
      }
    },
    end({ tally, stats, unreadable }, details) {
      beforePrinting();
      for (const sentence of unreadable) io.stderr(`accrete: ${sanitizeLine(sentence)}\n`);
      const counts = appendStats(summarizeTally(tally, limit), stats && summarizeStats(stats, limit));
      const summary = details ? joinSummaries(details, counts) : counts;
      io.stdout(
        formatReport(format, printedAtEnd, { color: io.colors, folder: getFolderInRepository(), summary }),
      );
      if (unreadable.length > 0) return EXIT.usage;
      return tally.errors > 0 ? EXIT.findings : EXIT.ok;
    },
  };
}

function joinSummaries(first: Summary, second: Summary): Summary {
  const text = [first.text, second.text].filter((part) => part !== "").join("\n");
  return { text, data: { ...second.data, ...first.data } };
}

function appendStats(summary: Summary, stats: Summary | undefined): Summary {
  if (!stats) return summary;
  const text = [stats.text, summary.text].filter((part) => part !== "").join("\n");
  return { text, data: { ...summary.data, stats: stats.data } };
}

/** The milliseconds between two updates of the progress line. */
const UPDATE_INTERVAL_MS = 200;

/** A line on the terminal that shows the progress. Nothing is written if stderr is not a terminal. */
export interface Progress {
  /** Adds bytes of an input that were read; `tally` has all counts so far, if something is counted. */
  add(tally: Tally | undefined, bytes: number, input: Input): void;
  /** Removes the line. */
  clear(): void;
}

const NO_PROGRESS: Progress = { add: () => {}, clear: () => {} };

/** A part of a command whose progress is shown. */
interface ProgressStep {
  /** The name of the step. */
  readonly name: string;
  /** Returns the part of the work that is done, from 0 to 1, after `bytes` more of an input; undefined if it is unknown. */
  addToShare(bytes: number, input: Input): number | undefined;
}

/** The only step of a command whose input has an unknown size. */
const SINGLE_STEP: ProgressStep = { name: "", addToShare: () => undefined };

/** Creates the progress line of a step that begins now. */
export function createProgress(
  io: Pick<Io, "showsProgress" | "stderr">,
  { name, addToShare }: ProgressStep = SINGLE_STEP,
): Progress {
  if (!io.showsProgress) return NO_PROGRESS;
  const line = createProgressLine(io, UPDATE_INTERVAL_MS);
  let bytes = 0;
  return {
    add(tally, addedBytes, input) {
      bytes += addedBytes;
      const share = addToShare(addedBytes, input);
      const elapsed = line.tick();
      if (elapsed === undefined) return;
      const parts = [
        ...(tally ? [formatCount(tally.events, "event")] : []),
        `${(bytes / 1000 / elapsed).toFixed(0)} MB/s`,
        ...(tally ? [formatCount(tally.findings, "finding")] : []),
        ...(share ? [`${formatDuration((elapsed * (1 - share)) / share)} left`] : []),
      ];
      line.show(`${name === "" ? "" : `${name}: `}${parts.join(", ")}`);
    },
    clear: line.clear,
  };
}

/** Formats milliseconds as hours and minutes, minutes and seconds, or seconds. */
function formatDuration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}
