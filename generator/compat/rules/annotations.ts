import { areEqual, type Json, type JsonObject } from "../../json.js";
import { listStatements } from "../../schema/describe.js";
import {
  type AnnotationName,
  collectKnownValues,
  findSuggestedValues,
  omitValues,
  readAnnotation,
} from "../../schema/merge.js";
import type { ExampleFiles } from "../change.js";
import { type ComparisonContext, recordChange, type ViewPair } from "../diff/record-changes.js";
import type { View } from "../diff/view.js";
import { findExperimentalDependencies } from "../history/experimental-dependencies.js";
import { describePlaces, describeValue, formatFromTo, quoteList } from "../phrases.js";
import { parseStability, rankStability } from "../side.js";
import { createFieldExample, defineRules, EXPERIMENTAL, SERVED, text } from "./rule.js";

/** Returns a stable event with a field that refers to an experimental definition; `field` has further keywords. */
function createExperimentalReference(field: JsonObject): ExampleFiles {
  const properties = { sort: { type: "string", enum: ["green", "black"] } };
  const schema = { ...EXPERIMENTAL, type: "object", properties };
  return {
    "shared/leaves.schema.json": { title: "Leaves", description: "Shared.", $defs: { Leaf: schema } },
    [SERVED]: {
      "x-stability": "stable",
      properties: { leaf: { $ref: "../shared/leaves.schema.json#/$defs/Leaf", ...field } },
    },
  };
}

const list = { type: "array", items: text } as const;

/** Creates a field with suggested values for an example. */
const createSuggestedValuesField = (...values: string[]) => ({ ...text, "x-known-values": values });
/** Locations in the examples, as `ExpectedFinding` states them. */
const SUGGESTED_VALUES = 'tea.served#/properties/sort/x-known-values "x-known-values": [';
const SORT_FIELD = 'tea.served#/properties/sort "sort": {';
const REPLACES = 'tea.served#/properties/sort/x-replaces "x-replaces": true';
const SENSITIVE = 'tea.served#/properties/sort/x-sensitive "x-sensitive": true';

