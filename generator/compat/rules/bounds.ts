import type { Json } from "../../json.js";
import { listStatements } from "../../schema/describe.js";
import { BOUNDS, compareStrictness, findStrictestBound } from "../../schema/merge.js";
import type { Change } from "../change.js";
import { areSame, type Pair, recordKeywordChange, type Walk } from "../diff/walk.js";
import { describeValue } from "../phrases.js";
import type { Spot } from "../side.js";
import { createFieldExample, defineRulesWith, text } from "./rule.js";

/** Both limits of a change; a schema need not have one. */
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
    mirror: { rule: "bound-loosened" },
    example: createFieldExample({ ...text, maxLength: 20 }, { ...text, maxLength: 10 }),
    describe: (change) => `${describeValue(change)}: ${change.name} allows less (${formatLimits(change)}).`,
  },
  "bound-loosened": {
    effect: "widens",
    summary: "a limit allows more",
    explanation: "Readers of the baseline refuse values beyond the old limit.",
    hint: "Restore the limit.",
    mirror: { rule: "bound-tightened" },
    example: createFieldExample({ ...text, maxLength: 10 }, text),
    describe: (change) => `${describeValue(change)}: ${change.name} allows more (${formatLimits(change)}).`,
  },
});

/** Compares bounds of every kind. */
function compareBounds(walk: Walk, pair: Pair): void {
  for (const kind of BOUNDS) {
    const [before, after] = [findStrictestBound(pair.before, kind), findStrictestBound(pair.after, kind)];
    if (!before && !after) continue;
    const keywords = [kind.name, ...(kind.exclusive === undefined ? [] : [kind.exclusive])];
    const addedOrRemoved = before ? -1 : 1;
    const strictness = before && after ? compareStrictness(before, after, kind.upper) : addedOrRemoved;
    if (strictness === 0) continue;
    const rule = BOUND_RULES[strictness > 0 ? "bound-tightened" : "bound-loosened"];
    recordKeywordChange(walk, pair, rule, keywords, describeDetails(kind.name, before, after));
  }
  compareSteps(walk, pair, "multipleOf");
  compareSteps(walk, pair, "uniqueItems");
}

/** Compares a constraint without an order: adding it tightens, removing it loosens, and changing it does both. */
function compareSteps(walk: Walk, pair: Pair, keyword: "multipleOf" | "uniqueItems"): void {
  const [before] = listStatements(pair.before, keyword).filter(({ value }) => value !== false);
  const [after] = listStatements(pair.after, keyword).filter(({ value }) => value !== false);
  if (areSame(before?.value, after?.value)) return;
  const rule = BOUND_RULES[after ? "bound-tightened" : "bound-loosened"];
  const effect = before && after ? "changes" : rule.effect;
  recordKeywordChange(walk, pair, rule, [keyword], describeDetails(keyword, before, after), effect);
}

type Limit = { readonly value: Json; readonly spot: Spot } | undefined;

function describeDetails(name: string, before: Limit, after: Limit) {
  const [from, to] = [before?.value ?? null, after?.value ?? null];
  return { name, from, to, before: before?.spot, after: after?.spot };
}
