/** The names and options of all faults, and plans of faults. */

/** The thing that a fault changes: the events, the bytes on the wire, or the answer as a whole. */
type FaultKind = keyof typeof FAULTS_BY_KIND;

/** The options of a fault whose values are numbers. faults.schema.json describes them. */
type NumericOptions = { readonly [option in "every" | "count" | "bytes" | "ms" | "times"]?: number };

/**
 * The options that a fault allows, with their default values. A key whose value is undefined is an option without a
 * default.
 */
type FaultOptions = NumericOptions & { readonly at?: undefined };

type FaultTable = { readonly [fault: string]: FaultOptions };

/** A fault with its options. */
export interface FaultSetting extends NumericOptions {
  readonly fault: FaultName;
  /** The key of the only run with this fault; all runs by default. */
  readonly run?: string;
  /** The indexes of the events that the fault changes. By default the seed chooses them. */
  readonly at?: readonly number[];
}

/** A seed and the faults that it places. */
export interface FaultPlan {
  readonly seed: number;
  readonly faults: readonly FaultSetting[];
}

/** The option `at`, which has no default. */
const at = undefined;

/** Faults that change events. event-faults.ts describes each of them. */
const EVENT_FAULTS = {
  "pruned-start": { count: 4 },
  interleave: { at, every: 1 },
  "unknown-type": { at, every: 6 },
  "late-gap": {},
  "large-chunk": { bytes: 2 ** 20 },
  "unmet-requirements": { at, every: 1 },
  "unknown-field": { at, every: 2 },
  drop: { at, every: 8 },
  duplicate: { at, every: 5 },
} satisfies FaultTable;

const WIRE_FAULTS = {
  /** The connection breaks in the middle of an event. */
  cut: { at, every: 8 },
  /** After a reconnect the stream begins again with its first event. */
  redeliver: {},
  /** After a reconnect the stream begins a few events too early. */
  overlap: { count: 3 },
  /** Lines end with CR LF. Chunks end between the two and inside of UTF-8 characters. */
  split: { at, every: 1 },
  /** The stream pauses in the middle of an event. */
  stall: { at, every: 10, ms: 1_500 },
} satisfies FaultTable;

const ANSWER_FAULTS = {
  /** A request for events fails with status 500. The same request then succeeds. */
  "http-500": { times: 1 },
  /**
   * A reconnect gets status 204, which means the end of the stream, although events follow. The next reconnect continues
   * the stream.
   */
  "http-204": { times: 1 },
} satisfies FaultTable;

/** The name of a fault that changes events. */
export type EventFaultName = keyof typeof EVENT_FAULTS;

/** The name of a fault. */
export type FaultName = EventFaultName | keyof typeof WIRE_FAULTS | keyof typeof ANSWER_FAULTS;

/** The faults by their kind. */
const FAULTS_BY_KIND = { events: EVENT_FAULTS, wire: WIRE_FAULTS, answer: ANSWER_FAULTS };

/** The options of all faults by name. Faults that change events are applied in this order. */
export const FAULTS: { readonly [name in FaultName]: FaultOptions } = {
  ...EVENT_FAULTS,
  ...WIRE_FAULTS,
  ...ANSWER_FAULTS,
};

/** Returns whether a fault has this name. */
export function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(FAULTS, name);
}

/** Returns whether a fault is of a kind. */
export function isOfKind(fault: FaultName, kind: FaultKind): boolean {
  return Object.hasOwn(FAULTS_BY_KIND[kind], fault);
}

/** Returns the settings of one kind of fault for the run with this key; without a key, those for all runs. */
export function selectSettings(plan: FaultPlan, kind: FaultKind, key: string | undefined): FaultSetting[] {
  return plan.faults.filter(({ fault, run }) => isOfKind(fault, kind) && (run === undefined || run === key));
}

/** Returns the value of an option: that of the setting, or the default of the fault. */
export function readOption(setting: FaultSetting, option: keyof NumericOptions): number {
  return setting[option] ?? FAULTS[setting.fault][option] ?? 0;
}
