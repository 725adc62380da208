/**
 * Reads events from a server: all pages of a list, or a live stream. A stream that breaks off is resumed behind the last
 * complete event. An answer 204 ends it.
 */
import { UsageError } from "../failure.js";
import type { ExitCode, Io } from "../io.js";
import { isObject, type Json } from "../json.js";
import { sseParser } from "../stream/sse-parser.js";
import { unwrap } from "../stream/unwrap.js";
import { pause } from "./follow-file.js";

/** Shows the values of a source in their order. */
export interface Show {
  readonly discriminators: readonly string[];
  /** Shows a value; `place` is the id of its frame in a stream. */
  value(value: Json, place?: string): void;
  /** Shows a problem, such as data that is not JSON. */
  problem(message: string): void;
  end(): ExitCode;
}

/** How a URL is read. */
interface UrlOptions {
  /** Whether to request a live stream. */
  readonly follow: boolean;
  readonly show: Show;
  readonly io: Pick<Io, "stopAsked" | "stderr">;
}

/** Requests in a row that may bring no event, and the milliseconds to wait after them. */
const MOST_FAILURES = 8;
const PAUSE = 500;
const LONGEST_PAUSE = 10_000;

/** The result of one request. */
interface Progress {
  /** Whether it was the last one. */
  readonly isLast: boolean;
  readonly events: number;
  /** The milliseconds that the server wants between two requests. */
  readonly retry?: number | undefined;
}

/** The position at which the next request continues. */
interface Cursor {
  lastEventId: string;
  after: number | undefined;
}

/** Shows all events of a URL. A server that cannot be reached, or refuses, is a usage error. */
export async function readUrl(url: string, options: UrlOptions): Promise<void> {
  const controller = new AbortController();
  const stop = options.io.stopAsked().then(() => controller.abort());
  const cursor: Cursor = { lastEventId: "", after: undefined };
  let failures = 0;
  while (!controller.signal.aborted) {
    const progress = await request(url, cursor, options, controller.signal);
    if (controller.signal.aborted || (typeof progress === "object" && progress.isLast)) return;
    failures = typeof progress === "object" && progress.events > 0 ? 0 : failures + 1;
    if (failures > MOST_FAILURES)
      throw new UsageError(`${url} does not answer: ${describeFailure(progress)}.`);
    const wait = typeof progress === "object" ? (progress.retry ?? PAUSE) : PAUSE * 2 ** failures;
    if (typeof progress === "string" || progress.retry !== 0)
      await pause(Math.min(wait, LONGEST_PAUSE), stop);
  }
}

function describeFailure(progress: Progress | string): string {
  return typeof progress === "string" ? progress : "the stream ends without an event each time";
}

/** Makes one request. Returns a message if it failed and a later request may succeed. */
async function request(
  url: string,
  cursor: Cursor,
  { follow, show }: UrlOptions,
  signal: AbortSignal,
): Promise<Progress | string> {
  try {
    const response = await fetch(addressOf(url, cursor), { headers: headersOf(follow, cursor), signal });
    if (response.status === 204) return { isLast: true, events: 0 };
    if (response.status >= 500 || response.status === 429) return `the answer is ${response.status}`;
    if (!response.ok)
      throw new UsageError(`${url} answers ${response.status}: ${await readServerMessage(response)}`);
    if (response.headers.get("content-type")?.startsWith("text/event-stream"))
      return await readStream(response, cursor, show);
    const page = parsePage(await response.text(), url);
    refuseListOfRuns(page, url);
    return readPage(page, cursor, show);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { cause, message } = error as Error;
    return cause instanceof Error ? cause.message : message;
  }
}

/** Parses a page. A server that does not answer with JSON is not asked again. */
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

function headersOf(follow: boolean, { lastEventId }: Cursor): { [name: string]: string } {
  const accept = follow ? "text/event-stream" : "application/json, text/event-stream;q=0.5";
  return { accept, ...(lastEventId !== "" && { "last-event-id": lastEventId }) };
}

function addressOf(url: string, { after }: Cursor): string {
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

async function readStream(response: Response, cursor: Cursor, show: Show): Promise<Progress> {
  const parser = sseParser({ lastEventId: cursor.lastEventId });
  let events = 0;
  try {
    for await (const bytes of response.body ?? [])
      for (const { data, id } of parser.push(bytes as Uint8Array)) {
        if (id !== cursor.lastEventId) events++;
        cursor.lastEventId = id;
        showText(data, show, id);
      }
  } catch {
    // The connection was lost. Complete events were shown; the next request asks for the others.
  }
  cursor.lastEventId = parser.lastEventId();
  return { isLast: false, events, retry: parser.retry() };
}

function showText(data: string, show: Show, id: string): void {
  let value: Json;
  try {
    value = JSON.parse(data);
  } catch {
    show.problem("is not JSON");
    return;
  }
  showAll(value, show, id);
}

/** Shows every event of a value and returns their number. */
function showAll(value: Json, show: Show, id?: string): number {
  const events = unwrap(value, show.discriminators);
  for (const { value: event } of events) show.value(event as Json, id);
  return events.length;
}

/** Shows a page. The next one is requested at once if the page names its beginning. */
function readPage(page: Json, cursor: Cursor, show: Show): Progress {
  const events = showAll(page, show);
  const next = isObject(page) ? page.next_after_sequence : undefined;
  if (typeof next !== "number" || next === cursor.after || events === 0) return { isLast: true, events };
  cursor.after = next;
  return { isLast: false, events, retry: 0 };
}
