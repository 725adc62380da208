/** The routes to events: for each run and for the feed across the runs of a protocol, as a list and as a stream. */
import type { Protocol } from "../protocol/protocol.js";
import { wants, weightOf } from "./accept.js";
import type { Answer, Request, Route } from "./answer.js";
import type { AnswerFaults } from "./answer-faults.js";
import { endpointsOf, runSegments } from "./endpoints.js";
import type { Limits } from "./limits.js";
import type { Entry, Log } from "./log.js";
import type { Play, Played } from "./play.js";
import { Problem } from "./problem.js";
import { parameter, wholeNumber } from "./query.js";
import type { Shape } from "./shapes.js";
import { isOver, type StreamSource, type WireFaults } from "./stream.js";

/** What the routes are made of. */
export interface EventService {
  readonly protocols: readonly Pick<Protocol, "id" | "stream">[];
  readonly play: Play;
  readonly shape: Shape;
  readonly limits: Limits;
  readonly answerFaults: AnswerFaults | undefined;
  /** The faults on the way of one stream; the feed of a protocol has no key. */
  wireFaults(key: string | undefined, name: string): WireFaults | undefined;
}

/** Where events come from. */
interface Source {
  readonly log: Log;
  readonly listName: string;
  /** The key of the run; undefined for a feed. */
  readonly key: string | undefined;
  readonly name: string;
  readonly filters: readonly string[];
  readonly played: readonly Played[];
}

/** Every route to events with the segments of its path, not encoded. */
export function* eventRoutes(service: EventService): Generator<readonly [segments: string[], route: Route]> {
  const { protocols, play, shape } = service;
  for (const protocol of protocols) {
    const endpoints = endpointsOf(protocol);
    const { filters } = endpoints;
    const played = play.runs.filter(({ run }) => run.protocol === protocol.id);
    const log = play.feed(protocol.id);
    const base = protocol.id.split("/");
    const feed = { log, listName: shape.feedList, key: undefined, name: protocol.id, filters, played };
    yield [[...base, "events"], route(service, feed, byAccept)];
    yield [[...base, "events", "stream"], route(service, feed, always)];
    for (const one of played) {
      const segments = runSegments(endpoints, one.run);
      const { key } = one.run;
      const source = { log: one.log, listName: shape.runList, key, name: key, filters: [], played: [one] };
      yield [[...segments, "events"], route(service, source, byAccept)];
      yield [[...segments, "stream"], route(service, source, always)];
    }
  }
}

/** A live stream for clients that want one no less than a page. */
const byAccept = (request: Request): boolean => {
  const header = request.header("accept");
  return (
    wants(header, "text/event-stream") &&
    weightOf(header, "text/event-stream") >= weightOf(header, "application/json")
  );
};
const always = (): boolean => true;

function route(service: EventService, source: Source, streams: (request: Request) => boolean): Route {
  const paged = streams === always ? [] : ["limit"];
  return {
    method: "GET",
    parameters: ["after_sequence", ...paged, "event_type", ...source.filters],
    answer: (request) => {
      const live = streams(request);
      const answer = live ? streamAnswer(service, source, request) : pageAnswer(service, source, request);
      const cursor = answer.kind === "stream" ? answer.stream.after : undefined;
      const status = service.answerFaults?.status(request.path, source.key, cursor !== undefined);
      if (status === 204) return { kind: "nothing" };
      if (status !== undefined)
        throw new Problem(status, "The server fails on purpose (--faults); ask again.");
      service.play.start(source.played);
      return answer;
    },
  };
}

function pageAnswer({ limits }: EventService, source: Source, { parameters }: Request): Answer {
  const { log, listName: name, filters } = source;
  const after = wholeNumber("after_sequence", parameter(parameters, "after_sequence"), 0);
  const limit = wholeNumber("limit", parameter(parameters, "limit"), 1, limits.largestPage) ?? limits.page;
  const wanted = filterOf(parameters, filters);
  return { kind: "page", page: { log, after, limit, wanted, name, batch: limits.batch } };
}

function streamAnswer(service: EventService, source: Source, request: Request): Answer {
  const { log, filters, key, name } = source;
  const { shape, limits } = service;
  const { batch, heartbeat, retry } = limits;
  const asked = wholeNumber("after_sequence", parameter(request.parameters, "after_sequence"), 0);
  // A browser that reconnects asks with the URL of its first request: what it has seen since then counts.
  const after = wholeNumber("Last-Event-ID", request.header("last-event-id") || undefined, 0) ?? asked;
  const wanted = filterOf(request.parameters, filters);
  const faults = service.wireFaults(key, name);
  const stream: StreamSource = { log, after, wanted, shape, faults, batch, heartbeat, retry };
  return isOver(stream) ? { kind: "nothing" } : { kind: "stream", stream };
}

/** `event_type` holds a list of which any may match; every other filter holds one value, and all must match. */
function filterOf(parameters: Request["parameters"], filters: readonly string[]): (entry: Entry) => boolean {
  const types = parameter(parameters, "event_type")
    ?.split(",")
    .map((type) => type.trim());
  const set = types && new Set(types);
  const fields = filters.flatMap((name) => {
    const value = parameter(parameters, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return ({ run, event }) =>
    (set === undefined || set.has(event.type)) && fields.every(([name, value]) => run.fields[name] === value);
}