/** Rules about stability, default values, known values and sensitive values. */
export const ANNOTATION_RULES = defineRules({
  "stability-decreased": {
    effect: "breaks-promise",
    isReportedUnbroken: true,
    summary: "a contract is less stable than it was",
    explanation: "Readers rely on the stability that was promised.",
    hint: "Restore x-stability.",
    reverse: { rule: "stability-increased" },
    example: { before: {}, after: { [SERVED]: EXPERIMENTAL } },
    describe: (change) =>
      `${describePlaces(change)}: ${quoteList(change.name)} is ${change.to} now and was ${change.from}.`,
    compareValues: compareStability,
  },
  "stability-increased": {
    effect: "annotates",
    isReportedUnbroken: true,
    summary: "a contract is more stable than it was, which freezes it",
    explanation:
      "From the next release on, its breaks are errors. Breaks of stable contracts cannot be waived.",
    hint: "Make sure that the contract can stay as it is.",
    reverse: { rule: "stability-decreased" },
    example: { before: { [SERVED]: EXPERIMENTAL }, after: {} },
    describe: (change) =>
      `${describePlaces(change)}: ${quoteList(change.name)} is ${change.to} now and was ${change.from}.`,
    compareValues: compareStability,
  },
  "stable-refers-to-experimental": {
    effect: "breaks-promise",
    summary: "a stable part of the contract refers to an experimental one",
    explanation:
      "A stable event type is only as stable as the definitions that it refers to, and an experimental definition may change at any time. The same holds for an experimental event type that replaces a stable one.",
    hint: "Make the target stable first, or mark the field that refers to it as experimental.",
    reverse: { description: "none, because experimental contracts may refer to anything" },
    example: { before: createExperimentalReference(EXPERIMENTAL), after: createExperimentalReference({}) },
    describe: (change) =>
      change.from === "reference"
        ? `${describePlaces(change)}: a stable part refers to ${quoteList(change.to)}, which is experimental.`
        : `The stable event type ${quoteList(change.name)} is replaced by ${quoteList(change.to)}, which is experimental.`,
    detect: findExperimentalDependencies,
  },
  "default-changed": {
    effect: "annotates",
    isReportedUnbroken: true,
    summary: "a default has changed",
    explanation: "Validators ignore it, but readers may use it as the meaning of a missing field.",
    hint: "Make sure that no reader relies on the old default.",
    example: createFieldExample({ ...text, default: "green" }, { ...text, default: "black" }),
    describe: (change) => `${describeValue(change)} has another default: ${formatFromTo(change)}.`,
    compareValues: compareDefaults,
  },
  "known-value-added": {
    effect: "adds",
    isLocatedAtName: true,
    isReportedUnbroken: true,
    summary: "the keyword x-known-values lists another value",
    explanation: "Writers may send any value, so readers accept it already.",
    hint: "No action is needed.",
    reverse: { rule: "known-value-removed" },
    example: createFieldExample(
      createSuggestedValuesField("green"),
      createSuggestedValuesField("green", "black"),
    ),
    expected: { verdict: "addition", at: SUGGESTED_VALUES, baseline: SUGGESTED_VALUES },
    describe: (change) => `${describeValue(change)} also lists the known value ${quoteList(change.to)}.`,
    compareValues: compareSuggestedValues,
  },
  "known-value-removed": {
    effect: "breaks-promise",
    isLocatedAtName: true,
    isReportedUnbroken: true,
    summary: "the keyword x-known-values no longer lists a value",
    explanation:
      "Writers may still send the value, and stored events hold it. Types, editors and the catalogue no longer show it.",
    hint: "Restore the value. The description can state that it is no longer sent.",
    reverse: { rule: "known-value-added" },
    example: createFieldExample(
      createSuggestedValuesField("green", "black"),
      createSuggestedValuesField("green"),
    ),
    expected: { verdict: "warning", at: SUGGESTED_VALUES, baseline: SUGGESTED_VALUES },
    describe: (change) =>
      `${describeValue(change)} no longer lists the known value ${quoteList(change.from)}.`,
    compareValues: compareSuggestedValues,
  },
  "sensitive-added": {
    effect: "annotates",
    isLocatedAtName: true,
    isReportedUnbroken: true,
    summary: "a value is marked as sensitive",
    explanation:
      "From now on, `accrete redact` removes the value. Recordings that were redacted before still hold it.",
    hint: "Redact recordings again that hold the value and that others can read.",
    reverse: { rule: "sensitive-removed" },
    example: createFieldExample(text, { ...text, "x-sensitive": true }),
    expected: { verdict: "note", at: SENSITIVE },
    describe: (change) => `${describeValue(change)} is sensitive now.`,
    compareValues: compareSensitivity,
  },
  "sensitive-removed": {
    effect: "breaks-promise",
    isLocatedAtName: true,
    isReportedUnbroken: true,
    summary: "a value is no longer marked as sensitive",
    explanation:
      "Without the mark, `accrete redact` leaves the value in recordings, so secrets can get into fixtures and bug reports unnoticed.",
    hint: "Restore x-sensitive, unless the value can never be a secret.",
    reverse: { rule: "sensitive-added" },
    example: createFieldExample({ ...text, "x-sensitive": true }, text),
    expected: { verdict: "warning", at: SORT_FIELD, baseline: SENSITIVE },
    describe: (change) => `${describeValue(change)} is no longer sensitive.`,
    compareValues: compareSensitivity,
  },
  "replaces-added": {
    effect: "annotates",
    isLocatedAtName: true,
    isReportedUnbroken: true,
    summary: "a list is marked as one that replaces the list before it",
    explanation:
      "Readers may rely on complete lists from now on. Writers that send parts of a list break this promise.",
    hint: "Add x-replaces only if every writer sends complete lists.",
    reverse: { rule: "replaces-removed" },
    example: createFieldExample(list, { ...list, "x-replaces": true }),
    expected: { verdict: "note", at: REPLACES },
    describe: (change) => `${describeValue(change)} replaces the list before it now.`,
    compareValues: compareReplacement,
  },
  "replaces-removed": {
    effect: "breaks-promise",
    isLocatedAtName: true,
    isReportedUnbroken: true,
    summary: "a list is no longer marked as one that replaces the list before it",
    explanation: "Readers that show the newest list alone may miss what an earlier one had.",
    hint: "Restore x-replaces, or send parts of a list in an event of another type.",
    reverse: { rule: "replaces-added" },
    example: createFieldExample({ ...list, "x-replaces": true }, list),
    expected: { verdict: "warning", at: SORT_FIELD, baseline: REPLACES },
    describe: (change) => `${describeValue(change)} no longer replaces the list before it.`,
    compareValues: compareReplacement,
  },
});

