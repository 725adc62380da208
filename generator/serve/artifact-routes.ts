/** The routes to the artifacts of a protocol: a list, one artifact, and the operations of callers. */
import { createObject, getOwn, type Json, type JsonObject } from "../json.js";
import { didYouMean } from "../nearest.js";
import type { ArtifactOperation } from "../protocol/actions.js";
import type { Validators } from "../validators/protocol-validators.js";
import { type Answer, createJsonAnswer, type Parameters, type Route, type RouteSegments } from "./answer.js";
import {
  type Artifact,
  type ArtifactContext,
  findDescribingEvent,
  findTransitions,
  isStatusChange,
  listArtifacts,
} from "./artifacts.js";
import { makeEvent, readPayload } from "./edit-run-events.js";
import { pickMembers } from "./event-values.js";
import type { Playback } from "./play.js";
import { checkPostedEvent, listDeliveredEvents } from "./posted-event.js";
import { HttpError } from "./problem.js";
import { decodeUrlPart, quote, readParameter } from "./query.js";
import type { RunEvent } from "./run.js";

/** A protocol with artifacts that callers can change. */
interface Context extends ArtifactContext {
  readonly validators: Validators;
  readonly playback: Playback;
}

/** Yields the routes of one protocol. */
export function* listArtifactRoutes(context: Context): Generator<readonly [RouteSegments, Route]> {
  const { protocol, action } = context;
  const segments = [...protocol.id.split("/"), action.path];
  yield [
    segments,
    {
      method: "GET",
      parameters: Object.keys(action.filters),
      answer: ({ parameters }) => answerList(context, parameters),
    },
  ];
  yield [
    [...segments, null],
    {
      method: "GET",
      parameters: [],
      answer: ({ path }) => createAnswer(context, findArtifact(context, path.split("/").at(-1))),
    },
  ];
  for (const [name, operation] of Object.entries(action.operations ?? {}))
    yield [
      [...segments, null, name],
      {
        method: "POST",
        parameters: [],
        answer: ({ path }) => answerOperation(context, name, operation, path.split("/").at(-2)),
      },
    ];
}

function answerList(context: Context, parameters: Parameters): Answer {
  const { action } = context;
  const wanted = Object.entries(action.filters).flatMap(([parameter, member]) => {
    const value = readParameter(parameters, parameter);
    if (value === undefined) return [];
    if (member === action.status) refuseUnknownStatus(context, parameter, value);
    return [{ member, value }];
  });
  const data = [...listArtifacts(context).values()]
    .map((artifact) => artifact.data)
    .filter((artifact) => wanted.every(({ member, value }) => getOwn(artifact, member) === value));
  return createJsonAnswer({ object: "list", data });
}

function refuseUnknownStatus(context: Context, parameter: string, value: string): void {
  const known = Object.keys(findTransitions(context)?.moves ?? {});
  if (known.includes(value)) return;
  const message = `${parameter} must be one of ${known.join(", ")}, not ${quote(value)}${didYouMean(value, known)}`;
  throw new HttpError("parameter-invalid", message);
}

function findArtifact(context: Context, segment = ""): Artifact {
  const id = decodeUrlPart(segment);
  const artifact = listArtifacts(context).get(id);
  if (artifact) return artifact;
  throw new HttpError("path-unknown", `No event so far is about ${context.action.resource} ${quote(id)}.`);
}

function createAnswer({ action }: Context, { data }: Artifact): Answer {
  return createJsonAnswer({ object: action.resource, data });
}

/** Changes the status of an artifact. The event that reports it comes on the streams of its run. */
function answerOperation(
  context: Context,
  name: string,
  operation: ArtifactOperation,
  segment: string | undefined,
): Answer {
  const { protocol, action, validators, playback } = context;
  const artifact = findArtifact(context, segment);
  refuseImpossibleMove(context, name, operation, artifact);
  const { played } = artifact;
  const template = played.log.deliveries.at(-1)?.event as RunEvent;
  const payload = createPayload(context, operation, artifact);
  const content = { type: operation.type, payload, sequence: played.getNextNumber() };
  const id = String(getOwn(artifact.data, action.id));
  const words = [name, id, played.log.deliveries.length];
  const event = makeEvent(protocol, template, content, words);
  checkPostedEvent(validators, listDeliveredEvents(played.log.deliveries), event, new Map());
  // The recording goes on without its own changes of the artifact, which the new status might forbid.
  playback.add(played, event, (waiting) => isStatusChange(context, waiting, id));
  return createAnswer(context, findArtifact(context, segment));
}

function refuseImpossibleMove(
  context: Context,
  name: string,
  { to }: ArtifactOperation,
  { data }: Artifact,
): void {
  const { action } = context;
  const status = getOwn(data, action.status);
  const moves = findTransitions(context)?.moves ?? {};
  if (typeof status === "string" && getOwn(moves, status)?.includes(to)) return;
  const id = quote(String(getOwn(data, action.id)));
  const allowed = Object.keys(moves).filter((from) => moves[from]?.includes(to));
  const state = typeof status === "string" ? `is ${status}` : `has no ${action.status}`;
  throw new HttpError(
    "state-conflict",
    `${id} ${state}; ${name} is possible only if it is ${allowed.join(" or ")}.`,
  );
}

/** Creates the payload of the event that reports an operation. */
function createPayload(
  context: Context,
  { to, type, payload, fields = {}, copy = [] }: ArtifactOperation,
  { played, data }: Artifact,
): JsonObject {
  const { action, protocol } = context;
  const describing = findDescribingEvent(context, played, String(getOwn(data, action.id)));
  const copied =
    describing === undefined
      ? {}
      : pickMembers(readPayload(protocol, describing), Object.fromEntries(copy.map((name) => [name, name])));
  const stateEvent = findTransitions(context)?.events.find((event) => event.type === type);
  const taken = Object.entries(fields).flatMap(([field, member]): [string, Json][] => {
    const value = getOwn(data, member);
    return value === undefined ? [] : [[field, value]];
  });
  return {
    ...payload,
    ...copied,
    ...createObject(taken),
    ...stateEvent?.when,
    ...(stateEvent?.from !== undefined && { [stateEvent.from]: getOwn(data, action.status) ?? null }),
    ...(stateEvent?.to !== undefined && { [stateEvent.to]: to }),
    ...(stateEvent && { [stateEvent.key]: getOwn(data, action.id) ?? null }),
  };
}
