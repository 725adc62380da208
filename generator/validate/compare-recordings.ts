/**
 * Compares two recordings of the same runs: the envelopes of each run, byte for byte, without redeliveries. Keeps digests
 * of the first recording, and reads it again for the texts of envelopes that differ.
 */
import { statSync } from "node:fs";
import { describeSystemError, UsageError } from "../failure.js";
import { createErrorFinding, type Finding, type Location } from "../finding.js";
import { createFileInput } from "../ingest/inputs.js";
import { type Input, locatePart } from "../ingest/place.js";
import { cutExcerpt } from "../ingest/unreadable-finding.js";
import { EXIT, type ExitCode, getFolderInRepository, type Io } from "../io.js";
import { formatReport, type ReportFormat } from "../report/report.js";
import { sha256 } from "../sha256.js";
import { formatCount } from "../text.js";
import type { Validators } from "../validators/protocol-validators.js";
import { type Envelope, readEnvelopes } from "./envelopes.js";

/** The result of a comparison. */
interface RecordingComparison {
  readonly findings: readonly Finding[];
  readonly runs: number;
  /** The number of envelopes of the first recording. */
  readonly events: number;
  /** The number of runs that differ. */
  readonly differentRuns: number;
}

/** The text and the location of an envelope. */
interface LocatedText {
  readonly text: string;
  readonly at: Location;
}

/** The first difference of a run. */
interface Difference {
  readonly run: string;
  /** The number of equal envelopes before the difference. */
  readonly equalCount: number;
  /** The envelope of the second recording; undefined if its run has ended. */
  readonly second: LocatedText | undefined;
}

/** Compares `second` with `first`. Rejects if one of them cannot be read. */
export async function compareRecordings(
  first: Input,
  second: Input,
  validators: readonly Validators[],
): Promise<RecordingComparison> {
  const findings: Finding[] = [];
  const report = (finding: Finding): void => void findings.push(finding);
  const runs = new Map<string, RecordedRun>();
  const addToRun = ({ run, text, place }: Envelope): void => {
    const recorded = runs.get(run) ?? createRecordedRun();
    runs.set(run, recorded);
    addEnvelope(recorded, text, place.line, place.itemIndex);
  };
  await readEnvelopes(first, validators, addToRun, report);
  const { differences, runCount } = await findDifferences(second, validators, runs, report);
  const firstTexts = await readFirstEnvelopes(first, validators, runs, differences);
  findings.push(
    ...differences.map((difference, index) =>
      createDifferenceFinding(difference, firstTexts[index], first, second),
    ),
  );
  const events = [...runs.values()].reduce((sum, { lines }) => sum + lines.length, 0);
  return { findings, runs: runCount, events, differentRuns: differences.length };
}

/** Returns the first difference of each run: first those in the events of `second`, in their order, then those of runs that end too early in `second`. */
async function findDifferences(
  second: Input,
  validators: readonly Validators[],
  runs: ReadonlyMap<string, RecordedRun>,
  report: (finding: Finding) => void,
): Promise<{ readonly differences: readonly Difference[]; readonly runCount: number }> {
  const differences = new Map<string, Difference>();
  const counts = new Map<string, number>();
  const compare = ({ run, text, place }: Envelope): void => {
    const equalCount = counts.get(run) ?? 0;
    counts.set(run, equalCount + 1);
    if (differences.has(run)) return;
    const recorded = runs.get(run);
    if (recorded && equalCount < recorded.lines.length && hasEnvelope(recorded, equalCount, text)) return;
    differences.set(run, { run, equalCount, second: { text, at: locatePart(place, "") } });
  };
  await readEnvelopes(second, validators, compare, report);
  for (const [run, { lines }] of runs) {
    const equalCount = counts.get(run) ?? 0;
    if (!differences.has(run) && equalCount < lines.length)
      differences.set(run, { run, equalCount, second: undefined });
  }
  const runCount = new Set([...runs.keys(), ...counts.keys()]).size;
  return { differences: [...differences.values()], runCount };
}

/** Returns the envelope of the first recording for each difference; undefined if its run has ended there. */
async function readFirstEnvelopes(
  first: Input,
  validators: readonly Validators[],
  runs: ReadonlyMap<string, RecordedRun>,
  differences: readonly Difference[],
): Promise<readonly (LocatedText | undefined)[]> {
  const keys = differences.map(({ run, equalCount }) => {
    const recorded = runs.get(run);
    return formatPlaceKey(recorded?.lines[equalCount], recorded?.items[equalCount]);
  });
  const requestedKeys = new Set(keys);
  const texts = new Map<string, LocatedText>();
  const keepRequestedText = ({ text, place }: Envelope): void => {
    const key = formatPlaceKey(place.line, place.itemIndex);
    if (requestedKeys.has(key)) texts.set(key, { text, at: locatePart(place, "") });
  };
  // The findings of the first recording were reported when it was read the first time.
  if (differences.length > 0) await readEnvelopes(first, validators, keepRequestedText, () => {});
  return keys.map((key) => texts.get(key));
}

