/** The routes besides events: health, the list of runs, stepping, and the files of the page. */
import { resolveEndpoints } from "../protocol/endpoints.js";
import { type Answer, createJsonAnswer, type Request, type Route } from "./answer.js";
import type { EventService } from "./event-routes.js";
import type { PlayedRun } from "./play.js";
import { type Headers, HttpError } from "./problem.js";
import { parseWholeNumber, quote, readParameter } from "./query.js";
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
  if (!site.has("/")) yield [[""], createGetRoute(() => listPaths(service))];
  for (const [path, file] of site)
    yield [path.slice(1).split("/"), createGetRoute(() => createFileAnswer(file))];
}

function createFileAnswer({ type, body, headers }: SiteFile): Answer {
  const common = { "content-type": type, "cache-control": "no-cache", vary: "accept-encoding" };
  return { status: 200, headers: { ...common, ...headers }, canCompress: true, pieces: () => [body] };
}

function listPaths({ protocols }: EventService): Answer {
  const feeds = protocols.flatMap(({ id }) => [`/${id}/events`, `/${id}/events/stream`]);
  return createJsonAnswer({ object: "server", paths: ["/health", "/runs", ...feeds] });
}

/** Returns a function that describes what has happened in a run. */
function createRunDescription({ protocols }: EventService, played: PlayedRun): () => unknown {
  const { run, log, listWaiting } = played;
  const { protocol: id, key, fields } = run;
  const protocol = protocols.find((candidate) => candidate.id === id);
  const segments = listRunSegments(resolveEndpoints(protocol ?? {}), run);
  const paths = {
    events: formatPath([...segments, "events"]),
    stream: formatPath([...segments, "stream"]),
    ...(protocol && { findings: formatPath([...segments, "findings"]) }),
  };
  const decisions = (protocol?.actions?.decisions ?? []).map(({ path, request, choice, outcomes }) => ({
    ...{ request, choice, outcomes: Object.keys(outcomes), path: formatPath([...segments, path]) },
  }));
  const summarize = protocol ? createRunSummary(protocol, log) : () => ({});
  return () => {
    const released = countEvents(log.deliveries.map(({ event }) => event));
    const events = countEvents([...log.deliveries.map(({ event }) => event), ...listWaiting()]);
    return {
      ...{ protocol: id, run: key, fields, ...summarize() },
      ...{ events, released, finished: log.isFinished(), paths, decisions },
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
