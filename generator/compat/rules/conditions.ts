import { areEqual, formatCanonicalJson, type Json } from "../../json.js";
import { createSpotBelow, listStatements, type Spot } from "../../schema/describe.js";
import type { KeywordName } from "../../schema/keywords.js";
import { LIST_KEYWORDS } from "../../schema/listed-values.js";
import { BOUNDS } from "../../schema/merge.js";
import type { Change, Step } from "../change.js";
import {
  type ComparisonContext,
  createPair,
  locatePart,
  recordKeywordChange,
  type ValueComparer,
  type ViewPair,
} from "../diff/record-changes.js";
import { inlineReferences, type View } from "../diff/view.js";
import { describeValue } from "../phrases.js";
import type { Side } from "../side.js";
import { createFieldExample, defineRulesWith, text } from "./rule.js";

const TRAITS = { mayRepeatRename: true } as const;

/** Rules about constraints that combine parts of a value, and about constraints that bind writers only. */
export const CONDITION_RULES = defineRulesWith(TRAITS, {
  "condition-changed": {
    effect: "narrows-or-widens",
    coversNamesBelow: true,
    summary: "a condition between fields or on items has changed",
    explanation:
      "This concerns if, not, dependentRequired, contains, patternProperties and similar keywords. The event in the finding shows who is affected.",
    hint: "Restore the condition.",
    example: createFieldExample({ ...text, not: { const: "coffee" } }, { ...text, not: { const: "water" } }),
    describe: (change) =>
      `${describeValue(change)} ${change.detail ?? `has another condition: ${describeConditions(change)}`}.`,
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

const MAX_CONDITION = 80;

/** Describes conditions as JSON, or by the name of the keyword if they are long. */
function describeConditions({ name, from, to }: Change): string {
  const [old, now] = [from, to].map((list) =>
    [list ?? []]
      .flat()
      .map((each) => JSON.stringify(each))
      .join(", "),
  );
  const text = `${old || "none"} → ${now || "none"}`;
  return text.length > MAX_CONDITION ? name : text;
}

/** Describes how the schemas of items changed: those at fixed places, and the one of all others. */
function describeItems(
  fixedBefore: number,
  fixedNow: number,
  wasLimited: boolean,
  isLimited: boolean,
): string {
  if (fixedBefore !== fixedNow)
    return `has ${fixedNow} items with schemas of their own now and had ${fixedBefore}`;
  const others = fixedNow === 0 ? "any item" : "any item after those";
  if (wasLimited === isLimited) return "has other items";
  return isLimited ? `has a schema of its items now, and ${others} was allowed` : `allows ${others} now`;
}

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

/** Compares items, and then all conditions as complete schemas. */
function compareConditions(context: ComparisonContext, pair: ViewPair, compareValue: ValueComparer): void {
  compareItems(context, pair, compareValue);
  const before = collectConditions(pair.before, CONDITIONS);
  const after = collectConditions(pair.after, CONDITIONS);
  const [from, to] = [inlineAll(context.before, before), inlineAll(context.after, after)];
  if (areEqual(from, to)) return;
  // The values that a removed condition refused depend on the other limits of the value.
  const content = [
    inlineAll(context.before, collectConditions(pair.before, LIMITS)),
    inlineAll(context.after, collectConditions(pair.after, LIMITS)),
  ];
  recordKeywordChange(context, pair, CONDITION_RULES["condition-changed"], CONDITIONS, {
    name: (after[0] ?? before[0])?.keyword ?? "",
    from,
    to,
    before: before[0]?.spot,
    after: after[0]?.spot,
    content,
  });
}

/** Compares the rules that bind writers only. */
function compareWriterRules(context: ComparisonContext, pair: ViewPair): void {
  const before = collectConditions(pair.before, ["x-writer"]);
  const after = collectConditions(pair.after, ["x-writer"]);
  const [from, to] = [inlineAll(context.before, before), inlineAll(context.after, after)];
  if (areEqual(from, to)) return;
  const details = { name: "x-writer", from, to, before: before[0]?.spot, after: after[0]?.spot };
  const rule = CONDITION_RULES["writer-rule-changed"];
  recordKeywordChange(context, pair, rule, ["x-writer"], details, "narrows-or-widens");
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
    .sort((a, b) => (formatCanonicalJson(a) < formatCanonicalJson(b) ? -1 : 1));
}

/** Compares the items of arrays: those at fixed places, then all others. */
function compareItems(context: ComparisonContext, pair: ViewPair, compareValue: ValueComparer): void {
  const before = listTupleItems(pair.before);
  const after = listTupleItems(pair.after);
  for (let index = 0; index < Math.min(before.length, after.length); index++) {
    const place = locatePart(pair.place, String(index), { kind: "tuple item", index });
    compareValue(context, createPair(context, before[index] ?? [], after[index] ?? [], place));
  }
  const [old, now] = [listStatements(pair.before, "items"), listStatements(pair.after, "items")];
  if (before.length !== after.length || (old.length === 0) !== (now.length === 0)) {
    const content = [
      inlineAll(context.before, collectConditions(pair.before, ITEM_KEYWORDS)),
      inlineAll(context.after, collectConditions(pair.after, ITEM_KEYWORDS)),
    ];
    const detail = describeItems(before.length, after.length, old.length > 0, now.length > 0);
    const details = { name: "items", content, before: old[0]?.spot, after: now[0]?.spot, detail };
    recordKeywordChange(context, pair, CONDITION_RULES["condition-changed"], ITEM_KEYWORDS, details);
  }
  if (old.length === 0 || now.length === 0) return;
  const count = Math.max(before.length, after.length);
  const step: Step = count === 0 ? { kind: "item" } : { kind: "later item", count };
  const oldSpots = old.map(({ spot }) => spot);
  const newSpots = now.map(({ spot }) => spot);
  compareValue(context, createPair(context, oldSpots, newSpots, locatePart(pair.place, "*", step)));
}

/** Returns the schemas of the items at fixed places. */
function listTupleItems(view: View): Spot[][] {
  const [first] = listStatements(view, "prefixItems");
  if (!first || !Array.isArray(first.value)) return [];
  return first.value.map((schema, index) => [createSpotBelow(first.spot, schema, index)]);
}
