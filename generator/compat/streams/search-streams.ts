/** Searches streams of event samples for one that the smaller side allows and a machine of the larger side refuses. */
import { createPlan, type Plan, type PlannedMachine } from "../../conform/check-plan.js";
import type { MachineState, ReportStatement } from "../../conform/machine/interpret.js";
import type { Stream } from "../../conform/open-streams.js";
import { createStreamChecker, type StreamChecker, type StreamFinding } from "../../conform/stream-checker.js";
import { isSeenFromStart } from "../../conform/stream-rule.js";
import type { Json, JsonObject } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Gap, Placement } from "../../stream/delivery.js";
import type { AlikeValue, EventSample } from "./event-samples.js";
import { usesEnd, usesEpochs } from "./normal-machines.js";
import { type DescribeState, UNBOUNDED } from "./state-keys.js";
import type { StreamSides } from "./stream-sides.js";

/** The limits of a search. */
export interface SearchLimits {
  /** The greatest number of states. */
  readonly states: number;
  /** The greatest number of events of a stream. */
  readonly depth: number;
}

/**
 * The number of events that may still be tried after a stream. It is a count and not a time, so that the same input gives
 * the same findings.
 */
export interface StreamBudget {
  remainingTries: number;
}

/** The result of a search. `limit` means that streams were left out. */
export type SearchResult =
  | { readonly found: "nothing" }
  | { readonly found: "limit"; readonly reason: string }
  | { readonly found: "stream"; readonly trace: readonly EventSample[]; readonly rule: string };

/** The machines of a search, each with a function that describes its memory. */
export interface SearchedMachines {
  readonly small: readonly PlannedMachine[];
  readonly large: PlannedMachine;
  readonly describeSmall: readonly DescribeState[];
  readonly describeLarge: DescribeState;
  /** The greatest number among the samples that is compared with the numbers of events; undefined if there is none. */
  readonly maxSequence: number | undefined;
  /** Called for each statement that reports, also in streams that the smaller side refuses. */
  observe(statement: ReportStatement): void;
  /** Called before each event. */
  beginEvent(): void;
}

/** A stream of event samples, as a linked list. */
interface Trace {
  /** The trace without its last event; undefined if there is only one event. */
  readonly previous: Trace | undefined;
  readonly eventSample: EventSample;
  /** For each class, how many of its values that are treated alike the trace has. They come in their order. */
  readonly used: readonly number[];
  readonly state: TraceState;
}

/** Searches all traces of these event samples, shorter ones first. Skips a trace that `confirm` rejects. */
export function searchStreams(
  sides: StreamSides,
  machines: SearchedMachines,
  eventSamples: readonly EventSample[],
  { limits, budget }: { readonly limits: SearchLimits; readonly budget: StreamBudget },
  confirm: (trace: readonly EventSample[], rule: string) => boolean,
): SearchResult {
  const { initial, run } = createTraceRunner(sides, machines);
  const sharesStreams = [...machines.small, machines.large].some(({ machine }) => machine.shared);
  const knownStates = new Set<string>();
  let isCut = false;
  let traces: (Trace | undefined)[] = [undefined];
  for (let length = 1; traces.length > 0; length++) {
    const nextTraces: Trace[] = [];
    for (const previous of traces)
      for (const eventSample of eventSamples) {
        const used = countAlikeValues(previous?.used ?? [], eventSample.alike);
        if (used === undefined) continue;
        // If the machines share nothing between streams, the events of one stream are enough.
        if (!sharesStreams && previous !== undefined && previous.eventSample.stream !== eventSample.stream)
          continue;
        if (budget.remainingTries === 0) return { found: "limit", reason: "too many streams to try" };
        budget.remainingTries -= 1;
        const result = run(previous?.state ?? initial, eventSample);
        if (result === undefined) continue;
        const { refusedBy, isAllowed, key, state } = result;
        const trace = { previous, eventSample, used, state };
        if (refusedBy !== undefined && isAllowed) {
          const samples = listSamples(trace);
          if (confirm(samples, refusedBy)) return { found: "stream", trace: samples, rule: refusedBy };
        }
        isCut ||= key === undefined;
        // An equal state has equal continuations, so one of them is enough.
        if (key === undefined || knownStates.has(key)) continue;
        knownStates.add(key);
        if (knownStates.size > limits.states)
          return { found: "limit", reason: `more than ${limits.states} states` };
        nextTraces.push(trace);
      }
    if (nextTraces.length > 0 && length >= limits.depth)
      return { found: "limit", reason: `streams of more than ${limits.depth} events` };
    traces = nextTraces;
  }
  return isCut ? { found: "limit", reason: "sums that rise without a limit" } : { found: "nothing" };
}

