import { byteOffsetRules } from "./rules/byte-offset.js";
import { checkpointRules } from "./rules/checkpoint.js";
import { deliveryRules } from "./rules/delivery.js";
import { exclusiveRules } from "./rules/exclusive.js";
import { figureRules } from "./rules/figures.js";
import { gapRules } from "./rules/gap.js";
import { hierarchyRules } from "./rules/hierarchy.js";
import { lifecycleRules } from "./rules/lifecycle.js";
import { onlyRules } from "./rules/only.js";
import { openingRules } from "./rules/opening.js";
import { pairRules } from "./rules/pair.js";
import { pathRules } from "./rules/path.js";
import { taskStreamRules } from "./rules/task-stream.js";
import { terminalRules } from "./rules/terminal.js";
import { textRules } from "./rules/text.js";
import { transitionRules } from "./rules/transition.js";
import type { RuleFile, StreamRule } from "./stream-rule.js";

/** The files of stream rules, in the order in which rules are shown and run. */
export const RULE_FILES: readonly RuleFile[] = [
  ...[deliveryRules, gapRules, terminalRules, openingRules, lifecycleRules, pairRules, transitionRules],
  ...[textRules, byteOffsetRules, exclusiveRules, figureRules, onlyRules, pathRules, hierarchyRules],
  ...[checkpointRules, taskStreamRules],
];

/** Every rule about streams. */
export const STREAM_RULES: readonly StreamRule[] = RULE_FILES.flatMap(({ rules }) => rules);
