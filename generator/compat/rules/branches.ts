import { canonical, isObject, type Json } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { listStatements } from "../../schema/describe.js";
import { findFixedValue, listAlternatives, mergeFields } from "../../schema/merge.js";
import { getTargetName } from "../../schema/reference.js";
import type { Place } from "../change.js";
import {
  type ComparisonContext,
  createPair,
  recordKeywordChange,
  type ValueComparer,
  type ViewPair,
} from "../diff/record-changes.js";
import { createView, inlineReferences, listBranchFields } from "../diff/view.js";
import { describeValue } from "../phrases.js";
import type { Side, Spot } from "../side.js";
import { createFieldExample, defineRulesWith, text } from "./rule.js";

const TRAITS = { coversNamesBelow: true, compareValues: compareBranches } as const;

/** Rules about alternatives. Equal alternatives are left out, and the others are matched by their fixed values. */
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
    describe: (change) => `${describeValue(change)} has another alternative.`,
  },
  "branch-removed": {
    effect: "narrows",
    summary: "an alternative of a value was removed",
    explanation: "Writers of the baseline may send it.",
    hint: "Restore the alternative.",
    reverse: { rule: "branch-added" },
    example: createFieldExample(
      { anyOf: [text, { type: "integer" }, { type: "boolean" }] },
      { anyOf: [text, { type: "integer" }] },
    ),
    describe: (change) => `${describeValue(change)} no longer has one of its alternatives.`,
  },
  "branches-changed": {
    effect: "narrows-or-widens",
    summary: "the alternatives of a value have changed",
    explanation:
      "Alternatives were removed and others added. The event in the finding shows who is affected.",
    hint: "Restore the alternatives, and put new ones into a new optional field.",
    example: createFieldExample(
      { anyOf: [text, { type: "integer" }, { type: "null" }] },
      { anyOf: [text, { type: "boolean" }] },
    ),
    describe: (change) => `${describeValue(change)} has other alternatives.`,
  },
});

const BRANCH_KEYWORDS = ["anyOf", "oneOf"];

/** Compares the alternatives of anyOf and oneOf. */
function compareBranches(context: ComparisonContext, pair: ViewPair, compareValue: ValueComparer): void {
  const before = listAlternatives(pair.before);
  const after = listAlternatives(pair.after);
  if (before.length === 0 && after.length === 0) return;
  const removedBranches = listUnmatched(before, context.before, after, context.after);
  const addedBranches = listUnmatched(after, context.after, before, context.before);
  const spots = { before: removedBranches[0] ?? before[0], after: addedBranches[0] ?? after[0] };
  if (before.length === 0 || after.length === 0) {
    const details = { ...spots, hasWholeContent: true };
    recordKeywordChange(context, pair, BRANCH_RULES["branches-changed"], BRANCH_KEYWORDS, details);
    return;
  }
  const { pairs, onlyBefore, onlyAfter } = matchAlternatives(context, removedBranches, addedBranches);
  for (const [old, now] of pairs) compareValue(context, createBranchPair(context, pair, old, now));
  const details = {
    before: onlyBefore[0] ?? spots.before,
    after: onlyAfter[0] ?? spots.after,
    content: inlineAlternatives(context, before, after),
  };
  if (onlyBefore.length > 0 && onlyAfter.length > 0)
    recordKeywordChange(context, pair, BRANCH_RULES["branches-changed"], BRANCH_KEYWORDS, details);
  else if (onlyBefore.length > 0)
    recordKeywordChange(context, pair, BRANCH_RULES["branch-removed"], BRANCH_KEYWORDS, details);
  else if (onlyAfter.length > 0) {
    // Under oneOf a value that fits an old alternative and the new one is refused.
    const effect = listStatements(pair.after, "oneOf").length > 0 ? "narrows-or-widens" : "widens";
    recordKeywordChange(context, pair, BRANCH_RULES["branch-added"], BRANCH_KEYWORDS, details, effect);
  }
}

