/**
 * Reads events over HTTP: a feed, or the pages of a list. After a lost connection, a feed resumes after its last event, as
 * in browsers. Reading ends when the server answers 204, when a list has no further page, or when several connections in a
 * row bring no new event.
 */
import { setTimeout as pause } from "node:timers/promises";
import { isObject, type Json } from "../json.js";
import { createSseParser, type SseFrame } from "../stream/sse-parser.js";
import { type ByteReader, type Input, READ_LIMITS, type Sink } from "./place.js";
import { readFrame } from "./sse-reader.js";

/** Returns whether a text is an address with http: or https:. */
export function isHttpAddress(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text);
}

/** Reads one answer that is not a feed. */
export interface PageReader extends ByteReader {
  /** Returns the address of the next page; undefined if this is the last one. */
  findNextPage?(): string | undefined;
}

/** The requests that a reader sends, and the conditions under which it stops. */
interface FeedOptions {
  readonly url: string;
  /** True if a live feed is preferred to a list, and requested again if it ends and has no ids. */
  readonly follow: boolean;
  /** Aborts the requests. */
  readonly signal: AbortSignal;
  /** The number of failed requests in a row after which reading stops. */
  readonly maxFailures: number;
  /** The number of connections in a row without a new event after which the feed has ended. */
  readonly maxIdleConnections: number;
  /** Returns whether reading can stop. */
  isDone(): boolean;
  /** Is called with the number of bytes of each piece. */
  reportProgress(bytes: number): void;
  /** Creates the reader of an answer that is not a feed. */
  createPageReader(): PageReader;
}

/** The milliseconds before a reconnect, unless the feed sets another value. */
const DEFAULT_PAUSE_MS = 1000;
/** The maximum number of milliseconds before a reconnect. */
const MAX_PAUSE_MS = 30_000;

/** The result of one connection. */
type Connection =
  /** The server has no more events, or reading can stop. */
  | { readonly kind: "complete"; readonly message?: never }
  /** A page was read, and the cursor is at the next one. */
  | { readonly kind: "next-page"; readonly message?: never }
  | { readonly kind: "failed"; readonly message: string; readonly isTemporary: boolean }
  /** The connection ended or was lost, for the reason in `message`. */
  | { readonly kind: "ended"; readonly hasEvents: boolean; readonly message?: string };

/** The position at which the next connection continues. */
interface Cursor {
  /** The address of the feed, or of the next page. */
  url: string;
  /** The id of the last event. */
  id: string;
  /** The milliseconds before the next connection. */
  pauseMs: number;
  /** The number of lines of earlier connections. */
  lines: number;
  /** The number of bytes of earlier connections. */
  bytes: number;
}

/**
 * Reads a feed or a list to its end. Returns a message if it could not be read. Repeats a request after a temporary error
 * of the server, after a pause that doubles each time.
 */
export async function readFeed(input: Input, sink: Sink, options: FeedOptions): Promise<string | undefined> {
  const { url, signal, isDone, maxFailures, maxIdleConnections } = options;
  const cursor: Cursor = { url, id: "", pauseMs: DEFAULT_PAUSE_MS, lines: 0, bytes: 0 };
  let idleConnections = 0;
  let failures = 0;
  let message: string | undefined;
  while (!isDone()) {
    const connection = await readConnection(input, sink, options, cursor);
    // A timeout is not an error of the server.
    if (signal.aborted) return message;
    if (connection.kind === "complete") return undefined;
    message = connection.message;
    if (connection.kind === "failed" && !connection.isTemporary) return message;
    failures = connection.kind === "failed" ? failures + 1 : 0;
    if (connection.kind === "ended") idleConnections = connection.hasEvents ? 0 : idleConnections + 1;
    if (idleConnections >= maxIdleConnections || failures >= maxFailures) return message;
    if (connection.kind !== "next-page" && !isDone())
      await pause(computePause(cursor, failures), undefined, { signal }).catch(() => {});
    if (signal.aborted) return message;
  }
  return undefined;
}

/** Computes the milliseconds before the next request. After the first failure, they are half of the normal pause. */
function computePause({ pauseMs }: Cursor, failures: number): number {
  return failures === 0 ? pauseMs : Math.min(MAX_PAUSE_MS, (pauseMs / 2) * 2 ** (failures - 1));
}

/** Opens a connection and reads it to its end. */
async function readConnection(
  input: Input,
  sink: Sink,
  options: FeedOptions,
  cursor: Cursor,
): Promise<Connection> {
  const answer = await sendRequest(options, cursor);
  if ("kind" in answer) return answer;
  return /^text\/event-stream\b/i.test(answer.contentType)
    ? readFrames(answer.body, input, sink, options, cursor)
    : readPage(answer.body, options, cursor);
}

