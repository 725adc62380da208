import type { JsonObject } from "../json.js";
import type { StreamRules } from "../protocol/stream-rules.js";
import { createMemberPart } from "./declaration.js";
import { agree } from "./rules/agree.js";
import { aliases } from "./rules/aliases.js";
import { blocks } from "./rules/blocks.js";
import { chains } from "./rules/chains.js";
import { constant } from "./rules/constant.js";
import { counts } from "./rules/counts.js";
import { dedicatedStreams } from "./rules/dedicated-streams.js";
import { DELIVERY_FINDINGS } from "./rules/delivery.js";
import { differ } from "./rules/differ.js";
import { exclusives } from "./rules/exclusives.js";
import { gaps } from "./rules/gaps.js";
import { hierarchy } from "./rules/hierarchy.js";
import { lifecycles } from "./rules/lifecycles.js";
import { machines } from "./rules/machines.js";
import { offsets } from "./rules/offsets.js";
import { only } from "./rules/only.js";
import { openings } from "./rules/openings.js";
import { ordered } from "./rules/ordered.js";
import { pairs } from "./rules/pairs.js";
import { preparations } from "./rules/preparations.js";
import { redactions } from "./rules/redactions.js";
import { relativePaths } from "./rules/relative-paths.js";
import { rising } from "./rules/rising.js";
import { stages } from "./rules/stages.js";
import { sums } from "./rules/sums.js";
import { templates } from "./rules/templates.js";
import { terminal } from "./rules/terminal.js";
import { texts } from "./rules/texts.js";
import { thresholds } from "./rules/thresholds.js";
import { transitions } from "./rules/transitions.js";
import type { AnyStreamRule, Member, StreamFindingKind, StreamRule } from "./stream-rule.js";

/** The rules by member of `stream.rules`. The type checker reports a member without a rule. */
const RULES_BY_MEMBER = {
  gaps,
  terminal,
  openings,
  lifecycles,
  pairs,
  transitions,
  machines,
  texts,
  offsets,
  exclusives,
  rising,
  ordered,
  sums,
  counts,
  only,
  aliases,
  relativePaths,
  hierarchy,
  preparations,
  dedicatedStreams,
  agree,
  differ,
  constant,
  templates,
  chains,
  thresholds,
  redactions,
  stages,
  blocks,
} satisfies { readonly [M in Member]: StreamRule<M, string> };

const ALL_RULES: readonly unknown[] = Object.values(RULES_BY_MEMBER);

/**
 * Every stream rule, in the order in which rules are checked and shown. Each takes any JSON object as its declaration, because
 * code that handles all rules gives each of them only the declarations of its own member.
 */
export const STREAM_RULES = ALL_RULES as readonly AnyStreamRule[];

type Findings = typeof DELIVERY_FINDINGS | (typeof RULES_BY_MEMBER)[Member]["findings"];

/** The id of a finding about streams. */
type StreamFindingId = Findings[number]["id"];

/** Every finding about streams, and the member of `stream.rules` that declares it. */
export const STREAM_FINDINGS: readonly (StreamFindingKind<StreamFindingId> & {
  readonly declaredBy?: Member;
})[] = [
  ...DELIVERY_FINDINGS,
  ...Object.values(RULES_BY_MEMBER).flatMap(({ findings, member }) =>
    findings.map((kind) => (kind.always ? kind : { ...kind, declaredBy: member })),
  ),
];

/** Returns the declarations of a member. The list has one element if the member is a single declaration. */
export function listDeclarations(rules: StreamRules | undefined, member: Member): readonly JsonObject[] {
  const declared: unknown = rules?.[member] ?? [];
  return [declared].flat() as readonly JsonObject[];
}

/** Returns the JSON Schema of `stream.rules`: `$defs/rules` of the published schema of protocol.json. */
export function createStreamRulesSchema(): JsonObject {
  return {
    type: "object",
    additionalProperties: false,
    description:
      "Rules for whole streams. Fields are payload fields, except if a description states otherwise.",
    properties: Object.fromEntries(STREAM_RULES.map((rule) => [rule.member, createMemberPart(rule).schema])),
  };
}
