/**
 * Runs the stream rules over events in the order of their arrival. An event without findings costs a look-up of its
 * stream, a look-up of its type, and the checks of its type. Nothing is allocated for types without rules.
 */
import type { Severity } from "../finding.js";
import { type JsonObject, joinPointer } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import type { Profile } from "../schema/readings.js";
import type { FirstArrival, Gap, Placement } from "../stream/delivery.js";
import { type Check, type Plan, planChecks } from "./check-plan.js";
import { type CheckerState, copyState, createCheckerState, type SharedMemories } from "./checker-state.js";
import { type MachineState, nameEvent } from "./machine/interpret.js";
import { createOpenStreams, type OpenStreams, type Stream } from "./open-streams.js";
import { requiresNumbers } from "./requires-numbers.js";
import {
  eventConflict,
  eventRepeated,
  limitReached,
  sequenceLate,
  sequenceUncertain,
} from "./rules/delivery.js";
import { sequenceGap, sequenceStart } from "./rules/gaps.js";
import { createStep, type SharedStep } from "./shared-step.js";
import type { StreamFindingKind } from "./stream-rule.js";
import type { TextMeasurer } from "./text-measure.js";

/** A finding about a stream, before its place in a file is known. */
export interface StreamFinding {
  readonly rule: string;
  readonly severity: Severity;
  /** One sentence, plain text. May quote text from events. */
  readonly message: string;
  readonly hint: string;
  /** JSON pointer into the event. */
  readonly pointer: string;
  /** The index of the event that the caller passed to `check`. */
  readonly index: number;
  /** The key of the stream; absent if the finding is about several streams. */
  readonly stream?: string;
  /** The index of a value that was refused where numbers are missing, and may be one of the missing events. */
  readonly refused?: number;
}

/** A value that is not an event, as far as it can be read. */
interface RefusedValue {
  readonly stream?: string | undefined;
  readonly sequence?: number | undefined;
  /** Streams that were forgotten in favour of its stream. */
  readonly evicted?: readonly string[] | undefined;
}

/** The options of a checker. */
interface CheckOptions {
  readonly profile: Profile;
  /** The number of ended streams that are remembered, because more events may arrive for them. 1,000 by default. */
  readonly finished?: number;
  /** The checks to run; all rules of the profile by default. */
  readonly plan?: Plan;
}

/** Checks the streams of one protocol. Never throws on an event that the protocol accepts. */
export interface StreamChecker {
  /** Checks an accepted event. `index` identifies it in findings. Without findings, the list is always the same empty one. */
  check(event: object, placed: Placement, index: number): readonly StreamFinding[];
  /** Checks an event whose type is known. `texts` measures its texts if it was not parsed. */
  checkTyped(
    type: string,
    event: object,
    placed: Placement,
    index: number,
    texts?: TextMeasurer,
  ): readonly StreamFinding[];
  /**
   * Takes note of a value that is not an event. Its number is not missing. What it said is unknown: in its stream, and, without
   * numbers that show gaps, in all streams if its stream is unknown. `index` identifies it in findings.
   */
  refuse(value: RefusedValue, index: number): readonly StreamFinding[];
  /**
   * Forgets the streams that had ended before the previous call, so that the caller decides how long they are remembered.
   * Returns their keys and the findings about them.
   */
  evictEnded(): { readonly streams: readonly string[]; readonly findings: readonly StreamFinding[] };
  /** Ends and forgets a stream. */
  endStream(key: string): readonly StreamFinding[];
  /** Ends the input, and with it every stream. */
  end(): readonly StreamFinding[];
  /** Returns the streams that are remembered, with the memories of the machines in their slots. */
  listStreams(): readonly Stream[];
  /** Returns what the checker remembers. It changes with the next call. */
  getState(): CheckerState;
  /** Returns a checker that continues from the same state. Neither changes the state of the other one. */
  fork(): StreamChecker;
}

