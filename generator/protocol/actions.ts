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
  /** The event type that reports it. */
  readonly type: string;
  /** The values that distinguish it from other outcomes of the same type. */
  readonly when?: { readonly [field: string]: string | number | boolean };
  /** Fields of the event that neither the request nor the recording states. */
  readonly payload?: JsonObject;
  /** Fields that the event takes from the question. */
  readonly copy?: readonly string[];
  /** The events after it, if the recording has another outcome. Without it, such a decision is refused. */
  readonly then?: readonly FollowingEvent[];
}

/** An event that follows a decision. */
interface FollowingEvent {
  readonly type: string;
  readonly payload?: JsonObject;
}

/** Things that runs make and callers fetch and change, such as patches. Members are those of the answer's `data`. */
export interface ArtifactActions {
  /** The segment after the path of the protocol; the id of one artifact follows it. */
  readonly path: string;
  /** The resource that describes the answer about one artifact, `{"object":…,"data":…}`. */
  readonly resource: string;
  /** The name of the transitions in `stream.rules` that state how the status of an artifact changes. */
  readonly transitions: string;
  /** The members with the id and the status. */
  readonly id: string;
  readonly status: string;
  /** The member with the time of the first event about the artifact. */
  readonly created?: string;
  /** The members with the time since which an artifact has a status, by status. */
  readonly since?: { readonly [status: string]: string };
  /** Members that the envelope of the first event states, with the envelope fields. */
  readonly envelope?: { readonly [member: string]: string };
  /** Parameters of the list, with the members that they select by. */
  readonly filters: { readonly [parameter: string]: string };
  /** The events that describe artifacts. */
  readonly events: readonly ArtifactEvent[];
  /** Members that no event stated. `{name}` in a text stands for another member. */
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

/** The members of artifacts that no event stated. */
interface ArtifactDefaults {
  /** Values of members that select the artifacts; all artifacts by default. */
  readonly when?: { readonly [member: string]: string | number | boolean };
  readonly values: JsonObject;
}

/** A change of an artifact's status by a caller. */
export interface ArtifactOperation {
  /** The new status. */
  readonly to: string;
  /** The event type that reports it, one of those of the transitions. */
  readonly type: string;
  /** Payload fields with fixed values. */
  readonly payload?: JsonObject;
  /** Payload fields with the members that hold their values. */
  readonly fields?: { readonly [field: string]: string };
}