/**
 * Counts the values that are treated alike. Returns undefined if the sample has one of them before another that is still
 * new: then another trace is the same but for the names of these values.
 */
function countAlikeValues(
  used: readonly number[],
  values: readonly AlikeValue[],
): readonly number[] | undefined {
  if (values.length === 0) return used;
  const counts = [...used];
  for (const [valueClass, index] of values) {
    const count = counts[valueClass] ?? 0;
    if (index > count) return undefined;
    if (index === count) counts[valueClass] = count + 1;
  }
  return Array.from(counts, (count) => count ?? 0);
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
  readonly delivery: Extract<Placement, { kind: "new" }>;
}

/** Returns the events of a trace with their numbers; undefined if one of them cannot have its number. */
export function numberTrace(protocol: Protocol, trace: readonly EventSample[]): PlacedEvent[] | undefined {
  const nextNumbers = new Map<string, number>();
  const placedEvents: PlacedEvent[] = [];
  for (const eventSample of trace) {
    const placed = placeSample(protocol, eventSample, nextNumbers);
    if (placed === undefined) return undefined;
    placedEvents.push(placed.event);
    nextNumbers.set(eventSample.stream, placed.next);
  }
  return placedEvents;
}

/** Returns the event of a sample with its number, and the next number; undefined if it cannot have the number. */
function placeSample(
  { stream }: Protocol,
  { make, stream: key, gapSize }: EventSample,
  nextNumbers: ReadonlyMap<string, number>,
): { readonly event: PlacedEvent; readonly next: number } | undefined {
  const { sequence: field, first } = stream ?? { key: [] };
  const expectedNumber = nextNumbers.get(key);
  const number = (expectedNumber ?? first ?? 0) + gapSize;
  const event = make(number);
  if (event === undefined) return undefined;
  const gap = field === undefined || gapSize === 0 ? undefined : describeGap(number, expectedNumber, first);
  const sequence = field === undefined ? undefined : number;
  return { event: { event, delivery: { kind: "new", stream: key, sequence, gap } }, next: number + 1 };
}

/**
 * Returns the gap before `number`. At the beginning of a stream there is a gap only if the first number is declared.
 */
function describeGap(number: number, expected?: number, first?: number): Gap | undefined {
  if (expected !== undefined) return { after: expected - 1, before: number };
  return first === undefined ? undefined : { before: number };
}

/** The state of both sides after a trace. */
interface TraceState {
  readonly small: StreamChecker;
  readonly large: StreamChecker;
  /** The rule of the larger side that refused an event, if one did. */
  readonly refusedBy: string | undefined;
  readonly nextNumbers: ReadonlyMap<string, number>;
}

/** The result of one more event. */
interface TraceStep {
  /** The rule of the larger side that refuses the trace, if one does. */
  readonly refusedBy: string | undefined;
  /** True if the smaller side allows the trace to end here. */
  readonly isAllowed: boolean;
  readonly state: TraceState;
  /** A key of the state; undefined if the state is too large. */
  readonly key: string | undefined;
}

