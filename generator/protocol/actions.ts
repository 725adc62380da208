/** What callers may do with the runs of a protocol: the member `actions` of protocol.json. `accrete serve` follows it. */
import type { JsonObject } from "../json.js";

/** The actions of a protocol. */
export interface Actions {
  /** The event types that callers may post into a run. The first one is the default. */
  readonly post?: readonly string[];
  /** The questions of runs that callers decide. */
  readonly decisions?: readonly DecisionAction[];
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
export interface FollowingEvent {
  readonly type: string;
  readonly payload?: JsonObject;
}
