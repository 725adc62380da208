import { areEqual, type Json } from "../../json.js";
import { listStatements, type Spot } from "../../schema/describe.js";
import { BOUNDS, compareStrictness, findStrictestBound } from "../../schema/merge.js";
import type { Change } from "../change.js";
import { type ComparisonContext, recordKeywordChange, type ViewPair } from "../diff/record-changes.js";
import { describeValue } from "../phrases.js";
import { createFieldExample, defineRulesWith, text } from "./rule.js";

/** Formats the old and the new limit. */
const formatLimits = ({ from, to }: Change): string =>
  [from, to].map((limit) => (limit === null ? "none" : JSON.stringify(limit))).join(" → ");

const TRAITS = { isLocatedAtName: true, compareValues: compareBounds } as const;

/** Rules about numeric limits of a value, its length or its size. */
export const BOUND_RULES = defineRulesWith(TRAITS, {
  "bound-tightened": {
    effect: "narrows",
    summary: "a limit allows less",
    explanation: "Values that could be sent are beyond the new limit.",
    hint: "Restore the limit. A limit in x-writer applies to writers only, and is possible once no writer exceeds it.",
    reverse: { rule: "bound-loosened" },
    example: createFieldExample({ ...text, maxLength: 20 }, { ...text, maxLength: 10 }),
    describe: (change) => `${describeValue(change)}: ${change.name} allows less (${formatLimits(change)}).`,
  },
  "bound-loosened": {
    effect: "widens",
    summary: "a limit allows more",
    explanation: "Readers of the baseline refuse values beyond the old limit.",
    hint: "Restore the limit.",
    reverse: { rule: "bound-tightened" },
    example: createFieldExample({ ...text, maxLength: 10 }, text),
    describe: (change) => `${describeValue(change)}: ${change.name} allows more (${formatLimits(change)}).`,
  },
});

/** Compares bounds of every kind. */
function compareBounds(context: ComparisonContext, pair: ViewPair): void {
  for (const kind of BOUNDS) {
    const before = findStrictestBound(pair.before, kind);
    const after = findStrictestBound(pair.after, kind);
    if (!before && !after) continue;
    const keywords = [kind.name, ...(kind.exclusive === undefined ? [] : [kind.exclusive])];
    const strictness = before && after && compareStrictness(before, after, kind.isUpper);
    if (strictness === 0) continue;
    const isStricter = strictness === undefined ? after !== undefined : strictness > 0;
    const rule = BOUND_RULES[isStricter ? "bound-tightened" : "bound-loosened"];
    recordKeywordChange(context, pair, rule, keywords, describeDetails(kind.name, before, after));
  }
  compareUnorderedConstraint(context, pair, "multipleOf");
  compareUnorderedConstraint(context, pair, "uniqueItems");
}

/**
 * Compares a constraint whose values have no order. Adding it tightens, removing it loosens, and changing it does both.
 */
function compareUnorderedConstraint(
  context: ComparisonContext,
  pair: ViewPair,
  keyword: "multipleOf" | "uniqueItems",
): void {
  const [before] = listStatements(pair.before, keyword).filter(({ value }) => value !== false);
  const [after] = listStatements(pair.after, keyword).filter(({ value }) => value !== false);
  if (areEqual(before?.value, after?.value)) return;
  const rule = BOUND_RULES[after ? "bound-tightened" : "bound-loosened"];
  const effect = before && after ? "narrows-or-widens" : rule.effect;
  recordKeywordChange(context, pair, rule, [keyword], describeDetails(keyword, before, after), effect);
}

type Limit = { readonly value: Json; readonly spot: Spot } | undefined;

function describeDetails(name: string, before: Limit, after: Limit) {
  const [from, to] = [before?.value ?? null, after?.value ?? null];
  return { name, from, to, before: before?.spot, after: after?.spot };
}
