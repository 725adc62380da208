import { UsageError } from "../failure.js";
import { type PageReader, readFeed } from "../ingest/feed.js";
import type { Sink } from "../ingest/place.js";
import type { Io } from "../io.js";
import { isObject, type Json } from "../json.js";
import { unwrap } from "../stream/unwrap.js";
import type { EventDisplay } from "./show-events.js";

/** The number of failed requests, and of connections without a new event, after which reading stops. */
const MAX_ATTEMPTS = 8;

/** Shows all events of a URL, or a live feed with `follow`. Throws a usage error if the server cannot be reached or rejects the request. */
export async function readUrl(
  url: string,
  follow: boolean,
  display: EventDisplay,
  sink: Sink,
  io: Pick<Io, "waitForStopSignal">,
): Promise<void> {
  const controller = new AbortController();
  void io.waitForStopSignal().then(() => controller.abort());
  const frameSink: Sink = { ...sink, acceptValue: (value, { frameId }) => display.showValue(value, frameId) };
  const message = await readFeed({ index: 0, name: url }, frameSink, {
    url,
    follow,
    signal: controller.signal,
    maxFailures: MAX_ATTEMPTS,
    maxIdleConnections: MAX_ATTEMPTS,
    isDone: () => false,
    reportProgress: () => undefined,
    createPageReader: () => createPageReader(url, display),
  });
  if (message !== undefined && !controller.signal.aborted) throw new UsageError(`${message}.`);
}

/** Creates a reader that shows the events of one page. Throws a usage error if it is not JSON, since another request would not help. */
function createPageReader(url: string, display: EventDisplay): PageReader {
  const pieces: Buffer[] = [];
  let next: string | undefined;
  return {
    push: (bytes) => void pieces.push(Buffer.from(bytes)),
    end: () => {
      const page = parsePage(Buffer.concat(pieces).toString(), url);
      refuseListOfRuns(page, url);
      const events = unwrap(page, display.discriminators);
      for (const { value } of events) display.showValue(value as Json);
      if (events.length > 0) next = findNextPage(page, url);
    },
    findNextPage: () => next,
  };
}

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
  const data = isObject(page) && Array.isArray(page.data) ? page.data : [];
  const addresses = data.map((run) => {
    const events = isObject(run) && isObject(run.paths) ? run.paths.events : undefined;
    return typeof events === "string" && URL.canParse(events, url) ? new URL(events, url).href : undefined;
  });
  const [first] = addresses;
  if (first === undefined || addresses.includes(undefined)) return;
  const position = addresses.length === 1 ? "" : `, the first of ${addresses.length}`;
  throw new UsageError(`${url} is a list of runs; replay takes the events of one: ${first}${position}.`);
}

function findNextPage(page: Json, url: string): string | undefined {
  const nextSequence = isObject(page) ? page.next_after_sequence : undefined;
  if (typeof nextSequence !== "number") return undefined;
  const address = new URL(url);
  address.searchParams.set("after_sequence", String(nextSequence));
  return address.href;
}
