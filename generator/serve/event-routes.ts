/** The routes to events: of each run and of the feed across the runs of a protocol, as lists and as streams. */
import { didYouMean, isMisspelt } from "../nearest.js";
import { resolveEndpoints } from "../protocol/endpoints.js";
import type { Protocol } from "../protocol/protocol.js";
import { type Answer, createEmptyAnswer, type Request, type Route } from "./answer.js";
import type { AnswerFaults } from "./answer-faults.js";
import { createEventFrameMaker, createStateFrameMaker, type FrameMaker } from "./frames.js";
import type { Limits } from "./limits.js";
import type { Delivery, Log } from "./log.js";
import { BEFORE_ALL, createLogPageAnswer } from "./log-page.js";
import type { Playback, PlayedRun } from "./play.js";
import { HttpError } from "./problem.js";
import { parseWholeNumber, quote, readParameter, readWeight } from "./query.js";
import { listRunSegments } from "./run.js";
import { createStreamAnswer, hasEnded, type StreamRequest } from "./stream.js";
import type { WireFaults } from "./wire-faults.js";
import type { WireFormat } from "./wire-formats.js";

/** The data and the settings of all routes. */
export interface EventService {
  readonly protocols: readonly Protocol[];
  readonly playback: Playback;
  readonly format: WireFormat;
  readonly limits: Limits;
  readonly findAnswerFault: AnswerFaults;
  /** Returns the wire faults of one stream; the feed of a protocol has no key. */
  createWireFaults(key: string | undefined, name: string): WireFaults | undefined;
}

/** The events that a route returns. */
interface EventSource {
  readonly log: Log;
  readonly listName: string;
  /** The id of the protocol. */
  readonly protocol: string;
  /** The key of the run; undefined for a feed. */
  readonly key: string | undefined;
  readonly name: string;
  readonly filters: readonly string[];
  /** The runs that begin with the first request. */
  readonly runs: readonly PlayedRun[];
  /** Creates the maker of the frames of one connection. */
  createFrameMaker(): FrameMaker;
}

/** Yields all routes to events, with the segments of their paths before percent-encoding. */
export function* listEventRoutes(
  service: EventService,
): Generator<readonly [segments: string[], route: Route]> {
  const { protocols, playback, format } = service;
  for (const protocol of protocols) {
    const { id } = protocol;
    const endpoints = resolveEndpoints(protocol);
    const { filters } = endpoints;
    const runs = playback.runs.filter(({ run }) => run.protocol === id);
    const feed = {
      log: playback.getFeed(id),
      protocol: id,
      listName: format.feedList,
      key: undefined,
      name: id,
      filters,
      runs,
      createFrameMaker: () => createEventFrameMaker(format),
    };
    yield [[...id.split("/"), "events"], createRoute(service, feed, isStreamPreferred)];
    yield [[...id.split("/"), "events", "stream"], createRoute(service, feed, isStreamOnly)];
    for (const played of runs) {
      const { log, run } = played;
      const segments = listRunSegments(endpoints, run);
      const source = {
        log,
        protocol: id,
        listName: format.runList,
        key: run.key,
        name: run.key,
        filters: [],
        runs: [played],
        createFrameMaker: () => createEventFrameMaker(format),
      };
      const live = { ...source, createFrameMaker: chooseFrameMaker(protocol, log, format) };
      yield [[...segments, "events"], createRoute(service, source, isStreamPreferred)];
      yield [[...segments, "stream"], createRoute(service, live, isStreamOnly)];
    }
  }
}

/** Returns the function that creates the makers of frames for the live stream of one run. */
function chooseFrameMaker(protocol: Protocol, log: Log, format: WireFormat): () => FrameMaker {
  const { stateFeed } = protocol;
  return format.sendsStates && stateFeed !== undefined
    ? () => createStateFrameMaker(protocol, stateFeed, log)
    : () => createEventFrameMaker(format);
}

/** Returns whether a client prefers a live stream, or accepts it as well as a page. */
const isStreamPreferred = (request: Request): boolean => {
  const header = request.header("accept");
  const weight = readWeight(header, "text/event-stream");
  return weight > 0 && weight >= readWeight(header, "application/json");
};
/** Returns true: some routes answer every request with a stream. */
const isStreamOnly = (): boolean => true;