/** Returns the key of the envelope at a line and item; no envelope has the key of two undefined numbers. */
function formatPlaceKey(line: number | undefined, item: number | undefined): string {
  return `${line}:${item}`;
}

function createDifferenceFinding(
  { run, equalCount, second }: Difference,
  first: LocatedText | undefined,
  firstInput: Input,
  secondInput: Input,
): Finding {
  const endOfRun = { file: secondInput.name, pointer: "" };
  const extent = equalCount === 0 ? "has no event" : `ends after ${formatCount(equalCount, "event")}`;
  let message: string;
  if (second === undefined)
    message = `${run} ${extent} here, but goes on in ${firstInput.name}: ${cutExcerpt(first?.text ?? "", 0, 60)}`;
  else if (first === undefined)
    message = `${run} ${extent} in ${firstInput.name}, but goes on here: ${cutExcerpt(second.text, 0, 60)}`;
  else
    message = `${run} differs in its event number ${equalCount + 1}, ${describeFirstDifference(first.text, second.text)}`;
  return {
    ...createErrorFinding("replay-differs", message, second?.at ?? endOfRun),
    ...(first && { baseline: first.at }),
  };
}

function describeFirstDifference(first: string, second: string): string {
  let index = 0;
  while (index < first.length && first[index] === second[index]) index++;
  const byte = Buffer.byteLength(first.slice(0, index));
  return `from its byte ${byte} on: ${cutExcerpt(first, index)} became ${cutExcerpt(second, index)}`;
}

/** The digests and places of the envelopes of a run: about 40 bytes for each envelope. */
export interface RecordedRun {
  /** The line of each envelope, from 1. */
  readonly lines: number[];
  /** The index of each envelope among those of its line. */
  readonly items: number[];
  /** The digests one after another. The buffer may be longer. */
  digests: Buffer;
}

/** The number of bytes of a digest. */
const DIGEST_BYTES = 16;

/** Creates a run without envelopes. */
export function createRecordedRun(): RecordedRun {
  return { lines: [], items: [], digests: Buffer.alloc(4 * DIGEST_BYTES) };
}

/** Adds the envelope at a line and item. */
export function addEnvelope(run: RecordedRun, text: string, line: number, item: number): void {
  const offset = run.lines.length * DIGEST_BYTES;
  if (offset + DIGEST_BYTES > run.digests.length)
    run.digests = Buffer.concat([run.digests], 2 * run.digests.length);
  computeDigest(text).copy(run.digests, offset);
  run.lines.push(line);
  run.items.push(item);
}

/** Returns whether the envelope with this number has this text. */
export function hasEnvelope(run: RecordedRun, number: number, text: string): boolean {
  return computeDigest(text).equals(run.digests.subarray(number * DIGEST_BYTES, (number + 1) * DIGEST_BYTES));
}

/** Returns half of the SHA-256 of a text. */
function computeDigest(text: string): Buffer {
  return sha256(text).subarray(0, DIGEST_BYTES);
}

/** Compares two recordings, prints where they differ, and returns the exit code. */
export async function compareFiles(
  {
    files,
    format,
    limit,
  }: { readonly files: readonly string[]; readonly format: ReportFormat; readonly limit: number },
  validators: readonly Validators[],
  io: Io,
): Promise<ExitCode> {
  const [first, second] = files.map(openRecording);
  if (!first || !second) throw new UsageError("--compare takes two files.");
  const { findings, runs, events, differentRuns } = await compareRecordings(first, second, validators);
  const hidden = limit === 0 ? 0 : Math.max(0, findings.length - limit);
  const text = [
    ...(hidden > 0 ? [`${formatCount(hidden, "more finding")} not shown (--limit 0 shows all)`] : []),
    `${formatCount(runs, "run")} with ${formatCount(events, "event")} compared, ${differentRuns} different`,
  ].join("\n");
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const summary = { text, data: { runs, events, different: differentRuns, errors, hidden } };
  const shownFindings = hidden > 0 ? findings.slice(0, limit) : findings;
  io.stdout(
    formatReport(format, shownFindings, { color: io.colors, folder: getFolderInRepository(), summary }),
  );
  return errors > 0 ? EXIT.findings : EXIT.ok;
}

function openRecording(file: string, index: number): Input {
  try {
    if (!statSync(file).isDirectory()) return createFileInput(index, file);
  } catch (error) {
    throw new UsageError(`cannot read ${describeSystemError(error) ?? file}`);
  }
  throw new UsageError(`cannot read ${file}: it is a folder`);
}
