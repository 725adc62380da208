import { planChecks } from "../conform/check-plan.js";
import { createOwnEventTest, findForeignFields } from "../conform/find-protocol.js";
import { createStreamChecker, type StreamChecker } from "../conform/stream-checker.js";
import type { StreamShare } from "../ingest/stream-share.js";
import type { Json } from "../json.js";
import { createScanner, type EventScanner, type ScannedId } from "../scan/event-scanner.js";
import { CURRENT_ID } from "../scan/scanned-ids.js";
import type { Profile } from "../schema/readings.js";
import { createTracker, type Tracker } from "../stream/tracker.js";
import type { Validators } from "../validators/protocol-validators.js";
import { collectIdHashes } from "./shared-ids.js";

/** A protocol and the state of its streams. */
export interface ProtocolSession {
  readonly id: string;
  readonly validators: Validators;
  readonly decodeEvent: Validators["decodeEvent"];
  /** Returns whether an event that this protocol knows cannot belong to another protocol. */
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
  /** True if a rule compares the events of different streams, so that one thread must read all of them. */
  readonly comparesStreams: boolean;
  /** Returns the hashes of the ids since the last call; absent unless threads compare ids. */
  readonly takeIdHashes?: () => Float64Array;
}

/** The most streams that are open at once. */
const MAX_STREAMS = 50_000;

/** Creates the state of a protocol without events. The caller decides when older ids are forgotten. */
export function createProtocolSession(
  validators: Validators,
  context: {
    readonly validators: readonly Validators[];
    readonly profile: Profile;
    readonly share: Pick<StreamShare, "threadCount">;
    isSame(one: unknown, other: unknown): boolean;
  },
): ProtocolSession {
  const { protocol, decodeEvent } = validators;
  const foreignFields = findForeignFields(validators, context.validators);
  const limits = { window: Infinity, streams: MAX_STREAMS };
  const scanner = createScanner(protocol, context.profile, foreignFields);
  const isIdShared = protocol.stream?.idScope === "protocol" && context.share.threadCount > 1;
  const readId = (id: ScannedId): string | undefined => (id === CURRENT_ID ? scanner.get()?.id : id);
  const idCollector = isIdShared ? collectIdHashes(scanner.ids, readId) : undefined;
  let checker: StreamChecker | undefined;
  let comparesStreams: boolean | undefined;
  return {
    id: protocol.id,
    validators,
    decodeEvent,
    sequence: protocol.stream?.sequence,
    events: 0,
    isOwnEvent: createOwnEventTest(validators, context.validators),
    getScanner: scanner.get,
    tracker: createTracker(protocol.stream, limits, [], context.isSame, idCollector?.ids ?? scanner.ids),
    get checker() {
      checker ??= createStreamChecker(protocol, { profile: context.profile, finished: Infinity });
      return checker;
    },
    get comparesStreams() {
      comparesStreams ??= planChecks(protocol, context.profile).checkers.some(
        ({ machine }) => machine.shared === true,
      );
      return comparesStreams;
    },
    ...(idCollector && { takeIdHashes: idCollector.takeHashes }),
  };
}
