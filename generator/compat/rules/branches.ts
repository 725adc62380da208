import { canonical, type Json } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { listStatements } from "../../schema/describe.js";
import { findFixedValue, listAlternatives, mergeFields } from "../../schema/merge.js";
import { createView, inlineReferences, listBranchFields } from "../diff/view.js";
import { type Compare, createPair, type Pair, recordKeywordChange, type Walk } from "../diff/walk.js";
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
    mirror: { rule: "branch-removed" },
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
    mirror: { rule: "branch-added" },
    example: createFieldExample(
      { anyOf: [text, { type: "integer" }, { type: "boolean" }] },
      { anyOf: [text, { type: "integer" }] },
    ),
    describe: (change) => `${describeValue(change)} no longer has one of its alternatives.`,
  },
  "branches-changed": {
    effect: "changes",
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

/** Compares the alternatives of anyOf and oneOf. */
function compareBranches(walk: Walk, pair: Pair, compare: Compare): void {
  const [before, after] = [listAlternatives(pair.before), listAlternatives(pair.after)];
  if (before.length === 0 && after.length === 0) return;
  const removed = dropEqual(before, walk.before, after, walk.after);
  const added = dropEqual(after, walk.after, before, walk.before);
  const spots = { before: removed[0] ?? before[0], after: added[0] ?? after[0] };
  if (before.length === 0 || after.length === 0) {
    const all = { ...spots, whole: true };
    recordKeywordChange(walk, pair, BRANCH_RULES["branches-changed"], BRANCHES, all);
    return;
  }
  const { pairs, onlyBefore, onlyAfter } = matchAlternatives(walk, removed, added);
  for (const [old, now] of pairs) compare(walk, createBranchPair(walk, pair, old, now));
  const rest = {
    before: onlyBefore[0] ?? spots.before,
    after: onlyAfter[0] ?? spots.after,
    content: inlineAlternatives(walk, before, after),
  };
  if (onlyBefore.length > 0 && onlyAfter.length > 0)
    recordKeywordChange(walk, pair, BRANCH_RULES["branches-changed"], BRANCHES, rest);
  else if (onlyBefore.length > 0)
    recordKeywordChange(walk, pair, BRANCH_RULES["branch-removed"], BRANCHES, rest);
  else if (onlyAfter.length > 0) {
    // Under oneOf a value that fits an old alternative and the new one is refused.
    const effect = listStatements(pair.after, "oneOf").length > 0 ? "changes" : "widens";
    recordKeywordChange(walk, pair, BRANCH_RULES["branch-added"], BRANCHES, rest, effect);
  }
}

const BRANCHES = ["anyOf", "oneOf"];

/** Returns the alternatives of both sides, without references and prose. */
function inlineAlternatives(walk: Walk, before: readonly Spot[], after: readonly Spot[]): Json {
  const inlineSpots = ({ protocol }: Side, spots: readonly Spot[]) =>
    spots.map(({ schema }) => inlineReferences(schema, protocol.definitions)).sort(compareTexts);
  return [inlineSpots(walk.before, before), inlineSpots(walk.after, after)];
}

function compareTexts(a: Json, b: Json): number {
  return canonical(a) < canonical(b) ? -1 : 1;
}

/** Returns the spots whose schemas the other side does not have. */
function dropEqual(spots: readonly Spot[], side: Side, others: readonly Spot[], other: Side): Spot[] {
  const createMeaningKey = ({ protocol }: Side, { schema }: Spot) =>
    canonical(inlineReferences(schema, protocol.definitions));
  const known = new Set(others.map((spot) => createMeaningKey(other, spot)));
  return spots.filter((spot) => !known.has(createMeaningKey(side, spot)));
}

interface Matched {
  readonly pairs: readonly (readonly [Spot, Spot])[];
  readonly onlyBefore: readonly Spot[];
  readonly onlyAfter: readonly Spot[];
}

/** Matches alternatives with the same fixed values, and the others in order if both sides have equally many. */
function matchAlternatives(walk: Walk, removed: readonly Spot[], added: readonly Spot[]): Matched {
  const free = [...added];
  const pairs: [Spot, Spot][] = [];
  const rest = removed.filter((spot) => {
    const tag = findTag(walk.before.protocol, spot);
    const hit =
      tag === undefined ? -1 : free.findIndex((other) => findTag(walk.after.protocol, other) === tag);
    const [other] = hit === -1 ? [] : free.splice(hit, 1);
    if (other) pairs.push([spot, other]);
    return !other;
  });
  if (rest.length !== free.length) return { pairs, onlyBefore: rest, onlyAfter: free };
  return {
    pairs: [...pairs, ...rest.map((spot, i): [Spot, Spot] => [spot, free[i] ?? spot])],
    onlyBefore: [],
    onlyAfter: [],
  };
}

/** Returns the fields of an alternative that have only one value, with that value, which identify the alternative. */
export function findTag(protocol: Protocol, spot: Spot): string | undefined {
  const fixed = [...mergeFields(createView([spot], protocol)).values()].flatMap(
    ({ name, spots }): [string, Json][] => {
      const value = findFixedValue(createView(spots, protocol));
      return value === undefined ? [] : [[name, value]];
    },
  );
  return fixed.length === 0 ? undefined : canonical(Object.fromEntries(fixed));
}

function createBranchPair(walk: Walk, { before, after, at, around }: Pair, old: Spot, now: Spot): Pair {
  const { protocol } = walk.before;
  const of = findTag(protocol, old) ?? canonical(inlineReferences(old.schema, protocol.definitions));
  const pair = createPair(walk, [old], [now], { ...at, steps: [...at.steps, { to: "same", of }] });
  const base = { before: mergeFields(before).keys(), after: mergeFields(after).keys() };
  return {
    ...pair,
    around: {
      before: [...base.before, ...listBranchFields(before, walk.before.protocol), ...(around?.before ?? [])],
      after: [...base.after, ...(around?.after ?? [])],
    },
  };
}
