import type { ExclusiveTypes } from "../../protocol/stream-rules.js";
import { eventTypes } from "../declaration.js";
import * as m from "../machine/build.js";
import type { Machine } from "../machine/language.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const exclusiveMixed = defineFinding({
  id: "exclusive-mixed",
  summary: "two event types occur together, and only one of them may",
  explanation:
    "Text is sent either in chunks or as whole blocks. A reader that shows both shows the text twice. Different turns may use different forms.",
  hint: "Use one form per turn. A stream of chunks needs no whole block at the end.",
  severity: { reader: "error", writer: "error" },
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
  createMachines: createExclusiveMachine,
});

function createExclusiveMachine({ types, reset }: ExclusiveTypes): Machine {
  const first = m.cell("section", "type");
  return m.createMachine({ sections: m.table(0, { type: "value", event: "event", epoch: "epoch" }) }, [
    m.on(
      types,
      m.find(
        "section",
        "sections",
        [],
        m.choose(
          [
            m.any(m.absent(first), m.not(m.isCurrent("section", "epoch"))),
            m.set("section", { type: m.TYPE, event: m.EVENT, epoch: m.EPOCH }),
          ],
          [
            m.different(first, m.TYPE),
            m.report(
              exclusiveMixed,
              m.message`${m.NAME} comes in the same section as ${m.plain(m.cell("section", "event"))}.`,
            ),
          ],
        ),
      ),
    ),
    m.on(reset, m.clear("sections")),
  ]);
}
