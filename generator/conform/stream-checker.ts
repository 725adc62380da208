/**
 * Runs the stream rules over events in the order of their arrival. What an event costs when nothing is wrong: one look
 * at its stream, one at its type, and the checks that its type has; nothing is allocated for types that no rule is about.
 */
import type { Severity } from "../finding.js";
import { type Json, type JsonObject, join } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import type { Profile } from "../schema/readings.js";
import type { Delivery, First, Placement } from "../stream/delivery.js";
import { type Check, type Plan, planChecks } from "./check-plan.js";
import { wholeState } from "./comparable.js";
import { blankStream, type OpenStreams, openStreams, type Stream } from "./open-streams.js";
import {
  eventConflict,
  eventRepeated,
  limitReached,
  sequenceLate,
  sequenceUncertain,
} from "./rules/delivery.js";
import { named } from "./step.js";
import { type Step, type StreamFindingKind, seenFromStart } from "./stream-rule.js";
import { sizeOf, sumOf, type Texts } from "./text-measure.js";

/** Where the reader of `accrete/stream` put an event that it accepted. */
type PlacedEvent = Placement | Exclude<Delivery<unknown, unknown>, { kind: "invalid" }>;

/** One finding about a stream, before it has a place in a file. */
export interface StreamFinding {
  readonly rule: string;
  readonly severity: Severity;
  /** One sentence, plain text. May quote text from events. */
  readonly message: string;
  readonly hint: string;
  /** JSON pointer into the event at `mark`. */
  readonly pointer: string;
  /** The number that the event was given when it was checked. */
  readonly mark: number;
}

/** How streams are checked. */
interface CheckOptions {
  readonly profile: Profile;
  /** How many streams that have ended are remembered, in case something still comes for them. 1,000 by default. */
  readonly finished?: number;
  /** What to run instead of all rules of the profile. */
  readonly plan?: Plan;
}

/** Judges the streams of one protocol. Never throws on an event that the protocol accepts. */
export interface StreamChecker {
  /** Takes an accepted event and its place; `mark` is the caller's number for it. While nothing is wrong the list is always the same empty one. */
  check(event: object, placed: PlacedEvent, mark: number): readonly StreamFinding[];
  /** The same for an event whose type is known, and whose texts `texts` may tell. */
  checkTyped(
    type: string,
    event: object,
    placed: PlacedEvent,
    mark: number,
    texts?: Texts,
  ): readonly StreamFinding[];
  /** Something came that was no event of the protocol: that stream has a hole there, or every one may have if it is not known which. */
  lost(stream?: string): void;
  /** Forgets the streams that had ended when this was called before, says which, and what was wrong with them: the caller decides how long they are remembered. */
  age(): { readonly streams: readonly string[]; readonly findings: readonly StreamFinding[] };
  /** The input is over, and with it every stream. */
  end(): readonly StreamFinding[];
  /**
   * What the rules remember, without texts and numbers of events: checkers with equal snapshots judge the same from here
   * on. `next` tells the number that a stream has next. Undefined beyond what a comparison of contracts follows.
   */
  snapshot(next: (stream: string) => number): Json | undefined;
}

/** A checker for the streams of `protocol`. */
export function streamChecker(
  protocol: Protocol,
  { profile, finished = 1000, plan = planChecks(protocol, profile) }: CheckOptions,
): StreamChecker {
  const { checkers } = plan;
  const closing = checkers.flatMap((checker, slot) => (checker.end ? [{ slot, checker }] : []));
  const report = reports(profile);
  const streams = openStreams(protocol.stream ?? {}, { slots: checkers.length, finished }, (stream) => {
    for (const { slot, checker } of closing)
      if (stream.slots[slot] !== undefined) checker.end?.(stream.slots[slot], { stream, report: report.add });
  });
  const accept = acceptor(protocol, plan, streams, makeStep(report.add));
  const { discriminator } = protocol.envelope;
  const checkTyped: StreamChecker["checkTyped"] = (type, event, placed, mark, texts) => {
    if (placed.kind === "late" || placed.kind === "conflict" || placed.kind === "duplicate")
      reportPlace(protocol, event as JsonObject, placed, mark, report.add);
    else {
      const crowd = placed.evicted === undefined ? 0 : streams.evict(placed.evicted);
      if (crowd > 0)
        report.add(limitReached, mark, "", `Too many streams are open: ${crowd} of them were given up.`);
      accept(type, event as JsonObject, placed, mark, texts);
    }
    return report.taken();
  };
  return {
    check: (event, placed, mark) =>
      checkTyped((event as JsonObject)[discriminator] as string, event, placed, mark),
    checkTyped,
    lost: (stream) => streams.markGap(stream),
    age: () => ({ streams: streams.age(), findings: report.taken() }),
    end() {
      streams.clear();
      return report.taken();
    },
    snapshot: (next) => takeSnapshot(plan, streams.all(), next),
  };
}

