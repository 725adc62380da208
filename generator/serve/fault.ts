/** The names and options of all faults. A plan of faults is data: a seed and a list of settings. */

/** Where a fault happens: in the events themselves, in the bytes on their way, or in the answer as a whole. */
type FaultKind = "events" | "wire" | "answer";

/** What a setting may say beside the name and the run. */
type FaultOption = "at" | "every" | "count" | "bytes" | "ms" | "times";

/** One kind of fault. */
interface Fault {
  readonly kind: FaultKind;
  readonly summary: string;
  /** Its options with their default values; `at` has none. */
  readonly options: { readonly [option in FaultOption]?: number | undefined };
}

/** One use of a fault. */
export interface FaultSetting {
  readonly fault: FaultName;
  /** The key of the only run that it concerns. */
  readonly run?: string;
  /** The places, counted from 0, instead of drawn ones. */
  readonly at?: readonly number[];
  /** One place is drawn in each window of so many. */
  readonly every?: number;
  readonly count?: number;
  readonly bytes?: number;
  readonly ms?: number;
  readonly times?: number;
}

/** Everything that is to go wrong. */
export interface FaultPlan {
  readonly seed: number;
  readonly faults: readonly FaultSetting[];
}

const MEBIBYTE = 2 ** 20;
const at = undefined;

const TABLE = {
  "pruned-start": {
    kind: "events",
    summary: "the first events are gone; a gap marker says so where the protocol has one",
    options: { count: 4 },
  },
  interleave: {
    kind: "events",
    summary: "a second tool call runs at the same time, its events between those of the first",
    options: { at, every: 1 },
  },
  "unknown-type": {
    kind: "events",
    summary: "events of a type that no release knows come in between",
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
  "missing-artifacts": {
    kind: "events",
    summary: "optional references to artifacts are left out",
    options: { at, every: 1 },
  },
  "unknown-field": {
    kind: "events",
    summary: "envelopes and payloads hold a field that no release knows",
    options: { at, every: 2 },
  },
  drop: {
    kind: "events",
    summary: "events are lost and leave a hole in the numbers",
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
    summary: "the stream falls silent in the middle of an event",
    options: { at, every: 10, ms: 1_500 },
  },
  "http-500": {
    kind: "answer",
    summary: "a request for events fails with status 500; the same request then succeeds",
    options: { times: 1 },
  },
  "http-204": {
    kind: "answer",
    summary: "a reconnect is told too early that the stream is over; the next one goes on",
    options: { times: 1 },
  },
} satisfies { readonly [name: string]: Fault };

/** The name of a fault. */
export type FaultName = keyof typeof TABLE;

/** The name of a fault of events. */
export type EventFaultName = {
  [name in FaultName]: (typeof TABLE)[name]["kind"] extends "events" ? name : never;
}[FaultName];

/** Every fault by name. Those of events are applied to a run in this order. */
export const FAULTS: { readonly [name in FaultName]: Fault } = TABLE;

/** Whether there is a fault of this name. */
export function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(TABLE, name);
}

/** The settings of a plan that are of a kind and concern the run with this key; without a key those of all runs. */
export function settingsOf({ faults }: FaultPlan, kind: FaultKind, key: string | undefined): FaultSetting[] {
  return faults.filter(
    ({ fault, run }) => FAULTS[fault]?.kind === kind && (run === undefined || run === key),
  );
}

/** Returns the value of an option: that of the setting, or else the fault's default. */
export function optionOf(setting: FaultSetting, option: Exclude<FaultOption, "at">): number {
  return setting[option] ?? FAULTS[setting.fault]?.options[option] ?? 0;
}
