import type { JsonObject } from "../../generator/json.js";
import type { CorpusRandom } from "./random.js";

/** The next event: its type, its payload, and the milliseconds since the one before it. */
export type Step = readonly [type: string, data: JsonObject, ms: number];

/** The state that the runs of one task share. Costs are in millionths of a US dollar. */
export interface Task {
  readonly id: string;
  readonly session: string | undefined;
  readonly budget: number;
  cost: number;
  input: number;
  output: number;
}

/** The state of a run. The writer of its events updates `now`, `sequence` and `lastId`. */
export interface Run {
  readonly random: CorpusRandom;
  readonly task: Task;
  readonly id: string;
  /** The run that this one continues. */
  readonly prior: { readonly id: string; readonly sequence: number; readonly cost: number } | undefined;
  readonly model: string;
  /** The time of its last event, in milliseconds since 1970. */
  now: number;
  /** The number of its next event; a step that skips numbers raises it. */
  sequence: number;
  /** The id of its last event. */
  lastId: string;
  turn: number;
  cost: number;
  /** Whether an approval of the run was rejected, so that it ends. */
  isRejected: boolean;
}

/** Formats milliseconds since 1970 as RFC 3339. */
export function formatTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}
