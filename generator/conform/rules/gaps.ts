/** Rules about missing numbers and the markers that explain them. A marker may come as late as the end of its stream. */

import type { GapMarker } from "../../protocol/stream-rules.js";
import { type CheckerDescription, readField } from "../comparable.js";
import { eventType, payloadField } from "../declaration.js";
import { count, named } from "../step.js";
import {
  createEventChecker,
  defineFinding,
  defineStreamRule,
  type RuleChecker,
  type Step,
  type StreamFindingKind,
} from "../stream-rule.js";

const sequenceGap = defineFinding({
  id: "sequence-gap",
  summary: "sequence numbers are missing, and no gap marker explains it",
  explanation:
    "A writer numbers the events of a stream without gaps. Readers do not rely on it: events may have been pruned or filtered, and some feeds use one counter for all streams.",
  hint: "Send the missing events, number without gaps, or send the gap marker of the protocol if it has one.",
  severity: { reader: "off", writer: "error" },
  always: true,
});

const sequenceStart = defineFinding({
  id: "sequence-start",
  summary: "the stream starts above its first sequence number, and no gap marker explains it",
  explanation:
    "A complete stream starts with the first number of the contract. Readers must accept any other start.",
  hint: "Start with the first number, or send the gap marker of the protocol if it has one.",
  severity: { reader: "off", writer: "error" },
  always: true,
});

const markerWrong = defineFinding({
  id: "gap-marker-wrong",
  summary: "a gap marker names a range that cannot be missing",
  explanation: "The range ends before it begins, or contains the number of the marker itself.",
  hint: "Name the first and the last missing number, in this order.",
  severity: { reader: "error", writer: "error" },
});

const markerOverlap = defineFinding({
  id: "gap-marker-overlap",
  summary: "a gap marker names sequence numbers that are present",
  explanation:
    "Events may be pruned after they were delivered, so readers accept this. An example stream contradicts itself.",
  hint: "Name only the numbers that are missing from the stream.",
  severity: { reader: "off", writer: "warning" },
});

/** A range of missing numbers. */
interface MissingRange {
  readonly first: number;
  readonly last: number;
  readonly index: number;
  readonly explained: boolean;
  /** The beginning of the message. */
  readonly around: string;
  readonly kind: StreamFindingKind;
}

interface Gaps {
  missing: MissingRange[];
  /** The ranges of markers, which may also explain gaps that come later. */
  readonly announced: { readonly low: number; readonly high: number }[];
  /** Whether `missing` has all gaps since the first number. */
  complete: boolean | undefined;
}

/** Gaps in the numbers of a stream, and the markers that explain them. */
export const gaps = defineStreamRule({
  member: "gaps",
  declaration: {
    description: "Events that report missing events of the stream.",
    required: ["type"],
    properties: {
      type: eventType("The event type of the marker."),
      first: payloadField("Its field with the first missing number.", "type"),
      last: payloadField("Its field with the last missing number.", "type"),
    },
    hasProfile: false,
  },
  example: [{ type: "gap.run_disconnected" }],
  findings: [sequenceGap, sequenceStart, markerWrong, markerOverlap],
  sentence: ({ type, first, last }, { event, code }) =>
    `${event(type)} reports that events are missing${first === undefined || last === undefined ? "" : `: those with the numbers ${code(first)} to ${code(last)}`}.`,
  comparison: { identify: ({ type }) => type },
  createJointCheckers: (declared, { stream }) =>
    stream?.sequence === undefined ? [] : [createGapChecker(stream.first, ranges(declared))],
  createCheckers: (declared, { stream }) =>
    stream?.sequence === undefined ? [] : ranges([declared]).map(createMarkerChecker),
  generation: {
    reservedTypes: ({ type }) => [type],
    scenario: ({ type, first, last }) => ({
      name: `gap ${type}`,
      types: [type],
      propose: ({ size }) =>
        first === undefined || last === undefined
          ? [{ type, wanted: {} }]
          : [{ type, wanted: {}, skip: size + 1, gap: { first, last } }],
    }),
  },
});

/** How many gaps and how many markers of a stream are remembered. */
const MAX_RANGES = 1000;

/** Checks writers only: readers rely on nothing but that numbers rise. */
function createGapChecker(first: number | undefined, markers: readonly Range[]): RuleChecker<Gaps> {
  return {
    findings: [sequenceGap, sequenceStart, markerOverlap],
    start: () => ({ missing: [], announced: [], complete: undefined }),
    handlers: [
      { types: "every", check: (state, step) => recordGap(state, step, first) },
      ...markers.map((range) => ({
        types: [range.type],
        check: (state: Gaps, step: Step) => checkMarker(state, step, range),
      })),
    ],
    end({ missing }, { report }) {
      for (const { kind, first: from, last, index, explained, around } of missing)
        if (!explained)
          report(
            kind,
            index,
            `${around}: ${from === last ? `${from} is` : `${from} to ${last} are`} missing.`,
          );
    },
    comparable: compareGaps(first, markers),
  };
}

