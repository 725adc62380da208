import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ContractDifferences } from "../compat/diff-contracts.js";
import type { TimeLimit } from "../compat/proof/time-limit.js";
import { UsageError } from "../failure.js";
import { countSeverities, type FailureLevel, hasFailure, omitDifferences } from "../finding.js";
import { EXIT, type ExitCode, getFolderInRepository, type Io } from "../io.js";
import { BaselineError } from "../load/baseline/baseline-spec.js";
import { formatReport, type ReportFormat } from "../report/report.js";
import { formatCount, sanitizeLine } from "../text.js";
import type { CommandEntry } from "./command.js";
import { limitTime, timeLimitOption } from "./limit-time.js";
import {
  consumersOption,
  differenceOption,
  failOnOption,
  fixturesOption,
  formatOption,
  quietOption,
  type RawOptions,
  readConsumersFile,
  readFailOn,
  readFormat,
} from "./options.js";

/** The options of `accrete diff` and `accrete watch`. */
export interface DiffOptions {
  readonly failOn: FailureLevel;
  readonly format: ReportFormat;
  /** True if findings have the schemas of all messages that break. */
  readonly hasDifferences: boolean;
}

async function runDiff(
  [baseline, current, ...others]: readonly string[],
  consumers: string,
  options: DiffOptions,
  timeLimit: TimeLimit,
  io: Io,
): Promise<ExitCode> {
  if (baseline === undefined || current === undefined || others.length > 0)
    throw new UsageError("Name two contracts: the baseline and the current one.");
  return withTemporaryFolder(async (temporary) => {
    const { notes, ...differences } = await compareContracts(
      [baseline, current],
      consumers,
      { temporary, timeLimit },
      io,
    );
    printNotes(notes, options.format, io);
    return reportDifferences(differences, { ...options, headline: "" }, io);
  });
}

async function compareContracts(
  [baseline, current]: readonly [string, string],
  consumersFile: string,
  { temporary, timeLimit }: { readonly temporary: string; readonly timeLimit: TimeLimit },
  io: Io,
) {
  // The proof engine takes longer to load than most commands need to run.
  const [
    { diffContracts },
    { adoptEventType },
    { readContract },
    { parseContractOperand },
    { readRecordsIfValid },
  ] = await Promise.all([
    import("../compat/diff-contracts.js"),
    import("../diff/contract.js"),
    import("../diff/read-contract.js"),
    import("../diff/contract-operand.js"),
    import("../load/consumer-records.js"),
  ]);
  const operands = [parseContractOperand(baseline), parseContractOperand(current)] as const;
  // Two packages are fetched at the same time. Both reads end before the copies are removed.
  const reads = [readContract(operands[0], temporary), readContract(operands[1], temporary)] as const;
  await Promise.allSettled(reads);
  const [before, read] = await Promise.all(reads);
  const after = adoptEventType(read, before);
  const consumers = readRecordsIfValid(consumersFile, io).filter(
    ({ protocol }) => protocol === before.side.protocol.id,
  );
  return {
    ...(await diffContracts(before.side, after.side, consumers, timeLimit)),
    notes: [...before.notes, ...after.notes],
  };
}

/** Calls `use` with a temporary folder, which is removed afterwards. A BaselineError becomes a UsageError. */
export async function withTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const temporary = mkdtempSync(path.join(tmpdir(), "accrete-diff-"));
  try {
    return await use(temporary);
  } catch (error) {
    if (error instanceof BaselineError) throw new UsageError(error.message);
    throw error;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Prints notes about parts of schemas that a comparison reads in another way than their authors wrote them. */
export function printNotes(notes: readonly string[], format: ReportFormat, io: Io): void {
  if (format === "text") io.stderr(notes.map((note) => `${sanitizeLine(note)}\n`).join(""));
}

/** Prints the findings after a headline. Returns the exit code. */
export function reportDifferences(
  { findings, additions }: ContractDifferences,
  { failOn, format, hasDifferences, headline }: DiffOptions & { readonly headline: string },
  io: Io,
): ExitCode {
  const { errors, warnings } = countSeverities(findings);
  const counts = { errors, warnings, notes: findings.length - errors - warnings };
  const texts = [
    formatCount(errors, "error"),
    formatCount(warnings, "warning"),
    formatCount(counts.notes, "note"),
    formatCount(additions.length, "addition"),
  ];
  const summary = { text: headline + texts.join(", "), data: { ...counts, additions } };
  io.stdout(
    formatReport(format, hasDifferences ? findings : findings.map(omitDifferences), {
      color: io.colors,
      folder: getFolderInRepository(),
      summary,
    }),
  );
  return hasFailure(findings, failOn) ? EXIT.findings : EXIT.ok;
}

/** Returns the options of a comparison. */
export function readDiffOptions(options: RawOptions): DiffOptions {
  return {
    failOn: readFailOn(options),
    format: readFormat(options),
    hasDifferences: options.difference === true,
  };
}

/** The command `accrete diff`. */
export const diffCommand: CommandEntry = {
  name: "diff",
  summary: "compare two contracts, as if the second followed the first",
  operands: {
    syntax: "<contract...>",
    description:
      "the baseline and the current contract. Each is a protocol folder, a release, a JSON Schema or a folder of schemas; or git:REF:PATH or npm:NAME@RANGE:PATH; a JSON pointer after # selects a part of a schema",
  },
  options: [
    failOnOption,
    consumersOption,
    fixturesOption,
    differenceOption,
    timeLimitOption,
    quietOption,
    formatOption,
  ],
  examples: [
    ["diff old.schema.json new.schema.json", "two schemas whose roots are unions of events"],
    ["diff git:main:schemas/orders/v1 schemas/orders/v1", "a protocol folder, against another branch"],
    [
      "diff npm:their-agent@1.0.4:schemas/events.json npm:their-agent@^1:schemas/events.json",
      "two versions of a package",
    ],
  ],
  run: (operands, options, io) =>
    limitTime(options, io, (timeLimit, printer) =>
      runDiff(operands, readConsumersFile(options), readDiffOptions(options), timeLimit, printer),
    ),
};