function createRoute(
  service: EventService,
  source: EventSource,
  isStreamWanted: (request: Request) => boolean,
): Route {
  const pageParameters = isStreamWanted === isStreamOnly ? [] : ["limit"];
  return {
    method: "GET",
    parameters: ["after_sequence", ...pageParameters, "event_type", ...source.filters],
    answer: (request) => {
      const stream = isStreamWanted(request) ? readStreamRequest(service, source, request) : undefined;
      const answer = stream ? answerStream(stream) : answerPage(service, source, request);
      const isResumed = stream?.after !== undefined && answer.status === 200;
      const status = service.findAnswerFault(request.path, source.key, isResumed);
      if (status === 204) return createEmptyAnswer();
      if (status !== undefined)
        throw new HttpError("fault-injected", "This failure was injected by --faults; repeat the request.");
      service.playback.start(source.runs);
      return answer;
    },
  };
}

function answerPage(service: EventService, source: EventSource, { parameters }: Request): Answer {
  const { limits } = service;
  const { log, listName: objectName } = source;
  const after = parseWholeNumber("after_sequence", readParameter(parameters, "after_sequence"), BEFORE_ALL);
  const limit =
    parseWholeNumber("limit", readParameter(parameters, "limit"), 1, limits.largestPage) ?? limits.page;
  const isWanted = createFilter(service, source, parameters);
  return createLogPageAnswer({ log, after, limit, isWanted, objectName, limits });
}

function readStreamRequest(
  service: EventService,
  source: EventSource,
  { parameters, header }: Request,
): StreamRequest {
  const { limits, createWireFaults } = service;
  const { log, key, name } = source;
  const parameter = parseWholeNumber(
    "after_sequence",
    readParameter(parameters, "after_sequence"),
    BEFORE_ALL,
  );
  // A browser reconnects with the URL of its first request, so the last event that it received takes precedence.
  const after =
    parseWholeNumber("Last-Event-ID", header("last-event-id") || undefined, BEFORE_ALL) ?? parameter;
  const isWanted = createFilter(service, source, parameters);
  const makeFrame = source.createFrameMaker();
  return { log, after, isWanted, makeFrame, faults: createWireFaults(key, name), limits };
}

function answerStream(request: StreamRequest): Answer {
  return hasEnded(request) ? createEmptyAnswer() : createStreamAnswer(request);
}

/**
 * Throws for an event type that is misspelt or empty, because nothing would match it. Any other type that is not known may be
 * one of a newer protocol, which has no events yet.
 */
function refuseMisspeltTypes(
  service: EventService,
  { runs, protocol }: EventSource,
  types: readonly string[],
): void {
  const declared = service.protocols.find(({ id }) => id === protocol)?.events.map(({ type }) => type) ?? [];
  const isRecorded = (type: string): boolean =>
    runs.some(({ run }) => run.events.some((event) => event.type === type));
  const misspelt = types.find(
    (type) =>
      !declared.includes(type) &&
      !isRecorded(type) &&
      (type === "" || declared.some((each) => isMisspelt(type, each))),
  );
  if (misspelt === undefined) return;
  const message = `${protocol} has no event type ${quote(misspelt)}${didYouMean(misspelt, declared)}`;
  throw new HttpError("parameter-invalid", message);
}

/** Creates the filter of a request: one of the types of `event_type`, and the value of every other filter. */
function createFilter(
  service: EventService,
  source: EventSource,
  parameters: Request["parameters"],
): (delivery: Delivery) => boolean {
  const types = readParameter(parameters, "event_type")
    ?.split(",")
    .map((type) => type.trim());
  refuseMisspeltTypes(service, source, types ?? []);
  const fields = source.filters.flatMap((name) => {
    const value = readParameter(parameters, name);
    return value === undefined ? [] : [{ name, value }];
  });
  return ({ run, event }) =>
    (types === undefined || types.includes(event.type)) &&
    fields.every(({ name, value }) => run.fields[name] === value);
}