/** Returns the state without events, and a function that adds an event. It returns undefined if the smaller side refuses it. */
function createTraceRunner(
  sides: StreamSides,
  { small, large, describeSmall, describeLarge, maxSequence, observe, beginEvent }: SearchedMachines,
): {
  readonly initial: TraceState;
  run(state: TraceState, eventSample: EventSample): TraceStep | undefined;
} {
  const smallPlan = createPlan(sides.small, small, (_planned, statement) => observe(statement));
  const largePlan = createPlan(sides.large, [large], (_planned, statement) => observe(statement));
  const reads = { small: findReads(small, maxSequence), large: findReads([large], maxSequence) };
  const findEndError = ({ checkers }: Plan, checker: StreamChecker): string | undefined =>
    checkers.some(({ compiled }) => compiled.end) ? findError(checker.fork().end()) : undefined;
  return {
    initial: {
      small: createStreamChecker(sides.small, { profile: "writer", plan: smallPlan }),
      large: createStreamChecker(sides.large, { profile: sides.profile, plan: largePlan }),
      refusedBy: undefined,
      nextNumbers: new Map(),
    },
    run({ small, large, refusedBy, nextNumbers }, eventSample) {
      const placed = placeSample(sides.small, eventSample, nextNumbers);
      if (placed === undefined) return undefined;
      const { event, delivery } = placed.event;
      beginEvent();
      // The larger side comes first, so that its findings are seen in streams that the smaller side refuses.
      const nextLarge = refusedBy === undefined ? large.fork() : large;
      const refusal = refusedBy ?? findError(nextLarge.check(event, delivery, 0));
      const nextSmall = small.fork();
      if (findError(nextSmall.check(event, delivery, 0)) !== undefined) return undefined;
      const next =
        delivery.sequence === undefined
          ? nextNumbers
          : new Map(nextNumbers).set(eventSample.stream, placed.next);
      const smallState = describeStreams(nextSmall.listStreams(), reads.small, describeSmall, next);
      // A stream that the larger side refused stays refused.
      const largeState =
        refusal === undefined
          ? describeStreams(nextLarge.listStreams(), reads.large, [describeLarge], next)
          : null;
      const text = JSON.stringify([smallState, largeState]);
      return {
        refusedBy: refusal ?? findEndError(largePlan, nextLarge),
        isAllowed: findEndError(smallPlan, nextSmall) === undefined,
        state: { small: nextSmall, large: nextLarge, refusedBy: refusal, nextNumbers: next },
        key: text.includes(UNBOUNDED) ? undefined : text,
      };
    },
  };
}

/** What machines read of their streams, besides the events. */
interface StreamReads {
  readonly epochs: boolean;
  readonly end: boolean;
  readonly maxSequence: number | undefined;
}

function findReads(
  machines: readonly PlannedMachine[],
  maxSequence: StreamReads["maxSequence"],
): StreamReads {
  return {
    maxSequence,
    epochs: machines.some(({ machine }) => usesEpochs(machine)),
    end: machines.some(({ machine }) => usesEnd(machine)),
  };
}

/** Describes the streams of one side. */
function describeStreams(
  streams: readonly Stream[],
  reads: StreamReads,
  describers: readonly DescribeState[],
  nextNumbers: ReadonlyMap<string, number>,
): Json {
  const sorted = [...streams].sort((a, b) => (a.key < b.key ? -1 : 1));
  return sorted.flatMap((stream): Json[] => {
    const context = { epoch: stream.epoch, next: nextNumbers.get(stream.key) ?? 0 };
    const memories = describers.map((describe, slot) => {
      const state = stream.slots[slot];
      return state === undefined ? null : describe(state as MachineState, context);
    });
    // If the machines do not read them, it does not matter whether events may be missing, whether the stream has ended, and
    // which number comes next.
    const { epochs, end, maxSequence } = reads;
    const next = maxSequence === undefined ? null : Math.min(context.next, maxSequence + 1);
    const isFresh = !epochs && !end && next === null && memories.every((memory) => memory === null);
    return isFresh
      ? []
      : [[stream.key, epochs && isSeenFromStart(stream), end && stream.hasEnded, next, memories]];
  });
}

/** Returns the rule of the first error. */
export function findError(findings: readonly StreamFinding[]): string | undefined {
  return findings.find(({ severity }) => severity === "error")?.rule;
}
