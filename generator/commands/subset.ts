/** `accrete contains A.json B.json` and `accrete contains --pairs FILE.jsonl`: is one schema inside another? */
import { Option } from "commander";
import type { Containment } from "../contain/contain.js";
import { bareReason, systemReason } from "../failure.js";
import { isObject, type Json, own } from "../json.js";
import { readBytes } from "../load/read-bytes.js";
import { type Dialect, dialectNamed } from "../schema/dialects.js";
import { findInexactNumber } from "../source/numbers.js";
import { parseSource } from "../source/source.js";
import { printable } from "../text.js";
import type { CommandEntry } from "./command.js";
import { nonEmpty } from "./options.js";

/** What `contains` is asked: two files, or a file of pairs. */
export interface ContainsOptions {
  readonly a?: string | undefined;
  readonly b?: string | undefined;
  readonly pairs?: string | undefined;
  readonly format: "text" | "json";
  readonly dialect?: string | undefined;
}

/** Where a command writes. */
export interface ContainsOutput {
  stdout(text: string): void;
  stderr(text: string): void;
}

const EXIT = { contained: 0, "not-contained": 1, undecided: 3 } as const;
const USAGE = 2;
const MOST_SHOWN = 1_000;

/** Answers on stdout. Exit code 0 contained, 1 not contained, 2 usage, 3 undecided; a file of pairs that was read is 0. */
export async function runContains(options: ContainsOptions, io: ContainsOutput): Promise<number> {
  const usage = wrongUse(options);
  if (usage !== undefined) return refuse(io, usage);
  try {
    const dialect = options.dialect === undefined ? undefined : dialectNamed(options.dialect);
    if (options.pairs !== undefined) return await answerPairs(readText(options.pairs), dialect, io);
    const [a, b] = [readJson(options.a ?? ""), readJson(options.b ?? "")];
    const answer = a.misread ?? b.misread ?? (await ask(a.document, b.document, dialect));
    io.stdout(options.format === "json" ? `${JSON.stringify(answer)}\n` : asText(answer, options));
    return EXIT[answer.verdict];
  } catch (error) {
    return refuse(io, message(error));
  }
}

/** Loads the proof engine where it is needed: that takes longer than most commands need to run. */
async function ask(a: Json, b: Json, dialect: Dialect | undefined): Promise<Containment> {
  const { checkContainment } = await import("../contain/contain.js");
  return checkContainment(a, b, dialect === undefined ? {} : { dialect });
}

function wrongUse({ a, b, pairs }: ContainsOptions): string | undefined {
  if (pairs !== undefined)
    return a === undefined ? undefined : "--pairs takes the place of the two schema files";
  return a === undefined || b === undefined ? "two schema files are needed, or --pairs" : undefined;
}

function refuse(io: ContainsOutput, text: string): number {
  io.stderr(`accrete: ${printable(text)}\n`);
  return USAGE;
}

function message(error: unknown): string {
  return systemReason(error) ?? (error instanceof Error ? error.message : String(error));
}

function readText(file: string): string {
  try {
    return readBytes(file)
      .toString("utf8")
      .replace(/^\uFEFF/, "");
  } catch (error) {
    throw new Error(`${file}: ${bareReason(error) ?? message(error)}`);
  }
}

function readJson(file: string): { document: Json; misread: Containment | undefined } {
  const text = readText(file);
  let document: Json;
  try {
    document = JSON.parse(text) as Json;
  } catch (error) {
    throw new Error(fault(file, text) ?? `${file} is not JSON: ${message(error)}`);
  }
  return { document, misread: misread(text, file) };
}

/** Where a text is not JSON. */
function fault(file: string, text: string): string | undefined {
  const parsed = parseSource(file, new TextEncoder().encode(text));
  const [finding] = "findings" in parsed ? parsed.findings : [];
  return finding && `${file}:${finding.at.line}:${finding.at.column}: ${finding.message}`;
}

