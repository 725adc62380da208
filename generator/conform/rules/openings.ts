import type { Opening, StreamRules } from "../../protocol/stream-rules.js";
import { eventType, eventTypes } from "../declaration.js";
import * as m from "../machine/build.js";
import type { Machine, Statement } from "../machine/language.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const openingLate = defineFinding({
  id: "opening-late",
  summary: "an event that opens its stream comes after other events",
  explanation:
    "Readers set up a stream when they receive its opening event; they showed the earlier events without it. Streams whose beginning was missed and gap markers before the opening event are accepted.",
  hint: "Send the event first, or directly after those that may precede it.",
  severity: { reader: "error", writer: "error" },
});

/** Event types that come first in their stream. */
export const openings = defineStreamRule({
  member: "openings",
  declaration: {
    description: "Event types that come first in their stream.",
    required: ["type"],
    properties: {
      type: eventType("The event type that comes first."),
      after: eventTypes("Event types that may come before it."),
    },
  },
  example: [{ type: "session_started", profile: "writer" }],
  findings: [openingLate],
  describe: ({ type, after = [] }, { anyEvent, event }) =>
    `${event(type)} comes first in its stream${after.length > 0 ? `; only ${anyEvent(after)} may precede it` : ""}.`,
  comparison: { identify: ({ type }) => type },
  createMachines: (declared, { stream }) => createOpeningMachine(declared, stream?.rules ?? {}),
});

function createOpeningMachine({ type, after = [] }: Opening, { gaps = [] }: StreamRules): Machine {
  const others = m.cell("stream", "others");
  const allowedTypes = [...new Set([...after, ...gaps.map((gap) => gap.type)])].sort();
  const findStream = (...body: Statement[]): Statement => m.find("stream", "streams", [], ...body);
  return m.createMachine({ streams: m.table(0, { others: "number" }) }, [
    m.on(
      [type],
      findStream(
        m.when(
          m.present(others),
          m.report(
            openingLate,
            m.message`${m.NAME} comes after ${m.count(others, "other event")} of its stream.`,
          ),
        ),
      ),
    ),
    m.on(
      "every",
      m.when(
        m.not(m.isIn(m.TYPE, allowedTypes)),
        findStream(m.set("stream", { others: m.add(m.firstOf(others, m.literal(0)), m.literal(1)) })),
      ),
    ),
  ]);
}
