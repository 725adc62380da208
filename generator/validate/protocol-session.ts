import { foreignFields, isUnambiguously } from "../conform/find-protocol.js";
import { type StreamChecker, streamChecker } from "../conform/stream-checker.js";
import type { Json } from "../json.js";
import { createScanner, type EventScanner, type ScannedId } from "../scan/event-scanner.js";
import type { Profile } from "../schema/readings.js";
import { createTracker, type Tracker } from "../stream/tracker.js";
import type { Validators } from "../validators/protocol-validators.js";

/** A protocol and the state of its streams. */
export interface ProtocolSession {
  readonly id: string;
  readonly validators: Validators;
  readonly decodeEvent: Validators["decodeEvent"];
  /** Returns whether an event that this protocol knows cannot be of another one. */
  readonly isOwnEvent: (value: Json) => boolean;
  /** Recognises such events; undefined if other protocols cannot be excluded. Created at the first call. */
  scanner(): EventScanner | undefined;
  readonly tracker: Tracker<ScannedId>;
  readonly checker: StreamChecker;
  /** The field that numbers events. */
  readonly sequence: string | undefined;
  /** The number of its events so far. */
  events: number;
}

/** The most streams that are open at once. */
const MOST_STREAMS = 50_000;

/** Creates the state of a protocol without events. Ids are forgotten in generations that the caller begins. */
export function createProtocolSession(
  validators: Validators,
  all: {
    readonly validators: readonly Validators[];
    readonly profile: Profile;
    same(one: unknown, other: unknown): boolean;
  },
): ProtocolSession {
  const { protocol, decodeEvent } = validators;
  const foreign = foreignFields(validators, all.validators);
  const limits = { window: Infinity, streams: MOST_STREAMS };
  const scanner = createScanner(protocol, all.profile, foreign);
  return {
    ...{ id: protocol.id, validators, decodeEvent, sequence: protocol.stream?.sequence, events: 0 },
    isOwnEvent: isUnambiguously(validators, all.validators),
    scanner: scanner.get,
    tracker: createTracker(protocol.stream, limits, [], all.same, scanner.ids),
    checker: streamChecker(protocol, { profile: all.profile, finished: Infinity }),
  };
}
