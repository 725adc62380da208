/** The artifacts of runs, as far as the events that have happened describe them. */
import { getOwn, type Json, type JsonObject } from "../json.js";
import type { ArtifactActions } from "../protocol/actions.js";
import type { Protocol } from "../protocol/protocol.js";
import type { StateEvent, Transitions } from "../protocol/stream-rules.js";
import { readPayload } from "./edit-run-events.js";
import { hasValues, listIds, pickMembers } from "./event-values.js";
import type { PlayedRun } from "./play.js";
import { parseRunEvent, type RunEvent } from "./run.js";

/** An artifact, and the run that made it. */
export interface Artifact {
  readonly played: PlayedRun;
  /** The member `data` of the answer. */
  readonly data: JsonObject;
}

/** A protocol with artifacts. */
export interface ArtifactContext {
  readonly protocol: Protocol;
  readonly action: ArtifactActions;
  /** The runs of the protocol. */
  readonly runs: readonly PlayedRun[];
}

/** Returns the transitions of the status of artifacts. */
export function findTransitions({ protocol, action }: ArtifactContext): Transitions | undefined {
  return protocol.stream?.rules?.transitions?.find(({ name }) => name === action.transitions);
}

/** Returns the artifacts of all runs by their ids, in the order of the events. */
export function listArtifacts(context: ArtifactContext): ReadonlyMap<string, Artifact> {
  const drafts = new Map<string, { readonly played: PlayedRun; readonly members: Map<string, Json> }>();
  for (const played of context.runs)
    for (const { event, isRepeated } of played.log.deliveries) {
      if (isRepeated) continue;
      for (const { id, members, state } of describeArtifacts(context, event)) {
        const draft = drafts.get(id) ?? { played, members: new Map<string, Json>() };
        if (members) drafts.set(id, draft);
        for (const [name, value] of Object.entries(members ?? {}))
          if (!draft.members.has(name)) draft.members.set(name, value);
        for (const [name, value] of Object.entries(state ?? {})) draft.members.set(name, value);
      }
    }
  return new Map(
    [...drafts].map(([id, { played, members }]) => [
      id,
      {
        played,
        data: addDefaults({ [context.action.id]: id, ...Object.fromEntries(members) }, context.action),
      },
    ]),
  );
}

/** Returns whether an event changes the status of an artifact. */
export function isStatusChange(context: ArtifactContext, event: RunEvent, id: string): boolean {
  return describeArtifacts(context, event).some((part) => part.id === id && part.state !== undefined);
}

/** Returns the first event of a run that describes an artifact. */
export function findDescribingEvent(
  context: ArtifactContext,
  { log }: PlayedRun,
  id: string,
): RunEvent | undefined {
  const isDescribing = (event: RunEvent): boolean =>
    describeArtifacts(context, event).some((part) => part.id === id && part.members !== undefined);
  return log.deliveries.find(({ event }) => isDescribing(event))?.event;
}

/** The facts about one artifact that an event states. */
interface ArtifactPart {
  readonly id: string;
  /** Members that have an effect only if no earlier event states them. */
  readonly members?: JsonObject;
  /** The status and its time, which replace earlier ones. */
  readonly state?: JsonObject;
}

function describeArtifacts(context: ArtifactContext, event: RunEvent): ArtifactPart[] {
  const { protocol, action } = context;
  const descriptions = action.events.filter(({ type }) => type === event.type);
  const states = (findTransitions(context)?.events ?? []).filter(({ type }) => type === event.type);
  if (descriptions.length === 0 && states.length === 0) return [];
  const payload = readPayload(protocol, event);
  const envelope = parseRunEvent(event);
  const time = protocol.stream?.time === undefined ? undefined : getOwn(envelope, protocol.stream.time);
  const described = descriptions
    .filter(({ when }) => hasValues(payload, when))
    .flatMap(({ key, values, fields }) => {
      const members = {
        ...pickMembers(envelope, action.envelope),
        ...values,
        ...pickMembers(payload, fields),
        ...(action.created !== undefined && time !== undefined && { [action.created]: time }),
      };
      return listIds(payload, key).map((id) => ({ id, members }));
    });
  const changed = states
    .filter(({ when }) => hasValues(payload, when))
    .flatMap((stateEvent) => {
      const status = readStatus(stateEvent, payload);
      if (status === undefined) return [];
      const since = getOwn(action.since ?? {}, status);
      const state = {
        [action.status]: status,
        ...(since !== undefined && time !== undefined && { [since]: time }),
      };
      return listIds(payload, stateEvent.key).map((id) => ({ id, state }));
    });
  return [...described, ...changed];
}

function readStatus({ to, state }: StateEvent, payload: JsonObject): string | undefined {
  const status = to === undefined ? state : getOwn(payload, to);
  return typeof status === "string" ? status : undefined;
}

/** Returns an artifact with the default values of the members that it lacks. */
function addDefaults(data: JsonObject, { defaults = [] }: ArtifactActions): JsonObject {
  const complete: { [member: string]: Json } = { ...data };
  for (const { when, values } of defaults) {
    if (!hasValues(data, when)) continue;
    for (const [name, value] of Object.entries(values))
      if (!Object.hasOwn(complete, name)) complete[name] = fillTemplate(value, complete);
  }
  return complete;
}

/** Returns a default value. In a text, `{name}` stands for a member of `data`; after a slash, it is a path without a root. */
function fillTemplate(value: Json, data: JsonObject): Json {
  if (typeof value !== "string") return value;
  return value.replace(/(\/?)\{(\w+)\}/g, (part, slash: string, name: string) => {
    const member = getOwn(data, name);
    if (member === undefined || member === null) return part;
    return slash + (slash === "" ? String(member) : String(member).replace(/^\/+/, ""));
  });
}
