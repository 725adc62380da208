import type { MachineState } from "./machine/interpret.js";
import type { Stream } from "./open-streams.js";
import { createRefusalCounts, type RefusalCounts } from "./refusals.js";

/** The memories that all streams share, by the index of their checker. */
export type SharedMemories = (MachineState | undefined)[];

/** What a checker of streams remembers. */
export interface CheckerState {
  /** The streams: first those that have ended, in the order in which they ended, then the open ones. */
  readonly streams: readonly Stream[];
  readonly memories: SharedMemories;
  readonly refusals: RefusalCounts;
  /** The number of open streams that were forgotten, and the index of the event in whose favour the first one was. */
  readonly forgotten: { count: number; firstIndex: number };
}

/** Returns the state before any event. */
export function createCheckerState(): CheckerState {
  return {
    streams: [],
    memories: [],
    refusals: createRefusalCounts(),
    forgotten: { count: 0, firstIndex: 0 },
  };
}

/** Copies a state with the memories of the machines. Streams that share a memory share its copy. */
export function copyState({ streams, memories, refusals, forgotten }: CheckerState): CheckerState {
  const shared = memories.map((memory) => copyMemory(memory) as MachineState | undefined);
  const copySlot = (slot: unknown, index: number): unknown =>
    slot !== undefined && slot === memories[index] ? shared[index] : copyMemory(slot);
  return {
    streams: streams.map((stream) => ({
      ...stream,
      slots: stream.slots.map(copySlot),
      suspects: stream.suspects && new Map(stream.suspects),
    })),
    memories: shared,
    refusals: { ...refusals },
    forgotten: { ...forgotten },
  };
}

/** Copies lists and maps at every depth. */
function copyMemory(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyMemory);
  if (value instanceof Map) return new Map([...value].map(([key, each]) => [key, copyMemory(each)]));
  return value;
}
