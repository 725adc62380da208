import { EVENT_RULES } from "./events.js";
import { FIELD_RULES } from "./fields.js";
import { LIFECYCLE_RULES } from "./lifecycle.js";
import { LIST_RULES } from "./lists.js";
import { PROCESS_RULES } from "./process.js";
import { RESOURCE_RULES } from "./resources.js";
import type { Rule } from "./rule.js";
import { STREAM_CONTRACT_RULES } from "./streams.js";
import { VALUE_RULES } from "./values.js";

/** Every rule, in the order of the documentation. */
export const RULES: readonly Rule[] = [
  ...EVENT_RULES,
  ...RESOURCE_RULES,
  ...FIELD_RULES,
  ...VALUE_RULES,
  ...LIST_RULES,
  ...STREAM_CONTRACT_RULES,
  ...LIFECYCLE_RULES,
  ...PROCESS_RULES,
];
