/** Rules about missing sequence numbers and the gap markers that explain them. A marker may follow its gap at any distance. */

import type { GapMarker } from "../../protocol/stream-rules.js";
import { formatCount } from "../../text.js";
import { type CheckerDescription, createFieldUses } from "../comparable.js";
import { eventType, payloadField } from "../declaration.js";
import { nameEvent } from "../step.js";
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
  explanation:
    "The range ends before it begins, contains the number of the marker itself, or begins more than one number above the marker, where no event can have been sent yet.",
  hint: "Name the first and the last missing number, in this order.",
  severity: { reader: "error", writer: "error" },
});

const markerOverlap = defineFinding({
  id: "gap-marker-overlap",
  summary: "a gap marker names sequence numbers that are present",
  explanation:
    "Events may be pruned after they were delivered, so readers accept this. A recording that contains these events contradicts its own marker.",
  hint: "Name only the numbers that are missing from the stream.",
  severity: { reader: "off", writer: "warning" },
});

/** A range of missing numbers. */
interface MissingRange {
  readonly first: number;
  readonly last: number;
  readonly index: number;
  readonly explained: boolean;
  /** The first part of the message: the event after the range, and where it stands. */
  readonly messageStart: string;
  readonly kind: StreamFindingKind;
}

/** The gaps and markers of one stream so far. */
interface GapState {
  missing: MissingRange[];
  /** The ranges of markers, which may also explain gaps that come later. */
  readonly announced: { readonly low: number; readonly high: number }[];
  /** True if `missing` has all gaps since the first number; undefined before the first event. */
  complete: boolean | undefined;
}

const GAP_CHECKER = "gaps";
const MARKER_CHECKER = "markers";

/** The names of the two checkers of gaps, with which their descriptions begin. A comparison sends events with gaps if it looks at one of them. */
export const GAP_CHECKERS: readonly string[] = [GAP_CHECKER, MARKER_CHECKER];

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
  describe: ({ type, first, last }, { event, code }) =>
    `${event(type)} reports that events are missing${first === undefined || last === undefined ? "" : `: those with the numbers ${code(first)} to ${code(last)}`}.`,
  comparison: { identify: ({ type }) => type },
  createJointCheckers: (declared, { stream }) =>
    stream?.sequence === undefined ? [] : [createGapChecker(stream.first, selectRangeMarkers(declared))],
  createCheckers: (declared, { stream }) =>
    stream?.sequence === undefined ? [] : selectRangeMarkers([declared]).map(createMarkerChecker),
  generation: {
    listReservedTypes: ({ type }) => [type],
    createScenario: ({ type, first, last }) => ({
      name: `gap ${type}`,
      types: [type],
      propose: ({ size }) =>
        first === undefined || last === undefined
          ? [{ type, fixedFields: {} }]
          : [{ type, fixedFields: {}, skip: size + 1, gap: { first, last } }],
    }),
  },
});

/** The greatest number of gaps, and of markers, that are remembered of a stream. */
const MAX_RANGES = 1000;

/** Creates a checker for writers. Readers rely only on increasing numbers, not on numbers without gaps. */
function createGapChecker(first: number | undefined, markers: readonly RangeMarker[]): RuleChecker<GapState> {
  return {
    findings: [sequenceGap, sequenceStart, markerOverlap],
    start: () => ({ missing: [], announced: [], complete: undefined }),
    handlers: [
      { types: "every", check: (state, step) => recordGap(state, step, first) },
      ...markers.map((range) => ({
        types: [range.type],
        check: (state: GapState, step: Step) => checkMarker(state, step, range),
      })),
    ],
    end({ missing }, { report }) {
      for (const { kind, first: from, last, index, explained, messageStart } of missing)
        if (!explained)
          report(
            kind,
            index,
            `${messageStart}: ${from === last ? `${from} is` : `${from} to ${last} are`} missing.`,
          );
    },
    comparable: describeGapChecker(first, markers),
  };
}