/** Compares the stability that a field states for itself. */
function compareStability(context: ComparisonContext, pair: ViewPair): void {
  const before = parseStability(readAnnotation(pair.before, "x-stability"));
  const after = parseStability(readAnnotation(pair.after, "x-stability"));
  if (before === after || !before || !after) return;
  const rule =
    rankStability(after) < rankStability(before)
      ? ANNOTATION_RULES["stability-decreased"]
      : ANNOTATION_RULES["stability-increased"];
  recordChange(context, pair, rule, {}, { name: pair.place.path, from: before, to: after });
}

/** Compares the default, which validators ignore but readers may use. */
function compareDefaults(context: ComparisonContext, pair: ViewPair): void {
  const before = readAnnotation(pair.before, "default");
  const after = readAnnotation(pair.after, "default");
  if (!areEqual(before, after))
    recordChange(context, pair, ANNOTATION_RULES["default-changed"], {}, { from: before, to: after });
}

/** Compares `x-known-values`, which limits nothing. Values that an enum lists on the other side are known there, too. */
function compareSuggestedValues(context: ComparisonContext, pair: ViewPair): void {
  const before = findSuggestedValues(pair.before);
  const after = findSuggestedValues(pair.after);
  const spots = { before: before?.spot, after: after?.spot };
  const listMissing = (values: readonly Json[] = [], other: View): Json[] => {
    const listedValues = [
      ...(findSuggestedValues(other)?.values ?? []),
      ...(collectKnownValues(other) ?? []),
    ];
    return omitValues(values, listedValues);
  };
  const removedValues = listMissing(before?.values, pair.after);
  const addedValues = listMissing(after?.values, pair.before);
  if (removedValues.length > 0)
    recordChange(
      context,
      pair,
      ANNOTATION_RULES["known-value-removed"],
      {},
      { from: removedValues, ...spots },
    );
  if (addedValues.length > 0)
    recordChange(context, pair, ANNOTATION_RULES["known-value-added"], {}, { to: addedValues, ...spots });
}

/** Compares whether `x-sensitive` marks a value. */
function compareSensitivity(context: ComparisonContext, pair: ViewPair): void {
  compareMark(context, pair, "x-sensitive", ["sensitive-added", "sensitive-removed"]);
}

/** Compares whether `x-replaces` marks a list. */
function compareReplacement(context: ComparisonContext, pair: ViewPair): void {
  compareMark(context, pair, "x-replaces", ["replaces-added", "replaces-removed"]);
}

/** Compares whether an annotation is true. */
function compareMark(
  context: ComparisonContext,
  pair: ViewPair,
  keyword: AnnotationName,
  [added, removed]: readonly [keyof typeof ANNOTATION_RULES, keyof typeof ANNOTATION_RULES],
): void {
  const findMark = (view: View) => listStatements(view, keyword).find(({ value }) => value === true);
  const before = findMark(pair.before);
  const after = findMark(pair.after);
  if ((before === undefined) === (after === undefined)) return;
  const rule = ANNOTATION_RULES[after ? added : removed];
  recordChange(context, pair, rule, {}, { before: before?.spot, after: after?.spot });
}
