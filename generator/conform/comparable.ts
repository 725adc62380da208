/**
 * Descriptions of stream rules, by which two versions of a contract are compared: which events and which values of their
 * fields matter to a rule, and when two of its states are equal. They are not used while events are checked.
 */
import type { Json, JsonObject } from "../json.js";

/** How a rule reads a field, and therefore which values of it a comparison has to try. */
export type Samples =
  /** The rule compares the values for equality only. Fields that one checker reads as ids share their values. */
  | { readonly kind: "id" }
  /** An id that the rule compares with the id of the stream. */
  | { readonly kind: "stream" }
  /** Names of emitters; `empty` adds the empty name. */
  | { readonly kind: "emitter"; readonly empty: boolean }
  /** The value of another envelope field, and another value. */
  | { readonly kind: "copy"; readonly of: string }
  /** A number, or an object of numbers. */
  | { readonly kind: "figure" }
  /** A number of an event near the number of the event itself. */
  | { readonly kind: "number" }
  /** Two values that the schema takes. */
  | { readonly kind: "two" }
  /** These values, and one more that the schema takes if `others` is set. */
  | { readonly kind: "listed"; readonly listed: readonly Json[]; readonly others?: boolean };

/** A field that a rule reads. */
export interface FieldUse {
  /** The event type whose payload has the field; undefined for a field of the envelope. */
  readonly type: string | undefined;
  readonly field: string;
  readonly samples: Samples;
}

/** The stream that the state of a checker belongs to. */
interface SnapshotContext {
  readonly stream: { readonly epoch: number; readonly events: number };
  /** The number that the next event of the stream has if none is missing. */
  readonly next: number;
}

/** Describes one checker to the comparison. A checker without a description is undecided if its declaration differs. */
export interface Comparable<S = unknown> {
  /** All values that the checker depends on. Checkers with equal values refuse the same streams. */
  readonly madeOf: Json;
  /** Whether it judges less where events may be missing. */
  readonly usesEpochs: boolean;
  /** The event types that it may refuse. */
  readonly judges: readonly string[] | "every";
  /** The event types that decide what it refuses later. */
  readonly remembers: readonly string[];
  /** The event types after which it may accept what it would have refused. */
  readonly allows: readonly string[];
  /** Whether it also remembers an event type that `remembers` does not list, of this version or another one. */
  remembersToo?(type: string): boolean;
  /** Whether it compares event types with each other. */
  readonly comparesTypes?: boolean;
  readonly reads: readonly FieldUse[];
  /** The state without texts and numbers of events: equal values lead to equal verdicts. Undefined beyond the limits. */
  snapshot(state: S, context: SnapshotContext): Json | undefined;
}

/** What a checker says about itself. The rest follows from its declaration and its handlers. */
export type CheckerDescription<S = unknown> = Partial<Comparable<S>> &
  Pick<Comparable<S>, "reads" | "snapshot">;

/** The greatest length of texts, in characters, and of outputs, in bytes, in a comparison. */
export const MAX_COMPARED_LENGTH = 2;

/** Uses of one field in several event types. */
export function readField(types: readonly string[], field: string, samples: Samples): FieldUse[] {
  return types.map((type) => ({ type, field, samples }));
}

/** Uses of an envelope field. */
export function readEnvelope(field: string, samples: Samples): FieldUse[] {
  return [{ type: undefined, field, samples }];
}

/** Uses of fields that must have certain values; of the envelope if `type` is undefined. */
export function readConditions(type: string | undefined, values: JsonObject): FieldUse[] {
  return Object.entries(values).map(([field, value]) => ({
    ...{ type, field },
    samples: { kind: "listed", listed: [value], others: true },
  }));
}

/** Returns a list without duplicates, sorted, for lists whose order has no meaning. */
export function asSet(list: readonly string[]): readonly string[] {
  return [...new Set(list)].sort();
}

/** Whether `epoch` is the current one of the stream. Rules use epochs for nothing else. */
export function isCurrent(epoch: number, { stream }: SnapshotContext): boolean {
  return epoch === stream.epoch;
}

/** Converts the state of a checker without a description to JSON, complete. Equal states give equal values. */
export function wholeState(state: unknown): Json {
  if (state instanceof Map) return [...state].map(([key, value]) => [wholeState(key), wholeState(value)]);
  if (state instanceof Set) return [...state].map(wholeState);
  if (Array.isArray(state)) return state.map(wholeState);
  if (typeof state === "object" && state !== null)
    return Object.fromEntries(Object.entries(state).map(([name, value]) => [name, wholeState(value)]));
  return typeof state === "string" || typeof state === "number" || typeof state === "boolean"
    ? state
    : String(state);
}

/** The entries of a map, sorted by key. */
export function entriesOf<T>(map: ReadonlyMap<string, T>, value: (each: T) => Json): Json {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, value(each)]);
}