function takeSnapshot(
  { checkers }: Plan,
  streams: readonly Stream[],
  next: (stream: string) => number,
): Json | undefined {
  const sorted = [...streams].sort((a, b) => (a.key < b.key ? -1 : 1));
  const found: Json[] = [];
  for (const stream of sorted) {
    const context = { stream, next: next(stream.key) };
    const states: Json[] = [];
    for (const [slot, { comparable }] of checkers.entries()) {
      const state = stream.slots[slot];
      const taken =
        state === undefined ? "none" : comparable ? comparable.snapshot(state, context) : wholeState(state);
      if (taken === undefined) return undefined;
      states.push(taken);
    }
    found.push([stream.key, seenFromStart(stream), stream.ended, states]);
  }
  return found;
}

type Accept = (
  type: string,
  event: JsonObject,
  placed: First,
  mark: number,
  texts: Texts | undefined,
) => void;

/** What is done with an event that comes for the first time and in order. */
function acceptor(
  protocol: Protocol,
  { types, other, rest }: Plan,
  streams: OpenStreams,
  step: OneStep,
): Accept {
  const numbered = protocol.stream?.sequence !== undefined;
  let lastType = "";
  let plan = other;
  return (type, event, { stream: key, sequence, gap }, mark, texts) => {
    if (type !== lastType) {
      lastType = type;
      plan = types.get(type) ?? other;
    }
    const stream = streams.find(key, sequence);
    stream.mark = mark;
    if (streams.hasGapSinceLastEvent(stream) || gap !== undefined || plan.gap) stream.epoch++;
    if (plan.opens) {
      // Without numbers, an opening event shows that nothing is missing from here on.
      if (!numbered) stream.known = stream.epoch;
      streams.reopen(stream);
    }
    const late = stream.ended && rest.length > 0;
    if (late || plan.checks.length > 0) {
      take(step, event, type, sequence, stream, plan.payload);
      step.gap = gap;
      step.texts = texts;
      if (late) run(rest, step);
      run(plan.checks, step);
    }
    stream.events++;
    if (plan.ends) streams.finish(stream);
  };
}

const NONE: readonly StreamFinding[] = [];

/** Collects findings, but those of rules that the profile does not know. */
function reports(profile: Profile) {
  let found: StreamFinding[] | undefined;
  return {
    add(kind: StreamFindingKind, mark: number, pointer: string, message: string): void {
      const severity = kind.severity[profile];
      if (severity === "off") return;
      found ??= [];
      found.push({ rule: kind.id, severity, message, hint: kind.hint, pointer, mark });
    },
    taken(): readonly StreamFinding[] {
      const findings = found ?? NONE;
      found = undefined;
      return findings;
    },
  };
}

type Add = (kind: StreamFindingKind, mark: number, pointer: string, message: string) => void;

type OneStep = { -readonly [field in keyof Step]: Step[field] } & {
  stream: Stream;
  property: string;
  texts: Texts | undefined;
  /** What checkers remember of all streams together, by their index. */
  readonly shared: unknown[];
};

/** The one step that all events share. */
function makeStep(add: Add): OneStep {
  const step: OneStep = {
    event: {},
    payload: {},
    type: "",
    sequence: undefined,
    gap: undefined,
    stream: blankStream(),
    property: "",
    texts: undefined,
    shared: [],
    sum: (field) => step.texts?.measure(field) ?? sumOf(step.payload[field]),
    size: (field) => step.texts?.measure(field) ?? sizeOf(step.payload[field]),
    at: (field) => (step.property === "" ? join("", field) : join("", step.property, field)),
    report: (kind, pointer, message) => add(kind, step.stream.mark, pointer, message),
    limited(what) {
      if (!step.stream.limited) add(limitReached, step.stream.mark, "", `The stream has ${what}.`);
      step.stream.limited = true;
    },
  };
  return step;
}

function take(
  step: OneStep,
  event: JsonObject,
  type: string,
  sequence: number | undefined,
  stream: Stream,
  property: string | undefined,
): void {
  step.event = event;
  step.payload = (property === undefined ? event : event[property]) as JsonObject;
  step.property = property ?? "";
  step.type = type;
  step.sequence = sequence;
  step.stream = stream;
}

function run(checks: readonly Check[], step: OneStep): void {
  const { slots } = step.stream;
  for (let index = 0; index < checks.length; index++) {
    const { slot, checker, handler } = checks[index] as Check;
    let state = slots[slot];
    if (state === undefined) {
      state = (checker.shared ? step.shared[slot] : undefined) ?? checker.start();
      if (checker.shared) step.shared[slot] = state;
      slots[slot] = state;
    }
    handler.check(state, step);
  }
}

function reportPlace(
  { envelope, stream }: Protocol,
  event: JsonObject,
  placed: Extract<PlacedEvent, { kind: "late" | "conflict" | "duplicate" }>,
  mark: number,
  add: Add,
): void {
  const what = named({ type: String(event[envelope.discriminator]), sequence: placed.sequence });
  const [id, number] = [join("", stream?.id ?? ""), join("", stream?.sequence ?? "")];
  if (placed.kind === "duplicate")
    add(eventRepeated, mark, id, `${what} was delivered before, with the same content.`);
  else if (placed.kind === "conflict")
    add(eventConflict, mark, id, `${what} has the id of an event with other content.`);
  else if (placed.forgotten) {
    const doubt = "whether it is a redelivery cannot be told any more";
    add(sequenceUncertain, mark, number, `${what} comes after #${placed.cursor}; ${doubt}.`);
  } else add(sequenceLate, mark, number, `${what} comes after #${placed.cursor}.`);
}
