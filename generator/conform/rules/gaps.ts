/** Rules about missing sequence numbers and the gap markers that explain them. A marker may follow its gap at any distance. */

import type { GapMarker } from "../../protocol/stream-rules.js";
import { eventType, payloadField } from "../declaration.js";
import * as m from "../machine/build.js";
import type { Machine, MessagePart, Statement, Value } from "../machine/language.js";
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

/** Creates a machine for writers. Readers rely only on increasing numbers, not on numbers without gaps. */
function createGapMachine(first: number | undefined, markers: readonly RangeMarker[]): Machine {
  const [before, low, high] = [gapSide("after"), m.cell("gap", "first"), m.cell("gap", "last")];
  const from = m.choose(
    [m.present(before), m.set("gap", { first: m.add(before, m.literal(1)) })],
    [true, m.set("gap", { first: m.literal(first ?? 0), isStart: m.TRUE })],
  );
  const last = m.subtract(gapSide("before"), m.literal(1));
  const missingFrom = m.firstOf(m.add(before, m.literal(1)), m.literal(first ?? 0));
  const announced: Value = { op: "covered", row: "stream", cell: "announced", first: missingFrom, last };
  const isComplete = m.any(
    m.all(
      m.absent(gapSide("before")),
      first === undefined ? m.absent(m.SEQUENCE) : m.equal(m.SEQUENCE, m.literal(first)),
    ),
    m.all(m.present(gapSide("before")), m.absent(before)),
  );
  const findStream = (...body: Statement[]): Statement => m.find("stream", "streams", [], ...body);
  return m.createMachine(
    {
      streams: m.table(0, { isComplete: "value", missing: "ranges", announced: "ranges" }),
      gaps: m.table(
        1,
        { first: "number", last: "number", isStart: "flag", index: "index", event: "event", after: "value" },
        { limit: MAX_GAPS },
      ),
    },
    [
      m.on(
        "every",
        findStream(
          m.when(
            m.absent(m.cell("stream", "isComplete")),
            ...m.choose(
              [isComplete, m.set("stream", { isComplete: m.TRUE })],
              [true, m.set("stream", { isComplete: m.literal(false) })],
            ),
          ),
          m.when(
            m.present(gapSide("before")),
            { op: "cover", row: "stream", cell: "missing", first: missingFrom, last },
            m.when(
              m.less(announced, m.subtract(gapSide("before"), missingFrom)),
              m.find(
                "gap",
                "gaps",
                [gapSide("before")],
                m.set("gap", { last, index: m.INDEX, event: m.EVENT, after: before }),
                ...from,
              ),
            ),
          ),
        ),
      ),
      // The number of a refused event is not missing.
      m.on(
        "refused",
        findStream(
          // Creates the row if the stream has had no other event.
          m.set("stream", {}),
          { op: "cover", row: "stream", cell: "announced", first: m.SEQUENCE, last: m.SEQUENCE },
        ),
      ),
      ...markers.map((marker) => m.on([marker.type], findStream(checkMarker(marker)))),
      m.on("end", findStream(m.eachRow("gap", "gaps", reportMissingNumbers(low, high)))),
    ],
  );
}

/** The greatest number of gaps that are remembered of a stream. */
const MAX_GAPS = 1000;

function gapSide(side: "after" | "before"): Value {
  return { op: "gap", side };
}

/** Remembers the numbers that a marker names, and reports those that are present. */
function checkMarker({ type: _, first, last }: RangeMarker): Statement {
  const [low, high] = [m.payload(first), m.payload(last)];
  const end: Value = {
    op: "minimum",
    of: [high, m.subtract(m.firstOf(m.SEQUENCE, m.add(high, m.literal(1))), m.literal(1))],
  };
  const missing: Value = { op: "covered", row: "stream", cell: "missing", first: low, last: end };
  const present = m.subtract(m.add(m.subtract(end, low), m.literal(1)), missing);
  const reportOverlap = (verb: string): Statement =>
    m.report(
      markerOverlap,
      m.message`${m.NAME} reports ${m.plain(low)} to ${m.plain(high)} as missing, but ${m.count(present, "event")} of them ${verb} present.`,
      m.inPayload(first),
    );
  return m.when(
    m.atMost(low, high),
    { op: "cover", row: "stream", cell: "announced", first: low, last: high },
    m.when(
      m.all(m.equal(m.cell("stream", "isComplete"), m.TRUE), m.less(m.literal(0), present)),
      ...m.choose([m.equal(present, m.literal(1)), reportOverlap("is")], [true, reportOverlap("are")]),
    ),
  );
}

/** Reports the numbers of a gap that no marker names. */
function reportMissingNumbers(first: Value, last: Value): Statement {
  const event = m.plain(m.cell("gap", "event"));
  const reportMissing = (kind: StreamFindingKind, start: readonly MessagePart[]): Statement[] =>
    m.choose(
      [
        m.equal(m.item("from"), m.item("to")),
        m.report(
          kind,
          [...start, ...m.message`: ${m.plain(m.item("from"))} is missing.`],
          undefined,
          m.cell("gap", "index"),
        ),
      ],
      [
        true,
        m.report(
          kind,
          [...start, ...m.message`: ${m.plain(m.item("from"))} to ${m.plain(m.item("to"))} are missing.`],
          undefined,
          m.cell("gap", "index"),
        ),
      ],
    );
  return {
    op: "uncovered",
    first,
    last,
    row: "stream",
    cell: "announced",
    item: "from",
    end: "to",
    do: m.choose(
      [
        m.present(m.cell("gap", "isStart")),
        reportMissing(sequenceStart, m.message`${event} is the first event`),
      ],
      [true, reportMissing(sequenceGap, m.message`${event} comes after #${m.plain(m.cell("gap", "after"))}`)],
    ),
  };
}

/** Creates a machine that checks the ranges which markers name. A marker may stand directly before its gap. */
function createMarkerMachine({ type, first, last }: RangeMarker): Machine {
  const [low, high] = [m.payload(first), m.payload(last)];
  const reports = m.message`${m.NAME} reports ${m.plain(low)} to ${m.plain(high)} as missing, but `;
  return m.createMachine({}, [
    m.on(
      [type],
      m.when(
        m.all(m.is("number", low), m.is("number", high)),
        ...m.choose(
          [
            m.less(high, low),
            m.report(
              markerWrong,
              [...reports, ...m.message`${m.plain(low)} is greater than ${m.plain(high)}.`],
              m.inPayload(first),
            ),
          ],
          [
            m.all(m.atMost(low, m.SEQUENCE), m.atMost(m.SEQUENCE, high)),
            m.report(
              markerWrong,
              [...reports, ...m.message`${m.plain(m.SEQUENCE)} is its own number.`],
              m.inPayload(last),
            ),
          ],
          [
            m.less(m.add(m.SEQUENCE, m.literal(1)), low),
            m.report(
              markerWrong,
              [
                ...reports,
                ...m.message`no event has had these numbers: its own number is ${m.plain(m.SEQUENCE)}.`,
              ],
              m.inPayload(first),
            ),
          ],
        ),
      ),
    ),
  ]);
}