/** Undecided where the text does not say one thing: a name stands twice, or a number would be taken for another one. */
function misread(text: string, file: string): Containment | undefined {
  const twice = parseSource(file, new TextEncoder().encode(text));
  const found = "findings" in twice && twice.findings.find(({ rule }) => rule === "json-duplicate-key");
  if (found) {
    const { line, column } = found.at;
    return { verdict: "undecided", reason: `${file}:${line}:${column}: ${found.message.replace(/\.$/, "")}` };
  }
  const number = findInexactNumber(text);
  if (!number) return undefined;
  const where = `${file}:${number.line}:${number.column}, ${number.pointer || "at the root"}`;
  const fault = Number.isFinite(Number(number.text))
    ? "is not among those that a double holds exactly"
    : "is beyond the largest double";
  return {
    verdict: "undecided",
    reason: `the number ${number.text.slice(0, 100)} (${where}) ${fault}`,
  };
}

function asText(answer: Containment, { a, b }: ContainsOptions): string {
  switch (answer.verdict) {
    case "contained":
      return `contained: every value that ${a} accepts is accepted by ${b}\n`;
    case "not-contained":
      return `not contained: ${a} accepts this value and ${b} refuses it\n${shown(answer.witness)}\n`;
    case "undecided":
      return `undecided: ${printable(answer.reason)}\n`;
  }
}

/** A value on one line; of a very long one the two ends and its length. `--format json` prints all of it. */
function shown(value: Json): string {
  const text = printable(JSON.stringify(value));
  if (text.length <= MOST_SHOWN) return text;
  const half = MOST_SHOWN >> 1;
  return `${text.slice(0, half)} … ${text.slice(-half)} (${text.length} characters; --format json prints all)`;
}

async function answerPairs(text: string, dialect: Dialect | undefined, io: ContainsOutput): Promise<number> {
  for (const line of text.split("\n")) {
    if (line.trim() !== "") io.stdout(`${JSON.stringify(await answerLine(line, dialect))}\n`);
  }
  return 0;
}

/** The answer to one line of a file of pairs; a line that cannot be read is undecided, and says why. */
async function answerLine(line: string, dialect: Dialect | undefined) {
  const start = performance.now();
  const pair = parseLine(line);
  const id = isObject(pair) ? (own(pair, "id") ?? null) : null;
  const answer = (pair !== undefined && misread(line, "this line")) || (await answerPair(pair, dialect));
  return { id, ...answer, ms: Math.round((performance.now() - start) * 1000) / 1000 };
}

function parseLine(line: string): Json | undefined {
  try {
    return JSON.parse(line) as Json;
  } catch {
    return undefined;
  }
}

async function answerPair(pair: Json | undefined, dialect: Dialect | undefined): Promise<Containment> {
  if (pair === undefined) return { verdict: "undecided", reason: "the line is not JSON" };
  const [a, b] = isObject(pair) ? [own(pair, "a"), own(pair, "b")] : [];
  if (!isObject(pair) || a === undefined || b === undefined) {
    return { verdict: "undecided", reason: "the line holds no pair of schemas a and b" };
  }
  try {
    const named = own(pair, "dialect");
    if (named !== undefined && typeof named !== "string") {
      return { verdict: "undecided", reason: "the dialect is not a string" };
    }
    const actual = named === undefined ? dialect : dialectNamed(named);
    return await ask(a, b, actual);
  } catch (error) {
    return { verdict: "undecided", reason: message(error) };
  }
}

/** `accrete contains`. */
export const containsCommand: CommandEntry = {
  name: "contains",
  summary: "say whether every value that schema A accepts is accepted by schema B, or show one that is not",
  operands: { syntax: "[schema...]", description: "two JSON Schema files: A and B" },
  options: [
    new Option(
      "--pairs <file>",
      'JSON Lines of {"id", "a", "b"}, optionally with a "dialect"; an answer a line',
    ).argParser(nonEmpty),
    new Option(
      "--dialect <dialect>",
      "of schemas without $schema: draft4, draft6, draft7, 2019-09 or 2020-12",
    ),
    new Option("--format <format>", "how to print").choices(["text", "json"]).default("text"),
  ],
  examples: [
    ["contains old.json new.json", "may a reader of new.json take what old.json allows?"],
    ["contains --pairs pairs.jsonl", "many questions, a JSON line each"],
  ],
  exits: "0 contained, 1 not contained, 2 wrong usage or unreadable input, 3 undecided.",
  run: ([a, b, ...rest], { pairs, dialect, format }, io) => {
    if (rest.length > 0) return Promise.resolve(refuse(io, "two schema files are enough"));
    const given = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
    return runContains(
      { a, b, pairs: given(pairs), dialect: given(dialect), format: format === "json" ? "json" : "text" },
      io,
    );
  },
};
