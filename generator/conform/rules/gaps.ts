/**
 * Rules about missing numbers and the markers that explain them. A hole waits for its marker until the stream is over,
 * since a marker may come at the end.
 */

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

interface Hole {
  first: number;
  last: number;
  readonly mark: number;
  readonly explained: boolean;
  /** Text for the message. */
  readonly around: string;
  readonly kind: StreamFindingKind;
}

interface Holes {
  list: Hole[];
  /** Ranges of markers that reach beyond their own number: the holes may still come. */
  readonly announced: { readonly low: number; readonly high: number }[];
  /** Whether all holes since the first number are in the list. */
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

/** How many holes of a stream wait for a marker. */
const MAX_HOLES = 1000;

/** For emitters alone: readers expect nothing of numbers but that they rise. */
function createGapChecker(first: number | undefined, markers: readonly Range[]): RuleChecker<Holes> {
  return {
    findings: [sequenceGap, sequenceStart, markerOverlap],
    start: () => ({ list: [], announced: [], complete: undefined }),
    handlers: [
      { types: "every", check: (holes, step) => takeNumber(holes, step, first) },
      ...markers.map((range) => ({
        types: [range.type],
        check: (holes: Holes, step: Step) => takeMarker(holes, step, range),
      })),
    ],
    end({ list }, { report }) {
      for (const { kind, first: from, last, mark, explained, around } of list)
        if (!explained) report(kind, mark, "", `${around}: ${missing(from, last)}.`);
    },
    comparable: compareHoles(first, markers),
  };
}

/** How many holes and ranges of markers a comparison of contracts follows, and how far they reach. */
const MAX_COMPARED_HOLES = 2;

function compareHoles(first: number | undefined, markers: readonly Range[]): CheckerDescription<Holes> {
  const types = markers.map(({ type }) => type);
  return {
    madeOf: ["holes", first ?? null, markers.map((range) => [range.type, range.first, range.last])],
    remembers: types,
    allows: types,
    reads: markers.flatMap(readRange),
    snapshot({ list, announced }, { next }) {
      const holes = list.filter(({ explained }) => !explained);
      const coming = announced.filter(({ high }) => high >= next);
      const ranges = [
        ...holes.map((hole) => [hole.first - next, hole.last - next]),
        ...coming.map(({ low, high }) => [Math.max(low - next, 0), high - next]),
      ];
      const isFar = ranges.flat().some((place) => Math.abs(place) > 2 * MAX_COMPARED_HOLES);
      if (ranges.length > MAX_COMPARED_HOLES || isFar) return undefined;
      return [ranges.slice(0, holes.length), ranges.slice(holes.length).map(String).sort()];
    },
  };
}

function readRange({ type, first, last }: Range) {
  return [...readField([type], first, { kind: "number" }), ...readField([type], last, { kind: "number" })];
}

function takeNumber(holes: Holes, step: Step, first: number | undefined): void {
  const { sequence, gap } = step;
  holes.complete ??= gap === undefined ? sequence === first : gap.after === undefined;
  if (gap === undefined) return;
  if (holes.list.length >= MAX_HOLES) {
    step.limited(`more than ${MAX_HOLES} holes`);
    holes.list.shift();
    holes.complete = false;
  }
  const start = gap.after === undefined;
  holes.list.push({
    first: gap.after === undefined ? (first ?? 0) : gap.after + 1,
    last: gap.before - 1,
    mark: step.stream.mark,
    explained: false,
    around: `${named(step)} ${start ? "is the first event" : `comes after #${gap.after}`}`,
    kind: start ? sequenceStart : sequenceGap,
  });
  for (const { low, high } of holes.announced) explain(holes, low, high, high);
}

function takeMarker(holes: Holes, step: Step, { first, last }: Range): void {
  const [low, high] = [step.payload[first], step.payload[last]];
  if (typeof low !== "number" || typeof high !== "number" || low > high) return;
  if (holes.announced.length < MAX_HOLES) holes.announced.push({ low, high });
  const end = Math.min(high, (step.sequence ?? high + 1) - 1);
  const there = end - low + 1 - explain(holes, low, high, end);
  if (there <= 0 || !holes.complete) return;
  const says = `${named(step)} says that ${low} to ${high} are gone`;
  const message = `${says}, but ${count(there, "event")} of them ${there === 1 ? "is" : "are"} there.`;
  step.report(markerOverlap, step.at(first), message);
}

/** A marker with a range. */
type Range = Required<GapMarker>;

function ranges(declared: readonly GapMarker[]): Range[] {
  return declared.flatMap(({ type, first, last }) =>
    first === undefined || last === undefined ? [] : [{ type, first, last }],
  );
}

function missing(first: number, last: number): string {
  return first === last ? `${first} is missing` : `${first} to ${last} are missing`;
}

/** Marks the holes in the range as explained. Returns how many of their numbers up to `end` are in it. */
function explain(holes: Holes, low: number, high: number, end: number): number {
  let known = 0;
  holes.list = holes.list.flatMap((hole) => {
    const [from, to] = [Math.max(hole.first, low), Math.min(hole.last, high)];
    if (from > to) return [hole];
    known += Math.max(0, Math.min(to, end) - from + 1);
    return [
      ...(hole.first < from ? [{ ...hole, last: from - 1 }] : []),
      { ...hole, first: from, last: to, explained: true },
      ...(to < hole.last ? [{ ...hole, first: to + 1 }] : []),
    ];
  });
  return known;
}

function createMarkerChecker(range: Range): RuleChecker {
  const { type, first, last } = range;
  const check = (step: Step): void => {
    const [low, high, own] = [step.payload[first], step.payload[last], step.sequence];
    if (typeof low !== "number" || typeof high !== "number") return;
    const says = `${named(step)} says that ${low} to ${high} are gone`;
    if (low > high) step.report(markerWrong, step.at(first), `${says}, which is no range.`);
    else if (own !== undefined && low <= own && own <= high)
      step.report(markerWrong, step.at(last), `${says}, but ${own} is its own number.`);
  };
  const madeOf = ["markers", type, first, last];
  return createEventChecker([type], check, readRange(range), { findings: [markerWrong], madeOf });
}
