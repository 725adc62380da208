import { isObject } from "../json.js";

/** The format of an input. */
export type InputFormat = "lines" | "document" | "sse";

/** The bytes of an input that are examined. */
const HEAD = 65_536;

const LINES = /\.(jsonl|ndjson)(\.gz)?$/i;

/** A line of a feed begins with one of these, as no JSON text does. */
const SSE = /^(?::|(?:data|event|id|retry)(?::|$))/m;

/** Returns the format of an input that begins with `head`; by the name of the file if it is empty. Undefined if more bytes are needed. */
export function detectFormat(name: string, head: Buffer, complete: boolean): InputFormat | undefined {
  if (head.length < 4 && !complete) return undefined;
  const utf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  if (utf16) return "document";
  // trimStart also removes a byte order mark.
  const text = head.toString("utf8").trimStart();
  const enough = complete || (head.length >= HEAD && text.includes("\n"));
  if (text === "") return complete ? (/\.json(\.gz)?$/i.test(name) ? "document" : "lines") : undefined;
  const [first = ""] = text.split(/\r\n?|\n/, 1);
  if (complete || first.length < text.length) if (SSE.test(first)) return "sse";
  if (text[0] === "[") return listForm(text, complete || head.length >= HEAD);
  if (text[0] !== "{") return complete || text.includes("\n") || head.length >= HEAD ? "lines" : undefined;
  // A single event is a stream only if the file name says so.
  if (complete && !text.trimEnd().includes("\n") && !LINES.test(name)) return "document";
  const whole = complete ? text : text.slice(0, Math.max(0, text.lastIndexOf("\n")));
  if (whole.split("\n").some(isEvent)) return "lines";
  if (!enough) return undefined;
  return LINES.test(name) && !first.trimEnd().endsWith("{") ? "lines" : "document";
}

/** Several lines with a list each are lines; a list over several lines is a document. */
function listForm(text: string, enough: boolean): InputFormat | undefined {
  const end = text.indexOf("\n");
  if (end === -1) return enough ? "document" : undefined;
  return isJson(text.slice(0, end)) && text.slice(end).trim() !== ""
    ? "lines"
    : enough || !isJson(text.slice(0, end))
      ? "document"
      : undefined;
}

/** Returns whether a line is a whole object, which a line of an indented object never is. */
function isEvent(line: string): boolean {
  return line.startsWith("{") && isJson(line) && isObject(JSON.parse(line));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
