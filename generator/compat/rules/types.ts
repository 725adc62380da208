import type { Json } from "../../json.js";
import { listStatements } from "../../schema/describe.js";
import { LIST_KEYWORDS } from "../../schema/listed-values.js";
import { deriveTypes, findValueList } from "../../schema/merge.js";
import {
  type AspectComparer,
  type ComparisonContext,
  recordKeywordChange,
  type ViewPair,
} from "../diff/record-changes.js";
import type { View } from "../diff/view.js";
import { describeValue, formatFromTo } from "../phrases.js";
import { createFieldExample, defineRulesWith, text } from "./rule.js";

const RESTORE = "Restore the schema, and send the new values in a new optional field.";

const TRAITS = { compareValues: compareTypes } as const;

/** Rules about the types of a value. */
export const TYPE_RULES = defineRulesWith(TRAITS, {
  "type-widened": {
    effect: "widens",
    summary: "a value may have more types",
    explanation: "Readers of the baseline refuse the new type.",
    hint: RESTORE,
    reverse: { rule: "type-narrowed" },
    example: createFieldExample(text, { type: ["string", "integer"] }),
    describe: (change) => `${describeValue(change)} may have more types: ${formatFromTo(change)}.`,
  },
  "type-narrowed": {
    effect: "narrows",
    coversNamesBelow: true,
    summary: "a value may have fewer types",
    explanation: "Values that could be sent are refused now.",
    hint: RESTORE,
    reverse: { rule: "type-widened" },
    example: createFieldExample({ type: "number" }, { type: "integer" }),
    describe: (change) => `${describeValue(change)} may have fewer types: ${formatFromTo(change)}.`,
  },
  "type-changed": {
    effect: "narrows-or-widens",
    coversNamesBelow: true,
    summary: "the type of a value has changed",
    explanation:
      "The current contract refuses values that could be sent before, and readers of the baseline refuse the new ones.",
    hint: RESTORE,
    example: createFieldExample(text, { type: "integer" }),
    describe: (change) => `${describeValue(change)} has another type: ${formatFromTo(change)}.`,
  },
  "nullable-added": {
    effect: "widens",
    summary: "a value may be null",
    explanation: "Readers of the baseline do not expect null.",
    hint: "Leave the field out instead of sending null.",
    reverse: { rule: "nullable-removed" },
    example: createFieldExample(text, { type: ["string", "null"] }),
    describe: (change) => `${describeValue(change)} may be null now.`,
  },
  "nullable-removed": {
    effect: "narrows",
    summary: "a value may no longer be null",
    explanation: "Events with null were valid and are refused now.",
    hint: "Leave null allowed.",
    reverse: { rule: "nullable-added" },
    example: createFieldExample({ type: ["string", "null"] }, text),
    describe: (change) => `${describeValue(change)} may no longer be null.`,
  },
});

/** Compares types. */
function compareTypes(context: ComparisonContext, pair: ViewPair): ReturnType<AspectComparer> {
  const before = deriveTypes(pair.before);
  const after = deriveTypes(pair.after);
  const details = {
    from: listTypeNames(before.set),
    to: listTypeNames(after.set),
    before: before.spot,
    after: after.spot,
  };
  // The other keywords about a type that one side lacks are not compared, so the whole schemas identify the change.
  const wholeDetails = { ...details, hasWholeContent: true };
  // Listed values state types, too.
  const keywords = isListed(pair.before) || isListed(pair.after) ? ["type", ...LIST_KEYWORDS] : ["type"];
  const record = (id: keyof typeof TYPE_RULES, typeDetails: typeof details): void =>
    recordKeywordChange(context, pair, TYPE_RULES[id], keywords, typeDetails);
  if (pair.before.isNever || pair.after.isNever) {
    if (!pair.before.isNever) record("type-narrowed", { ...wholeDetails, to: [] });
    if (!pair.after.isNever) record("type-widened", { ...wholeDetails, from: [] });
    return "incomparable";
  }
  if (!before.isStated && !after.isStated) return undefined;
  // The rules about lists report an added or removed list with its types, and alternatives have types of their own.
  if ((!after.isStated && isListed(pair.before)) || (!before.isStated && isListed(pair.after)))
    return undefined;
  if ((!before.isStated && hasBranches(pair.before)) || (!after.isStated && hasBranches(pair.after)))
    return undefined;
  const old = [...before.set].filter((type) => type !== "null");
  const now = [...after.set].filter((type) => type !== "null");
  const removedTypes = old.filter((type) => !after.set.has(type));
  const addedTypes = now.filter((type) => !before.set.has(type));
  const losesNull = before.set.has("null") && !after.set.has("null");
  const gainsNull = !before.set.has("null") && after.set.has("null");
  const losesTypes = removedTypes.length > 0;
  const gainsTypes = addedTypes.length > 0;
  // Null counts as a type only beside a change of other types.
  if ((losesTypes && (gainsTypes || gainsNull)) || (gainsTypes && losesNull))
    record("type-changed", wholeDetails);
  else if (losesTypes) record("type-narrowed", wholeDetails);
  else if (gainsTypes) record("type-widened", wholeDetails);
  else if (losesNull) record("nullable-removed", details);
  else if (gainsNull) record("nullable-added", details);
  const isIncomparable =
    old.length === 0 || now.length === 0 || (gainsTypes && removedTypes.length === old.length);
  return isIncomparable ? "incomparable" : undefined;
}

function isListed(view: View): boolean {
  return (findValueList(view, "closed") ?? findValueList(view, "open")) !== undefined;
}

function hasBranches(view: View): boolean {
  return listStatements(view, "anyOf").length + listStatements(view, "oneOf").length > 0;
}

function listTypeNames(set: ReadonlySet<string>): Json {
  const shown = [...set].filter((type) => type !== "integer" || !set.has("number")).sort();
  return shown.length === 1 ? (shown[0] ?? "") : shown;
}