/** How many gaps and markers a comparison of contracts follows, and how far they reach. */
const MAX_COMPARED_RANGES = 2;

function compareGaps(first: number | undefined, markers: readonly Range[]): CheckerDescription<Gaps> {
  const types = markers.map(({ type }) => type);
  return {
    dependsOn: ["holes", first ?? null, markers.map((range) => [range.type, range.first, range.last])],
    remembers: types,
    allows: types,
    reads: markers.flatMap(readRange),
    snapshot({ missing, announced }, { next }) {
      const open = missing
        .filter(({ explained }) => !explained)
        .map(({ first, last }) => [first - next, last - next]);
      const coming = announced
        .filter(({ high }) => high >= next)
        .map(({ low, high }) => [Math.max(low - next, 0), high - next]);
      const ranges = [...open, ...coming];
      const isFar = ranges.flat().some((distance) => Math.abs(distance) > 2 * MAX_COMPARED_RANGES);
      if (ranges.length > MAX_COMPARED_RANGES || isFar) return undefined;
      return [open, coming.map(String).sort()];
    },
  };
}

function readRange({ type, first, last }: Range) {
  return [...readField([type], first, { kind: "number" }), ...readField([type], last, { kind: "number" })];
}

function recordGap(state: Gaps, step: Step, first: number | undefined): void {
  const { sequence, gap } = step;
  state.complete ??= gap === undefined ? sequence === first : gap.after === undefined;
  if (gap === undefined) return;
  if (state.missing.length >= MAX_RANGES) {
    step.limited(`more than ${MAX_RANGES} gaps`);
    state.missing.shift();
    state.complete = false;
  }
  const { after, before } = gap;
  state.missing.push({
    ...{ first: after === undefined ? (first ?? 0) : after + 1, last: before - 1 },
    ...{ index: step.stream.index, explained: false },
    around: `${named(step)} ${after === undefined ? "is the first event" : `comes after #${after}`}`,
    kind: after === undefined ? sequenceStart : sequenceGap,
  });
  for (const { low, high } of state.announced) explainGaps(state, low, high, high);
}

function checkMarker(state: Gaps, step: Step, { first, last }: Range): void {
  const [low, high] = [step.payload[first], step.payload[last]];
  if (typeof low !== "number" || typeof high !== "number" || low > high) return;
  if (state.announced.length < MAX_RANGES) state.announced.push({ low, high });
  const end = Math.min(high, (step.sequence ?? high + 1) - 1);
  const present = end - low + 1 - explainGaps(state, low, high, end);
  if (present <= 0 || !state.complete) return;
  const message = `${named(step)} reports ${low} to ${high} as missing, but ${count(present, "event")} of them ${present === 1 ? "is" : "are"} present.`;
  step.report(markerOverlap, message, step.at(first));
}

/** A marker with a range. */
type Range = Required<GapMarker>;

function ranges(declared: readonly GapMarker[]): Range[] {
  return declared.flatMap(({ type, first, last }) =>
    first === undefined || last === undefined ? [] : [{ type, first, last }],
  );
}

/** Marks the missing numbers from `low` to `high` as explained. Returns how many of them are at most `end`. */
function explainGaps(state: Gaps, low: number, high: number, end: number): number {
  let explained = 0;
  state.missing = state.missing.flatMap((range) => {
    const [from, to] = [Math.max(range.first, low), Math.min(range.last, high)];
    if (from > to) return [range];
    explained += Math.max(0, Math.min(to, end) - from + 1);
    return [
      ...(range.first < from ? [{ ...range, last: from - 1 }] : []),
      { ...range, first: from, last: to, explained: true },
      ...(to < range.last ? [{ ...range, first: to + 1 }] : []),
    ];
  });
  return explained;
}

function createMarkerChecker(range: Range): RuleChecker {
  const { type, first, last } = range;
  const check = (step: Step): void => {
    const [low, high, own] = [step.payload[first], step.payload[last], step.sequence];
    if (typeof low !== "number" || typeof high !== "number") return;
    const reports = `${named(step)} reports ${low} to ${high} as missing`;
    if (low > high)
      step.report(markerWrong, `${reports}, but ${low} is greater than ${high}.`, step.at(first));
    else if (own !== undefined && low <= own && own <= high)
      step.report(markerWrong, `${reports}, but ${own} is its own number.`, step.at(last));
  };
  const dependsOn = ["markers", type, first, last];
  return createEventChecker([type], check, readRange(range), { findings: [markerWrong], dependsOn });
}