/** Returns the alternatives of both sides, without references and prose. */
function inlineAlternatives(
  context: ComparisonContext,
  before: readonly Spot[],
  after: readonly Spot[],
): Json {
  const inlineSpots = ({ protocol }: Side, spots: readonly Spot[]) =>
    spots.map(({ schema }) => inlineReferences(schema, protocol.definitions)).sort(compareSchemas);
  return [inlineSpots(context.before, before), inlineSpots(context.after, after)];
}

function compareSchemas(a: Json, b: Json): number {
  return canonical(a) < canonical(b) ? -1 : 1;
}

/** Returns the alternatives that the other side does not have. */
function listUnmatched(spots: readonly Spot[], side: Side, others: readonly Spot[], other: Side): Spot[] {
  const createMeaningKey = ({ protocol }: Side, { schema }: Spot) =>
    canonical(inlineReferences(schema, protocol.definitions));
  const otherKeys = new Set(others.map((spot) => createMeaningKey(other, spot)));
  return spots.filter((spot) => !otherKeys.has(createMeaningKey(side, spot)));
}

interface MatchedAlternatives {
  readonly pairs: readonly (readonly [old: Spot, now: Spot])[];
  readonly onlyBefore: readonly Spot[];
  readonly onlyAfter: readonly Spot[];
}

/**
 * Matches alternatives with the same fixed values, and then those that refer to definitions of the same names. Matches the
 * others in order if both sides have equally many others, and no two of them have different fixed values.
 */
function matchAlternatives(
  context: ComparisonContext,
  removed: readonly Spot[],
  added: readonly Spot[],
): MatchedAlternatives {
  const pairs: [old: Spot, now: Spot][] = [];
  let onlyBefore = [...removed];
  let onlyAfter = [...added];
  for (const identify of [findTag, findReferredNames])
    for (const spot of onlyBefore) {
      const identity = identify(context.before.protocol, spot);
      if (identity === undefined) continue;
      const match = onlyAfter.find((other) => identify(context.after.protocol, other) === identity);
      if (match === undefined) continue;
      pairs.push([spot, match]);
      onlyBefore = onlyBefore.filter((other) => other !== spot);
      onlyAfter = onlyAfter.filter((other) => other !== match);
    }
  const others = onlyBefore.flatMap((old, index): [old: Spot, now: Spot][] => {
    const now = onlyAfter[index];
    return now === undefined ? [] : [[old, now]];
  });
  const hasDifferentTags = ([old, now]: readonly [Spot, Spot]): boolean =>
    findTag(context.before.protocol, old) !== undefined && findTag(context.after.protocol, now) !== undefined;
  const isOrderUnclear = others.length > 1 && others.some(hasDifferentTags);
  if (onlyBefore.length !== onlyAfter.length || isOrderUnclear) return { pairs, onlyBefore, onlyAfter };
  return { pairs: [...pairs, ...others], onlyBefore: [], onlyAfter: [] };
}

/** Returns the names of the definitions that an alternative consists of; undefined if there are none. */
function findReferredNames(_protocol: Protocol, { schema }: Spot): string | undefined {
  if (!isObject(schema)) return undefined;
  const parts = [schema, ...(Array.isArray(schema.allOf) ? schema.allOf : [])];
  const names = parts.flatMap((part) => (isObject(part) ? (getTargetName(part) ?? []) : []));
  return names.length === 0 ? undefined : canonical(names);
}

/** Returns the fields of an alternative that have only one value, with this value. They identify the alternative. */
export function findTag(protocol: Protocol, spot: Spot): string | undefined {
  const constants = [...mergeFields(createView([spot], protocol)).values()].flatMap(
    ({ name, spots }): [string, Json][] => {
      const value = findFixedValue(createView(spots, protocol));
      return value === undefined ? [] : [[name, value]];
    },
  );
  return constants.length === 0 ? undefined : canonical(Object.fromEntries(constants));
}

function createBranchPair(
  context: ComparisonContext,
  { before, after, place, outerFields }: ViewPair,
  old: Spot,
  now: Spot,
): ViewPair {
  const { protocol } = context.before;
  const tag = findTag(protocol, old) ?? canonical(inlineReferences(old.schema, protocol.definitions));
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
