/** Searches streams of event samples for one that the smaller side allows and a machine of the larger side refuses. */
import { createPlan, type PlannedMachine } from "../../conform/check-plan.js";
import type { MachineState, ReportStatement } from "../../conform/machine/interpret.js";
import type { Stream } from "../../conform/open-streams.js";
import { createStreamChecker, type StreamChecker, type StreamFinding } from "../../conform/stream-checker.js";
import { isSeenFromStart } from "../../conform/stream-rule.js";
import type { Json, JsonObject } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Profile } from "../../schema/readings.js";
import type { Gap, Placement } from "../../stream/delivery.js";
import type { AlikeValue, EventSample } from "./event-samples.js";
import { usesEnd, usesEpochs } from "./normal-machines.js";
import { type DescribeState, MAX_DISTANCE, UNBOUNDED } from "./state-keys.js";
import type { StreamSides } from "./stream-sides.js";

/** The limits of a search. */
export interface SearchLimits {
  /** The greatest number of states. */
  readonly states: number;
  /** The greatest number of events of a stream. */
  readonly depth: number;
}

/**
 * The number of events that may still be tried after a stream. An event that a machine has not seen in its state counts
 * `CHECK_COST` times more. It is a count and not a time, so that the same input gives the same findings.
 */
export interface StreamBudget {
  remainingTries: number;
}

/** What it costs to run a machine, compared with looking up what it did in the same state. */
const CHECK_COST = 2;

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
  const { initial, run } = createTraceRunner(sides, machines, budget);
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
        if (budget.remainingTries <= 0) return { found: "limit", reason: "too many streams to try" };
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
export function placeSample(
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
  readonly small: readonly ComponentState[];
  /** The state of the larger side, or the rule of it that refused an event. A stream that was refused stays refused. */
  readonly large: ComponentState | string;
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
  budget: StreamBudget,
): {
  readonly initial: TraceState;
  run(state: TraceState, eventSample: EventSample): TraceStep | undefined;
} {
  const smallParts = small.map((machine, index) =>
    createComponent(sides.small, "writer", machine, {
      describe: describeSmall[index] as DescribeState,
      ...{ sides, maxSequence, budget },
    }),
  );
  const largePart = createComponent(sides.large, sides.profile, large, {
    describe: describeLarge,
    ...{ sides, maxSequence, budget },
  });
  return {
    initial: { small: smallParts.map(({ initial }) => initial), large: largePart.initial },
    run(previous, eventSample) {
      beginEvent();
      const passOn = <T extends Observed>(result: T): T => {
        for (const statement of result.observed) observe(statement);
        return result;
      };
      // The larger side comes first, so that its findings are seen in streams that the smaller side refuses.
      const nextLarge =
        typeof previous.large === "string" ? undefined : passOn(largePart.step(previous.large, eventSample));
      const steps = smallParts.map((part, index) =>
        passOn(part.step(previous.small[index] as ComponentState, eventSample)),
      );
      const nextSmall = steps.flatMap(({ next }) => (typeof next === "object" ? [next] : []));
      const nextState = nextLarge === undefined ? previous.large : nextLarge.next;
      if (nextSmall.length < steps.length || nextState === undefined) return undefined;
      const states = [...nextSmall, ...(typeof nextState === "string" ? [] : [nextState])];
      return {
        refusedBy: typeof nextState === "string" ? nextState : passOn(nextState.end()).rule,
        // Every machine is asked, because what it reports at the end is observed, too.
        isAllowed: nextSmall.filter((state) => passOn(state.end()).rule !== undefined).length === 0,
        state: { small: nextSmall, large: nextState },
        key: states.some(({ isUnbounded }) => isUnbounded) ? undefined : states.map(({ id }) => id).join(),
      };
    },
  };
}

/**
 * One machine of a search. Machines do not influence each other, so what one does with an event in a state is found once, for all
 * states of the others.
 */
export interface Component {
  readonly initial: ComponentState;
  step(state: ComponentState, eventSample: EventSample): ComponentStep;
}

/** A state of one machine. States that refuse the same events of the samples are the same object. */
interface ComponentState {
  readonly id: number;
  readonly isUnbounded: boolean;
  readonly checker: StreamChecker;
  readonly nextNumbers: ReadonlyMap<string, number>;
  readonly steps: Map<EventSample, ComponentStep>;
  /** Returns the rule that refuses the end of the streams, if one does. */
  end(): Observed & { readonly rule: string | undefined };
}

interface Observed {
  /** The statements that report something, also those that are no error. */
  readonly observed: readonly ReportStatement[];
}

