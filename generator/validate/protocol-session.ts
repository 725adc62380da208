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
  /** Returns the scanner that recognises events of this protocol; undefined if other protocols cannot be excluded. It is created at the first call. */
  getScanner(): EventScanner | undefined;
  readonly tracker: Tracker<ScannedId>;
  /** Checks the streams. It is created when it is first read, because most runs have events of one protocol only. */
  readonly checker: StreamChecker;
  /** The field that numbers events. */
  readonly sequence: string | undefined;
  /** The number of events of this protocol so far. */
  events: number;
}

/** The most streams that are open at once. */
const MAX_STREAMS = 50_000;

/** Creates the state of a protocol without events. Ids are forgotten in generations that the caller begins. */
export function createProtocolSession(
  validators: Validators,
  context: {
    readonly validators: readonly Validators[];
    readonly profile: Profile;
    isSame(one: unknown, other: unknown): boolean;
  },
): ProtocolSession {
  const { protocol, decodeEvent } = validators;
  const foreign = findForeignFields(validators, context.validators);
  const limits = { window: Infinity, streams: MAX_STREAMS };
  const scanner = createScanner(protocol, context.profile, foreign);
  let checker: StreamChecker | undefined;
  return {
    id: protocol.id,
    validators,
    decodeEvent,
    sequence: protocol.stream?.sequence,
    events: 0,
    isOwnEvent: createOwnEventTest(validators, context.validators),
    getScanner: scanner.get,
    tracker: createTracker(protocol.stream, limits, [], context.isSame, scanner.ids),
    get checker() {
      checker ??= createStreamChecker(protocol, { profile: context.profile, finished: Infinity });
      return checker;
    },
  };
}
