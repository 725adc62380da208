/**
 * A live feed over HTTP. Connections that break off are taken up again after the last event, as browsers do it; the
 * feed is over when the server answers 204, or when connections bring nothing any more.
 */
import { setTimeout as pause } from "node:timers/promises";
import { type SseFrame, sseParser } from "../stream/sse-parser.js";
import type { Input } from "./place.js";
import { type ByteReader, READ_LIMITS, type Sink } from "./place.js";
import { readFrame } from "./sse-reader.js";

/** How a feed is read. */
export interface FeedOptions {
  readonly url: string;
  /** Aborts the reading. */
  readonly signal: AbortSignal;
  /** Whether a server that fails is asked until `signal` comes, not only a few times. */
  readonly patient: boolean;
  /** Whether enough was read. */
  enough(): boolean;
  progress(bytes: number): void;
}

/** Connections in a row that may bring nothing before the feed is taken to be over. */
const IDLE = 3;
/** Requests in a row that may fail. */
const TRIES = 4;
/** Milliseconds before a reconnect, if the feed does not say, and the most that it may say. */
const RETRY = 1000;
const MOST_RETRY = 30_000;

/** What one connection came to. */
type Connection =
  | { readonly kind: "over"; readonly sentence?: never }
  | { readonly kind: "failed"; readonly sentence: string; readonly again: boolean }
  /** Ended or broken off, for the reason of `sentence`, after it had brought anything or not. */
  | { readonly kind: "ended"; readonly any: boolean; readonly sentence?: string };

interface Cursor {
  id: string;
  retry: number;
  /** Lines and bytes of the connections before. */
  lines: number;
  bytes: number;
}

/**
 * Reads a feed to its end. Returns a sentence if it could not be read. An answer that is no feed goes to `reader`. A
 * server that fails in a way that may pass is asked again, after a pause that doubles each time.
 */
export async function readFeed(
  input: Input,
  sink: Sink,
  reader: ByteReader,
  options: FeedOptions,
): Promise<string | undefined> {
  const { signal, enough, patient } = options;
  const cursor: Cursor = { id: "", retry: RETRY, lines: 0, bytes: 0 };
  let idle = 0;
  let failures = 0;
  let sentence: string | undefined;
  while (!enough()) {
    const came = await connect(input, sink, reader, options, cursor);
    // What was cut off by the end of the time is no failure of the server.
    if (signal.aborted) return sentence;
    if (came.kind === "over") return undefined;
    sentence = came.sentence;
    if (came.kind === "failed" && !came.again) return sentence;
    failures = came.kind === "failed" ? failures + 1 : 0;
    if (came.kind === "ended") idle = came.any ? 0 : idle + 1;
    if (idle >= IDLE || (failures >= TRIES && !patient)) return sentence;
    if (!enough()) await pause(waitOf(cursor, failures), undefined, { signal }).catch(() => {});
    if (signal.aborted) return sentence;
  }
  return undefined;
}

/** Milliseconds before the next request. */
function waitOf({ retry }: Cursor, failures: number): number {
  return failures === 0 ? retry : Math.min(MOST_RETRY, (retry / 2) * 2 ** (failures - 1));
}

async function connect(
  input: Input,
  sink: Sink,
  reader: ByteReader,
  options: FeedOptions,
  cursor: Cursor,
): Promise<Connection> {
  const answer = await ask(options, cursor);
  if ("kind" in answer) return answer;
  const isFeed = /^text\/event-stream\b/i.test(answer.type);
  const parser = sseParser({ lastEventId: cursor.id, limit: READ_LIMITS.line });
  const { lines, bytes: before } = cursor;
  let any = false;
  for (let piece = await next(answer.body); piece !== undefined; piece = await next(answer.body)) {
    if (piece instanceof Error) return { kind: "ended", any, sentence: sentenceOf(options.url, piece) };
    options.progress(piece.length);
    if (!isFeed) reader.push(piece);
    else
      for (const frame of parser.push(piece)) {
        any = true;
        readFrame(moved(frame, lines, before), input, sink, READ_LIMITS);
        if (options.enough()) {
          await answer.body.return?.();
          return { kind: "over" };
        }
      }
    cursor.id = parser.lastEventId();
    cursor.retry = Math.min(MOST_RETRY, parser.retry() ?? cursor.retry);
    cursor.bytes += piece.length;
    for (const byte of piece) if (byte === LF) cursor.lines++;
  }
  if (isFeed) return { kind: "ended", any };
  reader.end();
  return { kind: "over" };
}

const LF = 0x0a;

interface Answer {
  readonly type: string;
  readonly body: AsyncIterator<Uint8Array>;
}

async function ask({ url, signal }: FeedOptions, { id }: Cursor): Promise<Answer | Connection> {
  const accept = "text/event-stream, application/json;q=0.9";
  try {
    const answer = await fetch(url, {
      ...{ headers: { accept, ...(id !== "" && { "last-event-id": id }) }, signal, cache: "no-store" },
    });
    const { status, statusText, body, headers } = answer;
    if (status === 204) return { kind: "over" };
    if (answer.ok && body !== null)
      return { type: headers.get("content-type") ?? "", body: body[Symbol.asyncIterator]() };
    const again = status >= 500 || status === 429;
    return { kind: "failed", sentence: `${url} answers ${`${status} ${statusText}`.trim()}`, again };
  } catch (error) {
    return { kind: "failed", sentence: sentenceOf(url, error), again: true };
  }
}

/** The next piece of an answer, undefined at its end; an error if the connection broke. */
async function next(body: AsyncIterator<Uint8Array>): Promise<Buffer | Error | undefined> {
  try {
    const { done, value } = await body.next();
    return done ? undefined : Buffer.from(value.buffer, value.byteOffset, value.length);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

const REASONS: { readonly [code: string]: string } = {
  ECONNREFUSED: "nobody answers there",
  ECONNRESET: "the connection was cut",
  ENOTFOUND: "there is no such host",
  ETIMEDOUT: "nobody answers there",
  UND_ERR_SOCKET: "the connection was cut",
  UND_ERR_CONNECT_TIMEOUT: "nobody answers there",
};

function sentenceOf(url: string, error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const reason = REASONS[code] ?? (cause instanceof Error ? cause.message : String(cause));
  return `cannot read ${url}: ${reason}`;
}

/** A frame of a later connection, counted from the first one on. */
function moved(frame: SseFrame, lines: number, bytes: number): SseFrame {
  return {
    ...frame,
    ...{ line: frame.line + lines, offset: frame.offset + bytes },
    parts: frame.parts.map(({ line, column, offset }) => ({
      ...{ line: line + lines, column, offset: offset + bytes },
    })),
  };
}
