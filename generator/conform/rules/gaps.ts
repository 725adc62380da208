/** Rules about missing sequence numbers and the gap markers that explain them. A marker may follow its gap at any distance. */

import type { GapMarker } from "../../protocol/stream-rules.js";
import { eventType, payloadField } from "../declaration.js";
import * as m from "../machine/build.js";
import { defineFinding, defineStreamRule, type StreamFindingKind } from "../stream-rule.js";

export const sequenceGap = defineFinding({
  id: "sequence-gap",
  summary: "sequence numbers are missing, and no gap marker explains it",
  explanation:
    "A writer numbers the events of a stream without gaps. Readers do not rely on it: events may have been pruned or filtered, and some feeds use one counter for all streams. The number of an invalid event is not missing if its stream and its number can be read; otherwise the hint names its line.",
  hint: "Send the missing events, number without gaps, or send the gap marker of the protocol if it has one.",
  severity: { reader: "off", writer: "error" },
  always: true,
});

export const sequenceStart = defineFinding({
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
    "The range ends before it begins, or begins more than one number above the marker, where no event can have been sent yet.",
  hint: "Name the first and the last missing number, in this order.",
});

const markerOverlap = defineFinding({
  id: "gap-marker-overlap",
  summary: "a gap marker names sequence numbers that are present",
  explanation:
    "Events may be pruned after they were delivered, and a marker may take the number of an event that it reports, so readers accept this. A recording that contains these events contradicts its own marker.",
  hint: "Name only the numbers that are missing from the stream.",
  severity: { reader: "off", writer: "warning" },
});

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
  createJointMachines: (declared, { stream }) =>
    stream?.sequence === undefined ? [] : [createGapMachine(stream.first, selectRangeMarkers(declared))],
  createMachines: (declared, { stream }) =>
    stream?.sequence === undefined ? [] : selectRangeMarkers([declared]).map(createMarkerMachine),
});

/** A marker that names the first and the last missing number. */
type RangeMarker = Required<GapMarker>;

/** Returns the markers that name a range of numbers. */
function selectRangeMarkers(declared: readonly GapMarker[]): RangeMarker[] {
  return declared.flatMap(({ type, first, last }) =>
    first === undefined || last === undefined ? [] : [{ type, first, last }],
  );
}

/** The number before the numbers that are missing before the event, and the number after them. */
const BEFORE_GAP: m.Value = { op: "gap", side: "after" };
const AFTER_GAP: m.Value = { op: "gap", side: "before" };
const ONE = m.literal(1);

/** The numbers that are missing, and those that markers name or that refused events have. */
const STREAMS = m.table("streams", 0, { isComplete: "value", missing: "ranges", announced: "ranges" });
const STREAM = STREAMS.row("stream");

/** The greatest number of gaps that are remembered of a stream. */
const MAX_GAPS = 1000;

const GAPS = m.table(
  "gaps",
  1,
  { first: "number", last: "number", isStart: "flag", index: "index", event: "event", after: "value" },
  { limit: MAX_GAPS },
);

type Ranges = "missing" | "announced";

function cover(cell: Ranges, first: m.Value, last: m.Value): m.Statement {
  return { op: "cover", ...STREAM.place(cell), first, last };
}

function countCovered(cell: Ranges, first: m.Value, last: m.Value): m.Value {
  return { op: "covered", ...STREAM.place(cell), first, last };
}

