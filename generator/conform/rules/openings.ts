import { eventType, eventTypes } from "../declaration.js";
import * as m from "../machine/build.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const openingLate = defineFinding({
  id: "opening-late",
  summary: "an event that opens its stream comes after other events",
  explanation:
    "Readers set up a stream when they receive its opening event; they showed the earlier events without it. Streams whose beginning was missed, gap markers and unknown event types before the opening event are accepted.",
  hint: "Send the event first, or directly after those that may precede it.",
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
  createMachines({ type, after = [] }, { stream: contract, events }) {
    const streams = m.table("streams", 0, { others: "number" });
    const stream = streams.row("stream");
    const { others } = stream.cells;
    const markers = (contract?.rules?.gaps ?? []).map((gap) => gap.type);
    const allowedTypes = new Set([...after, ...markers]);
    // Nothing is known about the event types of a newer writer, so they may come first.
    const otherTypes = events.map((event) => event.type).filter((each) => !allowedTypes.has(each));
    const isLate = m.reportIf(
      m.present(others),
      openingLate,
      m.message`${m.NAME} comes after ${m.count(others, "other event")} of its stream.`,
    );
    const countEvent = stream.set({ others: m.add(m.firstOf(others, m.literal(0)), m.literal(1)) });
    return m.createMachine(
      [streams],
      m.on([type], stream.find(isLate)),
      m.on(otherTypes, stream.find(countEvent)),
    );
  },
});
