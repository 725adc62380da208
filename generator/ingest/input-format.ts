import { isObject, parseJson } from "../json.js";

/** The format of an input. */
export type InputFormat = "lines" | "document" | "sse";

/** The number of bytes after which the format must be known, if they hold a whole line. */
const MAX_HEAD_BYTES = 65_536;

const DOCUMENT_FILE_NAME = /\.json(\.(gz|zst))?$/i;
const LINES_FILE_NAME = /\.(jsonl|ndjson)(\.(gz|zst))?$/i;

/** Matches the beginning of a line of a feed. No JSON text begins like this. */
const SSE_LINE = /^(?::|(?:data|event|id|retry)(?::|$))/m;

/**
 * Detects the format of an input that begins with `head`. `isComplete` says that no more bytes follow. The name of the
 * file decides for an empty input. Returns undefined if more bytes are needed.
 */
export function detectFormat(name: string, head: Buffer, isComplete: boolean): InputFormat | undefined {
  if (head.length < 4 && !isComplete) return undefined;
  const isUtf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  if (isUtf16) return "document";
  // trimStart also removes a byte order mark.
  const text = head.toString("utf8").trimStart();
  if (text === "") {
    if (!isComplete) return undefined;
    return DOCUMENT_FILE_NAME.test(name) ? "document" : "lines";
  }
  const isFull = isComplete || head.length >= MAX_HEAD_BYTES;
  const [firstLine = ""] = text.split(/\r\n?|\n/, 1);
  const isWholeLine = isComplete || firstLine.length < text.length;
  if (isWholeLine && SSE_LINE.test(firstLine)) return "sse";
  if (text[0] === "[") return detectListFormat(text, isFull);
  if (text[0] !== "{") return isFull || text.includes("\n") ? "lines" : undefined;
  // A single event is a stream only if the file name says so.
  if (isComplete && !text.trimEnd().includes("\n") && !LINES_FILE_NAME.test(name)) return "document";
  const wholeLines = isComplete ? text : text.slice(0, Math.max(0, text.lastIndexOf("\n")));
  if (wholeLines.split("\n").some(isJsonObject)) return "lines";
  const canDecide = isComplete || (isFull && text.includes("\n"));
  if (!canDecide) return undefined;
  // The first line of an indented document ends with `{`, and a damaged line of JSON Lines usually does not.
  return LINES_FILE_NAME.test(name) && !firstLine.trimEnd().endsWith("{") ? "lines" : "document";
}

/** Detects the format of an input that begins with a list. If the first line is a whole list and others follow, it is JSON Lines. */
function detectListFormat(text: string, isFull: boolean): InputFormat | undefined {
  const end = text.indexOf("\n");
  if (end === -1) return isFull ? "document" : undefined;
  if (!isJson(text.slice(0, end))) return "document";
  if (text.slice(end).trim() !== "") return "lines";
  return isFull ? "document" : undefined;
}

/** Returns whether a line is a whole JSON object; the lines of an indented object are not. */
function isJsonObject(line: string): boolean {
  return line.startsWith("{") && isObject(parseJson(line));
}

/** Returns whether a text is JSON. */
export function isJson(text: string): boolean {
  return parseJson(text) !== undefined;
}
