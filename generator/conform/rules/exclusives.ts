import { eventTypes } from "../declaration.js";
import * as m from "../machine/build.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const exclusiveMixed = defineFinding({
  id: "exclusive-mixed",
  summary: "two event types occur together, and only one of them may",
  explanation:
    "Text is sent either in chunks or as whole blocks. A reader that shows both shows the text twice. Different turns may use different forms.",
  hint: "Use one form per turn. A stream of chunks needs no whole block at the end.",
});

/** Event types of which only one is used at a time. */
export const exclusives = defineStreamRule({
  member: "exclusives",
  declaration: {
    description: "Event types of which each section of a stream has only one.",
    required: ["types", "reset"],
    properties: {
      types: eventTypes("The event types."),
      reset: eventTypes("Event types that begin the next section."),
    },
  },
  example: [{ types: ["text", "text_chunk"], reset: ["turn_start", "turn_end", "run_start", "run_resume"] }],
  findings: [exclusiveMixed],
  describe: ({ types, reset }, { anyEvent }) =>
    `A section of a stream has only one of ${anyEvent(types)}. A new section begins at each ${anyEvent(reset)}.`,
  comparison: { identify: ({ types }) => types },
  createMachines({ types, reset }) {
    const sections = m.table("sections", 0, { type: "value", ...m.EVENT_CELLS });
    const section = sections.row("section");
    const { type: first, event } = section.cells;
    const check = m.choose(
      [m.any(m.absent(first), m.not(section.isCurrent)), section.set({ type: m.TYPE, ...m.THIS_EVENT })],
      [
        m.different(first, m.TYPE),
        m.report(exclusiveMixed, m.message`${m.NAME} comes in the same section as ${event}.`),
      ],
    );
    return m.createMachine([sections], m.on(types, section.find(check)), m.on(reset, sections.clear()));
  },
});
