import { isObject, type Json } from "../json.js";
import { sanitizeLine } from "../text.js";

/** An answer of an adapter: a JSON-RPC 2.0 response. */
export type Answer =
  | { readonly id: number; readonly result: Json }
  | { readonly id: number; readonly error: { readonly code: number; readonly message: string } };

/** The maximum number of characters of a line that a message quotes. */
const MAX_QUOTED = 120;

/** Parses a line of the adapter. Returns a sentence without a full stop if it is not a response. */
export function parseAnswer(line: string): Answer | string {
  const quoted = quoteLine(line);
  let answer: Json;
  try {
    answer = JSON.parse(line);
  } catch {
    return `The adapter wrote a line to its standard output that is not JSON: ${quoted}. Standard output is for answers only; write logs to standard error`;
  }
  const fault = findAnswerFault(answer);
  return fault === undefined
    ? (answer as Answer)
    : `The adapter wrote a line that is not a JSON-RPC 2.0 response: ${fault}: ${quoted}`;
}

/** Quotes a line, or the beginning of a long one. */
export function quoteLine(line: string): string {
  const text = sanitizeLine(line.slice(0, MAX_QUOTED));
  return `\`${text}\`${line.length > MAX_QUOTED ? " …" : ""}`;
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
