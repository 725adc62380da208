import { areEqual, type Json } from "../../json.js";
import { buildOpenList, LIST_KEYWORDS } from "../../schema/listed-values.js";
import { findValueList, omitValues, type ValueList } from "../../schema/merge.js";
import type { Effect } from "../change.js";
import { type ComparisonContext, recordKeywordChange, type ViewPair } from "../diff/record-changes.js";
import { describeRename, describeValue, formatFromTo, quoteList } from "../phrases.js";
import { scoreNameLikeness } from "../renames/likeness.js";
import { LEAST_SCORE, type Match, matchNames } from "../renames/match.js";
import { createFieldExample, defineRulesWith, listRemovedValues, text } from "./rule.js";

const createEnum = (...values: string[]) => ({ type: "string", enum: values });

const TRAITS = { compareValues: compareLists } as const;

/** Rules about lists of values: enums, extensible enums and fixed values. */
export const LIST_RULES = defineRulesWith(TRAITS, {
  "enum-value-added": {
    effect: "adds",
    isLocatedAtName: true,
    isReportedUnbroken: true,
    summary: "an extensible enum has another known value",
    explanation: "Readers accept values that they do not know, so a new one breaks nothing.",
    hint: "No action is needed.",
    reverse: { rule: "enum-value-removed" },
    example: createFieldExample(buildOpenList("green"), buildOpenList("green", "black")),
    describe: (change) => `${describeValue(change)} knows ${quoteList(change.to)}.`,
  },
  "enum-value-added-closed": {
    effect: "widens",
    isLocatedAtName: true,
    summary: "a closed enum has another value",
    explanation: "Readers of the baseline refuse values that they do not know.",
    hint: "Deploy readers that know the value first, and the writers that send it last (`accrete rollout` proves an order). With x-extensible-enum, which the next major version can use, readers accept values that they do not know. If readers cannot be deployed first, send the new value in a new optional field.",
    reverse: { rule: "enum-value-removed" },
    example: createFieldExample(createEnum("green", "white"), createEnum("green", "white", "black")),
    describe: (change) => `${describeValue(change)} may be ${quoteList(change.to)}, and its enum is closed.`,
  },
  "enum-value-removed": {
    effect: "narrows",
    isLocatedAtName: true,
    removedNames: listRemovedValues,
    summary: "a value of an enum was removed",
    explanation: "Writers of the baseline may send the value, and stored events have it.",
    hint: "Restore the value. The description can state that it is no longer sent.",
    reverse: { rule: "enum-value-added" },
    example: createFieldExample(buildOpenList("green", "black", "white"), buildOpenList("green", "white")),
    describe: (change) => `${describeValue(change)} may no longer be ${quoteList(change.from)}.`,
  },
  "enum-value-renamed": {
    effect: "narrows-or-widens",
    isLocatedAtName: true,
    removedNames: listRemovedValues,
    summary: "a value of an enum was renamed",
    explanation:
      "Writers of the baseline may send the old name, stored events hold it, and readers of a closed enum refuse the new one. The rename is suspected from the names alone; if it is only suspected, the finding says so and has the same severity.",
    hint: "Keep the old name. Where the enum is extensible, add the new one; send one of them and accept both.",
    reverse: { description: "a rename, reported by the same rule" },
    example: createFieldExample(buildOpenList("green", "black_tea"), buildOpenList("green", "black")),
    describe: (change) => `${describeValue(change)}: the value ${describeRename(change, "values")}`,
  },
  "enum-opened": {
    effect: "annotates",
    isLocatedAtName: true,
    isReportedUnbroken: true,
    summary: "a closed enum is extensible now",
    explanation:
      "Nothing can be sent that could not be sent before. A value that is added later is still a break, as long as a release of the major has the closed list.",
    hint: "No action is needed.",
    reverse: { rule: "enum-closed" },
    example: createFieldExample(createEnum("green", "black"), buildOpenList("green", "black")),
    describe: (change) => `${describeValue(change)} is an extensible enum now.`,
  },
  "enum-closed": {
    effect: "breaks-promise",
    isLocatedAtName: true,
    isReportedUnbroken: true,
    summary: "an extensible enum is closed now",
    explanation:
      "No current event is refused, but the extensible enum promised that values may be added later.",
    hint: "Use x-extensible-enum again.",
    reverse: { rule: "enum-opened" },
    example: createFieldExample(buildOpenList("green", "black"), createEnum("green", "black")),
    describe: (change) => `${describeValue(change)} is a closed enum now.`,
  },
  "value-list-added": {
    effect: "narrows",
    summary: "a value is restricted to a list of values now",
    explanation: "Writers of the baseline may send any value.",
    hint: "Remove the list, or name the values in the description.",
    reverse: { rule: "value-list-removed" },
    example: createFieldExample(text, createEnum("green", "black")),
    describe: (change) => `${describeValue(change)} must be ${quoteList(change.to)} now.`,
  },
  "value-list-removed": {
    effect: "widens",
    summary: "a value is no longer restricted to a list of values",
    explanation: "Readers of the baseline refuse other values.",
    hint: "Restore the list.",
    reverse: { rule: "value-list-added" },
    example: createFieldExample(createEnum("green", "black"), text),
    describe: (change) =>
      `${describeValue(change)} may have any value now, and had to be ${quoteList(change.from)}.`,
  },
  "const-changed": {
    effect: "narrows-or-widens",
    summary: "the only value that is allowed has changed",
    explanation:
      "The current contract refuses the old value, and readers of the baseline refuse the new one.",
    hint: "Restore the value; a new one belongs in a new field or event type.",
    example: createFieldExample({ const: "green" }, { const: "black" }),
    describe: (change) => `${describeValue(change)} has another fixed value: ${formatFromTo(change)}.`,
  },
});

