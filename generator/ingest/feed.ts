/**
 * Reads a live feed over HTTP. After a lost connection it resumes after the last event, as browsers do. The feed ends
 * when the server answers 204, or when several connections in a row bring no event.
 */
import { setTimeout as pause } from "node:timers/promises";
import { type SseFrame, sseParser } from "../stream/sse-parser.js";
import { type ByteReader, type Input, READ_LIMITS, type Sink } from "./place.js";
import { readFrame } from "./sse-reader.js";

/** The address of a feed, and when reading stops. */
interface FeedOptions {
  readonly url: string;
  /** Aborts the requests. */
  readonly signal: AbortSignal;
  /** Whether failed requests are repeated until `signal` aborts, not only a few times. */
  readonly retryUntilAborted: boolean;
  /** Returns whether reading can stop. */
  isDone(): boolean;
  /** Called with the number of bytes of each piece. */
  reportProgress(bytes: number): void;
}

/** The number of connections in a row without an event after which the feed has ended. */
const MAX_IDLE_CONNECTIONS = 3;
/** The number of failed requests in a row after which reading stops. */
const MAX_FAILURES = 4;
/** The default and the maximum of the milliseconds before a reconnect. The feed may set another value. */
const DEFAULT_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 30_000;

/** The result of one connection. */
type Connection =
  /** The server has no more events, or reading can stop. */
  | { readonly kind: "complete"; readonly message?: never }
  | { readonly kind: "failed"; readonly message: string; readonly isTemporary: boolean }
  /** The connection ended or was lost, for the reason in `message`. */
  | { readonly kind: "ended"; readonly hasEvents: boolean; readonly message?: string };

/** The position at which the next connection continues. */
interface Cursor {
  /** The id of the last event. */
  id: string;
  /** The milliseconds before the next connection. */
  retry: number;
  /** The lines and bytes of earlier connections. */
  lines: number;
  bytes: number;
}

/**
 * Reads a feed to its end. Returns a message if it could not be read. Passes an answer that is not a feed to `reader`.
 * Repeats a request after a temporary error of the server, after a pause that doubles each time.
 */
export async function readFeed(
  input: Input,
  sink: Sink,
  reader: ByteReader,
  options: FeedOptions,
): Promise<string | undefined> {
  const { signal, isDone, retryUntilAborted } = options;
  const cursor: Cursor = { id: "", retry: DEFAULT_PAUSE_MS, lines: 0, bytes: 0 };
  let idle = 0;
  let failures = 0;
  let message: string | undefined;
  while (!isDone()) {
    const connection = await readConnection(input, sink, reader, options, cursor);
    // A timeout is not an error of the server.
    if (signal.aborted) return message;
    if (connection.kind === "complete") return undefined;
    message = connection.message;
    if (connection.kind === "failed" && !connection.isTemporary) return message;
    failures = connection.kind === "failed" ? failures + 1 : 0;
    if (connection.kind === "ended") idle = connection.hasEvents ? 0 : idle + 1;
    if (idle >= MAX_IDLE_CONNECTIONS || (failures >= MAX_FAILURES && !retryUntilAborted)) return message;
    if (!isDone()) await pause(computePause(cursor, failures), undefined, { signal }).catch(() => {});
    if (signal.aborted) return message;
  }
  return undefined;
}

/** Computes the milliseconds before the next request. */
function computePause({ retry }: Cursor, failures: number): number {
  return failures === 0 ? retry : Math.min(MAX_PAUSE_MS, (retry / 2) * 2 ** (failures - 1));
}

/** Opens a connection and reads it to its end. */
async function readConnection(
  input: Input,
  sink: Sink,
  reader: ByteReader,
  options: FeedOptions,
  cursor: Cursor,
): Promise<Connection> {
  const answer = await sendRequest(options, cursor);
  if ("kind" in answer) return answer;
  const isFeed = /^text\/event-stream\b/i.test(answer.type);
  const parser = sseParser({ lastEventId: cursor.id, limit: READ_LIMITS.line });
  const { lines: earlierLines, bytes: earlierBytes } = cursor;
  let hasEvents = false;
  for (let piece = await readPiece(answer.body); piece !== undefined; piece = await readPiece(answer.body)) {
    if (piece instanceof Error)
      return { kind: "ended", hasEvents, message: describeFailure(options.url, piece) };
    options.reportProgress(piece.length);
    if (!isFeed) reader.push(piece);
    else
      for (const frame of parser.push(piece)) {
        hasEvents = true;
        readFrame(shiftPosition(frame, earlierLines, earlierBytes), input, sink, READ_LIMITS);
        if (options.isDone()) {
          await answer.body.return?.();
          return { kind: "complete" };
        }
      }
    cursor.id = parser.lastEventId();
    cursor.retry = Math.min(MAX_PAUSE_MS, parser.retry() ?? cursor.retry);
    cursor.bytes += piece.length;
    for (const byte of piece) if (byte === LF) cursor.lines++;
  }
  if (isFeed) return { kind: "ended", hasEvents };
  reader.end();
  return { kind: "complete" };
}

const LF = 0x0a;

/** An answer with a body. */
interface Answer {
  readonly type: string;
  readonly body: AsyncIterator<Uint8Array>;
}

/** Sends a request. Returns the answer, or the result of the connection if it has no body to read. */
async function sendRequest({ url, signal }: FeedOptions, { id }: Cursor): Promise<Answer | Connection> {
  const accept = "text/event-stream, application/json;q=0.9";
  try {
    const answer = await fetch(url, {
      headers: { accept, "cache-control": "no-cache", ...(id !== "" && { "last-event-id": id }) },
      signal,
    });
    const { status, statusText, body, headers } = answer;
    if (status === 204) return { kind: "complete" };
    if (answer.ok && body !== null)
      return { type: headers.get("content-type") ?? "", body: body[Symbol.asyncIterator]() };
    const isTemporary = status >= 500 || status === 429;
    return { kind: "failed", message: `${url} answers ${`${status} ${statusText}`.trim()}`, isTemporary };
  } catch (error) {
    return { kind: "failed", message: describeFailure(url, error), isTemporary: true };
  }
}

/** Returns the next piece of an answer; undefined at its end; an error if the connection broke. */
async function readPiece(body: AsyncIterator<Uint8Array>): Promise<Buffer | Error | undefined> {
  try {
    const { done, value } = await body.next();
    return done ? undefined : Buffer.from(value.buffer, value.byteOffset, value.length);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

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