/** What one machine does with an event. */
interface ComponentStep extends Observed {
  /** The next state, or the rule that refuses the event; undefined if the event cannot have its number. */
  readonly next: ComponentState | string | undefined;
}

interface ComponentOptions extends Pick<SearchedMachines, "maxSequence"> {
  readonly sides: StreamSides;
  readonly describe: DescribeState;
  readonly budget: StreamBudget;
}

const NO_END = { observed: [], rule: undefined };

/** Creates the component of a machine that checks streams of `protocol`. */
export function createComponent(
  protocol: Protocol,
  profile: Profile,
  machine: PlannedMachine,
  { sides, describe, maxSequence, budget }: ComponentOptions,
): Component {
  let observed: ReportStatement[] = [];
  const plan = createPlan(protocol, [machine], (_planned, statement) => observed.push(statement));
  const observeWhile = <T extends object>(check: () => T): T & Observed => {
    observed = [];
    return { ...check(), observed };
  };
  const reads = findReads(machine, maxSequence);
  const readsEnd = plan.checkers.some(({ compiled }) => compiled.end);
  const states = new Map<string, ComponentState>();
  let stateCount = 0;
  const intern = (checker: StreamChecker, nextNumbers: ReadonlyMap<string, number>): ComponentState => {
    const key = JSON.stringify(describeStreams(checker.listStreams(), reads, describe, nextNumbers));
    const isUnbounded = key.includes(UNBOUNDED);
    const known = isUnbounded ? undefined : states.get(key);
    if (known !== undefined) return known;
    let ended: ReturnType<ComponentState["end"]> | undefined = readsEnd ? undefined : NO_END;
    const end: ComponentState["end"] = () => {
      ended ??= observeWhile(() => ({ rule: findError(checker.fork().end()) }));
      return ended;
    };
    const state = { id: stateCount++, isUnbounded, checker, nextNumbers, steps: new Map(), end };
    states.set(key, state);
    return state;
  };
  const takeStep = (previous: ComponentState, eventSample: EventSample): ComponentStep => {
    const placed = placeSample(sides.small, eventSample, previous.nextNumbers);
    if (placed === undefined) return { observed: [], next: undefined };
    const { event, delivery } = placed.event;
    const checker = previous.checker.fork();
    budget.remainingTries -= CHECK_COST;
    const nextNumbers =
      delivery.sequence === undefined
        ? previous.nextNumbers
        : new Map(previous.nextNumbers).set(eventSample.stream, placed.next);
    return observeWhile(() => {
      const rule = findError(checker.check(event, delivery, 0));
      return { next: rule ?? intern(checker, nextNumbers) };
    });
  };
  return {
    initial: intern(createStreamChecker(protocol, { profile, plan }), new Map()),
    step(state, eventSample) {
      const known = state.steps.get(eventSample);
      if (known !== undefined) return known;
      const step = takeStep(state, eventSample);
      state.steps.set(eventSample, step);
      return step;
    },
  };
}

/** What a machine reads of its streams, besides the events. */
interface StreamReads {
  readonly epochs: boolean;
  readonly end: boolean;
  readonly maxSequence: number | undefined;
}

function findReads({ machine }: PlannedMachine, maxSequence: StreamReads["maxSequence"]): StreamReads {
  return { maxSequence, epochs: usesEpochs(machine), end: usesEnd(machine) };
}

/** Describes the streams of a checker with one machine. */
function describeStreams(
  streams: readonly Stream[],
  { epochs, end, maxSequence }: StreamReads,
  describe: DescribeState,
  nextNumbers: ReadonlyMap<string, number>,
): Json {
  const sorted = [...streams].sort((a, b) => (a.key < b.key ? -1 : 1));
  return sorted.flatMap((stream): Json[] => {
    const context = { epoch: stream.epoch, next: nextNumbers.get(stream.key) ?? 0 };
    const [state] = stream.slots;
    const memory = state === undefined ? null : describe(state as MachineState, context);
    // If the machine does not read them, it does not matter whether events may be missing, whether the stream has ended, and
    // which number comes next.
    const next = maxSequence === undefined ? null : Math.min(context.next, maxSequence + MAX_DISTANCE + 1);
    const isFresh = !epochs && !end && next === null && memory === null;
    return isFresh
      ? []
      : [[stream.key, epochs && isSeenFromStart(stream), end && stream.hasEnded, next, memory]];
  });
}

/** Returns the rule of the first error. */
export function findError(findings: readonly StreamFinding[]): string | undefined {
  return findings.find(({ severity }) => severity === "error")?.rule;
}