/** A comparison of contracts follows at most this number of gaps and markers, and only within twice this distance of the next event. */
const MAX_COMPARED_RANGES = 2;

function describeGapChecker(
  first: number | undefined,
  markers: readonly RangeMarker[],
): CheckerDescription<GapState> {
  const types = markers.map(({ type }) => type);
  return {
    dependsOn: [GAP_CHECKER, first ?? null, markers.map((range) => [range.type, range.first, range.last])],
    remembers: types,
    allows: types,
    reads: markers.flatMap(createRangeUses),
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

function createRangeUses({ type, first, last }: RangeMarker) {
  return [
    ...createFieldUses([type], first, { kind: "number" }),
    ...createFieldUses([type], last, { kind: "number" }),
  ];
}

function recordGap(state: GapState, step: Step, first: number | undefined): void {
  const { sequence, gap } = step;
  state.complete ??= gap === undefined ? sequence === first : gap.after === undefined;
  if (gap === undefined) return;
  if (state.missing.length >= MAX_RANGES) {
    step.reportLimit(`more than ${MAX_RANGES} gaps`);
    state.missing.shift();
    state.complete = false;
  }
  const { after, before } = gap;
  state.missing.push({
    first: after === undefined ? (first ?? 0) : after + 1,
    last: before - 1,
    index: step.stream.index,
    explained: false,
    messageStart: `${nameEvent(step)} ${after === undefined ? "is the first event" : `comes after #${after}`}`,
    kind: after === undefined ? sequenceStart : sequenceGap,
  });
  for (const { low, high } of state.announced) explainGaps(state, low, high, high);
}

function checkMarker(state: GapState, step: Step, { first, last }: RangeMarker): void {
  const [low, high] = [step.payload[first], step.payload[last]];
  if (typeof low !== "number" || typeof high !== "number" || low > high) return;
  if (state.announced.length < MAX_RANGES) state.announced.push({ low, high });
  const end = Math.min(high, (step.sequence ?? high + 1) - 1);
  const present = end - low + 1 - explainGaps(state, low, high, end);
  if (present <= 0 || !state.complete) return;
  const message = `${nameEvent(step)} reports ${low} to ${high} as missing, but ${formatCount(present, "event")} of them ${present === 1 ? "is" : "are"} present.`;
  step.report(markerOverlap, message, step.locate(first));
}

/** A marker that names the first and the last missing number. */
type RangeMarker = Required<GapMarker>;

/** Returns the markers that name a range of numbers. */
function selectRangeMarkers(declared: readonly GapMarker[]): RangeMarker[] {
  return declared.flatMap(({ type, first, last }) =>
    first === undefined || last === undefined ? [] : [{ type, first, last }],
  );
}

/** Marks the missing numbers from `low` to `high` as explained. Returns how many of them are at most `end`. */
function explainGaps(state: GapState, low: number, high: number, end: number): number {
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

/** Creates a checker of the ranges that markers name. */
function createMarkerChecker(range: RangeMarker): RuleChecker {
  const { type, first, last } = range;
  const check = (step: Step): void => {
    const low = step.payload[first];
    const high = step.payload[last];
    const ownNumber = step.sequence;
    if (typeof low !== "number" || typeof high !== "number") return;
    const reports = `${nameEvent(step)} reports ${low} to ${high} as missing`;
    if (low > high)
      step.report(markerWrong, `${reports}, but ${low} is greater than ${high}.`, step.locate(first));
    else if (ownNumber !== undefined && low <= ownNumber && ownNumber <= high)
      step.report(markerWrong, `${reports}, but ${ownNumber} is its own number.`, step.locate(last));
    // A marker may stand directly before its gap.
    else if (ownNumber !== undefined && low > ownNumber + 1)
      step.report(
        markerWrong,
        `${reports}, but no event has had these numbers: its own number is ${ownNumber}.`,
        step.locate(first),
      );
  };
  const dependsOn = [MARKER_CHECKER, type, first, last];
  return createEventChecker([type], check, createRangeUses(range), { findings: [markerWrong], dependsOn });
}
