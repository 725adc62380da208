/** Measures how many secrets of the corpus are found, and how much of what is found is a secret. */
import { readFileSync } from "node:fs";
import { readRecording } from "../../generator/ingest/read-recording.js";
import { getValueAtPointer, type Json } from "../../generator/json.js";
import { findSecretValues, mayHoldSecrets } from "../../generator/redact/find-secrets.js";
import { redactRecordings } from "../../generator/redact/redact-recordings.js";
import type { Validators } from "../../generator/validators/protocol-validators.js";
import type { CorpusCase } from "./secret-corpus.js";

/** A part of a text. Its ends count UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly stop: number;
}

/** What was found in a text of the corpus. */
export interface CaseResult {
  readonly corpusCase: CorpusCase;
  readonly spans: readonly Span[];
  /** The numbers of secrets, and of those that are found whole. */
  readonly secrets: number;
  readonly found: number;
  /** The number of answers, and of those that contain a harmless character. */
  readonly wrong: number;
}

/** The figures of a part of the corpus. */
export interface Figures {
  readonly secrets: number;
  readonly found: number;
  readonly answers: number;
  readonly wrong: number;
  readonly lookAlikes: number;
  /** The number of harmless texts in which something is found. */
  readonly flagged: number;
  readonly recall: number;
  readonly precision: number;
}

/** Finds the spans of secrets in a text that a value holds. */
export type FindSpans = (value: Json, text: string) => readonly Span[];

/** Finds the secrets of an event as `accrete validate` does: after a search for literals. */
export const findSpans: FindSpans = (value, text) =>
  mayHoldSecrets(Buffer.from(JSON.stringify(value)))
    ? findSecretValues(value)
        .filter(({ pointer }) => getValueAtPointer(value, pointer) === text)
        .flatMap(({ spans }) => spans)
    : [];

/** Measures all cases. Texts in pieces are redacted as the outputs of one recording, if there are validators. */
export function measureCases(
  cases: readonly CorpusCase[],
  find: FindSpans,
  validators?: readonly Validators[],
): CaseResult[] {
  const whole = cases
    .filter(({ cuts }) => cuts === undefined)
    .map((corpusCase) => {
      const text = joinSegments(corpusCase);
      return createResult(corpusCase, find(corpusCase.embed?.(text) ?? { text }, text));
    });
  const pieces = cases.filter(({ cuts }) => cuts !== undefined);
  return validators === undefined ? whole : [...whole, ...measurePieces(pieces, validators)];
}

function joinSegments({ segments }: CorpusCase): string {
  return segments.map(({ text }) => text).join("");
}

function createResult(corpusCase: CorpusCase, spans: readonly Span[]): CaseResult {
  const text = joinSegments(corpusCase);
  const isMasked = new Array<boolean>(text.length).fill(false);
  for (const { start, stop } of spans) isMasked.fill(true, start, stop);
  const isPlain = new Array<boolean>(text.length).fill(false);
  // Segments of a secret around an optional one belong to one secret.
  const secrets: Span[][] = [];
  let at = 0;
  let before = "plain";
  for (const { text: part, kind } of corpusCase.segments) {
    const span = { start: at, stop: at + part.length };
    if (kind === "plain") isPlain.fill(true, span.start, span.stop);
    if (kind === "secret" && before === "plain") secrets.push([span]);
    else if (kind === "secret") {
      if (secrets.length === 0) secrets.push([]);
      secrets.at(-1)?.push(span);
    }
    if (part !== "") before = kind;
    at = span.stop;
  }
  const found = secrets.filter((parts) =>
    parts.every(({ start, stop }) => isMasked.slice(start, stop).every(Boolean)),
  );
  return {
    corpusCase,
    spans,
    secrets: secrets.length,
    found: found.length,
    wrong: spans.filter(({ start, stop }) => isPlain.slice(start, stop).some(Boolean)).length,
  };
}