/** Reads the frames of one connection to a feed. */
async function readFrames(
  body: Body,
  input: Input,
  sink: Sink,
  options: FeedOptions,
  cursor: Cursor,
): Promise<Connection> {
  // The cursor moves while frames are read, but their positions count from its start.
  const start = { ...cursor };
  const parser = createSseParser({ lastEventId: cursor.id, limit: READ_LIMITS.line });
  let hasEvents = false;
  for (let piece = await readPiece(body); piece !== undefined; piece = await readPiece(body)) {
    if (piece instanceof Error)
      return { kind: "ended", hasEvents, message: describeFailure(options.url, piece) };
    options.reportProgress(piece.length);
    for (const frame of parser.push(piece)) {
      hasEvents ||= frame.id === "" || frame.id !== start.id;
      readFrame(shiftPosition(frame, start.lines, start.bytes), input, sink, READ_LIMITS);
      if (options.isDone()) {
        await body.return?.();
        return { kind: "complete" };
      }
    }
    cursor.id = parser.lastEventId();
    cursor.pauseMs = Math.min(MAX_PAUSE_MS, parser.retry() ?? cursor.pauseMs);
    cursor.bytes += piece.length;
    for (const byte of piece) if (byte === LF) cursor.lines++;
  }
  // A feed without ids cannot be resumed: it would send the same events again.
  return cursor.id === "" && !options.follow ? { kind: "complete" } : { kind: "ended", hasEvents };
}

const LF = 0x0a;

/** Reads an answer that is not a feed, and moves the cursor to the next page. */
async function readPage(body: Body, options: FeedOptions, cursor: Cursor): Promise<Connection> {
  const reader = options.createPageReader();
  for (let piece = await readPiece(body); piece !== undefined; piece = await readPiece(body)) {
    if (piece instanceof Error)
      return { kind: "failed", message: describeFailure(options.url, piece), isTemporary: true };
    options.reportProgress(piece.length);
    reader.push(piece);
  }
  reader.end();
  const next = reader.findNextPage?.();
  if (next === undefined || next === cursor.url) return { kind: "complete" };
  cursor.url = next;
  return { kind: "next-page" };
}

type Body = AsyncIterator<Uint8Array>;

/** An answer with a body. */
interface Answer {
  readonly contentType: string;
  readonly body: Body;
}

/** Sends a request. Returns the answer, or the result of the connection if it has no body to read. */
async function sendRequest(
  { url, follow, signal }: FeedOptions,
  cursor: Cursor,
): Promise<Answer | Connection> {
  const accept = follow
    ? "text/event-stream, application/json;q=0.9"
    : "application/json, text/event-stream;q=0.5";
  const requestHeaders = new Headers({ accept, "cache-control": "no-cache" });
  if (cursor.id !== "") requestHeaders.set("last-event-id", cursor.id);
  try {
    const answer = await fetch(cursor.url, { headers: requestHeaders, signal });
    const { status, body, headers } = answer;
    if (status === 204) return { kind: "complete" };
    if (answer.ok && body !== null)
      return { contentType: headers.get("content-type") ?? "", body: body[Symbol.asyncIterator]() };
    const isTemporary = status >= 500 || status === 429;
    return { kind: "failed", message: `${url} answers ${await describeStatus(answer)}`, isTemporary };
  } catch (error) {
    return { kind: "failed", message: describeFailure(url, error), isTemporary: true };
  }
}

/** Returns the status of an answer, and the message in its body if it has one: `detail` of a problem (RFC 9457), or `message`. */
async function describeStatus(answer: Response): Promise<string> {
  const status = `${answer.status} ${answer.statusText}`.trim();
  const body = (await answer.json().catch(() => null)) as Json;
  const message = isObject(body) ? (body.detail ?? body.message) : undefined;
  return typeof message === "string" ? `${status}: ${message}` : status;
}

/** Returns the next piece of an answer; undefined at its end; an error if the connection broke. */
async function readPiece(body: Body): Promise<Buffer | Error | undefined> {
  try {
    const { done, value } = await body.next();
    return done ? undefined : Buffer.from(value.buffer, value.byteOffset, value.length);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Explanations of the error codes of a connection. */
const REASONS: { readonly [code: string]: string } = {
  ECONNREFUSED: "no server answers there",
  ECONNRESET: "the connection was lost",
  ENOTFOUND: "there is no such host",
  ETIMEDOUT: "no server answers there",
  UND_ERR_SOCKET: "the connection was lost",
  UND_ERR_CONNECT_TIMEOUT: "no server answers there",
};

function describeFailure(url: string, error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const reason = REASONS[code] ?? (cause instanceof Error ? cause.message : String(cause));
  return `cannot read ${url}: ${reason}`;
}

/** Adds the lines and bytes of earlier connections to the position of a frame. */
function shiftPosition(frame: SseFrame, lines: number, bytes: number): SseFrame {
  return {
    ...frame,
    line: frame.line + lines,
    offset: frame.offset + bytes,
    parts: frame.parts.map(({ line, column, offset }) => ({
      line: line + lines,
      column,
      offset: offset + bytes,
    })),
  };
}
