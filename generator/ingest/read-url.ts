/**
 * Reads events from a server: pages until nothing is left, or a live stream. A stream that breaks off is resumed behind
 * the last event that came whole; one that answers 204 is over.
 */

import { UsageError } from "../failure.js";
import type { ExitCode, Io } from "../io.js";
import { isObject, type Json } from "../json.js";
import { sseParser } from "../stream/sse-parser.js";
import { unwrap } from "../stream/unwrap.js";
import { pause } from "./follow-file.js";

/** Takes the values of a source in their order. */
export interface Show {
  readonly discriminators: readonly string[];
  /** `place` is the id under which a stream sent it. */
  value(value: Json, place?: string): void;
  /** Something that is not even JSON. */
  problem(sentence: string): void;
  end(): ExitCode;
}

/** How to read. */
interface Asking {
  /** Ask for a live stream. */
  readonly follow: boolean;
  readonly show: Show;
  readonly io: Pick<Io, "stopAsked" | "stderr">;
}

/** How often in a row a server may fail or break off without an event, and how long to wait then, in milliseconds. */
const TRIES = 8;
const PAUSE = 500;
const LONGEST_PAUSE = 10_000;

/** What one answer came to: how far it got, and whether it was the last. */
interface Progress {
  readonly over: boolean;
  readonly events: number;
  /** What the server asked to wait before the next request. */
  readonly retry?: number | undefined;
}

/** Where the next request goes on. */
interface Cursor {
  lastEventId: string;
  after: number | undefined;
}

/** Shows everything that a URL has. A server that cannot be reached, or refuses, is a usage error. */
export async function readUrl(url: string, asking: Asking): Promise<void> {
  const controller = new AbortController();
  const stop = asking.io.stopAsked().then(() => controller.abort());
  const cursor: Cursor = { lastEventId: "", after: undefined };
  let failures = 0;
  while (!controller.signal.aborted) {
    const progress = await ask(url, cursor, asking, controller.signal);
    if (controller.signal.aborted || (typeof progress === "object" && progress.over)) return;
    failures = typeof progress === "object" && progress.events > 0 ? 0 : failures + 1;
    if (failures > TRIES) throw new UsageError(`${url} does not answer: ${reasonOf(progress)}.`);
    const wait = typeof progress === "object" ? (progress.retry ?? PAUSE) : PAUSE * 2 ** failures;
    if (typeof progress === "string" || progress.retry !== 0)
      await pause(Math.min(wait, LONGEST_PAUSE), stop);
  }
}

function reasonOf(progress: Progress | string): string {
  return typeof progress === "string" ? progress : "the stream ends without an event each time";
}

/** One request; a sentence if it failed in a way that may pass. */
async function ask(
  url: string,
  cursor: Cursor,
  { follow, show }: Asking,
  signal: AbortSignal,
): Promise<Progress | string> {
  try {
    const response = await fetch(addressOf(url, cursor), { headers: headersOf(follow, cursor), signal });
    if (response.status === 204) return { over: true, events: 0 };
    if (response.status >= 500 || response.status === 429) return `the answer is ${response.status}`;
    if (!response.ok) throw new UsageError(`${url} answers ${response.status}: ${await messageOf(response)}`);
    if (response.headers.get("content-type")?.startsWith("text/event-stream"))
      return await readStream(response, cursor, show);
    const page = jsonOf(await response.text(), url);
    refuseRuns(page, url);
    return readPage(page, cursor, show);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { cause, message } = error as Error;
    return cause instanceof Error ? cause.message : message;
  }
}

/** What was answered; a server that answers something else than events will do so again. */
function jsonOf(text: string, url: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    const hint = "name the address of a run's events; /runs of `accrete serve` lists them";
    throw new UsageError(`${url} answers, but not with events: ${hint}.`);
  }
}

/** A list of runs says where their events are: in the form of `accrete serve`. */
function refuseRuns(page: Json, url: string): void {
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

/** The server's own words, if it has any. */
async function messageOf(response: Response): Promise<string> {
  const body = (await response.json().catch(() => null)) as Json;
  return isObject(body) && typeof body.message === "string" ? body.message : response.statusText;
}

async function readStream(response: Response, cursor: Cursor, show: Show): Promise<Progress> {
  const parser = sseParser({ lastEventId: cursor.lastEventId });
  let events = 0;
  try {
    for await (const bytes of response.body ?? [])
      for (const { data, id } of parser.push(bytes as Uint8Array)) {
        const fresh = id !== cursor.lastEventId;
        cursor.lastEventId = id;
        if (fresh) events++;
        showText(data, show, id);
      }
  } catch {
    // Broken off: what came whole was shown, the rest is asked for again.
  }
  cursor.lastEventId = parser.lastEventId();
  return { over: false, events, retry: parser.retry() };
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

/** Shows every event of a value; returns how many there were. */
function showAll(value: Json, show: Show, id?: string): number {
  const events = unwrap(value, show.discriminators);
  for (const { value: event } of events) show.value(event as Json, id);
  return events.length;
}

/** Shows a page; the next one follows at once if it says where it begins. */
function readPage(page: Json, cursor: Cursor, show: Show): Progress {
  const events = showAll(page, show);
  const next = isObject(page) ? page.next_after_sequence : undefined;
  if (typeof next !== "number" || next === cursor.after || events === 0) return { over: true, events };
  cursor.after = next;
  return { over: false, events, retry: 0 };
}
