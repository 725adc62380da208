import { statSync } from "node:fs";
import { systemReason, UsageError } from "../failure.js";
import { fileInput } from "../ingest/inputs.js";
import type { Input } from "../ingest/place.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { type Format, REPORTERS } from "../report/report.js";
import { counted } from "../text.js";
import type { Validators } from "../validators/protocol-validators.js";
import { compareRecordings } from "./compare-recordings.js";

/** Compares two recordings, prints where they differ, and returns the exit code. */
export async function compareFiles(
  {
    files,
    format,
    limit,
  }: { readonly files: readonly string[]; readonly format: Format; readonly limit: number },
  validators: readonly Validators[],
  io: Io,
): Promise<ExitCode> {
  const [first, second] = files.map(recording);
  if (!first || !second) throw new UsageError("--compare takes two files.");
  const { findings, runs, events, different } = await compareRecordings(first, second, validators);
  const hidden = limit === 0 ? 0 : Math.max(0, findings.length - limit);
  const text = [
    ...(hidden > 0 ? [`${counted(hidden, "more finding")} not shown (--limit 0 shows all)`] : []),
    `${counted(runs, "run")} with ${counted(events, "event")} compared, ${different} different`,
  ].join("\n");
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const summary = { text, data: { runs, events, different, errors, hidden } };
  const shown = hidden > 0 ? findings.slice(0, limit) : findings;
  io.stdout(REPORTERS[format](shown, { color: io.colors, summary }));
  return errors > 0 ? EXIT.findings : EXIT.ok;
}

function recording(file: string, index: number): Input {
  try {
    if (!statSync(file).isDirectory()) return fileInput(index, file);
  } catch (error) {
    throw new UsageError(`cannot read ${systemReason(error) ?? file}`);
  }
  throw new UsageError(`cannot read ${file}: it is a folder`);
}
