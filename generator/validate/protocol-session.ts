import { createOwnEventTest, findForeignFields } from "../conform/find-protocol.js";
import { createStreamChecker, type StreamChecker } from "../conform/stream-checker.js";
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
  /** Returns the scanner that recognises such events; undefined if other protocols cannot be excluded. It is created at the first call. */
  scanner(): EventScanner | undefined;
  readonly tracker: Tracker<ScannedId>;
  /** Created when it is first read, because most runs have events of one protocol. Until it has events, it has no stream to end, to forget or to mark. */
  readonly checker: StreamChecker;
  /** The field that numbers events. */
  readonly sequence: string | undefined;
  /** The number of its events so far. */
  events: number;
}

/** The most streams that are open at once. */
const MAX_STREAMS = 50_000;

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
  const foreign = findForeignFields(validators, all.validators);
  const limits = { window: Infinity, streams: MAX_STREAMS };
  const scanner = createScanner(protocol, all.profile, foreign);
  let checker: StreamChecker | undefined;
  return {
    id: protocol.id,
    validators,
    decodeEvent,
    sequence: protocol.stream?.sequence,
    events: 0,
    isOwnEvent: createOwnEventTest(validators, all.validators),
    scanner: scanner.get,
    tracker: createTracker(protocol.stream, limits, [], all.same, scanner.ids),
    get checker() {
      checker ??= createStreamChecker(protocol, { profile: all.profile, finished: Infinity });
      return checker;
    },
  };
}
