/**
 * Follows a live stream of server-sent events with `fetch`, in browsers and in Node. After a lost connection it resumes
 * after the last event, and it recognises redeliveries, so that no event is lost or shown twice.
 */
import type { AnyContract, KnownEventOf, UnknownEventOf } from "./contract.js";
import type { Delivery } from "./delivery.js";
import { createReader, type Reader } from "./reader.js";
import { createSseParser, type SseFrame } from "./sse-parser.js";
import { unwrap } from "./unwrap.js";

/** The options of `follow`. */
export interface FollowOptions<Event = unknown, Unknown = unknown> {
  /** Ends the iteration when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The address of the list of the events so far. Its pages are read first; the live stream then begins after the last
   * one. When the server ends the stream, the list shows whether there are more events.
   */
  readonly list?: string | URL | undefined;
  /** The id of the last event of an earlier connection, after which the stream begins. The state `ended` has it. */
  readonly lastEventId?: string;
  /** The reader that classifies the events; a new one by default. Pass an earlier one to continue where it stopped. */
  readonly reader?: Reader<Event, Unknown>;
  /** Sends the requests; `fetch` by default. Wrap it to add headers or credentials. */
  readonly fetch?: typeof fetch;
  /** The longest delay to which repeated failures lead, in milliseconds; 30,000 by default. The server may ask for more. */
  readonly maxDelay?: number;
  /**
   * The milliseconds without a byte after which an open connection counts as stalled; 30,000 by default. After twice this
   * time it is given up.
   */
  readonly stallAfter?: number;
  /** Returns a number from 0 to 1 that varies the delays; `Math.random` by default. */
  readonly random?: () => number;
}

/** The reason why a stream was interrupted. */
export interface Interruption {
  /**
   * `closed`: the server ended its answer. `lost`: the connection broke. `stalled`: no byte arrived for too long.
   * `unreachable`: there was no answer. `status`: the answer was a temporary error. `incomplete`: the server said that
   * the stream has ended, but the list had more events.
   */
  readonly reason: "closed" | "lost" | "stalled" | "unreachable" | "status" | "incomplete";
  /** The HTTP status of a temporary error. */
  readonly status?: number;
  /** The error of a broken connection or of a request without an answer. */
  readonly error?: unknown;
}

/** The state of the connection. */
export type ConnectionState =
  /** Reads the pages of the list. */
  | { readonly kind: "loading" }
  /** Asks for the live stream. */
  | { readonly kind: "connecting" }
  /** The server sends the live stream. */
  | { readonly kind: "open" }
  /** The connection is open, but no byte has arrived for a while. `open` follows if it goes on. */
  | { readonly kind: "stalled" }
  /** Waits `delay` milliseconds before the next request. */
  | ({ readonly kind: "waiting"; readonly delay: number } & Interruption)
  /** Nothing follows. */
  | {
      readonly kind: "ended";
      /** `complete`: there are no more events. `refused`: the answer is a lasting error, or not a stream. */
      readonly reason: "complete" | "refused" | "aborted";
      /** The HTTP status of the answer, if the server ended the stream. */
      readonly status?: number;
      /** The id of the last event, after which a later call can resume; empty if there is none. */
      readonly lastEventId: string;
    };

/** One item of `follow`: a delivery of the feed, or the state of the connection after a change. */
export type FollowItem<Event, Unknown> = Delivery<Event, Unknown> | ConnectionState;

/** The settings and the position of one call of `follow`. */
interface Session<Event, Unknown> {
  readonly url: URL;
  readonly list: URL | undefined;
  readonly reader: Reader<Event, Unknown>;
  readonly discriminators: readonly string[];
  readonly send: typeof fetch;
  readonly stallAfter: number;
  /** Ends the current request. */
  signal: AbortSignal;
  /** The id of the last new event of the stream. */
  lastEventId: string;
  /** The number after which the next page of the list begins. */
  after: number | undefined;
  /** The delay between two connections that the server asks for, in milliseconds. */
  retry: number;
  /** True if the current request has delivered anything other than redeliveries. */
  hasProgress: boolean;
}

/** The end of a request; undefined if the list was read to its end. */
type Outcome =
  | { readonly kind: "ended"; readonly reason: "complete" | "refused"; readonly status: number }
  | ({ readonly kind: "interrupted"; readonly retryAfter?: number } & Interruption)
  | undefined;

type Steps<Event, Unknown> = AsyncGenerator<FollowItem<Event, Unknown>, Outcome, undefined>;

/**
 * Follows the live stream at `url`. Yields all deliveries in the order of arrival, and the state of the connection
 * whenever it changes. Reconnects after growing, varied delays and resumes after the last event, until the server answers
 * 204 or refuses the request, or `signal` is aborted. The last item is the state `ended`. Throws only if an address is
 * malformed.
 */
