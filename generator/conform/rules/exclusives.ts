import type { ExclusiveTypes } from "../../protocol/stream-rules.js";
import { isCurrentEpoch } from "../comparable.js";
import { eventTypes } from "../declaration.js";
import { nameEvent } from "../step.js";
import { defineFinding, defineStreamRule, type RuleChecker } from "../stream-rule.js";

const exclusiveMixed = defineFinding({
  id: "exclusive-mixed",
  summary: "two event types occur together, and only one of them may",
  explanation:
    "Text is sent either in chunks or as whole blocks. A reader that shows both shows the text twice. Different turns may use different forms.",
  hint: "Use one form per turn. A stream of chunks needs no whole block at the end.",
  severity: { reader: "error", writer: "error" },
});

/** The current section of a stream. */
interface Section {
  /** The first of the exclusive types in the section; undefined if there was none yet. */
  type: string | undefined;
  /** The epoch of the first event of that type; -1 if there was none yet. */
  epoch: number;
  /** The name of the first event of that type. */
  event: string;
}

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
  createCheckers: createExclusiveChecker,
});

function createExclusiveChecker({ types, reset }: ExclusiveTypes): RuleChecker<Section> {
  return {
    start: () => ({ type: undefined, epoch: -1, event: "" }),
    handlers: [
      {
        types,
        check(section, step) {
          const { epoch } = step.stream;
          if (section.type === undefined || section.epoch !== epoch)
            Object.assign(section, { type: step.type, epoch, event: nameEvent(step) });
          else if (section.type !== step.type)
            step.report(exclusiveMixed, `${nameEvent(step)} comes in the same section as ${section.event}.`);
        },
      },
      {
        types: reset,
        check(section) {
          section.type = undefined;
        },
      },
    ],
    comparable: {
      usesEpochs: true,
      refuses: types,
      remembers: [...types, ...reset],
      allows: reset,
      comparesTypes: true,
      reads: [],
      snapshot: ({ type, epoch }, context) =>
        type !== undefined && isCurrentEpoch(epoch, context) ? type : null,
    },
  };
}