/** Creates a checker for the streams of `protocol`, which continues from the state `initial` and changes it. */
export function createStreamChecker(
  protocol: Protocol,
  options: CheckOptions,
  initial: CheckerState = createCheckerState(),
): StreamChecker {
  const { profile, finished = 1000, plan = planChecks(protocol, profile) } = options;
  const { checkers } = plan;
  const closingCheckers = checkers.flatMap(({ compiled: { end } }, slot) => (end ? [{ slot, end }] : []));
  const findings = createFindingCollector(profile);
  const step: SharedStep = createStep(
    (kind, message, pointer, index = step.stream.index) =>
      findings.add(kind, index, message, pointer, step.stream),
    (what) => {
      if (!step.stream.isLimitReported)
        findings.add(limitReached, step.stream.index, `The stream has ${what}.`, "", step.stream);
      step.stream.isLimitReported = true;
    },
  );
  const { memories, forgotten } = initial;
  const close = (stream: Stream): void => {
    step.stream = stream;
    for (const { slot, end } of closingCheckers) {
      const state = stream.slots[slot];
      if (state !== undefined) end(state as MachineState, step);
    }
  };
  const sizes = { slots: checkers.length, finished };
  const streams = createOpenStreams(protocol.stream ?? {}, sizes, close, initial);
  const runChecks = (checks: readonly Check[]): void => checkEvent(checks, step, memories);
  const accept = createAcceptor(protocol, plan, streams, step, runChecks);
  const { discriminator } = protocol.envelope;
  const isNumbered = requiresNumbers(protocol);
  const forget = (keys: readonly string[], index: number): void => {
    const count = streams.evict(keys);
    if (forgotten.count === 0) forgotten.firstIndex = index;
    forgotten.count += count;
  };
  const checkTyped: StreamChecker["checkTyped"] = (type, event, placed, index, texts) => {
    if (placed.kind === "late" || placed.kind === "conflict" || placed.kind === "duplicate")
      reportPlacement(protocol, event as JsonObject, placed, index, findings.add);
    else {
      if (placed.evicted !== undefined) forget(placed.evicted, index);
      accept(type, event as JsonObject, placed, index, texts);
    }
    return findings.take();
  };
  const getState = (): CheckerState => ({ ...initial, streams: streams.list() });
  return {
    check: (event, placed, index) =>
      checkTyped((event as JsonObject)[discriminator] as string, event, placed, index),
    checkTyped,
    refuse({ stream, sequence, evicted }, index) {
      if (evicted !== undefined) forget(evicted, index);
      const isPlaced = stream !== undefined && sequence !== undefined;
      if (isPlaced) {
        Object.assign(step, { event: {}, payload: {}, type: "", sequence, gap: undefined });
        step.stream = streams.find(stream, undefined);
        runChecks(plan.refused);
      }
      streams.refuse({ isGap: isPlaced || !isNumbered, index: isPlaced ? undefined : index }, stream);
      return findings.take();
    },
    endStream(key) {
      streams.end(key);
      return findings.take();
    },
    evictEnded: () => ({ streams: streams.evictEnded(), findings: findings.take() }),
    end() {
      streams.clear();
      const { count, firstIndex } = forgotten;
      if (count > 0)
        findings.add(limitReached, firstIndex, `Too many streams are open: ${count} of them were forgotten.`);
      forgotten.count = 0;
      return findings.take();
    },
    listStreams: () => streams.list(),
    getState,
    fork: () => createStreamChecker(protocol, options, copyState(getState())),
  };
}

type Accept = (
  type: string,
  event: JsonObject,
  placed: FirstArrival,
  index: number,
  texts: TextMeasurer | undefined,
) => void;

/** Returns a function that checks an event that arrives for the first time and in order. */
function createAcceptor(
  protocol: Protocol,
  { types, undeclared, afterTerminal }: Plan,
  streams: OpenStreams,
  step: SharedStep,
  runChecks: (checks: readonly Check[]) => void,
): Accept {
  const isNumbered = protocol.stream?.sequence !== undefined;
  let lastType = "";
  let plan = undeclared;
  const beginEpoch = (stream: Stream, gap: Gap | undefined, index: number): void => {
    const refusal = streams.takeRefusal(stream);
    if (refusal.isGap || gap !== undefined || plan.isGapMarker) stream.epoch++;
    if (gap !== undefined && refusal.index !== undefined) suspectRefused(stream, index, refusal.index);
  };
  return (type, event, { stream: key, sequence, gap }, index, texts) => {
    if (type !== lastType) {
      lastType = type;
      plan = types.get(type) ?? undeclared;
    }
    const stream = streams.find(key, sequence);
    stream.index = index;
    if (streams.hasRefusal(stream) || gap !== undefined || plan.isGapMarker) beginEpoch(stream, gap, index);
    if (plan.isOpening) {
      // Without numbers, an opening event shows that nothing is missing from here on.
      if (!isNumbered) stream.completeEpoch = stream.epoch;
      streams.reopen(stream);
    }
    const isAfterEnd = stream.hasEnded && afterTerminal.length > 0;
    if (isAfterEnd || plan.checks.length > 0) {
      step.event = event;
      step.payload = (plan.payload === undefined ? event : event[plan.payload]) as JsonObject;
      step.carrier = plan.payload;
      step.type = type;
      step.sequence = sequence;
      step.stream = stream;
      step.gap = gap;
      step.texts = texts;
      if (isAfterEnd) runChecks(afterTerminal);
      runChecks(plan.checks);
    }
    stream.events++;
    if (plan.isTerminal) streams.finish(stream);
  };
}

