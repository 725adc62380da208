/** The feed of a stream's states: the member `stateFeed` of protocol.json. After each event, it holds the whole state. */
import type { JsonObject } from "../json.js";

/** Describes the states of streams, and how `accrete serve --wire-format state` sends them. */
export interface StateFeed {
  /** The resource that describes one state. */
  readonly resource: string;
  /** The member with the type of the event that led to the state. */
  readonly type: string;
  /** The other members. Each of them is one record, or a list of records. */
  readonly members: { readonly [member: string]: StateMember };
  /** The member `object` of the objects that wrap states: `{"object":…,"data":…}`. If absent, states are not wrapped. */
  readonly object?: string;
  /** The name of server-sent events; `message` by default. */
  readonly eventName?: string;
  /** The stripped member of a row's payload that holds a whole state. */
  readonly stored?: string;
}

/** One record of a state, or a list of records. */
export interface StateMember {
  /** The field of each record with its id. A member without it is one record. */
  readonly id?: string;
  /** The fields of a new record with fixed values. */
  readonly values?: JsonObject;
  /** Fields of a new record with the envelope fields that hold their values. */
  readonly envelope?: { readonly [field: string]: string };
  /** The events that change records. */
  readonly events: readonly RecordEvent[];
}

/** An event type that changes records. A later event replaces what an earlier one stated. */
export interface RecordEvent {
  readonly type: string;
  /** The payload field with the id of the record, or with a list of ids. Only events of lists have it. */
  readonly key?: string;
  /** The payload values that an event must have. */
  readonly when?: { readonly [field: string]: string | number | boolean };
  /** Fields with fixed values. */
  readonly values?: JsonObject;
  /** Fields with the payload fields that hold their values. */
  readonly fields?: { readonly [field: string]: string };
  /** The field that gets the time of the event. */
  readonly time?: string;
}
