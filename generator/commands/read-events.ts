/**
 * Events from a file's bytes: a JSON document (one event, or an array of them) or JSON Lines. Lines are streamed, one
 * of them in memory at a time, and a broken line does not end the reading. A document is held whole, to a limit.
 */
import type { Finding, Location } from "../finding.js";
import { isObject, type Json, join } from "../json.js";
import { parseSource, type Source } from "../load/source.js";

/** The longest line and the largest document that are read, in bytes. */
export interface ReadLimits {
  readonly line: number;
  readonly document: number;
}

const MEBIBYTE = 2 ** 20;
const LIMITS: ReadLimits = { line: 64 * MEBIBYTE, document: 256 * MEBIBYTE };

/** A value with its places in the file, or the findings of a part that could not be read as JSON. */
export type Read =
  | { readonly value: Json; locate(pointer: string, part?: "value" | "name"): Location }
  | { readonly findings: readonly Finding[] };

/** Yields every event of `file`, in order. */
export async function* readEvents(
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  limits: ReadLimits = LIMITS,
): AsyncGenerator<Read> {
  const input = chunks[Symbol.asyncIterator]();
  const parts: Uint8Array[] = [];
  let [length, enough] = [0, 0];
  let shape: Shape | undefined;
  while (shape === undefined) {
    const { done = false, value } = await input.next();
    if (!done) length += parts[parts.push(value) - 1]?.length ?? 0;
    if (!done && length < enough) continue;
    enough = 2 * length;
    shape = shapeOf(file, Buffer.concat(parts), done || length > limits.line);
  }
  const all = follow(parts, input);
  yield* shape === "lines" ? lines(file, all, limits.line) : document(file, all, limits.document);
}

async function* follow(
  head: readonly Uint8Array[],
  input: AsyncIterator<Uint8Array>,
): AsyncGenerator<Buffer> {
  for (const chunk of head) yield Buffer.from(chunk);
  for (let next = await input.next(); !next.done; next = await input.next()) yield Buffer.from(next.value);
}

type Shape = "lines" | "document";

/** How much of a file decides about its shape. */
const HEAD = 65_536;

/** Whether `head` begins JSON Lines or one document; undefined if it takes more bytes to tell. */
function shapeOf(file: string, head: Buffer, complete: boolean): Shape | undefined {
  if (/\.(jsonl|ndjson)$/i.test(file)) return "lines";
  if (head.length < 4 && !complete) return undefined;
  const utf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  // To trimStart a byte order mark is white space, too.
  const text = head.toString("utf8").trimStart();
  const first = text.charAt(0);
  if (utf16 || first === "[") return "document";
  if (first === "") return complete ? (/\.json$/i.test(file) ? "document" : "lines") : undefined;
  if (first !== "{") return "lines";
  const whole = complete ? text : text.slice(0, Math.max(0, text.lastIndexOf("\n")));
  if (whole.split("\n").some(isEvent)) return "lines";
  return complete || (head.length >= HEAD && whole !== "") ? "document" : undefined;
}

/** Whether a line is an object by itself, as no line of an indented object is. */
function isEvent(line: string): boolean {
  if (!line.startsWith("{")) return false;
  try {
    return isObject(JSON.parse(line));
  } catch {
    return false;
  }
}

async function* lines(file: string, chunks: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Read> {
  let line = 1;
  let parts: Buffer[] = [];
  let length = 0;
  const add = (part: Buffer): void => {
    length += part.length;
    if (length <= limit) parts.push(part);
  };
  const finish = (): Read[] => {
    const read =
      length > limit ? [tooLarge(file, line, "line", limit)] : lineRead(file, line, Buffer.concat(parts));
    parts = [];
    length = 0;
    line++;
    return read;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      add(chunk.subarray(start, end));
      yield* finish();
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  yield* finish();
}

function lineRead(file: string, line: number, bytes: Buffer): Read[] {
  if (isBlank(bytes)) return [];
  const parsed = parseSource(file, bytes);
  const moved = (at: Location): Location => ({ ...at, line: line + (at.line ?? 1) - 1 });
  if ("findings" in parsed)
    return [
      {
        findings: parsed.findings.map((finding) => ({
          ...finding,
          message: finding.message.replace("The file is not", "The line is not"),
          at: moved(finding.at),
        })),
      },
    ];
  const { source } = parsed;
  return [{ value: source.document, locate: (pointer, part) => moved(locate(source, pointer, part)) }];
}

async function* document(file: string, chunks: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Read> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > limit) return yield tooLarge(file, 1, "document", limit);
    parts.push(chunk);
  }
  const bytes = Buffer.concat(parts);
  if (isBlank(bytes))
    return yield fault("json-syntax", "The file is empty.", { file, pointer: "", line: 1, column: 1 });
  const parsed = parseSource(file, bytes);
  if ("findings" in parsed) return yield { findings: parsed.findings };
  const { source } = parsed;
  const { document: value } = source;
  if (!Array.isArray(value)) yield { value, locate: (pointer, part) => locate(source, pointer, part) };
  else
    for (const [index, item] of value.entries())
      yield { value: item, locate: (pointer, part) => locate(source, join("", index) + pointer, part) };
}

function locate(source: Source, pointer: string, part: "value" | "name" = "value"): Location {
  return part === "name" ? source.locateKey(pointer) : source.locate(pointer);
}

function isBlank(bytes: Buffer): boolean {
  const start = bytes.subarray(0, 1024).toString("utf8");
  return start.trim() === "" && (bytes.length <= 1024 || bytes.toString("utf8").trim() === "");
}

function tooLarge(file: string, line: number, what: "line" | "document", limit: number): Read {
  const message = `The ${what} is larger than ${Math.floor(limit / MEBIBYTE)} MiB and was not read.`;
  const hint = "Write one event a line (JSON Lines): lines are read one at a time.";
  return fault("json-size", message, { file, pointer: "", line }, hint);
}

function fault(rule: string, message: string, at: Location, hint?: string): Read {
  return { findings: [{ rule, severity: "error", message, at, ...(hint !== undefined && { hint }) }] };
}
