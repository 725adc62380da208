import { canonical, type Json } from "../../json.js";
import { listStatements } from "../../schema/describe.js";
import type { KeywordName } from "../../schema/keywords.js";
import { LIST_KEYWORDS } from "../../schema/listed-values.js";
import { BOUNDS } from "../../schema/merge.js";
import { inlineReferences, type View } from "../diff/view.js";
import {
  areSame,
  type Compare,
  createPair,
  locatePart,
  type Pair,
  recordKeywordChange,
  type Walk,
} from "../diff/walk.js";
import { describeValue } from "../phrases.js";
import { createSpotBelow, type Side, type Spot } from "../side.js";
import { createFieldExample, defineRulesWith, text } from "./rule.js";

const TRAITS = { mayRepeatRename: true } as const;

/** Rules about constraints that combine parts of a value, and about constraints that bind writers only. */
export const CONDITION_RULES = defineRulesWith(TRAITS, {
  "condition-changed": {
    effect: "changes",
    coversNamesBelow: true,
    summary: "a condition between fields or on items has changed",
    explanation:
      "This concerns if, not, dependentRequired, contains, patternProperties and similar keywords. The event in the finding shows who is affected.",
    hint: "Restore the condition.",
    example: createFieldExample({ ...text, not: { const: "coffee" } }, { ...text, not: { const: "water" } }),
    describe: (change) => `${describeValue(change)} has other conditions (${change.name}).`,
    compareValues: compareConditions,
  },
  "writer-rule-changed": {
    effect: "narrows",
    summary: "a constraint for writers has changed",
    explanation:
      "The keyword x-writer holds constraints that apply to writers only. Events of the baseline may violate the new constraint.",
    hint: "Restore the constraint, or wait until every writer follows the new one.",
    example: createFieldExample(text, { ...text, "x-writer": { minLength: 1 } }),
    describe: (change) => `${describeValue(change)} has another constraint for writers.`,
    compareValues: compareWriterRules,
  },
});

/** The keywords that are compared as conditions. */
const CONDITIONS: readonly KeywordName[] = [
  "not",
  "if",
  "then",
  "else",
  "dependentRequired",
  "dependentSchemas",
  "contains",
  "propertyNames",
  "patternProperties",
  "unevaluatedItems",
];

/** The keywords that limit a value as a whole. */
const LIMITS: readonly KeywordName[] = [
  "type",
  ...LIST_KEYWORDS,
  "anyOf",
  "oneOf",
  "pattern",
  "format",
  "multipleOf",
  ...BOUNDS.flatMap(({ name, exclusive }) => (exclusive === undefined ? [name] : [name, exclusive])),
];

const ITEM_KEYWORDS = ["items", "prefixItems"] as const;

/** Compares items, and then conditions as complete schemas. */
function compareConditions(walk: Walk, pair: Pair, compare: Compare): void {
  compareItems(walk, pair, compare);
  const before = collectConditions(pair.before, CONDITIONS);
  const after = collectConditions(pair.after, CONDITIONS);
  const [from, to] = [inlineAll(walk.before, before), inlineAll(walk.after, after)];
  if (areSame(from, to)) return;
  // Which values a removed condition refused depends on what else limits the value.
  const content = [
    inlineAll(walk.before, collectConditions(pair.before, LIMITS)),
    inlineAll(walk.after, collectConditions(pair.after, LIMITS)),
  ];
  recordKeywordChange(walk, pair, CONDITION_RULES["condition-changed"], CONDITIONS, {
    name: (after[0] ?? before[0])?.keyword ?? "",
    from,
    to,
    before: before[0]?.spot,
    after: after[0]?.spot,
    content,
  });
}

/** Compares the rules that bind writers only. */
function compareWriterRules(walk: Walk, pair: Pair): void {
  const before = collectConditions(pair.before, ["x-writer"]);
  const after = collectConditions(pair.after, ["x-writer"]);
  const [from, to] = [inlineAll(walk.before, before), inlineAll(walk.after, after)];
  if (areSame(from, to)) return;
  const details = { name: "x-writer", from, to, before: before[0]?.spot, after: after[0]?.spot };
  const rule = CONDITION_RULES["writer-rule-changed"];
  recordKeywordChange(walk, pair, rule, ["x-writer"], details, "changes");
}

/** A keyword in a schema of a value. */
interface Condition {
  readonly keyword: string;
  readonly value: Json;
  readonly spot: Spot;
}

/** Returns the statements of these keywords about a value. */
function collectConditions(view: View, keywords: readonly KeywordName[]): Condition[] {
  return keywords.flatMap((keyword) => listStatements(view, keyword).map((found) => ({ keyword, ...found })));
}

/** Returns conditions with references resolved, sorted, because their order and place make no difference. */
function inlineAll({ protocol }: Side, conditions: readonly Condition[]): Json {
  return conditions
    .map(({ keyword, value }): Json => inlineReferences({ [keyword]: value }, protocol.definitions))
    .sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1));
}

/** Compares the items of arrays: those at fixed places, then all others. */
function compareItems(walk: Walk, pair: Pair, compare: Compare): void {
  const [before, after] = [listTupleItems(pair.before), listTupleItems(pair.after)];
  for (let index = 0; index < Math.min(before.length, after.length); index++) {
    const place = locatePart(pair.at, String(index), { to: "tuple", index });
    compare(walk, createPair(walk, before[index] ?? [], after[index] ?? [], place));
  }
  const [old, now] = [listStatements(pair.before, "items"), listStatements(pair.after, "items")];
  if (before.length !== after.length || (old.length === 0) !== (now.length === 0)) {
    const content = [
      inlineAll(walk.before, collectConditions(pair.before, ITEM_KEYWORDS)),
      inlineAll(walk.after, collectConditions(pair.after, ITEM_KEYWORDS)),
    ];
    const details = { name: "items", content, before: old[0]?.spot, after: now[0]?.spot };
    recordKeywordChange(walk, pair, CONDITION_RULES["condition-changed"], ITEM_KEYWORDS, details);
  }
  if (old.length === 0 || now.length === 0) return;
  const from = Math.max(before.length, after.length);
  const step = from === 0 ? ({ to: "item" } as const) : ({ to: "other", from } as const);
  const place = locatePart(pair.at, "*", step);
  const spotsOf = (found: typeof old): Spot[] => found.map(({ spot }) => spot);
  compare(walk, createPair(walk, spotsOf(old), spotsOf(now), place));
}

/** Returns the schemas of the items at fixed places. */
function listTupleItems(view: View): Spot[][] {
  const [first] = listStatements(view, "prefixItems");
  if (!first || !Array.isArray(first.value)) return [];
  return first.value.map((schema, index) => [createSpotBelow(first.spot, schema, index)]);
}
