/** The names and options of all faults, and plans of faults. */

/** Where a fault happens: in the events themselves, in the bytes on their way, or in the answer as a whole. */
type FaultKind = "events" | "wire" | "answer";

/** The options of settings that are numbers. faults.schema.json describes them. */
type NumericOptions = { readonly [option in "every" | "count" | "bytes" | "ms" | "times"]?: number };

/** One kind of fault. */
interface Fault {
  readonly kind: FaultKind;
  readonly summary: string;
  /** The options with their default values; `at` has none. */
  readonly options: NumericOptions & { readonly at?: undefined };
}

/** A fault with its options. */
export interface FaultSetting extends NumericOptions {
  readonly fault: FaultName;
  /** The key of the only run with this fault; all runs by default. */
  readonly run?: string;
  /** The indexes at which it happens, instead of drawn ones. */
  readonly at?: readonly number[];
}

/** A seed and the faults that it places. */
export interface FaultPlan {
  readonly seed: number;
  readonly faults: readonly FaultSetting[];
}

const MEBIBYTE = 2 ** 20;
const at = undefined;

const TABLE = {
  "pruned-start": {
    kind: "events",
    summary: "the first events are missing; a gap marker takes their place if the protocol has one",
    options: { count: 4 },
  },
  interleave: {
    kind: "events",
    summary: "a second tool call runs at the same time; the events of both alternate",
    options: { at, every: 1 },
  },
  "unknown-type": {
    kind: "events",
    summary: "events of an unknown type are inserted",
    options: { at, every: 6 },
  },
  "late-gap": {
    kind: "events",
    summary: "a gap marker follows the last event",
    options: {},
  },
  "large-chunk": {
    kind: "events",
    summary: "one piece of output is very large",
    options: { bytes: MEBIBYTE },
  },
  "unmet-requirements": {
    kind: "events",
    summary: "optional fields with x-requires are missing",
    options: { at, every: 1 },
  },
  "unknown-field": {
    kind: "events",
    summary: "envelopes and payloads have an unknown field",
    options: { at, every: 2 },
  },
  drop: {
    kind: "events",
    summary: "events are lost and leave a gap in the numbers",
    options: { at, every: 8 },
  },
  duplicate: {
    kind: "events",
    summary: "streams deliver events twice, in a row or later; lists do not",
    options: { at, every: 5 },
  },
  cut: {
    kind: "wire",
    summary: "the connection breaks in the middle of an event",
    options: { at, every: 8 },
  },
  redeliver: {
    kind: "wire",
    summary: "after a reconnect the stream begins again with its first event",
    options: {},
  },
  overlap: {
    kind: "wire",
    summary: "after a reconnect the stream begins a few events too early",
    options: { count: 3 },
  },
  split: {
    kind: "wire",
    summary: "lines end with CR LF; chunks end between the two and inside of UTF-8 characters",
    options: { at, every: 1 },
  },
  stall: {
    kind: "wire",
    summary: "the stream pauses in the middle of an event",
    options: { at, every: 10, ms: 1_500 },
  },
  "http-500": {
    kind: "answer",
    summary: "a request for events fails with status 500; the same request then succeeds",
    options: { times: 1 },
  },
  "http-204": {
    kind: "answer",
    summary: "a reconnect is answered too early that the stream has ended; the next one continues",
    options: { times: 1 },
  },
} satisfies { readonly [name: string]: Fault };

/** The name of a fault. */
export type FaultName = keyof typeof TABLE;

/** The name of a fault that changes events. */
export type EventFaultName = {
  [name in FaultName]: (typeof TABLE)[name]["kind"] extends "events" ? name : never;
}[FaultName];

/** All faults by name. Those that change events are applied in this order. */
export const FAULTS: { readonly [name in FaultName]: Fault } = TABLE;

/** Returns whether a fault has this name. */
export function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(TABLE, name);
}

/** Returns the settings of one kind of fault for the run with this key; without a key, those for all runs. */
export function selectSettings(
  { faults }: FaultPlan,
  kind: FaultKind,
  key: string | undefined,
): FaultSetting[] {
  return faults.filter(
    ({ fault, run }) => FAULTS[fault]?.kind === kind && (run === undefined || run === key),
  );
}

/** Returns the value of an option: that of the setting, or the default of the fault. */
export function readOption(setting: FaultSetting, option: keyof NumericOptions): number {
  return setting[option] ?? FAULTS[setting.fault]?.options[option] ?? 0;
}
