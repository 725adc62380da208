/** Rules about conditions: constraints that tie parts of a value together, and what binds writers only. */
import { canonical, type Json } from "../../json.js";
import { statements } from "../../schema/describe.js";
import type { KeywordName } from "../../schema/keywords.js";
import { BOUNDS } from "../../schema/merge.js";
import { inlined, type View } from "../diff/view.js";
import { alters, type Compare, note, type Pair, pairOf, partPlace, same, type Walk } from "../diff/walk.js";
import { describeValue } from "../phrases.js";
import { below, type Spot } from "../side.js";
import { defineRulesWith, oneField, text } from "./rule.js";

/** The traits that all rules of this file share. */
const TRAITS = { mayRepeatRename: true } as const;

/** Rules about conditions. */
export const CONDITION_RULES = defineRulesWith(TRAITS, {
  "condition-changed": {
    effect: "changes",
    coversNamesBelow: true,
    summary: "a condition between fields or on items has changed",
    explanation:
      "This concerns if, not, dependentRequired, contains, patternProperties and similar keywords. The event in the finding shows who is affected.",
    repair: "Restore the condition.",
    example: oneField({ ...text, not: { const: "coffee" } }, { ...text, not: { const: "water" } }),
    describe: (change) => `${describeValue(change)} has other conditions (${change.name}).`,
    compareValues: compareConditions,
  },
  "writer-rule-changed": {
    effect: "narrows",
    summary: "a constraint for writers has changed",
    explanation:
      "The keyword x-writer holds constraints that apply to writers only. Events of the baseline may violate the new constraint.",
    repair: "Restore the constraint, or wait until every writer follows the new one.",
    example: oneField(text, { ...text, "x-writer": { minLength: 1 } }),
    describe: (change) => `${describeValue(change)} has another constraint for writers.`,
    compareValues: compareWriterRules,
  },
});

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

/** Keywords that limit a value as a whole, and not a part of it. */
const LIMITS: readonly KeywordName[] = [
  "type",
  "enum",
  "const",
  "x-extensible-enum",
  "anyOf",
  "oneOf",
  "pattern",
  "format",
  "multipleOf",
  ...BOUNDS.flatMap(({ name, exclusive }) => (exclusive === undefined ? [name] : [name, exclusive])),
];

/** Compares items, and constraints that are compared as texts. */
function compareConditions(walk: Walk, pair: Pair, compare: Compare): void {
  compareItems(walk, pair, compare);
  const [before, after] = [pair.before, pair.after].map((view) => conditionsOf(view, CONDITIONS));
  const sides = [inlineAll(walk.before, before), inlineAll(walk.after, after)];
  const spots = { before: before?.[0]?.spot, after: after?.[0]?.spot };
  // Which values a removed condition refused depends on what else limits the value.
  const content = [
    inlineAll(walk.before, conditionsOf(pair.before, LIMITS)),
    inlineAll(walk.after, conditionsOf(pair.after, LIMITS)),
  ];
  if (!same(sides[0], sides[1]))
    note(walk, pair, CONDITION_RULES["condition-changed"], alters(...CONDITIONS), {
      ...{ name: after?.[0]?.keyword ?? before?.[0]?.keyword ?? "", from: sides[0], to: sides[1] },
      ...{ ...spots, content },
    });
}

/** Compares what binds writers only. */
function compareWriterRules(walk: Walk, pair: Pair): void {
  const [old, now] = [pair.before, pair.after].map((view) => conditionsOf(view, ["x-writer"]));
  const [from, to] = [inlineAll(walk.before, old), inlineAll(walk.after, now)];
  const details = { name: "x-writer", from, to, before: old?.[0]?.spot, after: now?.[0]?.spot };
  if (!same(from, to)) note(walk, pair, CONDITION_RULES["writer-rule-changed"], alters("x-writer"), details);
}

interface Condition {
  readonly keyword: string;
  readonly value: Json;
  readonly spot: Spot;
}

function conditionsOf(view: View, keywords: readonly KeywordName[]): Condition[] {
  return keywords.flatMap((keyword) => statements(view, keyword).map((found) => ({ keyword, ...found })));
}

/** Returns conditions with references resolved, sorted, because their order and place make no difference. */
function inlineAll({ protocol }: Walk["before"], found: readonly Condition[] = []): Json {
  const schemas = found.map(({ keyword, value }): [string, Json] => [
    keyword,
    inlined({ [keyword]: value }, protocol.definitions),
  ]);
  return schemas.map(([, schema]) => schema).sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1));
}

/** Compares the items of arrays, those at fixed places first. */
function compareItems(walk: Walk, pair: Pair, compare: Compare): void {
  const [before, after] = [tupleOf(pair.before), tupleOf(pair.after)];
  for (let index = 0; index < Math.min(before.length, after.length); index++) {
    const place = partPlace(pair.at, String(index), { to: "tuple", index });
    compare(walk, pairOf(walk, before[index] ?? [], after[index] ?? [], place));
  }
  const [old, now] = [statements(pair.before, "items"), statements(pair.after, "items")];
  const uneven = before.length !== after.length;
  if (uneven || (old.length === 0) !== (now.length === 0)) {
    const content = [pair.before, pair.after].map((view, side) =>
      inlineAll(side === 0 ? walk.before : walk.after, conditionsOf(view, LISTED)),
    );
    const details = { name: "items", content, before: old[0]?.spot, after: now[0]?.spot };
    note(walk, pair, CONDITION_RULES["condition-changed"], alters(...LISTED), details);
  }
  if (old.length === 0 || now.length === 0) return;
  const from = Math.max(before.length, after.length);
  const step = from === 0 ? ({ to: "item" } as const) : ({ to: "other", from } as const);
  const spots = [old, now].map((found) => found.map(({ spot }) => spot));
  compare(walk, pairOf(walk, spots[0] ?? [], spots[1] ?? [], partPlace(pair.at, "*", step)));
}

const LISTED = ["items", "prefixItems"] as const;

function tupleOf(view: View): Spot[][] {
  const [first] = statements(view, "prefixItems");
  if (!first || !Array.isArray(first.value)) return [];
  return first.value.map((schema, index) => [below(first.spot, schema, index)]);
}
