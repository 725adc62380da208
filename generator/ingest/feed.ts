/**
 * Reads a live feed over HTTP. After a lost connection it resumes behind the last event, as browsers do. The feed ends
 * when the server answers 204, or when several connections bring no event.
 */
import { setTimeout as pause } from "node:timers/promises";
import { type SseFrame, sseParser } from "../stream/sse-parser.js";
import { type ByteReader, type Input, READ_LIMITS, type Sink } from "./place.js";
import { readFrame } from "./sse-reader.js";

/** How a feed is read. */
interface FeedOptions {
  readonly url: string;
  /** Aborts the reading. */
  readonly signal: AbortSignal;
  /** Whether to retry until `signal`, not only a few times. */
  readonly retries: boolean;
  /** Returns whether enough was read. */
  isDone(): boolean;
  progress(bytes: number): void;
}

/** Connections in a row without an event after which the feed has ended. */
const MOST_IDLE = 3;
/** Requests in a row that may fail. */
const MOST_FAILURES = 4;
/** Default and maximum milliseconds before a reconnect; the feed may set a value. */
const PAUSE = 1000;
const LONGEST_PAUSE = 30_000;

/** The result of one connection. */
type Connection =
  | { readonly kind: "over"; readonly message?: never }
  | { readonly kind: "failed"; readonly message: string; readonly isTemporary: boolean }
  /** The connection ended or was lost, for the reason in `message`. */
  | { readonly kind: "ended"; readonly hasEvents: boolean; readonly message?: string };

interface Cursor {
  id: string;
  retry: number;
  /** Lines and bytes of earlier connections. */
  lines: number;
  bytes: number;
}

/**
 * Reads a feed to its end. Returns a message if it could not be read. An answer that is not a feed goes to `reader`. After
 * a temporary error of the server it tries again, after a pause that doubles each time.
 */
export async function readFeed(
  input: Input,
  sink: Sink,
  reader: ByteReader,
  options: FeedOptions,
): Promise<string | undefined> {
  const { signal, isDone, retries } = options;
  const cursor: Cursor = { id: "", retry: PAUSE, lines: 0, bytes: 0 };
  let idle = 0;
  let failures = 0;
  let message: string | undefined;
  while (!isDone()) {
    const connection = await connect(input, sink, reader, options, cursor);
    // A timeout is not an error of the server.
    if (signal.aborted) return message;
    if (connection.kind === "over") return undefined;
    message = connection.message;
    if (connection.kind === "failed" && !connection.isTemporary) return message;
    failures = connection.kind === "failed" ? failures + 1 : 0;
    if (connection.kind === "ended") idle = connection.hasEvents ? 0 : idle + 1;
    if (idle >= MOST_IDLE || (failures >= MOST_FAILURES && !retries)) return message;
    if (!isDone()) await pause(pauseOf(cursor, failures), undefined, { signal }).catch(() => {});
    if (signal.aborted) return message;
  }
  return undefined;
}

/** Returns the milliseconds before the next request. */
function pauseOf({ retry }: Cursor, failures: number): number {
  return failures === 0 ? retry : Math.min(LONGEST_PAUSE, (retry / 2) * 2 ** (failures - 1));
}

async function connect(
  input: Input,
  sink: Sink,
  reader: ByteReader,
  options: FeedOptions,
  cursor: Cursor,
): Promise<Connection> {
  const answer = await request(options, cursor);
  if ("kind" in answer) return answer;
  const isFeed = /^text\/event-stream\b/i.test(answer.type);
  const parser = sseParser({ lastEventId: cursor.id, limit: READ_LIMITS.line });
  const { lines, bytes: before } = cursor;
  let hasEvents = false;
  for (let piece = await readPiece(answer.body); piece !== undefined; piece = await readPiece(answer.body)) {
    if (piece instanceof Error)
      return { kind: "ended", hasEvents, message: describeFailure(options.url, piece) };
    options.progress(piece.length);
    if (!isFeed) reader.push(piece);
    else
      for (const frame of parser.push(piece)) {
        hasEvents = true;
        readFrame(movePosition(frame, lines, before), input, sink, READ_LIMITS);
        if (options.isDone()) {
          await answer.body.return?.();
          return { kind: "over" };
        }
      }
    cursor.id = parser.lastEventId();
    cursor.retry = Math.min(LONGEST_PAUSE, parser.retry() ?? cursor.retry);
    cursor.bytes += piece.length;
    for (const byte of piece) if (byte === LF) cursor.lines++;
  }
  if (isFeed) return { kind: "ended", hasEvents };
  reader.end();
  return { kind: "over" };
}

const LF = 0x0a;

interface Answer {
  readonly type: string;
  readonly body: AsyncIterator<Uint8Array>;
}

async function request({ url, signal }: FeedOptions, { id }: Cursor): Promise<Answer | Connection> {
  const accept = "text/event-stream, application/json;q=0.9";
  try {
    const answer = await fetch(url, {
      headers: { accept, "cache-control": "no-cache", ...(id !== "" && { "last-event-id": id }) },
      signal,
    });
    const { status, statusText, body, headers } = answer;
    if (status === 204) return { kind: "over" };
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

/** Moves the position of a frame behind the earlier connections. */
function movePosition(frame: SseFrame, lines: number, bytes: number): SseFrame {
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
