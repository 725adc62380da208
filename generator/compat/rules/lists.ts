import type { Json } from "../../json.js";
import { buildOpenList, LIST_KEYWORDS } from "../../schema/listed-values.js";
import { findValueList, hasValue, type ValueList } from "../../schema/merge.js";
import type { Effect } from "../change.js";
import { areSame, type Pair, recordKeywordChange, type Walk } from "../diff/walk.js";
import { describeRename, describeValue, formatFromTo, quoteList } from "../phrases.js";
import { scoreNameLikeness } from "../renames/likeness.js";
import { LEAST_SCORE, type Match, matchNames } from "../renames/match.js";
import { createFieldExample, defineRulesWith, listRemovedValues, text } from "./rule.js";

const sorts = (...values: string[]) => ({ type: "string", enum: values });
const open = buildOpenList;

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
    mirror: { rule: "enum-value-removed" },
    example: createFieldExample(open("green"), open("green", "black")),
    describe: (change) => `${describeValue(change)} knows ${quoteList(change.to)}.`,
  },
  "enum-value-added-closed": {
    effect: "widens",
    isLocatedAtName: true,
    summary: "a closed enum has another value",
    explanation: "Readers of the baseline refuse values that they do not know.",
    hint: "Add a new optional field for the new value, or wait for the next major version and use x-extensible-enum.",
    mirror: { rule: "enum-value-removed" },
    example: createFieldExample(sorts("green", "white"), sorts("green", "white", "black")),
    describe: (change) => `${describeValue(change)} may be ${quoteList(change.to)}, and its enum is closed.`,
  },
  "enum-value-removed": {
    effect: "narrows",
    isLocatedAtName: true,
    removedNames: listRemovedValues,
    summary: "a value of an enum was removed",
    explanation: "Writers of the baseline may send the value, and stored events have it.",
    hint: "Restore the value. The description can state that it is no longer sent.",
    mirror: { rule: "enum-value-added" },
    example: createFieldExample(open("green", "black", "white"), open("green", "white")),
    describe: (change) => `${describeValue(change)} may no longer be ${quoteList(change.from)}.`,
  },
  "enum-value-renamed": {
    effect: "changes",
    isLocatedAtName: true,
    removedNames: listRemovedValues,
    summary: "a value of an enum was renamed",
    explanation:
      "Writers of the baseline may send the old name, stored events hold it, and readers of a closed enum refuse the new one. The rename is suspected from the names alone; if it is only suspected, the finding says so and has the same severity.",
    hint: "Keep the old name. Where the enum is extensible, add the new one; send one of them and accept both.",
    mirror: { none: "a rename, reported by the same rule" },
    example: createFieldExample(open("green", "black_tea"), open("green", "black")),
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
    mirror: { rule: "enum-closed" },
    example: createFieldExample(sorts("green", "black"), open("green", "black")),
    describe: (change) => `${describeValue(change)} is an extensible enum now.`,
  },
  "enum-closed": {
    effect: "promises",
    isLocatedAtName: true,
    isReportedUnbroken: true,
    summary: "an extensible enum is closed now",
    explanation:
      "No current event is refused, but the extensible enum promised that values may be added later.",
    hint: "Use x-extensible-enum again.",
    mirror: { rule: "enum-opened" },
    example: createFieldExample(open("green", "black"), sorts("green", "black")),
    describe: (change) => `${describeValue(change)} is a closed enum now.`,
  },
  "value-list-added": {
    effect: "narrows",
    summary: "a value is restricted to a list of values now",
    explanation: "Writers of the baseline may send any value.",
    hint: "Remove the list, or name the values in the description.",
    mirror: { rule: "value-list-removed" },
    example: createFieldExample(text, sorts("green", "black")),
    describe: (change) => `${describeValue(change)} must be ${quoteList(change.to)} now.`,
  },
  "value-list-removed": {
    effect: "widens",
    summary: "a value is no longer restricted to a list of values",
    explanation: "Readers of the baseline refuse other values.",
    hint: "Restore the list.",
    mirror: { rule: "value-list-added" },
    example: createFieldExample(sorts("green", "black"), text),
    describe: (change) =>
      `${describeValue(change)} may have any value now, and had to be ${quoteList(change.from)}.`,
  },
  "const-changed": {
    effect: "changes",
    summary: "the only value that is allowed has changed",
    explanation:
      "The current contract refuses the old value, and readers of the baseline refuse the new one.",
    hint: "Restore the value; a new one belongs in a new field or event type.",
    example: createFieldExample({ const: "green" }, { const: "black" }),
    describe: (change) => `${describeValue(change)} has another fixed value: ${formatFromTo(change)}.`,
  },
});

/** Compares lists of values, closed ones and open ones. */
function compareLists(walk: Walk, pair: Pair): void {
  const closed = { before: findValueList(pair.before, "closed"), after: findValueList(pair.after, "closed") };
  const open = { before: findValueList(pair.before, "open"), after: findValueList(pair.after, "open") };
  const [before, after] = [closed.before ?? open.before, closed.after ?? open.after];
  const spots = { before: before?.spot, after: after?.spot };
  const lists = { from: before?.values, to: after?.values, ...spots };
  if (!before || !after) {
    if (!before && !after) return;
    record(walk, pair, after ? "value-list-added" : "value-list-removed", { ...lists, whole: true });
    return;
  }
  if (closed.before && closed.after && before.values.length === 1 && after.values.length === 1) {
    if (!areSame(before.values[0], after.values[0])) record(walk, pair, "const-changed", lists);
    return;
  }
  compareMembers(walk, pair, before, after, closed.before !== undefined);
  if (closed.before && !closed.after) record(walk, pair, "enum-opened", lists);
  if (!closed.before && closed.after) record(walk, pair, "enum-closed", lists);
}

function record(
  walk: Walk,
  pair: Pair,
  id: keyof typeof LIST_RULES,
  details: Parameters<typeof recordKeywordChange>[4],
  effect?: Effect,
): void {
  recordKeywordChange(walk, pair, LIST_RULES[id], LIST_KEYWORDS, details, effect);
}

function compareMembers(walk: Walk, pair: Pair, before: ValueList, after: ValueList, closed: boolean): void {
  const spots = { before: before.spot, after: after.spot };
  const missing = before.values.filter((value) => !hasValue(after.values, value));
  const unknown = after.values.filter((value) => !hasValue(before.values, value));
  const renames = findValueRenames(missing, unknown);
  for (const { from, to, score, ties } of renames) {
    const rename = { declared: false, score, ties: ties.map(String) };
    const details = { name: from, from, to, rename, ...spots };
    record(walk, pair, "enum-value-renamed", details, closed ? "changes" : "narrows");
  }
  const removed = missing.filter((value) => !renames.some(({ from }) => from === value));
  const added = unknown.filter((value) => !renames.some(({ to }) => to === value));
  if (removed.length > 0) record(walk, pair, "enum-value-removed", { from: removed, ...spots });
  if (added.length > 0)
    record(walk, pair, closed ? "enum-value-added-closed" : "enum-value-added", { to: added, ...spots });
}

/** Returns the removed and added values that look like renames by their names. */
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
