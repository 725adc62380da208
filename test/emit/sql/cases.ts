/** Streams with faults, and what `accrete validate` says about them, for tests of the views on every engine. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { createStreamChecker } from "../../../generator/conform/stream-checker.js";
import { STREAM_FINDINGS } from "../../../generator/conform/stream-rules.js";
import type { JsonObject } from "../../../generator/json.js";
import type { Protocol } from "../../../generator/protocol/protocol.js";
import { readPosition, streamKey } from "../../../generator/stream/stream-key.js";
import { createTracker } from "../../../generator/stream/tracker.js";
import { createValidators } from "../../../generator/validators/protocol-validators.js";
import { injectFaults } from "../../../scripts/corpus/faults.js";
import { type CorpusRandom, createCorpusRandom } from "../../../scripts/corpus/random.js";
import { runAccrete } from "../../commands/run-in-process.js";
import { fixtureStreams, validators } from "../../conform/check-stream.js";
import { readStreamCases } from "../../conform/stream-cases.js";
import { withTemporaryFolder } from "../../folders.js";
import { PROTOCOLS } from "../fixtures.js";
import type { Row, Views } from "./engine.js";

/** The findings that depend on the limits of a checker's memory, and those that the views leave out. */
const OTHER_RULES: readonly string[] = ["sequence-uncertain", "stream-limit-reached", "hierarchy-broken"];

/** The rules whose violations the views list. */
export const SQL_RULES: readonly string[] = STREAM_FINDINGS.map(({ id }) => id).filter(
  (id) => !OTHER_RULES.includes(id),
);

/** Events of one protocol, sorted by stream and number. */
export interface Corpus {
  readonly name: string;
  readonly protocol: Protocol;
  readonly lines: readonly string[];
}

/** Returns for each protocol the streams of its fixtures, as they are and with faults. */
export function createCorpora(): readonly Corpus[] {
  return PROTOCOLS.flatMap((protocol) => {
    const lines = fixtureStreams.filter(({ id }) => id === protocol.id).flatMap((one) => one.lines);
    const copies = [1, 2, 3, 4].flatMap((copy) => lines.map((line) => renameStream(protocol, line, copy)));
    const faulty = [...injectFaults(copies, ["drop", "duplicate", "reorder", "unknown"], 7, new Map(), 0.1)];
    const random = createCorpusRandom(7);
    const damage = (line: string): string =>
      random.chance(0.05) ? damageEnvelope(protocol, line, random) : line;
    return [
      { name: `${protocol.id}, as recorded`, protocol, lines: sortLines(protocol, lines) },
      {
        name: `${protocol.id}, with faults`,
        protocol,
        lines: sortLines(protocol, faulty.flatMap(repeatChanged(protocol)).map(damage)),
      },
    ];
  });
}

/**
 * Returns corpora of the cases of stream rules, those with the same rules in one corpus: as they are, and with faults. A
 * case that declares rules is checked against these alone.
 */
export function createRuleCorpora(): readonly Corpus[] {
  const groups = new Map<string, { readonly protocol: Protocol; readonly lines: string[] }>();
  for (const [number, { given, lines }] of readStreamCases().entries()) {
    const own = PROTOCOLS.find(({ id }) => id === given.protocol);
    // The engines do not read a text with half of a surrogate pair.
    const isReadable = !/\\ud[89a-f]/.test(lines.join("\n"));
    if (own?.stream === undefined || given.limits !== undefined || !isReadable) continue;
    const rules = given.rules ?? own.stream.rules ?? {};
    const name = `${own.id}, ${given.rules === undefined ? "its own rules" : JSON.stringify(given.rules)}`;
    const group = groups.get(name) ?? { protocol: { ...own, stream: { ...own.stream, rules } }, lines: [] };
    groups.set(name, group);
    group.lines.push(...renameIds(own, lines, number));
  }
  return [...groups].flatMap(([name, { protocol, lines }]) => {
    const random = createCorpusRandom(lines.length);
    const faulty = [...injectFaults(lines, ["drop", "duplicate", "reorder", "unknown"], 7, new Map(), 0.05)];
    const damaged = faulty.map((line) =>
      random.chance(0.05) ? damageEnvelope(protocol, line, random) : line,
    );
    return [
      { name, protocol, lines: sortLines(protocol, lines) },
      { name: `${name}, with faults`, protocol, lines: sortLines(protocol, damaged) },
    ];
  });
}

