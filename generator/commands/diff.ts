import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Option } from "commander";
import { UsageError } from "../failure.js";
import { countSeverities, SEVERITIES, type Severity } from "../finding.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { BaselineError } from "../load/baseline/baseline-spec.js";
import { REPORTERS, type ReportFormat } from "../report/report.js";
import { formatCount, sanitizeLine } from "../text.js";
import type { CommandEntry } from "./command.js";
import { formatOption, readFormat } from "./options.js";

/** The options of `accrete diff`. */
interface DiffOptions {
  readonly failOn: Severity;
  readonly format: ReportFormat;
}

async function runDiff(
  [baseline, current, ...others]: readonly string[],
  { failOn, format }: DiffOptions,
  io: Io,
): Promise<ExitCode> {
  if (baseline === undefined || current === undefined || others.length > 0)
    throw new UsageError("Name two contracts: the baseline and the current one.");
  const temporary = mkdtempSync(path.join(tmpdir(), "accrete-diff-"));
  try {
    const { findings, additions, notes } = await compareContracts(baseline, current, temporary);
    if (format === "text") io.stderr(notes.map((note) => `${sanitizeLine(note)}\n`).join(""));
    const { errors, warnings } = countSeverities(findings);
    const counts = { errors, warnings, notes: findings.length - errors - warnings };
    const text = `${formatCount(errors, "error")}, ${formatCount(warnings, "warning")}, ${formatCount(counts.notes, "note")}, ${formatCount(additions.length, "addition")}`;
    const summary = { text, data: { ...counts, additions } };
    io.stdout(REPORTERS[format](findings, { color: io.colors, summary }));
    const failing = SEVERITIES.slice(0, SEVERITIES.indexOf(failOn) + 1);
    return findings.some(({ severity }) => failing.includes(severity)) ? EXIT.findings : EXIT.ok;
  } catch (error) {
    if (error instanceof BaselineError) throw new UsageError(error.message);
    throw error;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

async function compareContracts(baseline: string, current: string, temporary: string) {
  // The proof engine takes longer to load than most commands need to run.
  const [{ diffContracts }, { readContract }, { parseContractOperand }] = await Promise.all([
    import("../compat/diff-contracts.js"),
    import("../diff/read-contract.js"),
    import("../diff/contract-operand.js"),
  ]);
  const before = await readContract(parseContractOperand(baseline), temporary);
  const after = await readContract(parseContractOperand(current), temporary);
  return { ...(await diffContracts(before.side, after.side)), notes: [...before.notes, ...after.notes] };
}

/** The command `accrete diff`. */
export const diffCommand: CommandEntry = {
  name: "diff",
  summary: "compare two contracts of any origin, as if the second were the next version of the first",
  operands: {
    syntax: "<contract...>",
    description:
      "the baseline and the current contract. Each is a protocol folder, a release, a JSON Schema or a folder of schemas; or git:REF:PATH or npm:NAME@RANGE:PATH; a JSON pointer after # selects a part of a schema",
  },
  options: [
    new Option("--fail-on <severity>", "the lowest severity that gives exit code 1")
      .choices(SEVERITIES)
      .default("error"),
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
    runDiff(
      operands,
      {
        failOn: SEVERITIES.find((known) => known === options.failOn) ?? "error",
        format: readFormat(options),
      },
      io,
    ),
};
