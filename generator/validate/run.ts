import { createContentComparer } from "../ingest/content-identity.js";
import { createEventReader } from "../ingest/event-reader.js";
import type { Input, Sink } from "../ingest/place.js";
import { describeReadError, readInput } from "../ingest/read-input.js";
import { readUntil } from "../ingest/read-until.js";
import { createStreamShare, type StreamShare } from "../ingest/stream-share.js";
import type { Json } from "../json.js";
import type { Profile } from "../schema/readings.js";
import type { Validators } from "../validators/protocol-validators.js";
import { createMajorFinder } from "./assumed-major.js";
import { createSession, type Session } from "./session.js";
import type { PlacementObserver, SessionOptions } from "./session-state.js";
import type { IdBatch } from "./shared-ids.js";
import { createStats, type Stats } from "./stats.js";
import type { OrderedFinding, Tally } from "./tally.js";

/** The task of one thread. */
export interface RunOptions {
  readonly inputs: readonly Input[];
  readonly validators: readonly Validators[];
  readonly profile: Profile;
  /** True if only single events are checked, not streams. */
  readonly eventsOnly: boolean;
  /** True if statistics are collected. */
  readonly stats: boolean;
  /** True if statistics also count by day, which one thread can do only. */
  readonly countsDays?: boolean;
  /** True if all events of a stream follow one another. */
  readonly isSortedByStream?: boolean;
  /** The index of this thread, from 0. */
  readonly thread: number;
  /** The number of all threads. */
  readonly threads: number;
}

/** The input and output of a run. */
export interface RunIo {
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Ends the reading. The findings are those about what was read until then. */
  readonly stop?: AbortSignal;
  report(found: OrderedFinding): void;
  /** Receives the ids of a thread; see shared-ids.ts. */
  reportIds?(batch: IdBatch): void;
  readonly placements?: PlacementObserver;
  /** See `SessionOptions`. */
  explainInvalid?(value: Json, protocolId: string | undefined): string | undefined;
  findOrigin?: SessionOptions["findOrigin"];
  /** Returns whether another finding would be shown. */
  hasRoom(): boolean;
  /** Is called after each piece of an input. */
  reportProgress(tally: Tally, bytes: number, input: Input): void;
  /** Reads an input that is not a file; returns a message if it could not be read. */
  feed?(input: Input, sink: Sink, progress: (bytes: number) => void): Promise<string | undefined>;
}

/** The result of a run. */
export interface Outcome {
  readonly tally: Tally;
  readonly stats: Stats | undefined;
  /** A message for each input that could not be read to its end. */
  readonly unreadable: readonly string[];
}

/** Reads and validates all inputs. */
export async function runSession(options: RunOptions, io: RunIo): Promise<Outcome> {
  const { inputs, thread, threads } = options;
  const share = createStreamShare(thread, threads);
  const { isSame, close } = createContentComparer(inputs);
  const stats = options.stats ? createStats(options.countsDays) : undefined;
  const session = createSession({
    ...options,
    share,
    stats,
    isSame,
    report: io.report,
    ...(io.reportIds && { reportIds: io.reportIds }),
    ...(io.placements && { placements: io.placements }),
    ...(io.explainInvalid && { explainInvalid: io.explainInvalid }),
    ...(io.findOrigin && { findOrigin: io.findOrigin }),
    hasRoom: io.hasRoom,
  });
  const unreadable: string[] = [];
  const findMajor = createMajorFinder(options.validators, options.profile);
  try {
    for (const input of inputs) {
      if (io.stop?.aborted) break;
      // A feed sends its events one by one, so they cannot be read ahead to find the major.
      const { major, stdin } = io.feed
        ? { major: undefined, stdin: io.stdin }
        : await findMajor(input, readUntil(io.stop, input.open?.() ?? io.stdin));
      session.begin(input, major);
      let bytes = 0;
      const failure = await tryReadInput(input, session, share, { ...io, stdin }, (addedBytes) => {
        bytes += addedBytes;
        io.reportProgress(session.tally, addedBytes, input);
        io.stop?.throwIfAborted();
      });
      const isStopped = io.stop?.aborted === true;
      if (failure !== undefined && !isStopped) unreadable.push(failure);
      session.finish(input, bytes, failure === undefined && !isStopped);
    }
    session.end();
  } finally {
    close();
  }
  return { tally: session.tally, stats, unreadable };
}

/** Reads one input to its end. Returns a message if it cannot be read. */
async function tryReadInput(
  input: Input,
  session: Session,
  share: StreamShare,
  io: RunIo,
  progress: (bytes: number) => void,
): Promise<string | undefined> {
  try {
    if (io.feed) return await io.feed(input, session, progress);
    await readInput(input, io.stdin, createEventReader(input, session, share), progress);
    return undefined;
  } catch (error) {
    const reason = describeReadError(error);
    if (reason === undefined && !io.stop?.aborted) throw error;
    return `cannot read ${input.name}: ${reason}`;
  }
}
