import type { JsonObject } from "../../json.js";
import { readAnnotation } from "../../schema/merge.js";
import type { ExampleFiles } from "../change.js";
import { areSame, type Pair, recordChange, type Walk } from "../diff/walk.js";
import { findExperimentalDependencies } from "../history/stable-refers.js";
import { describePlaces, describeValue, formatFromTo, quoteList } from "../phrases.js";
import { parseStability, rankStability } from "../side.js";
import { createFieldExample, defineRules, EXPERIMENTAL, SERVED, text } from "./rule.js";

/** Returns a stable event with a field that refers to an experimental definition; `field` has further keywords. */
function referToExperimental(field: JsonObject): ExampleFiles {
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

/** Rules about stability and default values. */
export const ANNOTATION_RULES = defineRules({
  "stability-decreased": {
    effect: "promises",
    isReportedUnbroken: true,
    summary: "a contract is less stable than it was",
    explanation: "Readers rely on the stability that was promised.",
    hint: "Restore x-stability.",
    mirror: { rule: "stability-increased" },
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
    mirror: { rule: "stability-decreased" },
    example: { before: { [SERVED]: EXPERIMENTAL }, after: {} },
    describe: (change) =>
      `${describePlaces(change)}: ${quoteList(change.name)} is ${change.to} now and was ${change.from}.`,
    compareValues: compareStability,
  },
  "stable-refers-to-experimental": {
    effect: "promises",
    summary: "a stable part of the contract refers to an experimental one",
    explanation:
      "A stable event type is only as stable as the definitions that it refers to, and an experimental definition may change at any time. The same holds for an experimental event type that replaces a stable one.",
    hint: "Make the target stable first, or mark the field that refers to it as experimental.",
    mirror: { none: "none, because experimental contracts may refer to anything" },
    example: { before: referToExperimental(EXPERIMENTAL), after: referToExperimental({}) },
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
});

/** Compares the stability that a field states for itself. */
function compareStability(walk: Walk, pair: Pair): void {
  const [before, after] = [pair.before, pair.after].map((view) =>
    parseStability(readAnnotation(view, "x-stability")),
  );
  if (before === after || !before || !after) return;
  const rule =
    rankStability(after) < rankStability(before)
      ? ANNOTATION_RULES["stability-decreased"]
      : ANNOTATION_RULES["stability-increased"];
  recordChange(walk, pair, rule, {}, { name: pair.at.path, from: before, to: after });
}

/** Compares the default, which validators ignore but readers may use. */
function compareDefaults(walk: Walk, pair: Pair): void {
  const [before, after] = [readAnnotation(pair.before, "default"), readAnnotation(pair.after, "default")];
  if (!areSame(before, after))
    recordChange(walk, pair, ANNOTATION_RULES["default-changed"], {}, { from: before, to: after });
}