/** Gives the streams and events of a case ids that no other case has. */
export function renameIds({ stream }: Protocol, lines: readonly string[], number: number): readonly string[] {
  const fields = [stream?.key.at(-1) ?? "", stream?.id ?? ""];
  const values = lines.flatMap((line) => fields.map((field) => JSON.parse(line)[field]));
  const ids = new Set(values.filter((value) => typeof value === "string" && value.length > 6));
  const digits = number.toString().padStart(4, "0");
  return lines.map((line) =>
    [...ids].reduce(
      (text, id) =>
        text.replaceAll(
          JSON.stringify(id),
          JSON.stringify(
            id.length < 20 ? `${id}${digits}` : id.slice(0, -6 - digits.length) + digits + id.slice(-6),
          ),
        ),
      line,
    ),
  );
}

/**
 * Returns an event in which a field of the envelope has another type, or is absent. Without numbers, the stream stays: the
 * views do not know what an event without a stream means for other streams.
 */
export function damageEnvelope({ stream, envelope }: Protocol, line: string, random: CorpusRandom): string {
  const event = JSON.parse(line);
  const required = envelope.schema.required as readonly string[];
  const kept = stream?.sequence === undefined ? (stream?.key ?? []) : [];
  const field = random.pick(
    [stream?.sequence ?? required[0] ?? "", ...required].filter(
      (name) => !kept.includes(name) && typeof event[name] !== "object",
    ),
  );
  const value = random.pick(["x", 1.5, null, [], undefined]);
  return JSON.stringify({ ...event, [field]: typeof value === typeof event[field] ? null : value });
}

/** Returns events in their order, of which some have a number that is absent, of another type, or beyond 2^53 - 1. */
export function damageNumbers(
  { stream }: Protocol,
  lines: readonly string[],
  seed: number,
): readonly string[] {
  const random = createCorpusRandom(seed);
  return lines.map((line) => {
    if (!random.chance(0.1)) return line;
    const value = random.pick(["x", 1.5, null, [], undefined, {}, 2 ** 53 + 2]);
    return JSON.stringify({ ...JSON.parse(line), [stream?.sequence ?? ""]: value });
  });
}

/** Returns the rule corpus of a name. */
export function pickCorpus(wanted: string): Corpus {
  const corpus = createRuleCorpora().find(({ name }) => name === wanted);
  if (corpus === undefined) throw new Error(`no corpus ${wanted}`);
  return corpus;
}

/**
 * Returns the violations of a corpus as `accrete validate --profile writer` finds them.
 */
export function checkCorpus({ protocol, lines }: Corpus): readonly string[] {
  const decode = (validators.get(protocol.id) ?? createValidators(protocol)).decodeEvent;
  const tracker = createTracker(protocol.stream, { window: Infinity, streams: Infinity });
  const checker = createStreamChecker(protocol, { profile: "writer", finished: Infinity });
  const found = lines.flatMap((line, index) => {
    const event: JsonObject = JSON.parse(line);
    const isUnsafe = Number(event[protocol.stream?.sequence ?? ""]) > Number.MAX_SAFE_INTEGER;
    if (!isUnsafe && decode(event, { profile: "writer" }).kind !== "invalid")
      return checker.check(event, tracker.place(event, line), index + 1);
    return checker.refuse(readPosition(protocol.stream, event), index + 1);
  });
  const violations = [...found, ...checker.end()].filter(({ rule }) => SQL_RULES.includes(rule));
  return [...new Set(violations.map(({ rule, index }) => `${rule}@${index}`))].sort();
}

/** Returns an event of another stream with the same events. */
function renameStream({ stream }: Protocol, line: string, copy: number): string {
  const event: { [field: string]: unknown } = JSON.parse(line);
  const field = stream?.key.at(-1) ?? "";
  const names = [field, stream?.id ?? "", "session_id", "task_id"].filter((name) => name in event);
  // The ids keep their length and form: two letters of each are replaced.
  for (const name of names) event[name] = String(event[name]).replace(/..$/, `${copy}0`);
  return JSON.stringify(event);
}