/** Redacts texts that are sent in pieces, each in a stream of its own. */
function measurePieces(cases: readonly CorpusCase[], validators: readonly Validators[]): CaseResult[] {
  const model = readFileSync("fixtures/hecate/v1/streams/agent-loop-shell.jsonl", "utf8")
    .split("\n")
    .find((line) => line.includes('"tool.shell.output_chunk"'));
  const lines = cases.flatMap((corpusCase, stream) => {
    const text = joinSegments(corpusCase);
    const borders = [0, ...(corpusCase.cuts ?? []), text.length];
    return borders.slice(1).map((stop, sequence) => {
      const event = JSON.parse(model ?? "");
      const data = { ...event.data, data: text.slice(borders[sequence], stop) };
      const run = `run_01${String(stream).padStart(24, "0")}`;
      return JSON.stringify({ ...event, run_id: run, event_id: `evt_${stream}_${sequence}`, sequence, data });
    });
  });
  const recording = readRecording("run.jsonl", lines.join("\n"), ["type"]);
  const texts = new Map<string, string>();
  for (const line of redactRecordings([recording], validators).texts[0]?.split("\n") ?? []) {
    const { run_id, data } = JSON.parse(line);
    texts.set(run_id, (texts.get(run_id) ?? "") + data.data);
  }
  return cases.map((corpusCase, stream) => {
    const redacted = texts.get(`run_01${String(stream).padStart(24, "0")}`) ?? "";
    return createResult(corpusCase, listMasks(joinSegments(corpusCase), redacted));
  });
}

/** Returns the parts of a text that are masked in its redacted form. */
function listMasks(text: string, redacted: string): Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (let from = 0; from < text.length; ) {
    const letter = String.fromCodePoint(text.codePointAt(from) ?? 0);
    const bytes = Buffer.byteLength(letter);
    const isMasked = !redacted.startsWith(letter, at);
    const last = spans.at(-1);
    if (isMasked && last?.stop === from)
      spans[spans.length - 1] = { start: last.start, stop: from + letter.length };
    else if (isMasked) spans.push({ start: from, stop: from + letter.length });
    at += isMasked ? bytes : letter.length;
    from += letter.length;
  }
  return spans;
}

/** Returns the figures of some cases. */
export function countFigures(results: readonly CaseResult[]): Figures {
  const sum = (count: (result: CaseResult) => number): number =>
    results.reduce((total, result) => total + count(result), 0);
  const secrets = sum((each) => each.secrets);
  const found = sum((each) => each.found);
  const answers = sum(({ spans }) => spans.length);
  const wrong = sum((each) => each.wrong);
  return {
    secrets,
    found,
    answers,
    wrong,
    lookAlikes: sum(({ corpusCase }) => (corpusCase.isLookAlike ? 1 : 0)),
    flagged: sum(({ corpusCase, spans }) => (corpusCase.isLookAlike && spans.length > 0 ? 1 : 0)),
    recall: secrets === 0 ? 1 : found / secrets,
    precision: answers === 0 ? 1 : (answers - wrong) / answers,
  };
}

/** The parts of the corpus: forms and wrappings that were seen while the detectors were written, or not. */
export const PARTS = {
  "seen forms, seen ways of writing": ({ isFormSeen, isWrappingSeen }: CorpusCase) =>
    isFormSeen && isWrappingSeen,
  "seen forms, unseen ways of writing": ({ isFormSeen, isWrappingSeen }: CorpusCase) =>
    isFormSeen && !isWrappingSeen,
  "unseen forms, seen ways of writing": ({ isFormSeen, isWrappingSeen }: CorpusCase) =>
    !isFormSeen && isWrappingSeen,
  "unseen forms, unseen ways of writing": ({ isFormSeen, isWrappingSeen }: CorpusCase) =>
    !isFormSeen && !isWrappingSeen,
};

/** Returns the figures of all parts as a table of Markdown. */
export function formatFigures(results: readonly CaseResult[]): string {
  const rows = Object.entries(PARTS).map(([name, isPart]) => {
    const part = results.filter(({ corpusCase }) => isPart(corpusCase));
    const { secrets, lookAlikes, recall, precision } = countFigures(part);
    const cells = [part.length - lookAlikes, secrets, formatPart(recall), lookAlikes, formatPart(precision)];
    return `| ${name} | ${cells.join(" | ")} |`;
  });
  return [
    "| | texts with secrets | secrets | recall | harmless texts | precision |",
    "|---|---:|---:|---:|---:|---:|",
    ...rows,
  ].join("\n");
}

/** Returns a part of a whole in percent. It is rounded down, so that it is 100 only if nothing is missing. */
const formatPart = (part: number): string => `${(Math.floor(part * 1_000) / 10).toFixed(1)} %`;
