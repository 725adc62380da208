import type { Option } from "commander";
import type { Finding } from "../finding.js";
import { type ExitCode, getFolderInRepository, type Io } from "../io.js";
import { formatReport, type ReportFormat } from "../report/report.js";
import type { Summary } from "../report/reporter.js";
import type { RawOptions } from "./options.js";

/** A command. To add one, export it from a file of its own and add it to the table in program.ts. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** The operands as commander writes them: `[protocol...]`. */
  readonly operands?: { readonly syntax: string; readonly description: string };
  readonly options: readonly Option[];
  /** Returns whether a run reads the folders that its options name; every run does by default. Others need no configuration. */
  readonly readsFolders?: (operands: readonly string[], options: RawOptions) => boolean;
  /** Whether the command changes files. A signal then interrupts it only between two steps, with a message. */
  readonly writes?: boolean | "with --out";
  /** Command lines without the name of the program, each with its meaning. */
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  /** The meaning of the exit codes, where it differs from EXIT. */
  readonly exits?: string;
  /** Runs the command. Resolves to the exit code: one of EXIT, or another one that `exits` explains. */
  run(operands: readonly string[], options: RawOptions, io: Io): Promise<number>;
}

/** What a command found, before it is printed. */
export interface Outcome {
  readonly findings: readonly Finding[];
  readonly summary: Summary;
  readonly exitCode: ExitCode;
}

/** Prints what a command found, and returns the exit code. */
export function printOutcome(
  { findings, summary, exitCode }: Outcome,
  format: ReportFormat,
  io: Io,
): ExitCode {
  io.stdout(formatReport(format, findings, { color: io.colors, folder: getFolderInRepository(), summary }));
  return exitCode;
}