export async function* follow<C extends AnyContract>(
  url: string | URL,
  contract: C,
  options: FollowOptions<KnownEventOf<C>, UnknownEventOf<C>> = {},
): AsyncGenerator<FollowItem<KnownEventOf<C>, UnknownEventOf<C>>, void, undefined> {
  const { signal, maxDelay = 30_000, random = Math.random } = options;
  const session = createSession(url, contract, options);
  let isListRead = session.list === undefined;
  let failures = 0;
  while (!signal?.aborted) {
    const outcome = yield* runRequest(session, signal, isListRead ? readStream : readList);
    if (signal?.aborted) break;
    if (outcome?.kind === "ended") return yield { ...outcome, lastEventId: session.lastEventId };
    failures = session.hasProgress || outcome === undefined ? 0 : failures + 1;
    if (outcome === undefined) isListRead = true;
    else {
      const { kind: _, retryAfter = 0, ...interruption } = outcome;
      const least = Math.max(session.retry, retryAfter);
      const delay = computeDelay(least, failures, maxDelay, random());
      yield { kind: "waiting", delay, ...interruption };
      await pause(delay, signal);
    }
  }
  yield { kind: "ended", reason: "aborted", lastEventId: session.lastEventId };
}

function createSession<C extends AnyContract>(
  url: string | URL,
  contract: C,
  options: FollowOptions<KnownEventOf<C>, UnknownEventOf<C>>,
): Session<KnownEventOf<C>, UnknownEventOf<C>> {
  const { list, lastEventId = "", reader = createReader(contract), stallAfter = 30_000 } = options;
  return {
    url: resolveUrl(url),
    list: list === undefined ? undefined : resolveUrl(list),
    reader,
    discriminators: [contract.envelope.discriminator],
    send: options.fetch ?? fetch,
    stallAfter,
    signal: AbortSignal.abort(),
    lastEventId,
    after: undefined,
    retry: 1000,
    hasProgress: false,
  };
}

/** Resolves an address, which may be relative to the page in a browser. */
function resolveUrl(url: string | URL): URL {
  return new URL(url, (globalThis as { location?: { href: string } }).location?.href);
}

/** Runs `read`, and ends its request when it returns, when the iteration stops and when `signal` is aborted. */
async function* runRequest<Event, Unknown>(
  session: Session<Event, Unknown>,
  signal: AbortSignal | undefined,
  read: (session: Session<Event, Unknown>) => Steps<Event, Unknown>,
): Steps<Event, Unknown> {
  const request = new AbortController();
  const abort = (): void => request.abort();
  signal?.addEventListener("abort", abort);
  session.signal = request.signal;
  session.hasProgress = false;
  try {
    return yield* read(session);
  } finally {
    signal?.removeEventListener("abort", abort);
    abort();
  }
}

/** Reads the pages of the list from the current position on. */
async function* readList<Event, Unknown>(session: Session<Event, Unknown>): Steps<Event, Unknown> {
  yield { kind: "loading" };
  for (;;) {
    const response = await sendRequest(session, session.list as URL, "application/json");
    if ("kind" in response) return response;
    let page: unknown;
    try {
      page = response.status === 204 ? [] : await response.json();
    } catch (error) {
      if (error instanceof SyntaxError) return { kind: "ended", reason: "refused", status: response.status };
      return { kind: "interrupted", reason: "lost", error };
    }
    const values = unwrap(page, session.discriminators);
    const next = (page as { readonly next_after_sequence?: unknown } | null)?.next_after_sequence;
    const hasNext = typeof next === "number" && next !== session.after && values.length > 0;
    // Events without ids are numbered by their position, as in the stream.
    for (const [index, { value }] of values.entries())
      yield readValue(session, value, hasNext ? String(next - values.length + 1 + index) : undefined);
    if (!hasNext) return undefined;
    session.after = next;
  }
}

/** Reads one connection of the live stream. */
async function* readStream<Event, Unknown>(session: Session<Event, Unknown>): Steps<Event, Unknown> {
  yield { kind: "connecting" };
  const response = await sendRequest(session, session.url, "text/event-stream");
  if ("kind" in response) return response;
  const { status, body, headers } = response;
  if (status === 204) return yield* confirmEnd(session);
  if (body === null || !/^text\/event-stream\b/i.test(headers.get("content-type") ?? ""))
    return { kind: "ended", reason: "refused", status };
  const parser = createSseParser({ lastEventId: session.lastEventId });
  const pieces = body.getReader();
  // Reads one piece ahead, because browsers drop what was not read when a connection breaks.
  let next = toOutcome(pieces.read());
  let isStalled = false;
  yield { kind: "open" };
  for (;;) {
    const piece = await waitAtMost(next, session.stallAfter, session.signal);
    if (piece === undefined) {
      if (isStalled || session.signal.aborted) return { kind: "interrupted", reason: "stalled" };
      isStalled = true;
      yield { kind: "stalled" };
      continue;
    }
    if (piece.failed) return { kind: "interrupted", reason: "lost", error: piece.error };
    if (piece.value.done) return { kind: "interrupted", reason: "closed" };
    next = toOutcome(pieces.read());
    if (isStalled) yield { kind: "open" };
    isStalled = false;
    for (const frame of parser.push(piece.value.value)) yield* readFrame(session, frame);
    session.retry = parser.retry() ?? session.retry;
  }
}

