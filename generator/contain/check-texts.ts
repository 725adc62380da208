/** Checks containment of schemas that are given as JSON text. Texts with more than one meaning are undecided. */

import { getOwn, isObject, type Json, parseJson } from "../json.js";
import { parseDialectName } from "../schema/dialects.js";
import { findInexactNumber } from "../source/numbers.js";
import { parseSource } from "../source/source.js";
import { getErrorMessage } from "../text.js";
import { type Containment, type ContainmentOptions, checkContainment } from "./contain.js";

/** A JSON Schema as text, and the name of its file. */
export interface SchemaText {
  readonly file: string;
  readonly text: string;
}

/** The dialect of schemas that name none, and the time for one question in milliseconds. */
export type CheckOptions = Pick<ContainmentOptions, "dialect" | "timeoutMs">;

/** Decides whether `b` accepts every value that `a` accepts. Throws a SyntaxError if a text is not JSON. */
export async function checkSchemaTexts(
  a: SchemaText,
  b: SchemaText,
  options: CheckOptions,
): Promise<Containment> {
  const schemaA = parseSchema(a);
  const schemaB = parseSchema(b);
  return (
    findAmbiguity(a.text, a.file) ??
    findAmbiguity(b.text, b.file) ??
    checkContainment(schemaA, schemaB, options)
  );
}

/** The answer to one line of a file of pairs. `ms` is the time that it took, in milliseconds. */
export type PairAnswer = { readonly id: Json; readonly ms: number } & Containment;

/**
 * Answers one line `{"id", "a", "b", "dialect"}`. A line that cannot be read is undecided, with the reason. So is each line if
 * `end` says why no question is answered any more.
 */
export async function answerPair(line: string, options: CheckOptions, end?: string): Promise<PairAnswer> {
  const start = performance.now();
  const pair = parseJson(line);
  const id = isObject(pair) ? (getOwn(pair, "id") ?? null) : null;
  const ambiguity = pair === undefined ? undefined : findAmbiguity(line, "this line");
  const answer = ambiguity ?? (end === undefined ? await checkPair(pair, options) : createUndecided(end));
  return { id, ...answer, ms: Math.round((performance.now() - start) * 1000) / 1000 };
}

async function checkPair(pair: Json | undefined, options: CheckOptions): Promise<Containment> {
  if (pair === undefined) return createUndecided("the line is not JSON");
  const members = isObject(pair) ? pair : {};
  const a = getOwn(members, "a");
  const b = getOwn(members, "b");
  const dialectName = getOwn(members, "dialect");
  if (a === undefined || b === undefined) return createUndecided("the line has no pair of schemas a and b");
  if (dialectName !== undefined && typeof dialectName !== "string")
    return createUndecided("the dialect is not a string");
  try {
    const dialect = dialectName === undefined ? {} : { dialect: parseDialectName(dialectName) };
    return await checkContainment(a, b, { ...options, ...dialect });
  } catch (error) {
    return createUndecided(error instanceof Error ? error.message : String(error));
  }
}

function createUndecided(reason: string): Containment {
  return { verdict: "undecided", reason };
}

function parseSchema({ file, text }: SchemaText): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    const [finding] = listSyntaxFindings(file, text);
    throw new SyntaxError(
      finding
        ? `${file}:${finding.at.line}:${finding.at.column}: ${finding.message}`
        : `${file} is not JSON: ${getErrorMessage(error)}`,
    );
  }
}

function listSyntaxFindings(file: string, text: string) {
  const parsed = parseSource(file, new TextEncoder().encode(text));
  return "findings" in parsed ? parsed.findings : [];
}

/** Returns an undecided answer if an object of the text has a name twice, or a double cannot hold one of its numbers. */
function findAmbiguity(text: string, file: string): Containment | undefined {
  const duplicate = listSyntaxFindings(file, text).find(({ rule }) => rule === "json-duplicate-key");
  if (duplicate) {
    const { line, column } = duplicate.at;
    return createUndecided(`${file}:${line}:${column}: ${duplicate.message.replace(/\.$/, "")}`);
  }
  const number = findInexactNumber(text);
  if (!number) return undefined;
  const location = `${file}:${number.line}:${number.column}, ${number.pointer || "at the root"}`;
  const reason = Number.isFinite(Number(number.text))
    ? "is not among those that a double holds exactly"
    : "is beyond the largest double";
  return createUndecided(`the number ${number.text.slice(0, 100)} (${location}) ${reason}`);
}
