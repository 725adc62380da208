/** The rule about default values. */

import { annotation } from "../../schema/merge.js";
import { note, type Pair, same, type Walk } from "../diff/walk.js";
import { describeValue, formatFromTo } from "../phrases.js";
import { defineRulesWith, oneField } from "./rule.js";

const text = { type: "string" };

/** The traits that all rules of this file share. */
const TRAITS = { compareValues: compareDefaults } as const;

/** The rule about default values. */
export const DEFAULT_RULES = defineRulesWith(TRAITS, {
  "default-changed": {
    effect: "annotates",
    isReportedUnbroken: true,
    summary: "a default has changed",
    explanation: "Validators ignore it, but readers may use it as the meaning of a missing field.",
    repair: "Make sure that no reader relies on the old default.",
    example: oneField({ ...text, default: "green" }, { ...text, default: "black" }),
    describe: (change) => `${describeValue(change)} has another default: ${formatFromTo(change)}.`,
  },
});

/** Compares the default, which validators ignore but readers may use. */
function compareDefaults(walk: Walk, pair: Pair): void {
  const [before, after] = [annotation(pair.before, "default"), annotation(pair.after, "default")];
  if (!same(before, after))
    note(walk, pair, DEFAULT_RULES["default-changed"], {}, { from: before, to: after });
}
