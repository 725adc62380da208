import type { Exclusive } from "../../protocol/stream-rules.js";
import { asSet, isCurrent } from "../comparable.js";
import { named } from "../step-text.js";
import { defineStreamRule, type RuleFile, type Watch } from "../stream-rule.js";

const exclusiveMixed = defineStreamRule({
  id: "exclusive-mixed",
  summary: "two event types come together of which only one may",
  explanation:
    "Text comes either in chunks or as whole blocks: a reader that shows both shows it twice. The choice is made anew for each turn.",
  hint: "Choose one form for the turn; a stream of chunks needs no whole block at the end.",
  severity: { reader: "error", writer: "error" },
  declaredBy: "exclusives",
});

interface Stretch {
  type: string | undefined;
  epoch: number;
  event: string;
}

/** Event types of which a stretch of a stream has one alone. */
export const exclusiveRules: RuleFile = {
  rules: [exclusiveMixed],
  declares: { exclusives: ({ types = [] }) => types },
  watch: ({ stream }) => (stream?.rules?.exclusives ?? []).map(watch),
};

function watch({ types, reset, profile }: Exclusive): Watch<Stretch> {
  return {
    rules: [exclusiveMixed],
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
