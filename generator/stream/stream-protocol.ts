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

/** What a reader needs of the `protocol` object that a generated module exports. */
export interface StreamProtocol<Event, Unknown> {
  readonly id: string;
  readonly envelope: { readonly discriminator: string };
  /** Without it every event belongs to one stream that is not numbered. */
  readonly stream?: StreamContract;
  readonly decodeEvent: DecodeEvent<Event, Unknown>;
}