/** Compares closed and open lists of values. */
function compareLists(context: ComparisonContext, pair: ViewPair): void {
  const closedBefore = findValueList(pair.before, "closed");
  const closedAfter = findValueList(pair.after, "closed");
  const before = closedBefore ?? findValueList(pair.before, "open");
  const after = closedAfter ?? findValueList(pair.after, "open");
  const details = { from: before?.values, to: after?.values, before: before?.spot, after: after?.spot };
  if (!before && !after) return;
  if (!before || !after) {
    recordListChange(context, pair, after ? "value-list-added" : "value-list-removed", {
      ...details,
      hasWholeContent: true,
    });
    return;
  }
  // A closed list with one value is a fixed value.
  if (closedBefore && closedAfter && before.values.length === 1 && after.values.length === 1) {
    if (!areEqual(before.values[0], after.values[0]))
      recordListChange(context, pair, "const-changed", details);
    return;
  }
  compareListedValues(context, pair, before, after, closedBefore !== undefined);
  if (closedBefore && !closedAfter) recordListChange(context, pair, "enum-opened", details);
  if (!closedBefore && closedAfter) recordListChange(context, pair, "enum-closed", details);
}

/** Records a change of the values that a list allows. */
function recordListChange(
  context: ComparisonContext,
  pair: ViewPair,
  id: keyof typeof LIST_RULES,
  details: Parameters<typeof recordKeywordChange>[4],
  effect?: Effect,
): void {
  recordKeywordChange(context, pair, LIST_RULES[id], LIST_KEYWORDS, details, effect);
}

function compareListedValues(
  context: ComparisonContext,
  pair: ViewPair,
  before: ValueList,
  after: ValueList,
  isClosed: boolean,
): void {
  const spots = { before: before.spot, after: after.spot };
  const missingValues = omitValues(before.values, after.values);
  const newValues = omitValues(after.values, before.values);
  const renames = findValueRenames(missingValues, newValues);
  for (const { from, to, score, ties } of renames) {
    const rename = { declared: false, score, ties: ties.map(String) };
    const details = { name: from, from, to, rename, ...spots };
    recordListChange(
      context,
      pair,
      "enum-value-renamed",
      details,
      isClosed ? "narrows-or-widens" : "narrows",
    );
  }
  const removedValues = missingValues.filter((value) => !renames.some(({ from }) => from === value));
  const addedValues = newValues.filter((value) => !renames.some(({ to }) => to === value));
  if (removedValues.length > 0)
    recordListChange(context, pair, "enum-value-removed", { from: removedValues, ...spots });
  if (addedValues.length > 0)
    recordListChange(context, pair, isClosed ? "enum-value-added-closed" : "enum-value-added", {
      to: addedValues,
      ...spots,
    });
}

/** Returns the pairs of removed and added values whose names are so alike that they are probably renames. */
function findValueRenames(removed: readonly Json[], added: readonly Json[]): Match<string>[] {
  const selectTexts = (values: readonly Json[]) => values.filter((value) => typeof value === "string");
  const candidates = selectTexts(removed).flatMap((from) =>
    selectTexts(added).flatMap((to) => {
      const score = Math.round(100 * scoreNameLikeness(from, to));
      return score >= LEAST_SCORE ? [{ from, to, score, declared: false }] : [];
    }),
  );
  return matchNames(candidates, (name) => name);
}
