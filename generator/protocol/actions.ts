/** The actions that callers may perform on the runs of a protocol: the member `actions` of protocol.json. */
import type { JsonObject } from "../json.js";

/** The actions of a protocol. */
export interface Actions {
  /** The event types that callers may post into a run. The first one is the default. */
  readonly post?: readonly string[];
  /** The questions of runs that callers decide. */
  readonly decisions?: readonly DecisionAction[];
  readonly artifacts?: ArtifactActions;
}

/** A kind of question that a run asks, and that callers decide. */
export interface DecisionAction {
  /** The segment after the path of the stream; the id of the question follows it. */
  readonly path: string;
  /** The event type of the question. */
  readonly request: string;
  /** The field with the id of the question, in the question and in the events that decide it. */
  readonly key: string;
  /** The member of a request that names the outcome. */
  readonly choice: string;
  readonly outcomes: { readonly [name: string]: Outcome };
}

/** A way in which a question is decided. */
export interface Outcome {
  /** The event type that reports the outcome. */
  readonly type: string;
  /** The payload values that distinguish the outcome from others of the same event type. */
  readonly when?: { readonly [field: string]: string | number | boolean };
  /** Fields of the event that neither the request nor the recording states. */
  readonly payload?: JsonObject;
  /** Fields that the event takes from the question. */
  readonly copy?: readonly string[];
  /** The events that follow if the recording has another outcome. Without this member, a caller can choose only the recorded one. */
  readonly then?: readonly FollowingEvent[];
}

/** An event that follows a decision. */
interface FollowingEvent {
  readonly type: string;
  readonly payload?: JsonObject;
}

/** Things that runs make and callers fetch and change, such as patches. A member is a member of the answer's `data`. */
export interface ArtifactActions {
  /** The segment after the path of the protocol; the id of one artifact follows it. */
  readonly path: string;
  /** The resource that describes the answer about one artifact, `{"object":…,"data":…}`. */
  readonly resource: string;
  /** The name of the transitions in `stream.rules` that state how the status of an artifact changes. */
  readonly transitions: string;
  /** The member with the id. */
  readonly id: string;
  /** The member with the status. */
  readonly status: string;
  /** The member with the time of the first event about the artifact. */
  readonly created?: string;
  /** The members with the time since which an artifact has a status, by status. */
  readonly since?: { readonly [status: string]: string };
  /** Members with the envelope fields of the first event that hold their values. */
  readonly envelope?: { readonly [member: string]: string };
  /** Query parameters of the list of artifacts, with the members whose values they select. */
  readonly filters: { readonly [parameter: string]: string };
  /** The events that describe artifacts. */
  readonly events: readonly ArtifactEvent[];
  /** The values of members that no event stated. `{name}` in a text stands for another member. */
  readonly defaults?: readonly ArtifactDefaults[];
  /** The operations on one artifact, by the segment after its path. */
  readonly operations?: { readonly [name: string]: ArtifactOperation };
}

/** An event type that describes artifacts. A later event does not change what an earlier one stated. */
interface ArtifactEvent {
  readonly type: string;
  /** The payload field with the id of the artifact, or with a list of ids. */
  readonly key: string;
  /** The payload values that an event must have. */
  readonly when?: { readonly [field: string]: string | number | boolean };
  /** Members with fixed values. */
  readonly values?: JsonObject;
  /** Members with the payload fields that hold their values. */
  readonly fields?: { readonly [member: string]: string };
}

/** The values of members that no event stated. */
interface ArtifactDefaults {
  /** The member values of the artifacts that get these values; all artifacts by default. */
  readonly when?: { readonly [member: string]: string | number | boolean };
  readonly values: JsonObject;
}

/** A change of an artifact's status by a caller. */
export interface ArtifactOperation {
  /** The new status. */
  readonly to: string;
  /** The event type that reports the change. It is one of the event types of the transitions. */
  readonly type: string;
  /** Payload fields with fixed values. */
  readonly payload?: JsonObject;
  /** Payload fields with the members that hold their values. */
  readonly fields?: { readonly [field: string]: string };
  /** Payload fields that the event takes from the first event that describes the artifact. */
  readonly copy?: readonly string[];
}
