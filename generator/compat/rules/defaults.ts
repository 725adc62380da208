/** The rule about default values. */

import { annotation } from "../../schema/merge.js";
import { note, type Pair, same, type Walk } from "../diff/walk.js";
import { describeValue, formatFromTo } from "../phrases.js";
import { defineRule, oneField } from "./rule.js";

const text = { type: "string" };

const defaultChanged = defineRule({
  id: "default-changed",
  effect: "annotates",
  isReportedUnbroken: true,
  summary: "a default has changed",
  explanation: "Validators ignore it, but readers may use it as the meaning of a missing field.",
  repair: "Make sure that no reader relies on the old default.",
  mirror: { none: "the opposite is the same" },
  example: oneField({ ...text, default: "green" }, { ...text, default: "black" }),
  describe: (change) => `${describeValue(change)} has another default: ${formatFromTo(change)}.`,
  compareValues: compareDefaults,
});

/** The rule about default values. */
export const DEFAULT_RULES = [defaultChanged];

/** Compares the default, which no validator looks at but readers may. */
function compareDefaults(walk: Walk, pair: Pair): void {
  const [before, after] = [annotation(pair.before, "default"), annotation(pair.after, "default")];
  if (!same(before, after)) note(walk, pair, defaultChanged, {}, { from: before, to: after });
}