/** Creates a machine for writers. Readers rely only on increasing numbers, not on numbers without gaps. */
function createGapMachine(first: number | undefined, markers: readonly RangeMarker[]): m.Machine {
  const start = m.literal(first ?? 0);
  const last = m.subtract(AFTER_GAP, ONE);
  const missingFrom = m.firstOf(m.add(BEFORE_GAP, ONE), start);
  const isComplete = m.any(
    m.all(
      m.absent(AFTER_GAP),
      first === undefined ? m.absent(m.SEQUENCE) : m.equal(m.SEQUENCE, m.literal(first)),
    ),
    m.all(m.present(AFTER_GAP), m.absent(BEFORE_GAP)),
  );
  const gap = GAPS.row("gap", AFTER_GAP);
  const rememberGap = gap.find(
    gap.set({ last, index: m.INDEX, event: m.EVENT, after: BEFORE_GAP }),
    m.choose(
      [m.present(BEFORE_GAP), gap.set({ first: m.add(BEFORE_GAP, ONE) })],
      [true, gap.set({ first: start, isStart: m.TRUE })],
    ),
  );
  return m.createMachine(
    [STREAMS, GAPS],
    m.on(
      "every",
      STREAM.find(
        m.when(
          m.absent(STREAM.cells.isComplete),
          ...m.choose(
            [isComplete, STREAM.set({ isComplete: m.TRUE })],
            [true, STREAM.set({ isComplete: m.literal(false) })],
          ),
        ),
        m.when(
          m.present(AFTER_GAP),
          cover("missing", missingFrom, last),
          m.when(
            m.less(countCovered("announced", missingFrom, last), m.subtract(AFTER_GAP, missingFrom)),
            rememberGap,
          ),
        ),
      ),
    ),
    // The number of a refused event is not missing. The row is created if the stream has had no other event.
    m.on("refused", STREAM.find(STREAM.set({}), cover("announced", m.SEQUENCE, m.SEQUENCE))),
    ...markers.map((marker) => m.on([marker.type], STREAM.find(checkMarker(marker)))),
    m.on("end", STREAM.find(gap.each(reportMissingNumbers(gap)))),
  );
}

/** Remembers the numbers that a marker names, and reports those that are present. */
function checkMarker({ first, last }: RangeMarker): m.Statement {
  const [low, high] = [m.payload(first), m.payload(last)];
  const end: m.Value = {
    op: "minimum",
    of: [high, m.firstOf(m.SEQUENCE, high)],
  };
  const present = m.subtract(m.add(m.subtract(end, low), ONE), countCovered("missing", low, end));
  const reportOverlap = (verb: string): m.Statement =>
    m.report(
      markerOverlap,
      m.message`${m.NAME} reports ${low} to ${high} as missing, but ${m.count(present, "event")} of them ${verb} present.`,
      first,
    );
  return m.when(
    m.atMost(low, high),
    cover("announced", low, high),
    m.when(
      m.all(m.equal(STREAM.cells.isComplete, m.TRUE), m.less(m.literal(0), present)),
      ...m.choose([m.equal(present, ONE), reportOverlap("is")], [true, reportOverlap("are")]),
    ),
  );
}

/** Reports the numbers of a gap that no marker names. */
function reportMissingNumbers({
  cells: { first, last, isStart, index, event, after },
}: ReturnType<(typeof GAPS)["row"]>): m.Statement {
  const [from, to] = [m.item("from"), m.item("to")];
  const reportMissing = (kind: StreamFindingKind, start: readonly m.MessagePart[]): m.Statement[] =>
    m.choose(
      [m.equal(from, to), m.report(kind, m.message`${start}: ${from} is missing.`, undefined, index)],
      [true, m.report(kind, m.message`${start}: ${from} to ${to} are missing.`, undefined, index)],
    );
  return {
    op: "uncovered",
    first,
    last,
    ...STREAM.place("announced"),
    item: "from",
    end: "to",
    do: m.choose(
      [m.present(isStart), reportMissing(sequenceStart, m.message`${event} is the first event`)],
      [true, reportMissing(sequenceGap, m.message`${event} comes after #${after}`)],
    ),
  };
}

/** Creates a machine that checks the ranges which markers name. A marker may stand directly before its gap. */
function createMarkerMachine({ type, first, last }: RangeMarker): m.Machine {
  const [low, high] = [m.payload(first), m.payload(last)];
  const report = (problem: readonly m.MessagePart[], field: string): m.Statement =>
    m.report(markerWrong, m.message`${m.NAME} reports ${low} to ${high} as missing, but ${problem}`, field);
  return m.createEventMachine(
    [type],
    m.when(
      m.all(m.is("number", low), m.is("number", high)),
      ...m.choose(
        [m.less(high, low), report(m.message`${low} is greater than ${high}.`, first)],
        [
          m.less(m.add(m.SEQUENCE, ONE), low),
          report(m.message`no event has had these numbers: its own number is ${m.SEQUENCE}.`, first),
        ],
      ),
    ),
  );
}
