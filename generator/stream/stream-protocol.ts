import type { DecodeEvent } from "../runtime/runtime.js";

/** Names of the envelope fields that order a stream. */
export interface StreamContract {
  /** The fields that together identify one stream. */
  readonly key: readonly string[];
  readonly sequence?: string;
  /** The number of the first event of a stream. */
  readonly first?: number;
  readonly id?: string;
  readonly time?: string;
}

/** The part of a generated module's `protocol` object that a reader needs. */
export interface StreamProtocol<Event, Unknown> {
  readonly id: string;
  readonly envelope: { readonly discriminator: string };
  /** Without it, all events belong to one stream without numbers. */
  readonly stream?: StreamContract;
  readonly decodeEvent: DecodeEvent<Event, Unknown>;
}
