/** Selects the streams of an archive that are audited: a sample, or those of a period. Selected streams are audited as a whole. */
import { UsageError } from "../failure.js";
import { hashText } from "../hash.js";
import type { Protocol } from "../protocol/protocol.js";
import type { StreamTimes } from "./event-partitions.js";

/** The streams to audit. */
export interface StreamSelection {
  /** True if the times of events are needed. */
  readonly needsTimes: boolean;
  /** Returns whether a stream is selected by its key. */
  hasStream(stream: string): boolean;
  /** Returns whether a stream is selected by the times of its events. */
  hasPeriod(times: StreamTimes): boolean;
}

/** The options that select streams. */
export interface SelectionOptions {
  /** The percentage of the streams to audit; all if undefined. */
  readonly sample: number | undefined;
  /** Milliseconds since 1970. Streams that ended before are left out. */
  readonly since: number | undefined;
  /** Milliseconds since 1970. Streams that began at this time or later are left out. */
  readonly until: number | undefined;
}

/** A selection of all streams. */
export const ALL_STREAMS: StreamSelection = {
  needsTimes: false,
  hasStream: () => true,
  hasPeriod: () => true,
};

/**
 * Creates the selection of streams that the options ask for; undefined if they ask for all streams.
 * @throws UsageError if a period has no length, or no protocol has a field for the time.
 */
export function createSelection(
  { sample, since, until }: SelectionOptions,
  protocols: readonly Protocol[],
): StreamSelection | undefined {
  if (sample === undefined && since === undefined && until === undefined) return undefined;
  if (since !== undefined && until !== undefined && since >= until)
    throw new UsageError("--since must be before --until.");
  const needsTimes = since !== undefined || until !== undefined;
  if (needsTimes && protocols.every(({ stream }) => stream?.time === undefined))
    throw new UsageError(
      "--since and --until need the times of events, and no protocol declares a field for them (`stream.time` in protocol.json).",
    );
  return {
    needsTimes,
    // The same streams are selected in each run.
    hasStream: (stream) => sample === undefined || hashText(stream) / 2 ** 32 < sample / 100,
    hasPeriod: ({ begin, end }) =>
      !needsTimes || (begin < (until ?? Infinity) && end >= (since ?? -Infinity)),
  };
}
