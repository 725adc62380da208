/** Rules about the types of a value. */
import type { Json } from "../../json.js";
import { listStatements } from "../../schema/describe.js";
import { deriveTypes, findValueList } from "../../schema/merge.js";
import type { View } from "../diff/view.js";
import {
  claimAlteration,
  claimNarrowing,
  claimWidening,
  LIST_KEYWORDS,
  type Pair,
  recordChange,
  type Walk,
} from "../diff/walk.js";
import { describeValue, formatFromTo } from "../phrases.js";
import { defineRulesWith, oneField, text } from "./rule.js";

const RESTORE = "Restore the schema, and send the new values in a new optional field.";

/** The traits that all rules of this file share. */
const TRAITS = { compareValues: compareTypes } as const;

/** Rules about types. */
export const TYPE_RULES = defineRulesWith(TRAITS, {
  "type-widened": {
    effect: "widens",
    summary: "a value may have more types",
    explanation: "Readers of the baseline refuse the new type.",
    hint: RESTORE,
    mirror: { rule: "type-narrowed" },
    example: oneField(text, { type: ["string", "integer"] }),
    describe: (change) => `${describeValue(change)} may have more types: ${formatFromTo(change)}.`,
  },
  "type-narrowed": {
    effect: "narrows",
    coversNamesBelow: true,
    summary: "a value may have fewer types",
    explanation: "Values that could be sent are refused now.",
    hint: RESTORE,
    mirror: { rule: "type-widened" },
    example: oneField({ type: "number" }, { type: "integer" }),
    describe: (change) => `${describeValue(change)} may have fewer types: ${formatFromTo(change)}.`,
  },
  "type-changed": {
    effect: "changes",
    coversNamesBelow: true,
    summary: "the type of a value has changed",
    explanation:
      "The current contract refuses values that could be sent before, and readers of the baseline refuse the new ones.",
    hint: RESTORE,
    example: oneField(text, { type: "integer" }),
    describe: (change) => `${describeValue(change)} has another type: ${formatFromTo(change)}.`,
  },
  "nullable-added": {
    effect: "widens",
    summary: "a value may be null",
    explanation: "Readers of the baseline do not expect null.",
    hint: "Leave the field out instead of sending null.",
    mirror: { rule: "nullable-removed" },
    example: oneField(text, { type: ["string", "null"] }),
    describe: (change) => `${describeValue(change)} may be null now.`,
  },
  "nullable-removed": {
    effect: "narrows",
    summary: "a value may no longer be null",
    explanation: "Events with null were valid and are refused now.",
    hint: "Leave null allowed.",
    mirror: { rule: "nullable-added" },
    example: oneField({ type: ["string", "null"] }, text),
    describe: (change) => `${describeValue(change)} may no longer be null.`,
  },
});

/** Compares types. Returns true if the two sides have no type in common, so that nothing else is comparable. */
function compareTypes(walk: Walk, pair: Pair): boolean {
  const [before, after] = [deriveTypes(pair.before), deriveTypes(pair.after)];
  const details = {
    from: names(before.set),
    to: names(after.set),
    before: before.spot,
    after: after.spot,
  };
  /** What a value of a type that one side lacks may be is compared no further. */
  const whole = { ...details, whole: true };
  // Listed values state types, too.
  const keywords = isListed(pair.before) || isListed(pair.after) ? ["type", ...LIST_KEYWORDS] : ["type"];
  if (pair.before.isNever || pair.after.isNever) {
    if (!pair.before.isNever)
      recordChange(walk, pair, TYPE_RULES["type-narrowed"], claimNarrowing(...keywords), {
        ...whole,
        to: [],
      });
    if (!pair.after.isNever)
      recordChange(walk, pair, TYPE_RULES["type-widened"], claimWidening(...keywords), {
        ...whole,
        from: [],
      });
    return true;
  }
  if (!before.stated && !after.stated) return false;
  // The rules about lists report an added or removed list with its types, and alternatives have types of their own.
  if ((!after.stated && isListed(pair.before)) || (!before.stated && isListed(pair.after))) return false;
  if ((!before.stated && hasBranches(pair.before)) || (!after.stated && hasBranches(pair.after)))
    return false;
  const nullable = [before, after].map(({ set }) => set.has("null"));
  const [old, now] = [before, after].map(({ set }) => [...set].filter((type) => type !== "null"));
  const removed = (old ?? []).filter((type) => !after.set.has(type));
  const added = (now ?? []).filter((type) => !before.set.has(type));
  const isOneEmpty = (old ?? []).length === 0 || (now ?? []).length === 0;
  if (removed.length > 0 && added.length > 0)
    recordChange(walk, pair, TYPE_RULES["type-changed"], claimAlteration(...keywords), whole);
  else if (removed.length > 0)
    recordChange(walk, pair, TYPE_RULES["type-narrowed"], claimNarrowing(...keywords), whole);
  else if (added.length > 0)
    recordChange(walk, pair, TYPE_RULES["type-widened"], claimWidening(...keywords), whole);
  else if (nullable[0] && !nullable[1])
    recordChange(walk, pair, TYPE_RULES["nullable-removed"], claimNarrowing(...keywords), details);
  else if (!nullable[0] && nullable[1])
    recordChange(walk, pair, TYPE_RULES["nullable-added"], claimWidening(...keywords), details);
  return (
    (removed.length > 0 && added.length > 0 && !(old ?? []).some((type) => after.set.has(type))) || isOneEmpty
  );
}

function isListed(view: View): boolean {
  return (findValueList(view, "closed") ?? findValueList(view, "open")) !== undefined;
}

function hasBranches(view: View): boolean {
  return listStatements(view, "anyOf").length + listStatements(view, "oneOf").length > 0;
}

function names(set: ReadonlySet<string>): Json {
  const shown = [...set].filter((type) => type !== "integer" || !set.has("number")).sort();
  return shown.length === 1 ? (shown[0] ?? "") : shown;
}
