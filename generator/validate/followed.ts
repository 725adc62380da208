import { certainHome, foreignFields } from "../conform/is-unambiguous.js";
import { type StreamChecker, streamChecker } from "../conform/stream-checker.js";
import type { Json } from "../json.js";
import { createScanner, type EventScanner, type ScannedId } from "../scan/event-scanner.js";
import type { Profile } from "../schema/readings.js";
import { createTracker, type Tracker } from "../stream/tracker.js";
import type { Validators } from "../validators/protocol-validators.js";

/** A protocol, and what its streams have had so far. */
export interface Followed {
  readonly id: string;
  readonly validators: Validators;
  readonly decodeEvent: Validators["decodeEvent"];
  /** Whether an event that this protocol knows surely is one of its own. */
  readonly certain: (value: Json) => boolean;
  /** Recognises events that surely are; undefined if it can never be told. Made when it is first asked for. */
  scanner(): EventScanner | undefined;
  readonly tracker: Tracker<ScannedId>;
  readonly checker: StreamChecker;
  /** The field that numbers events. */
  readonly sequence: string | undefined;
  /** How many events were taken for its own. */
  events: number;
}

/** How many streams are followed at once. */
const MOST_STREAMS = 50_000;

/** A protocol of whose streams nothing has come yet. Ids are forgotten by generations that the caller begins. */
export function follow(
  validators: Validators,
  all: {
    readonly validators: readonly Validators[];
    readonly profile: Profile;
    same(one: unknown, other: unknown): boolean;
  },
): Followed {
  const { protocol, decodeEvent } = validators;
  const foreign = foreignFields(validators, all.validators);
  const limits = { window: Infinity, streams: MOST_STREAMS };
  const scanner = createScanner(protocol, all.profile, foreign);
  return {
    ...{ id: protocol.id, validators, decodeEvent, sequence: protocol.stream?.sequence, events: 0 },
    certain: certainHome(validators, all.validators),
    scanner: scanner.get,
    tracker: createTracker(protocol.stream, limits, [], all.same, scanner.ids),
    checker: streamChecker(protocol, { profile: all.profile, finished: Infinity }),
  };
}
