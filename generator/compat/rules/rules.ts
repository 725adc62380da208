import { ANNOTATION_RULES } from "./annotations.js";
import { BOUND_RULES } from "./bounds.js";
import { BRANCH_RULES } from "./branches.js";
import { CONDITION_RULES } from "./conditions.js";
import { CONTENT_RULES } from "./content.js";
import { DECODING_RULES } from "./decodings.js";
import { EVENT_RULES } from "./events.js";
import { FIELD_RULES } from "./fields.js";
import { LIST_RULES } from "./lists.js";
import { NAME_RULES } from "./names.js";
import { RELEASE_RULES } from "./releases.js";
import { RESOURCE_RULES } from "./resources.js";
import type { CompatibilityRule } from "./rule.js";
import { STREAM_CONTRACT_RULES } from "./streams.js";
import { TEXT_RULES } from "./texts.js";
import { TYPE_RULES } from "./types.js";

/** Every rule by its id, in the order of the documentation. Values are compared in this order, too: types before their contents. */
const TABLE = {
  ...EVENT_RULES,
  ...RESOURCE_RULES,
  ...ANNOTATION_RULES,
  ...TYPE_RULES,
  ...LIST_RULES,
  ...BOUND_RULES,
  ...TEXT_RULES,
  ...FIELD_RULES,
  ...CONTENT_RULES,
  ...BRANCH_RULES,
  ...CONDITION_RULES,
  ...DECODING_RULES,
  ...STREAM_CONTRACT_RULES,
  ...NAME_RULES,
  ...RELEASE_RULES,
};

/** The id of a rule. */
export type ChangeKind = keyof typeof TABLE;

/** Every rule. */
export const RULES: readonly CompatibilityRule<ChangeKind>[] = Object.values(TABLE);

declare module "../../finding.js" {
  interface RuleIds extends Record<ChangeKind, true> {}
}
