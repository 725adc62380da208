import type { Rule } from "./rule.js";
import { EVENT_RULES } from "./rules/events.js";
import { FIELD_RULES } from "./rules/fields.js";
import { LIFECYCLE_RULES } from "./rules/lifecycle.js";
import { LIST_RULES } from "./rules/lists.js";
import { PROCESS_RULES } from "./rules/process.js";
import { RESOURCE_RULES } from "./rules/resources.js";
import { STREAM_CONTRACT_RULES } from "./rules/streams.js";
import { VALUE_RULES } from "./rules/values.js";

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
