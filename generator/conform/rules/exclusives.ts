import type { Exclusive } from "../../protocol/stream-rules.js";
import { asSet, isCurrent } from "../comparable.js";
import { namesOf, PROFILE } from "../declaration-schema.js";
import { mentionTypes } from "../mention.js";
import { named } from "../step-text.js";
import { defineFinding, defineStreamRule, type RuleChecker } from "../stream-rule.js";

const exclusiveMixed = defineFinding({
  id: "exclusive-mixed",
  summary: "two event types occur together, and only one of them may",
  explanation:
    "Text is sent either in chunks or as whole blocks. A reader that shows both shows the text twice. Each turn may use another form.",
  hint: "Use one form per turn. A stream of chunks needs no whole block at the end.",
  severity: { reader: "error", writer: "error" },
});

interface Stretch {
  type: string | undefined;
  epoch: number;
  event: string;
}

/** Event types of which only one is used at a time. */
export const exclusives = defineStreamRule({
  member: "exclusives",
  declaration: {
    description: "Event types of which each section of a stream has only one.",
    required: ["types", "reset"],
    properties: {
      types: namesOf("The event types."),
      reset: namesOf("Event types that begin the next section."),
      profile: PROFILE,
    },
  },
  example: [{ types: ["text", "text_chunk"], reset: ["turn_start", "turn_end", "run_start", "run_resume"] }],
  findings: [exclusiveMixed],
  mentions: ({ types, reset }) => [
    ...mentionTypes(types, "types", "*"),
    ...mentionTypes(reset, "reset", "*"),
  ],
  sentence: ({ types, reset }, { anyEvent }) =>
    `A stream has only one of ${anyEvent(types)} until ${anyEvent(reset)} begins its next section.`,
  comparison: { identify: ({ types }) => types },
  createCheckers: (declared) => declared.map(createExclusiveChecker),
});

function createExclusiveChecker({ types, reset, profile }: Exclusive): RuleChecker<Stretch> {
  return {
    findings: [exclusiveMixed],
    profile,
    start: () => ({ type: undefined, epoch: -1, event: "" }),
    handlers: [
      {
        types,
        check(stretch, step) {
          if (stretch.type === step.type && stretch.epoch === step.stream.epoch) return;
          if (stretch.type !== undefined && stretch.epoch === step.stream.epoch) {
            step.report(exclusiveMixed, "", `${named(step)} comes in the same stretch as ${stretch.event}.`);
            return;
          }
          stretch.type = step.type;
          stretch.epoch = step.stream.epoch;
          stretch.event = named(step);
        },
      },
      {
        types: reset,
        check(stretch) {
          stretch.type = undefined;
        },
      },
    ],
    comparable: {
      madeOf: ["exclusives", asSet(types), asSet(reset)],
      usesEpochs: true,
      judges: types,
      remembers: [...types, ...reset],
      allows: reset,
      comparesTypes: true,
      reads: [],
      snapshot: ({ type, epoch }, context) => (type !== undefined && isCurrent(epoch, context) ? type : null),
    },
  };
}
