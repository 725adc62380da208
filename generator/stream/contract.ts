import type { DecodeEvent } from "../runtime/runtime.js";

/** The names of the envelope fields that order a stream. */
export interface StreamFields {
  /** The fields that together identify one stream. */
  readonly key: readonly string[];
  readonly sequence?: string;
  /** The number of the first event of a stream. */
  readonly first?: number;
  readonly id?: string;
  /** The events among which an id occurs once, redeliveries aside: those of its stream (the default), or all of the protocol. */
  readonly idScope?: "stream" | "protocol";
  readonly time?: string;
}

/** The parts of a protocol that the functions of `stream/` need: the `contract` that its generated module exports. */
export interface Contract<Event, Unknown> {
  readonly id: string;
  readonly envelope: { readonly discriminator: string };
  /** Without it, all events belong to one stream without numbers. */
  readonly stream?: StreamFields;
  readonly decodeEvent: DecodeEvent<Event, Unknown>;
}

/** A contract for any events. */
export type AnyContract = Contract<unknown, unknown>;

/** The type of the known events of a contract. */
export type KnownEventOf<C extends AnyContract> = DecodedEvent<C, "known">;

/** The type of the events of unknown types of a contract. */
export type UnknownEventOf<C extends AnyContract> = DecodedEvent<C, "unknown">;

type DecodedEvent<C extends AnyContract, Kind> = Extract<
  ReturnType<C["decodeEvent"]>,
  { readonly kind: Kind; readonly event: unknown }
>["event"];
