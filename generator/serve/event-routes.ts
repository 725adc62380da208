/** The routes to events: of each run and of the feed across the runs of a protocol, as lists and as streams. */
import { resolveEndpoints } from "../protocol/endpoints.js";
import type { Protocol } from "../protocol/protocol.js";
import type { Answer, Request, Route } from "./answer.js";
import type { AnswerFaults } from "./answer-faults.js";
import { runSegments } from "./endpoints.js";
import type { Limits } from "./limits.js";
import type { Delivery, Log } from "./log.js";
import type { Playback, PlayedRun } from "./play.js";
import { Problem } from "./problem.js";
import { parseWholeNumber, readParameter, weightOf } from "./query.js";
import { hasEnded, type StreamSource, type WireFaults } from "./stream.js";
import type { WireFormat } from "./wire-formats.js";

/** The data and the settings of all routes. */
export interface EventService {
  readonly protocols: readonly Pick<Protocol, "id" | "stream">[];
  readonly play: Playback;
  readonly format: WireFormat;
  readonly limits: Limits;
  readonly answerFaults: AnswerFaults;
  /** Returns the wire faults of one stream; the feed of a protocol has no key. */
  wireFaults(key: string | undefined, name: string): WireFaults | undefined;
}

/** The events behind a route. */
interface Source {
  readonly log: Log;
  readonly listName: string;
  /** The key of the run; undefined for a feed. */
  readonly key: string | undefined;
  readonly name: string;
  readonly filters: readonly string[];
  readonly played: readonly PlayedRun[];
}

/** Yields all routes to events with the segments of their paths, not encoded. */
export function* eventRoutes(service: EventService): Generator<readonly [segments: string[], route: Route]> {
  const { protocols, play, format } = service;
  for (const protocol of protocols) {
    const endpoints = resolveEndpoints(protocol);
    const { filters } = endpoints;
    const played = play.runs.filter(({ run }) => run.protocol === protocol.id);
    const log = play.feed(protocol.id);
    const base = protocol.id.split("/");
    const feed = { log, listName: format.feedList, key: undefined, name: protocol.id, filters, played };
    yield [[...base, "events"], createRoute(service, feed, prefersStream)];
    yield [[...base, "events", "stream"], createRoute(service, feed, always)];
    for (const one of played) {
      const segments = runSegments(endpoints, one.run);
      const { key } = one.run;
      const source = { log: one.log, listName: format.runList, key, name: key, filters: [], played: [one] };
      yield [[...segments, "events"], createRoute(service, source, prefersStream)];
      yield [[...segments, "stream"], createRoute(service, source, always)];
    }
  }
}

/** Whether a client prefers a live stream, or accepts it as well as a page. */
const prefersStream = (request: Request): boolean => {
  const header = request.header("accept");
  const weight = weightOf(header, "text/event-stream");
  return weight > 0 && weight >= weightOf(header, "application/json");
};
const always = (): boolean => true;

function createRoute(service: EventService, source: Source, isLive: (request: Request) => boolean): Route {
  const paged = isLive === always ? [] : ["limit"];
  return {
    method: "GET",
    parameters: ["after_sequence", ...paged, "event_type", ...source.filters],
    answer: (request) => {
      const answer = isLive(request)
        ? answerStream(service, source, request)
        : answerPage(service, source, request);
      const cursor = answer.kind === "stream" ? answer.stream.after : undefined;
      const status = service.answerFaults.status(request.path, source.key, cursor !== undefined);
      if (status === 204) return { kind: "nothing" };
      if (status !== undefined)
        throw new Problem(status, "This failure was injected by --faults; repeat the request.");
      service.play.start(source.played);
      return answer;
    },
  };
}

function answerPage({ limits }: EventService, source: Source, { parameters }: Request): Answer {
  const { log, listName: name, filters } = source;
  const after = parseWholeNumber("after_sequence", readParameter(parameters, "after_sequence"), 0);
  const limit =
    parseWholeNumber("limit", readParameter(parameters, "limit"), 1, limits.largestPage) ?? limits.page;
  const isWanted = createFilter(parameters, filters);
  return { kind: "page", page: { log, after, limit, isWanted, name, batch: limits.batch } };
}

function answerStream(service: EventService, source: Source, request: Request): Answer {
  const { log, filters, key, name } = source;
  const { format, limits } = service;
  const { batch, heartbeat, retry } = limits;
  const asked = parseWholeNumber("after_sequence", readParameter(request.parameters, "after_sequence"), 0);
  // A browser reconnects with the URL of its first request, so the last event that it received takes precedence.
  const after = parseWholeNumber("Last-Event-ID", request.header("last-event-id") || undefined, 0) ?? asked;
  const isWanted = createFilter(request.parameters, filters);
  const faults = service.wireFaults(key, name);
  const stream: StreamSource = { log, after, isWanted, format, faults, batch, heartbeat, retry };
  return hasEnded(stream) ? { kind: "nothing" } : { kind: "stream", stream };
}

/** Creates the filter of a request: one of the types of `event_type`, and the value of every other filter. */
function createFilter(
  parameters: Request["parameters"],
  filters: readonly string[],
): (entry: Delivery) => boolean {
  const types = readParameter(parameters, "event_type")
    ?.split(",")
    .map((type) => type.trim());
  const set = types && new Set(types);
  const fields = filters.flatMap((name) => {
    const value = readParameter(parameters, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return ({ run, event }) =>
    (set === undefined || set.has(event.type)) && fields.every(([name, value]) => run.fields[name] === value);
}
