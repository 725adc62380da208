/**
 * Describes checkers to the comparison of two contracts: which events and values matter to a checker, and when two of its
 * states are equal. Descriptions are not used while events are checked.
 */
import type { Json, JsonObject } from "../json.js";
import { compareTexts } from "../text.js";

/** The values of a field that a comparison must try, because of how a rule reads the field. */
export type Samples =
  /**
   * The rule compares the values for equality only. Fields that one checker reads as ids share their values. `related` is
   * true if an event about one id may change which events about another id the rule refuses.
   */
  | { readonly kind: "id"; readonly related?: boolean }
  /** The rule compares the id with the id of the stream. */
  | { readonly kind: "stream" }
  /** The field names an emitter; `empty` adds the empty name. */
  | { readonly kind: "emitter"; readonly empty: boolean }
  /** The field repeats the envelope field `of`: its value, and another value, are tried. */
  | { readonly kind: "copy"; readonly of: string }
  /** The rule compares a number, or each number of an object. */
  | { readonly kind: "figure" }
  /** A sequence number near that of the event itself. */
  | { readonly kind: "number" }
  /** Two values that the schema accepts are enough. */
  | { readonly kind: "two" }
  /** The values of `listed`; with `others`, also another value that the schema accepts. */
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
  /** The number of the next event of the stream if none is missing. */
  readonly next: number;
}

/** The description of a checker. The comparison cannot decide changes of a checker without one. */
export interface Comparable<S = unknown> {
  /** All values that the checker depends on. Checkers with equal values refuse the same streams. */
  readonly dependsOn: Json;
  /** Event types, besides those in `dependsOn`, that the checker only refuses. A checker with more of them never refuses fewer streams. */
  readonly onlyRefuses?: readonly string[];
  /** True if the checker depends on where events may be missing. */
  readonly usesEpochs: boolean;
  /** The event types that the checker may refuse. */
  readonly refuses: readonly string[] | "every";
  /** The event types that decide which events the checker refuses later. */
  readonly remembers: readonly string[];
  /** The event types after which the checker may accept events that it would have refused before. */
  readonly allows: readonly string[];
  /** Returns whether the checker remembers an event type of one of the contracts that `remembers` does not list. */
  remembersOtherType?(type: string): boolean;
  /** True if the checker compares event types with each other. */
  readonly comparesTypes?: boolean;
  readonly reads: readonly FieldUse[];
  /** Returns the state without texts and sequence numbers; undefined if it exceeds the limits. Checkers with equal snapshots refuse the same events. */
  snapshot(state: S, context: SnapshotContext): Json | undefined;
}

/** The part of a description that a rule gives. The rest follows from its declaration and its handlers. */
export type CheckerDescription<S = unknown> = Partial<Comparable<S>> &
  Pick<Comparable<S>, "reads" | "snapshot">;

/** The greatest length of texts in characters, and of outputs in bytes, that a comparison follows. */
export const MAX_COMPARED_LENGTH = 2;

/** Returns the uses of a payload field in several event types. */
export function createFieldUses(types: readonly string[], field: string, samples: Samples): FieldUse[] {
  return types.map((type) => ({ type, field, samples }));
}

/** Returns the use of an envelope field. */
export function createEnvelopeUses(field: string, samples: Samples): FieldUse[] {
  return [{ type: undefined, field, samples }];
}

/** Returns the uses of fields that must have certain values. They are envelope fields if `type` is undefined, and payload fields otherwise. */
export function createConditionUses(type: string | undefined, values: JsonObject): FieldUse[] {
  return Object.entries(values).map(([field, value]) => ({
    type,
    field,
    samples: { kind: "listed", listed: [value], others: true },
  }));
}

/** Returns a sorted list without duplicates, for lists whose order does not matter. */
export function sortUnique(list: readonly string[]): readonly string[] {
  return [...new Set(list)].sort();
}

/** Returns whether `epoch` is the current epoch of the stream. Rules use epochs only for this comparison. */
export function isCurrentEpoch(epoch: number, { stream }: SnapshotContext): boolean {
  return epoch === stream.epoch;
}

/** Converts the state of a checker that has no description to JSON. Equal states give equal values. */
export function convertState(state: unknown): Json {
  if (state instanceof Map || state instanceof Set || Array.isArray(state))
    return [...state].map(convertState);
  if (typeof state === "object" && state !== null)
    return Object.fromEntries(Object.entries(state).map(([name, value]) => [name, convertState(value)]));
  return ["string", "number", "boolean"].includes(typeof state) ? (state as Json) : String(state);
}

/** Returns the entries of a map as JSON, sorted by key. */
export function sortEntries<T>(map: ReadonlyMap<string, T>, value: (each: T) => Json): Json {
  return [...map].sort(([a], [b]) => compareTexts(a, b)).map(([key, each]) => [key, value(each)]);
}
