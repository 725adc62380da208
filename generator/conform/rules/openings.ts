import type { Opening, StreamRules } from "../../protocol/stream-rules.js";
import { formatCount } from "../../text.js";
import { sortUnique } from "../comparable.js";
import { eventType, eventTypes } from "../declaration.js";
import { nameEvent } from "../step.js";
import { defineFinding, defineStreamRule, type RuleChecker } from "../stream-rule.js";

const openingLate = defineFinding({
  id: "opening-late",
  summary: "an event that opens its stream comes after other events",
  explanation:
    "Readers set up a stream when they receive its opening event; they showed the earlier events without it. Streams whose beginning was missed and gap markers before the opening event are accepted.",
  hint: "Send the event first, or directly after those that may precede it.",
  severity: { reader: "error", writer: "error" },
});

/** The events of a stream so far. */
interface PrecedingEvents {
  /** The number of events that may precede the opening event. */
  allowedCount: number;
}

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
  createCheckers: (declared, { stream }) => createOpeningChecker(declared, stream?.rules ?? {}),
  generation: { listReservedTypes: ({ type }) => [type] },
});

function createOpeningChecker(
  { type, after = [] }: Opening,
  { gaps = [] }: StreamRules,
): RuleChecker<PrecedingEvents> {
  const allowedTypes = new Set([...after, ...gaps.map((gap) => gap.type)]);
  return {
    start: () => ({ allowedCount: 0 }),
    handlers: [
      {
        types: [type],
        check({ allowedCount }, step) {
          const others = step.stream.events - allowedCount;
          if (others > 0)
            step.report(
              openingLate,
              `${nameEvent(step)} comes after ${formatCount(others, "other event")} of its stream.`,
            );
        },
      },
      {
        types: [...allowedTypes],
        check(preceding) {
          preceding.allowedCount++;
        },
      },
    ],
    comparable: {
      dependsOn: ["openings", type, sortUnique([...allowedTypes])],
      refuses: [type],
      remembersOtherType: (other) => !allowedTypes.has(other),
      reads: [],
      snapshot: ({ allowedCount }, { stream }) => stream.events > allowedCount,
    },
  };
}
