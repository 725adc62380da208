import { setImmediate as nextTurn } from "node:timers/promises";
import { Option } from "commander";
import { getQuestionTimeout, type TimeLimit } from "../compat/proof/time-limit.js";
import type { SchemaText } from "../contain/check-texts.js";
import type { Containment } from "../contain/contain.js";
import { UsageError } from "../failure.js";
import { EXIT, type Io } from "../io.js";
import type { Json } from "../json.js";
import { readBytes } from "../load/read-bytes.js";
import { parseDialectName, UnsupportedSchema } from "../schema/dialects.js";
import { sanitizeLine } from "../text.js";
import type { CommandEntry } from "./command.js";
import { limitTime, timeLimitOption } from "./limit-time.js";
import { parseNonEmpty, readOptionalText } from "./options.js";

/** The exit code of each answer. */
const EXIT_CODES = { contained: EXIT.ok, "not-contained": EXIT.findings, undecided: 3 } as const;

/** The maximum number of characters of a value that are printed. */
const MAX_CHARACTERS = 1000;

interface SubsetOptions {
  readonly dialect: string | undefined;
  readonly json: boolean;
  readonly timeLimit: TimeLimit;
}

async function runSubset(
  files: readonly string[],
  pairs: string | undefined,
  { dialect: dialectName, json, timeLimit }: SubsetOptions,
  io: Pick<Io, "stdout">,
): Promise<number> {
  const [a, b] = files;
  if (pairs !== undefined && a !== undefined)
    throw new UsageError("--pairs takes the place of the two schema files.");
  if (files.length > 2) throw new UsageError("Name two schema files, not more.");
  // The containment check takes longer to load than most commands need to run.
  const { answerPair, checkSchemaTexts } = await import("../contain/check-texts.js");
  const dialect =
    dialectName === undefined
      ? {}
      : { dialect: await convertInputErrors(() => parseDialectName(dialectName)) };
  if (pairs !== undefined) {
    const lines = readSchema(pairs).text.split("\n");
    for (const line of lines) {
      if (line.trim() === "") continue;
      // A signal that ends the time is noticed between two questions.
      await nextTurn();
      timeLimit.beginQuestion();
      const end = timeLimit.getRemaining() > 0 ? undefined : timeLimit.describeEnd();
      const timeoutMs = getQuestionTimeout(timeLimit);
      const answer = await answerPair(line, { ...dialect, timeoutMs }, end);
      io.stdout(`${JSON.stringify(answer)}\n`);
    }
    return EXIT.ok;
  }
  if (a === undefined || b === undefined)
    throw new UsageError("Name two schema files, or a file with --pairs.");
  const answer = await convertInputErrors(() =>
    checkSchemaTexts(readSchema(a), readSchema(b), {
      ...dialect,
      timeoutMs: getQuestionTimeout(timeLimit),
    }),
  );
  io.stdout(json ? `${JSON.stringify(answer)}\n` : describeAnswer(answer, a, b));
  return EXIT_CODES[answer.verdict];
}

/** Runs a function. Converts errors about unknown dialects and about texts that are not JSON to usage errors. */
async function convertInputErrors<T>(run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof UnsupportedSchema || error instanceof SyntaxError)
      throw new UsageError(error.message);
    throw error;
  }
}

function readSchema(file: string): SchemaText {
  return {
    file,
    text: readBytes(file)
      .toString("utf8")
      .replace(/^\uFEFF/, ""),
  };
}

function describeAnswer(answer: Containment, a: string, b: string): string {
  switch (answer.verdict) {
    case "contained":
      return `contained: every value that ${a} accepts is accepted by ${b}\n`;
    case "not-contained":
      return `not contained: ${a} accepts this value and ${b} refuses it\n${shorten(answer.witness)}\n`;
    case "undecided":
      return `undecided: ${sanitizeLine(answer.reason)}\n`;
  }
}

/** Returns a value on one line. For a long value, the line has the beginning, the end and the length of its text. */
function shorten(value: Json): string {
  const text = sanitizeLine(JSON.stringify(value));
  if (text.length <= MAX_CHARACTERS) return text;
  const half = MAX_CHARACTERS / 2;
  return `${text.slice(0, half)} … ${text.slice(-half)} (${text.length} characters; --format json prints all)`;
}

/** The command `accrete subset`. */
export const subsetCommand: CommandEntry = {
  name: "subset",
  summary: "decide whether every value of schema A is one of schema B",
  operands: { syntax: "[schema...]", description: "two JSON Schema files: A and B" },
  options: [
    new Option(
      "--pairs <file>",
      'JSON Lines of {"id", "a", "b"}, optionally with a "dialect"; prints one answer per line',
    ).argParser(parseNonEmpty),
    new Option(
      "--dialect <dialect>",
      "the dialect of schemas without $schema: draft4, draft6, draft7, 2019-09 or 2020-12",
    ),
    timeLimitOption,
    new Option("--format <format>", "output format").choices(["text", "json"]).default("text"),
  ],
  examples: [
    ["subset old.json new.json", "does a reader of new.json accept everything that old.json allows?"],
    ["subset --pairs pairs.jsonl", "many pairs, with one answer per line"],
  ],
  exits: "0 A is a subset of B, 1 A is not a subset of B, 2 wrong usage or unreadable input, 3 undecided.",
  run: (files, options, io) =>
    limitTime(options, io, (timeLimit, printer) =>
      runSubset(
        files,
        readOptionalText(options, "pairs"),
        { dialect: readOptionalText(options, "dialect"), json: options.format === "json", timeLimit },
        printer,
      ),
    ),
};
