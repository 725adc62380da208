/** Scripts: lists of operations from which streams are built. */
import { combineSeeds, createRandom } from "../random.js";

/** One scenario in a stream, such as a text, a tool call or a gap. */
export interface Operation {
  /** The index of the scenario, modulo the number of scenarios; or the event type that the scenario must contain. */
  readonly pick: number | string;
  /** The index of the stream, modulo the number of streams. */
  readonly stream: number;
  /** Determines all values; 0 gives the simplest ones. */
  readonly seed: number;
  /** The size of the scenario: pieces of a text, events of a call, numbers in a gap. */
  readonly size: number;
  /** True if the operation runs at the same time as the one before it. */
  readonly isParallel: boolean;
  /** The probability of each optional field; by default, that of the event maker. */
  readonly fieldChance?: number;
}

/** The operations of streams. */
export interface Script {
  readonly operations: readonly Operation[];
  /** True if each stream gets its terminal event. */
  readonly endsStreams: boolean;
}

/** The largest number of operations of a random script. */
const MAX_OPERATIONS = 11;

/** Returns a random script. The same seed gives the same script. */
export function createRandomScript(seed: number): Script {
  const random = createRandom(seed);
  const operations = Array.from(
    { length: random.below(MAX_OPERATIONS + 1) },
    (_, index): Operation => ({
      pick: random.below(10_000),
      stream: random.below(6),
      seed: 1 + combineSeeds(seed, index),
      size: random.below(4),
      isParallel: random.chance(0.5),
    }),
  );
  return { operations, endsStreams: random.chance(0.5) };
}
