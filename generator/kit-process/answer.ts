import { isUtf8 } from "node:buffer";
import { isObject, type Json, parseJson } from "../json.js";
import { sanitizeLine } from "../text.js";

/** An answer of an adapter: a JSON-RPC 2.0 response. */
export type Answer =
  | { readonly id: number; readonly result: Json }
  | { readonly id: number; readonly error: { readonly code: number; readonly message: string } };

/** The maximum number of characters of a text that a message quotes. */
const MAX_QUOTED = 120;

/** Parses a line of the adapter. Returns a sentence without a full stop if it is not a response. */
export function parseAnswerLine(line: Buffer): Answer | string {
  const value = parseBytes(line);
  if (value === undefined)
    return `The adapter wrote a line to its standard output that is not ${isUtf8(line) ? "JSON" : "UTF-8"}: ${quoteText(line)}. Standard output is for answers only; write logs to standard error`;
  return checkAnswer(value, () => quoteText(line));
}

/** Parses the body of an HTTP response: one response of JSON-RPC, or a list. Returns a sentence without a full stop if it is neither. */
export function parseAnswerBody(body: Buffer, contentType: string): readonly Answer[] | string {
  const value = parseBytes(body);
  if (value === undefined) {
    const encoding = isUtf8(body) ? "JSON" : "UTF-8";
    return `The adapter sent a response that is not ${encoding} (${sanitizeLine(contentType)}): ${quoteText(body)}`;
  }
  const values: readonly Json[] = Array.isArray(value) ? value : [value];
  const answers: Answer[] = [];
  for (const each of values) {
    const answer = checkAnswer(each, () => quoteText(Buffer.from(JSON.stringify(each))));
    if (typeof answer === "string") return answer;
    answers.push(answer);
  }
  return answers;
}

/** Quotes a text, or the beginning of a long one. */
export function quoteText(text: Buffer): string {
  const beginning = sanitizeLine(text.toString("utf8", 0, MAX_QUOTED).replace(/\r$/, ""));
  return `\`${beginning}\`${text.length > MAX_QUOTED ? " …" : ""}`;
}

function parseBytes(bytes: Buffer): Json | undefined {
  return isUtf8(bytes) ? parseJson(bytes.toString("utf8")) : undefined;
}

function checkAnswer(value: Json, quote: () => string): Answer | string {
  const fault = findAnswerFault(value);
  return fault === undefined
    ? (value as Answer)
    : `The adapter wrote an answer that is not a JSON-RPC 2.0 response: ${fault}: ${quote()}`;
}

function findAnswerFault(answer: Json): string | undefined {
  if (!isObject(answer)) return "it is not an object";
  if (answer.jsonrpc !== "2.0") return 'its "jsonrpc" is not "2.0"';
  const { id, error } = answer;
  // An adapter that cannot read a request answers with the id null and an error.
  if (id === null && isObject(error)) return "its id is null, so the adapter could not read a request";
  if (typeof id !== "number") return "its id is not the number of a request";
  if ("result" in answer === "error" in answer) return 'it needs either "result" or "error"';
  if (error === undefined) return undefined;
  const isError = isObject(error) && Number.isInteger(error.code) && typeof error.message === "string";
  return isError ? undefined : 'its "error" needs a whole number as "code" and a text as "message"';
}
