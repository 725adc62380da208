/** The rule about default values. */

import { annotation } from "../../schema/merge.js";
import { note, type Pair, same, type Walk } from "../diff/walk.js";
import { describeValue, formatFromTo } from "../phrases.js";
import { defineRules, oneField } from "./rule.js";

const text = { type: "string" };

/** The rule about default values. */
export const DEFAULT_RULES = defineRules(
  { compareValues: compareDefaults },
  {
    "default-changed": {
      effect: "annotates",
      isReportedUnbroken: true,
      summary: "a default has changed",
      explanation: "Validators ignore it, but readers may use it as the meaning of a missing field.",
      repair: "Make sure that no reader relies on the old default.",
      example: oneField({ ...text, default: "green" }, { ...text, default: "black" }),
      describe: (change) => `${describeValue(change)} has another default: ${formatFromTo(change)}.`,
    },
  },
);

/** Compares the default, which no validator looks at but readers may. */
function compareDefaults(walk: Walk, pair: Pair): void {
  const [before, after] = [annotation(pair.before, "default"), annotation(pair.after, "default")];
  if (!same(before, after))
    note(walk, pair, DEFAULT_RULES["default-changed"], {}, { from: before, to: after });
}
