/**
 * Reads events from a server: all pages of a list, or a live stream. A stream that breaks off is resumed after the last
 * complete event. The status 204 ends it.
 */
import { UsageError } from "../failure.js";
import type { ExitCode, Io } from "../io.js";
import { isObject, type Json } from "../json.js";
import { sseParser } from "../stream/sse-parser.js";
import { unwrap } from "../stream/unwrap.js";
import { pause } from "./follow-file.js";

/** Shows the events of a source, in order. */
export interface EventDisplay {
  readonly discriminators: readonly string[];
  /** Shows an event. `place` is the id of its frame in a stream. */
  showValue(value: Json, place?: string): void;
  /** Shows a problem, such as data that is not JSON. */
  showProblem(message: string): void;
  /** Ends the display and returns the exit code. */
  finish(): ExitCode;
}

/** The options of `readUrl`. */
interface UrlOptions {
  /** Whether to request a live stream. */
  readonly follow: boolean;
  readonly display: EventDisplay;
  readonly io: Pick<Io, "stopAsked" | "stderr">;
}

/** The number of requests in a row that may bring no event. */
const MAX_FAILURES = 8;
/** The default and the maximum of the milliseconds between two requests. */
const DEFAULT_PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;

/** The result of one request. */
interface Progress {
  /** Whether it was the last request. */
  readonly isLast: boolean;
  /** The number of new events. */
  readonly events: number;
  /** The milliseconds that the server wants between two requests. */
  readonly retry?: number | undefined;
}

/** The position at which the next request continues. */
interface Cursor {
  /** The id of the last event of a stream. */
  lastEventId: string;
  /** The sequence number after which the next page of a list begins. */
  after: number | undefined;
}

/** Shows all events of a URL. Throws a usage error if the server cannot be reached or rejects the request. */
export async function readUrl(url: string, options: UrlOptions): Promise<void> {
  const controller = new AbortController();
  const stop = options.io.stopAsked().then(() => controller.abort());
  const cursor: Cursor = { lastEventId: "", after: undefined };
  let failures = 0;
  while (!controller.signal.aborted) {
    const progress = await sendRequest(url, cursor, options, controller.signal);
    if (controller.signal.aborted || (typeof progress === "object" && progress.isLast)) return;
    failures = typeof progress === "object" && progress.events > 0 ? 0 : failures + 1;
    if (failures > MAX_FAILURES)
      throw new UsageError(`${url} does not answer: ${describeFailure(progress)}.`);
    const wait =
      typeof progress === "object" ? (progress.retry ?? DEFAULT_PAUSE_MS) : DEFAULT_PAUSE_MS * 2 ** failures;
    if (typeof progress === "string" || progress.retry !== 0) await pause(Math.min(wait, MAX_PAUSE_MS), stop);
  }
}

function describeFailure(progress: Progress | string): string {
  return typeof progress === "string" ? progress : "the stream ends without an event each time";
}

/** Sends one request. Returns a message if it failed and a later request may succeed. */
async function sendRequest(
  url: string,
  cursor: Cursor,
  { follow, display }: UrlOptions,
  signal: AbortSignal,
): Promise<Progress | string> {
  try {
    const response = await fetch(buildAddress(url, cursor), {
      headers: buildHeaders(follow, cursor),
      signal,
    });
    if (response.status === 204) return { isLast: true, events: 0 };
    if (response.status >= 500 || response.status === 429) return `the answer is ${response.status}`;
    if (!response.ok)
      throw new UsageError(`${url} answers ${response.status}: ${await readServerMessage(response)}`);
    if (response.headers.get("content-type")?.startsWith("text/event-stream"))
      return await readStream(response, cursor, display);
    const page = parsePage(await response.text(), url);
    refuseListOfRuns(page, url);
    return readPage(page, cursor, display);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { cause, message } = error as Error;
    return cause instanceof Error ? cause.message : message;
  }
}

/** Parses a page. Throws a usage error if it is not JSON, since another request would not help. */
function parsePage(text: string, url: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    const hint = "name the address of a run's events; /runs of `accrete serve` lists them";
    throw new UsageError(`${url} answers, but not with events: ${hint}.`);
  }
}

/** Throws a usage error for a list of runs of `accrete serve`, which names the addresses of their events. */
function refuseListOfRuns(page: Json, url: string): void {
  const data = isObject(page) && Array.isArray(page.data) ? (page.data as readonly Json[]) : [];
  const addresses = data.map((run) => {
    const events = isObject(run) && isObject(run.paths) ? run.paths.events : undefined;
    return typeof events === "string" && URL.canParse(events, url) ? new URL(events, url).href : undefined;
  });
  const [first] = addresses;
  if (first === undefined || addresses.includes(undefined)) return;
  const rest = addresses.length === 1 ? "" : `, the first of ${addresses.length}`;
  throw new UsageError(`${url} is a list of runs; replay takes the events of one: ${first}${rest}.`);
}

function buildHeaders(follow: boolean, { lastEventId }: Cursor): { [name: string]: string } {
  const accept = follow ? "text/event-stream" : "application/json, text/event-stream;q=0.5";
  return { accept, ...(lastEventId !== "" && { "last-event-id": lastEventId }) };
}

function buildAddress(url: string, { after }: Cursor): string {
  if (after === undefined) return url;
  const address = new URL(url);
  address.searchParams.set("after_sequence", String(after));
  return address.href;
}

/** Returns the message in the answer of a server, or its status. */
async function readServerMessage(response: Response): Promise<string> {
  const body = (await response.json().catch(() => null)) as Json;
  return isObject(body) && typeof body.message === "string" ? body.message : response.statusText;
}

async function readStream(response: Response, cursor: Cursor, display: EventDisplay): Promise<Progress> {
  const parser = sseParser({ lastEventId: cursor.lastEventId });
  let events = 0;
  try {
    for await (const bytes of response.body ?? [])
      for (const { data, id } of parser.push(bytes as Uint8Array)) {
        if (id !== cursor.lastEventId) events++;
        cursor.lastEventId = id;
        showJsonText(data, display, id);
      }
  } catch {
    // The connection was lost. The complete events were shown, and the next request asks for the others.
  }
  cursor.lastEventId = parser.lastEventId();
  return { isLast: false, events, retry: parser.retry() };
}

function showJsonText(data: string, display: EventDisplay, id: string): void {
  let value: Json;
  try {
    value = JSON.parse(data);
  } catch {
    display.showProblem("is not JSON");
    return;
  }
  showAll(value, display, id);
}

/** Shows every event of a value and returns their number. */
function showAll(value: Json, display: EventDisplay, id?: string): number {
  const events = unwrap(value, display.discriminators);
  for (const { value: event } of events) display.showValue(event as Json, id);
  return events.length;
}

/** Shows a page. Moves the cursor if the page names the beginning of the next one, which is then requested at once. */
function readPage(page: Json, cursor: Cursor, display: EventDisplay): Progress {
  const events = showAll(page, display);
  const next = isObject(page) ? page.next_after_sequence : undefined;
  if (typeof next !== "number" || next === cursor.after || events === 0) return { isLast: true, events };
  cursor.after = next;
  return { isLast: false, events, retry: 0 };
}
