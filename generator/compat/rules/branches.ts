import { isObject } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { listStatements, type Spot } from "../../schema/describe.js";
import { deriveTypes, findFixedValue, listAlternatives, mergeFields } from "../../schema/merge.js";
import { getTargetName } from "../../schema/reference.js";
import type { Place } from "../change.js";
import { findTag, matchAlternatives } from "../diff/match-alternatives.js";
import {
  type ComparisonContext,
  createPair,
  recordKeywordChange,
  type ValueComparer,
  type ViewPair,
} from "../diff/record-changes.js";
import { createView, digestMeaning, listBranchFields } from "../diff/view.js";
import { describeValue, quoteList } from "../phrases.js";
import type { Side } from "../side.js";
import { createFieldExample, defineRulesWith, text } from "./rule.js";

const TRAITS = { coversNamesBelow: true, compareValues: compareBranches } as const;

/** Rules about alternatives. Equal alternatives are left out, and the others are compared with their other versions. */
export const BRANCH_RULES = defineRulesWith(TRAITS, {
  "branch-added": {
    effect: "widens",
    summary: "a value has another alternative",
    explanation: "Readers of the baseline refuse it.",
    hint: "Put the new alternative into a new optional field.",
    reverse: { rule: "branch-removed" },
    example: createFieldExample(
      { anyOf: [text, { type: "integer" }] },
      { anyOf: [text, { type: "integer" }, { type: "boolean" }] },
    ),
    describe: (change) => `${describeValue(change)} may be ${change.detail ?? "another alternative"} now.`,
  },
  "branch-removed": {
    removesAlternatives: true,
    effect: "narrows",
    summary: "an alternative of a value was removed",
    explanation: "Writers of the baseline may send it.",
    hint: "Restore the alternative.",
    reverse: { rule: "branch-added" },
    example: createFieldExample(
      { anyOf: [text, { type: "integer" }, { type: "boolean" }] },
      { anyOf: [text, { type: "integer" }] },
    ),
    describe: (change) =>
      `${describeValue(change)} may no longer be ${change.detail ?? "one of its alternatives"}.`,
  },
  "branches-changed": {
    removesAlternatives: true,
    effect: "narrows-or-widens",
    summary: "the alternatives of a value have changed",
    explanation:
      "Alternatives were removed and others added. The event in the finding shows who is affected.",
    hint: "Restore the alternatives, and put new ones into a new optional field.",
    example: createFieldExample(
      { anyOf: [text, { type: "integer" }, { type: "null" }] },
      { anyOf: [text, { type: "boolean" }] },
    ),
    describe: (change) => `${describeValue(change)} ${change.detail ?? "has other alternatives"}.`,
  },
});

const BRANCH_KEYWORDS = ["anyOf", "oneOf"];

/** Compares the alternatives of anyOf and oneOf. */
function compareBranches(context: ComparisonContext, pair: ViewPair, compareValue: ValueComparer): void {
  const before = listAlternatives(pair.before);
  const after = listAlternatives(pair.after);
  if (before.length === 0 && after.length === 0) return;
  const { pairs, onlyBefore, onlyAfter } = matchAlternatives(
    { protocol: context.before.protocol, spots: before },
    { protocol: context.after.protocol, spots: after },
  );
  const [[changedOld, changedNow] = []] = pairs;
  const spots = {
    before: onlyBefore[0] ?? changedOld ?? before[0],
    after: onlyAfter[0] ?? changedNow ?? after[0],
  };
  const nameOld = (list: readonly Spot[]): string => nameAlternatives(list, context.before);
  const nameNew = (list: readonly Spot[]): string => nameAlternatives(list, context.after);
  if (before.length === 0 || after.length === 0) {
    const [old, now] = [
      nameOld(before.length === 0 ? pair.before.spots : before),
      nameNew(after.length === 0 ? pair.after.spots : after),
    ];
    const details = { ...spots, hasWholeContent: true, detail: `is ${now} now and was ${old}` };
    recordKeywordChange(context, pair, BRANCH_RULES["branches-changed"], BRANCH_KEYWORDS, details);
    return;
  }
  for (const [old, now] of pairs) compareValue(context, createBranchPair(context, pair, old, now));
  const details = {
    ...spots,
    content: [digestAlternatives(context.before, before), digestAlternatives(context.after, after)],
  };
  if (onlyBefore.length > 0 && onlyAfter.length > 0) {
    const detail = `may be ${nameNew(onlyAfter)} now, and no longer ${nameOld(onlyBefore)}`;
    recordKeywordChange(context, pair, BRANCH_RULES["branches-changed"], BRANCH_KEYWORDS, {
      ...details,
      detail,
    });
  } else if (onlyBefore.length > 0) {
    const removed = { ...details, detail: nameOld(onlyBefore) };
    recordKeywordChange(context, pair, BRANCH_RULES["branch-removed"], BRANCH_KEYWORDS, removed);
  } else if (onlyAfter.length > 0) {
    // Under oneOf a value that fits an old alternative and the new one is refused.
    const effect = listStatements(pair.after, "oneOf").length > 0 ? "narrows-or-widens" : "widens";
    const added = { ...details, detail: nameNew(onlyAfter) };
    recordKeywordChange(context, pair, BRANCH_RULES["branch-added"], BRANCH_KEYWORDS, added, effect);
  }
}

const MAX_NAMED = 3;

/** Names alternatives by their constants, their definitions, their fields or their types, to find them in the schema. */
function nameAlternatives(spots: readonly Spot[], { protocol }: Side): string {
  const names = [...new Set(spots.map((spot) => nameAlternative(spot, protocol)))];
  const shown = names.slice(0, MAX_NAMED).join(" or ");
  return names.length > MAX_NAMED ? `${shown} or one of ${names.length - MAX_NAMED} more` : shown;
}

function nameAlternative(spot: Spot, protocol: Protocol): string {
  const view = createView([spot], protocol);
  const value = findFixedValue(view);
  if (value !== undefined) return JSON.stringify(value);
  const tag = findTag(protocol, spot);
  if (tag !== undefined) return `an object with ${tag}`;
  const fields = [...mergeFields(view).keys()];
  if (fields.length > 0)
    return `an object with the ${fields.length === 1 ? "field" : "fields"} ${quoteList(fields)}`;
  const types = [...deriveTypes(view).set];
  if (types.length <= MAX_NAMED) return `of type ${types.join(" or ")}`;
  const target = isObject(spot.schema) ? getTargetName(spot.schema) : undefined;
  return target === undefined ? "any value" : `the definition ${quoteList(target.split("/").at(-1))}`;
}

/** Returns digests of alternatives. Their order and prose make no difference. */
function digestAlternatives({ protocol }: Side, spots: readonly Spot[]): string[] {
  return spots.map(({ schema }) => digestMeaning(schema, protocol.definitions)).sort();
}

function createBranchPair(
  context: ComparisonContext,
  { before, after, place, outerFields }: ViewPair,
  old: Spot,
  now: Spot,
): ViewPair {
  const { protocol } = context.before;
  const tag = findTag(protocol, old) ?? digestMeaning(old.schema, protocol.definitions);
  const branchPlace: Place = { ...place, steps: [...place.steps, { kind: "alternative", tag }] };
  return {
    ...createPair(context, [old], [now], branchPlace),
    outerFields: {
      // A field that moved into another alternative is not removed.
      before: [
        ...mergeFields(before).keys(),
        ...listBranchFields(before, protocol),
        ...(outerFields?.before ?? []),
      ],
      after: [...mergeFields(after).keys(), ...(outerFields?.after ?? [])],
    },
  };
}
