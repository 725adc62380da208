/** The routes besides events: health, the list of runs, stepping, and the files of the page. */
import { resolveEndpoints } from "../protocol/endpoints.js";
import { type Answer, createJsonAnswer, type Request, type Route } from "./answer.js";
import type { EventService } from "./event-routes.js";
import type { PlayedRun } from "./play.js";
import { type Headers, HttpError } from "./problem.js";
import { parseWholeNumber, quote, readParameter, readWeight } from "./query.js";
import { hasOpenQuestion } from "./questions.js";
import { formatPath, listRunSegments, type RunEvent } from "./run.js";
import { createRunSummary } from "./summarize-run.js";

/** A file of the page at `/`. It is held in memory, so that no path of a request reaches the file system. */
export interface SiteFile {
  readonly type: string;
  readonly body: Uint8Array;
  /** Additional headers. */
  readonly headers?: Headers;
}

/** The files of the page by path, which begins with `/`. */
export type Site = ReadonlyMap<string, SiteFile>;

/** Yields these routes with the segments of their paths. */
export function* listSiteRoutes(
  service: EventService,
  site: Site,
  isStepping: boolean,
): Generator<readonly [segments: string[], route: Route]> {
  const { runs } = service.playback;
  const createGetRoute = (answer: () => Answer): Route => ({ method: "GET", answer });
  yield [["health"], createGetRoute(() => createJsonAnswer({ status: "ok", runs: runs.length }))];
  const describe = runs.map((played) => createRunDescription(service, played));
  const listRuns = (): Answer =>
    createJsonAnswer({
      object: "list",
      data: describe.map((describeRun) => describeRun()),
      steps: isStepping,
    });
  yield [["runs"], { ...createGetRoute(listRuns), parameters: [] }];
  const answerStepRequest = (request: Request): Answer => answerStep(service, isStepping, request);
  yield [["step"], { method: "POST", parameters: ["run", "count"], answer: answerStepRequest }];
  yield [[""], createRootRoute(service, site.get("/"))];
  for (const [path, file] of site)
    if (path !== "/") yield [path.slice(1).split("/"), createGetRoute(() => createFileAnswer(file))];
}

function createFileAnswer({ type, body, headers }: SiteFile): Answer {
  const common = { "content-type": type, "cache-control": "no-cache", vary: "accept-encoding" };
  return { status: 200, headers: { ...common, ...headers }, canCompress: true, pieces: () => [body] };
}

/** Returns the route of `/`: the page for browsers, and a list of paths for other clients, as JSON or as text. */
function createRootRoute(service: EventService, page: SiteFile | undefined): Route {
  return {
    method: "GET",
    answer({ header }) {
      const accept = header("accept");
      const answer = chooseRootAnswer(service, page, accept);
      return { ...answer, headers: { ...answer.headers, vary: "accept, accept-encoding" } };
    },
  };
}

function chooseRootAnswer(
  service: EventService,
  page: SiteFile | undefined,
  accept: string | undefined,
): Answer {
  if (page && readWeight(accept, "text/html") > 0) return createFileAnswer(page);
  const paths = listPaths(service);
  if (readWeight(accept, "application/json") > 0)
    return createJsonAnswer({ object: "server", paths: paths.map(([path]) => path) });
  const width = Math.max(...paths.map(([path]) => path.length));
  const lines = paths.map(([path, meaning]) => `${path.padEnd(width)}  ${meaning}`);
  const end = page ? "A browser shows the runs here." : "The server has no web page.";
  const body = Buffer.from(["accrete serve", "", ...lines, "", end, ""].join("\n"));
  const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
  return { status: 200, headers, canCompress: false, pieces: () => [body] };
}

function listPaths({ protocols }: EventService): [path: string, meaning: string][] {
  return [
    ["/runs", "every run with its paths"],
    ["/health", "the state of the server"],
    ...protocols.flatMap(({ id }): [string, string][] => [
      [`/${id}/events`, `events of all runs of ${id}, as JSON`],
      [`/${id}/events/stream`, `events of all runs of ${id}, live`],
    ]),
  ];
}

/** Returns a function that describes what has happened in a run. */
function createRunDescription({ protocols, format }: EventService, played: PlayedRun): () => unknown {
  const { run, log, listWaiting } = played;
  const { protocol: id, key, fields } = run;
  const protocol = protocols.find((candidate) => candidate.id === id);
  const segments = listRunSegments(resolveEndpoints(protocol ?? {}), run);
  const paths = {
    events: formatPath([...segments, "events"]),
    stream: formatPath([...segments, "stream"]),
    // Where the stream sends states, clients that accept a stream of events get it here.
    ...(format.sendsStates && protocol?.stateFeed && { live: formatPath([...segments, "events"]) }),
    ...(protocol && { findings: formatPath([...segments, "findings"]) }),
  };
  const decisions = (protocol?.actions?.decisions ?? []).map(({ path, request, choice, outcomes }) => ({
    ...{ request, choice, outcomes: Object.keys(outcomes), path: formatPath([...segments, path]) },
  }));
  const summarize = protocol ? createRunSummary(protocol, log, run.events) : () => ({ expectsEnd: false });
  return () => {
    const released = countEvents(log.deliveries.map(({ event }) => event));
    const events = countEvents([...log.deliveries.map(({ event }) => event), ...listWaiting()]);
    const finished = log.isFinished();
    const isWaiting = protocol !== undefined && !finished && hasOpenQuestion(protocol, log.deliveries);
    return {
      ...{ protocol: id, run: key, fields, ...summarize() },
      ...{ events, released, finished, waitsForDecision: isWaiting, paths, decisions },
    };
  };
}

/** Returns the number of events without redeliveries. */
function countEvents(events: readonly RunEvent[]): number {
  return new Set(events.map((event) => event.id ?? event)).size;
}

/** The largest number of events that one request can release. */
const MAX_STEPS = 1_000_000;

function answerStep({ playback }: EventService, isStepping: boolean, { parameters }: Request): Answer {
  if (!isStepping)
    throw new HttpError("state-conflict", "Events do not wait for steps; start the server with --step.");
  const key = readParameter(parameters, "run");
  const runs = playback.runs.filter(({ run }) => key === undefined || run.key === key);
  if (runs.length === 0)
    throw new HttpError("path-unknown", `There is no run ${quote(key ?? "")}; GET /runs lists them.`);
  const count = parseWholeNumber("count", readParameter(parameters, "count"), 1, MAX_STEPS) ?? 1;
  const released = playback.step(key, count);
  const left = runs.reduce((sum, { countWaiting }) => sum + countWaiting(), 0);
  const data = released.map(({ run, event, cursor }) => ({
    run: run.key,
    sequence: cursor,
    type: event.type,
  }));
  return createJsonAnswer({ object: "step", data, left });
}