/** Returns a function that adds, after some events, another one with the same id and another time, or with the same number and another id. */
export function repeatChanged({ stream }: Protocol): (line: string, index: number) => readonly string[] {
  return (line, index) => {
    const time = stream?.time;
    if (time === undefined || stream?.id === undefined || index % 11 > 1) return [line];
    const event = JSON.parse(line);
    if (index % 11 === 0)
      return [line, JSON.stringify({ ...event, [stream.id]: event[stream.id].replace(/..$/, "77") })];
    const later = typeof event[time] === "number" ? event[time] + 1 : event[time].replace(/\d(?=\D*$)/, "9");
    return [line, JSON.stringify({ ...event, [time]: later })];
  };
}

/** Sorts lines by stream and number, as `accrete audit` does. */
export function sortLines({ stream }: Protocol, lines: readonly string[]): readonly string[] {
  const field = stream?.sequence;
  if (stream === undefined || field === undefined) return lines;
  return lines
    .map((line) => ({ line, event: JSON.parse(line) as JsonObject }))
    .map(({ line, event }) => ({ line, key: streamKey(stream, event), number: readNumber(event[field]) }))
    .sort((a, b) => (a.key === b.key ? a.number - b.number : a.key < b.key ? -1 : 1))
    .map(({ line }) => line);
}

/** Returns the number of an event; that of an event without one is the greatest. */
function readNumber(value: unknown): number {
  return typeof value === "number" ? value : Number.MAX_VALUE;
}

/** What `accrete validate` reports about a file. */
export interface Report {
  readonly streams: readonly Row[];
  /** The findings of the rules that the views know, as `rule@line`. */
  readonly violations: readonly string[];
}

/** Returns the statistics and findings of `accrete validate --profile writer`. */
export function validateCorpus({ protocol, lines }: Corpus): Promise<Report> {
  return withTemporaryFolder(async (folder) => {
    const file = path.join(folder, "sorted.jsonl");
    writeFileSync(file, lines.map((line) => `${line}\n`).join(""));
    const run = async (profile: string): Promise<{ findings: []; summary: { stats: { streams: [] } } }> => {
      const argv = ["validate", file, "--protocol", protocol.id, "--profile", profile];
      const { stdout } = await runAccrete([...argv, "--stats", "--format", "json", "--limit", "0"]);
      return JSON.parse(stdout);
    };
    const { summary } = await run("reader");
    const { findings } = await run("writer");
    return {
      streams: summary.stats.streams.map(summarizeStream),
      violations: [
        ...new Set(
          findings
            .filter(({ rule }) => SQL_RULES.includes(rule))
            .map(({ rule, at }: { rule: string; at: { line: number } }) => `${rule}@${at.line}`),
        ),
      ].sort(),
    };
  });
}

function summarizeStream(stats: { readonly [name: string]: unknown }): Row {
  const { stream, events, gaps, missing, redelivered, conflicting, late, unknown, first, last, seconds } =
    stats;
  return {
    ...{ stream, events, gaps, missing, duplicates: redelivered, conflicts: conflicting, late, unknown },
    ...{
      first_sequence: first ?? null,
      last_sequence: last ?? null,
      seconds,
    },
  };
}

/** Returns the same as `validateCorpus`, from the views. */
export async function queryCorpus(views: Views): Promise<Report> {
  const streams = await views.query(`SELECT * FROM ${views.schema}.streams`);
  const violations = await views.query(`SELECT rule, position FROM ${views.schema}.violations`);
  return {
    streams: streams.map((row) => ({
      ...Object.fromEntries(
        ["events", "gaps", "missing", "duplicates", "conflicts", "late", "unknown"].map((name) => [
          name,
          Number(row[name]),
        ]),
      ),
      stream: row.stream,
      first_sequence: toNumber(row.first_sequence),
      last_sequence: toNumber(row.last_sequence),
      // The statistics omit fractions of a millisecond.
      seconds: expect.closeTo(Number(row.duration_seconds), 2),
    })),
    violations: violations.map(({ rule, position }) => `${rule}@${position}`).sort(),
  };
}

function toNumber(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}

/** Sorts rows by their streams. */
export function sortRows(rows: readonly Row[]): readonly Row[] {
  return [...rows].sort((a, b) => (String(a.stream) < String(b.stream) ? -1 : 1));
}
