/** Finds the shortest stream that the smaller side allows and the larger one refuses, with the real checkers. */
import { createStreamChecker, type StreamChecker, type StreamFinding } from "../../conform/stream-checker.js";
import { formatCanonicalJson, type JsonObject } from "../../json.js";
import type { Gap } from "../../stream/delivery.js";
import type { EventSample } from "./make-event-samples.js";
import type { StreamSides } from "./stream-sides.js";

/** Limits of one search. A search that reaches one of them is undecided. */
export interface SearchLimits {
  /** The greatest number of states. */
  readonly states: number;
  /** The greatest number of events of a stream. */
  readonly depth: number;
  /** The greatest number of streams. */
  readonly tries: number;
}

/**
 * The number of streams that may still be tried for one pair of contracts. It is a count and not a time, so that the
 * same input gives the same findings.
 */
export interface StreamBudget {
  remainingTries: number;
}

/** The result of a search. */
export type SearchResult =
  | { readonly found: "nothing" }
  | { readonly found: "limit"; readonly reason: string }
  | { readonly found: "stream"; readonly trace: readonly EventSample[]; readonly rule: string };

/** A stream of event samples, as a linked list. */
interface Trace {
  /** The trace without its last event; undefined if there is only one event. */
  readonly previous: Trace | undefined;
  readonly eventSample: EventSample;
}

/** Searches all traces of these event samples, shorter ones first. Skips a trace that `confirm` rejects. */
export function searchStreams(
  sides: StreamSides,
  eventSamples: readonly EventSample[],
  { limits, budget }: { readonly limits: SearchLimits; readonly budget: StreamBudget },
  confirm: (trace: readonly EventSample[], rule: string) => boolean,
): SearchResult {
  const knownStates = new Set<string>();
  let tries = 0;
  let traces: (Trace | undefined)[] = [undefined];
  for (let length = 1; traces.length > 0; length++) {
    const nextTraces: Trace[] = [];
    for (const previous of traces)
      for (const eventSample of eventSamples) {
        tries += 1;
        if (tries > limits.tries)
          return { found: "limit", reason: `more than ${limits.tries} streams to try` };
        budget.remainingTries -= 1;
        if (budget.remainingTries < 0)
          return { found: "limit", reason: "the budget of the comparison is spent" };
        const trace = { previous, eventSample };
        const samples = listSamples(trace);
        const run = runTrace(sides, samples);
        if (run === undefined) continue;
        const { refusedBy, isAllowed, state } = run;
        if (refusedBy !== undefined && isAllowed && confirm(samples, refusedBy))
          return { found: "stream", trace: samples, rule: refusedBy };
        // An equal state has equal continuations, so one of them is enough.
        if (state === undefined || knownStates.has(state)) continue;
        knownStates.add(state);
        if (knownStates.size > limits.states)
          return { found: "limit", reason: `more than ${limits.states} states` };
        nextTraces.push(trace);
      }
    if (nextTraces.length > 0 && length >= limits.depth)
      return { found: "limit", reason: `streams of more than ${limits.depth} events` };
    traces = nextTraces;
  }
  return { found: "nothing" };
}

function listSamples(trace: Trace): EventSample[] {
  const samples: EventSample[] = [];
  let current: Trace | undefined = trace;
  while (current !== undefined) {
    samples.unshift(current.eventSample);
    current = current.previous;
  }
  return samples;
}

/** An event with its position in its stream. */
interface PlacedEvent {
  readonly event: JsonObject;
  readonly stream: string;
  readonly sequence: number | undefined;
  readonly gap: Gap | undefined;
}

/** Returns the events of a trace with their numbers; undefined if one of them cannot have its number. */
export function numberTrace(
  { small }: StreamSides,
  trace: readonly EventSample[],
): PlacedEvent[] | undefined {
  const { sequence: field, first } = small.stream ?? { key: [] };
  const nextNumbers = new Map<string, number>();
  const placedEvents: PlacedEvent[] = [];
  for (const { make, stream, gapSize } of trace) {
    const expectedNumber = nextNumbers.get(stream);
    const number = (expectedNumber ?? first ?? 0) + gapSize;
    const event = make(number);
    if (event === undefined) return undefined;
    const gap = field === undefined || gapSize === 0 ? undefined : describeGap(number, expectedNumber, first);
    placedEvents.push({ event, stream, sequence: field === undefined ? undefined : number, gap });
    nextNumbers.set(stream, number + 1);
  }
  return placedEvents;
}

/**
 * Returns the gap before `number`. At the beginning of a stream there is a gap only if the first number is declared.
 */
function describeGap(number: number, expected?: number, first?: number): Gap | undefined {
  if (expected !== undefined) return { after: expected - 1, before: number };
  return first === undefined ? undefined : { before: number };
}

/** The result of the checkers on a trace. */
interface TraceRun {
  /** The rule of the larger side that refuses the trace, if one does. */
  readonly refusedBy: string | undefined;
  /** True if the smaller side allows the trace to end here. */
  readonly isAllowed: boolean;
  /** A key of the state of both sides; undefined if the state is too large. */
  readonly state: string | undefined;
}

/** Runs the checkers of both sides on a trace. Returns undefined if the smaller side refuses it. */
function runTrace(sides: StreamSides, trace: readonly EventSample[]): TraceRun | undefined {
  const placedEvents = numberTrace(sides, trace);
  if (placedEvents === undefined) return undefined;
  const small = createStreamChecker(sides.small, { profile: "writer", plan: sides.smallPlan });
  const large = createStreamChecker(sides.large, { profile: sides.profile, plan: sides.largePlan });
  let refusedBy: string | undefined;
  const nextNumbers = new Map<string, number>();
  for (const [index, { event, stream, sequence, gap }] of placedEvents.entries()) {
    const delivery = { kind: "new", stream, sequence, gap } as const;
    if (findError(small.check(event, delivery, index)) !== undefined) return undefined;
    refusedBy ??= findError(large.check(event, delivery, index));
    if (sequence !== undefined) nextNumbers.set(stream, sequence + 1);
  }
  const state = createStateKey(
    small,
    refusedBy === undefined ? large : undefined,
    (stream) => nextNumbers.get(stream) ?? 0,
  );
  const isAllowed = findError(small.end()) === undefined;
  return { refusedBy: refusedBy ?? findError(large.end()), isAllowed, state };
}

/**
 * Returns a key of the state of both sides. `large` is undefined if the larger side refused the stream, because the stream
 * stays refused. `nextNumber` returns the next number of a stream.
 */
function createStateKey(
  small: StreamChecker,
  large: StreamChecker | undefined,
  nextNumber: (stream: string) => number,
): string | undefined {
  const smallState = small.snapshot(nextNumber);
  const largeState = large ? large.snapshot(nextNumber) : null;
  return smallState === undefined || largeState === undefined
    ? undefined
    : formatCanonicalJson([smallState, largeState]);
}

/** Returns the rule of the first error. */
export function findError(findings: readonly StreamFinding[]): string | undefined {
  return findings.find(({ severity }) => severity === "error")?.rule;
}