/** Asks the list, if there is one, whether the stream ended too early. */
async function* confirmEnd<Event, Unknown>(session: Session<Event, Unknown>): Steps<Event, Unknown> {
  const outcome = session.list === undefined ? undefined : yield* readList(session);
  if (outcome !== undefined) return outcome;
  if (session.hasProgress) return { kind: "interrupted", reason: "incomplete" };
  return { kind: "ended", reason: "complete", status: 204 };
}

/** Delivers the events of a frame. A frame of redeliveries does not move the position back. */
function* readFrame<Event, Unknown>(
  session: Session<Event, Unknown>,
  { data, id, ownId }: SseFrame,
): Generator<Delivery<Event, Unknown>> {
  let isNew = false;
  for (const [index, value] of parseValues(data, session.discriminators).entries()) {
    const delivery = readValue(session, value, index === 0 || !ownId ? ownId : `${ownId}/${index}`);
    isNew ||= delivery.kind !== "duplicate";
    yield delivery;
  }
  if (!isNew) return;
  session.lastEventId = id;
  // The ids of a stream with a list are the numbers after which pages begin.
  if (session.after !== undefined && /^\d+$/.test(id)) session.after = Number(id);
}

/** Returns the values of a frame. Text that is not JSON stays text, which no contract accepts as an event. */
function parseValues(data: string, discriminators: readonly string[]): unknown[] {
  try {
    return unwrap(JSON.parse(data), discriminators).map(({ value }) => value);
  } catch {
    return [data];
  }
}

function readValue<Event, Unknown>(
  session: Session<Event, Unknown>,
  value: unknown,
  id: string | undefined,
): Delivery<Event, Unknown> {
  const delivery = session.reader.read(value, { id });
  if (delivery.kind !== "duplicate") session.hasProgress = true;
  return delivery;
}

/** The statuses below 500 that are temporary errors. */
const TEMPORARY_STATUSES: readonly number[] = [408, 425, 429];

/** Requests events after the current position. Returns the response, or the outcome if it is an error. */
async function sendRequest<Event, Unknown>(
  { send, signal, after, lastEventId, stallAfter }: Session<Event, Unknown>,
  url: URL,
  accept: string,
): Promise<Response | NonNullable<Outcome>> {
  const address = new URL(url);
  if (after !== undefined) address.searchParams.set("after_sequence", String(after));
  const headers = { accept, ...(lastEventId !== "" && { "last-event-id": lastEventId }) };
  const init = { headers, signal, cache: "no-store" as const };
  const sent = send(address.href, init);
  const answer = await waitAtMost(toOutcome(sent), 2 * stallAfter, signal);
  if (answer === undefined) return { kind: "interrupted", reason: "unreachable" };
  if (answer.failed) return { kind: "interrupted", reason: "unreachable", error: answer.error };
  const { ok, status } = answer.value;
  if (ok) return answer.value;
  if (status < 500 && !TEMPORARY_STATUSES.includes(status))
    return { kind: "ended", reason: "refused", status };
  const retryAfter = 1000 * Number(answer.value.headers.get("retry-after") ?? 0) || 0;
  return { kind: "interrupted", reason: "status", status, retryAfter };
}

type PromiseOutcome<T> =
  | { readonly failed: false; readonly value: T }
  | { readonly failed: true; readonly error: unknown };

/** Returns a promise that is never rejected. */
function toOutcome<T>(promise: Promise<T>): Promise<PromiseOutcome<T>> {
  return promise.then(
    (value) => ({ failed: false, value }),
    (error: unknown) => ({ failed: true, error }),
  );
}

/** Waits for a promise. Returns undefined if it is still pending after `ms` milliseconds, or once `signal` is aborted. */
async function waitAtMost<T>(promise: Promise<T>, ms: number, signal: AbortSignal): Promise<T | undefined> {
  const isOver = new AbortController();
  const result = await Promise.race([promise, pause(ms, signal, isOver.signal)]);
  isOver.abort();
  return result;
}

/** The longest delay of a timer. */
const MAX_TIMER = 2 ** 31 - 1;

/** Computes a delay that is never below `least`, doubles with each failure up to `longest`, and is varied by up to a half. */
function computeDelay(least: number, failures: number, longest: number, random: number): number {
  const grown = failures === 0 ? least : Math.max(least, 100) * 2 ** failures;
  const delay = Math.max(least, Math.min(longest, grown));
  return Math.min(MAX_TIMER, Math.round(delay * (1 + random / 2)));
}

/** Waits until the time is over or one of the signals is aborted. */
function pause(ms: number, ...signals: readonly (AbortSignal | undefined)[]): Promise<undefined> {
  return new Promise((resolve) => {
    if (signals.some((signal) => signal?.aborted)) return resolve(undefined);
    const end = (): void => {
      clearTimeout(timer);
      for (const signal of signals) signal?.removeEventListener("abort", end);
      resolve(undefined);
    };
    const timer = setTimeout(end, ms);
    for (const signal of signals) signal?.addEventListener("abort", end);
  });
}
