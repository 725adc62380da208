import type { Opening, StreamRules } from "../../protocol/stream-rules.js";
import { asSet } from "../comparable.js";
import { count, named } from "../step-text.js";
import { defineStreamRule, type RuleFile, type Watch } from "../stream-rule.js";

const openingLate = defineStreamRule({
  id: "opening-late",
  summary: "an event that opens its stream comes after others",
  explanation:
    "Readers set a stream up by its opening event: what was shown before it was shown without that. A stream of which the beginning was missed is no breach, nor are gap markers before it.",
  hint: "Send the event first, or directly after those that may precede it.",
  severity: { reader: "error", writer: "error" },
  declaredBy: "openings",
});

/** How many events came that may precede the opening one. */
interface Before {
  harmless: number;
}

/** Event types that come first in their stream. */
export const openingRules: RuleFile = {
  rules: [openingLate],
  declares: { openings: ({ type = "" }) => type },
  watch: ({ stream }) =>
    (stream?.rules?.openings ?? []).map((opening) => watch(opening, stream?.rules ?? {})),
};

function watch({ type, after = [], profile }: Opening, { gaps = [] }: StreamRules): Watch<Before> {
  const harmless = new Set([...after, ...gaps.map((gap) => gap.type)]);
  return {
    rules: [openingLate],
    profile,
    start: () => ({ harmless: 0 }),
    handlers: [
      {
        types: [type],
        check(before, step) {
          const others = step.stream.events - before.harmless;
          if (others > 0)
            step.report(
              openingLate,
              "",
              `${named(step)} comes after ${count(others, "other event")} of its stream.`,
            );
        },
      },
      {
        types: [...harmless],
        check(before) {
          before.harmless++;
        },
      },
    ],
    comparable: {
      madeOf: ["openings", type, asSet([...harmless])],
      usesEpochs: false,
      judges: [type],
      remembers: [],
      allows: [],
      remembersToo: (other) => !harmless.has(other),
      reads: [],
      snapshot: (before, { stream }) => stream.events > before.harmless,
    },
  };
}