/** The greatest number of suspects that are remembered of a stream. Beyond it, the oldest one is forgotten. */
const MAX_SUSPECTS = 1000;

/** Remembers that a refused value may be one of the events that are missing before an event. */
function suspectRefused(stream: Stream, index: number, refused: number): void {
  stream.suspects ??= new Map();
  stream.suspects.set(index, refused);
  const [oldest] = stream.suspects.keys();
  if (stream.suspects.size > MAX_SUSPECTS && oldest !== undefined) stream.suspects.delete(oldest);
}

const NO_FINDINGS: readonly StreamFinding[] = [];

type Report = (
  kind: StreamFindingKind,
  index: number,
  message: string,
  pointer?: string,
  stream?: Pick<Stream, "key" | "suspects">,
) => void;

/** The findings about missing numbers. */
const NUMBER_FINDINGS: readonly string[] = [sequenceGap.id, sequenceStart.id];

/** Collects findings, except those of rules that are off in the profile. Two declarations that report the same give one finding. */
function createFindingCollector(profile: Profile): {
  readonly add: Report;
  take(): readonly StreamFinding[];
} {
  let collected: StreamFinding[] | undefined;
  return {
    add(kind, index, message, pointer = "", stream) {
      const severity = kind.severity[profile];
      if (severity === "off") return;
      collected ??= [];
      const last = collected.at(-1);
      const isSame = last?.index === index && last.message === message && last.pointer === pointer;
      if (isSame && last.rule === kind.id) return;
      const refused = NUMBER_FINDINGS.includes(kind.id) ? stream?.suspects?.get(index) : undefined;
      collected.push({
        rule: kind.id,
        severity,
        message,
        hint: kind.hint,
        pointer,
        index,
        ...(stream !== undefined && { stream: stream.key }),
        ...(refused !== undefined && { refused }),
      });
    },
    take() {
      const findings = collected ?? NO_FINDINGS;
      collected = undefined;
      return findings;
    },
  };
}

function checkEvent(checks: readonly Check[], step: SharedStep, memories: SharedMemories): void {
  const { slots } = step.stream;
  for (let index = 0; index < checks.length; index++) {
    const { slot, checker, clause } = checks[index] as Check;
    let state = slots[slot] as MachineState | undefined;
    if (state === undefined) {
      const isShared = checker.machine.shared === true;
      state = (isShared ? memories[slot] : undefined) ?? checker.compiled.start();
      if (isShared) memories[slot] = state;
      slots[slot] = state;
    }
    // Most streams have nothing that a clause could be about, for example no block that is in force.
    if (clause.neededTable === undefined || state[clause.neededTable] !== undefined)
      clause.check(state, step);
  }
}

function reportPlacement(
  { envelope, stream }: Protocol,
  event: JsonObject,
  placed: Extract<Placement, { kind: "late" | "conflict" | "duplicate" }>,
  index: number,
  report: Report,
): void {
  const about = { key: placed.stream };
  const name = nameEvent({ type: String(event[envelope.discriminator]), sequence: placed.sequence });
  const [id, number] = [joinPointer("", stream?.id ?? ""), joinPointer("", stream?.sequence ?? "")];
  if (placed.kind === "duplicate")
    report(eventRepeated, index, `${name} was delivered before, with the same content.`, id, about);
  else if (placed.kind === "conflict")
    report(eventConflict, index, `${name} has the id of an event with other content.`, id, about);
  else if (placed.forgotten)
    report(
      sequenceUncertain,
      index,
      `${name} comes after #${placed.cursor}. It may be a redelivery: its id may have been forgotten.`,
      number,
      about,
    );
  else report(sequenceLate, index, `${name} comes after #${placed.cursor}.`, number, about);
}
