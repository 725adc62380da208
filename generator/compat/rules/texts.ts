import { areEqual, type Json } from "../../json.js";
import { listStatements } from "../../schema/describe.js";
import { ANNOTATION_FORMATS } from "../../schema/formats.js";
import { type ComparisonContext, recordKeywordChange, type ViewPair } from "../diff/record-changes.js";
import type { View } from "../diff/view.js";
import { describeValue, formatFromTo, quoteList } from "../phrases.js";
import { createFieldExample, defineRulesWith, type RuleRow, text } from "./rule.js";

/** Rules about patterns and formats of texts. */
export const TEXT_RULES = {
  ...createKeywordRules("pattern", "^[a-z]+$", "^[A-Z]+$"),
  ...createKeywordRules("format", "date", "uuid"),
};

type Keyword = "pattern" | "format";

/** Creates the rules about one keyword, with two values of it for their examples. */
function createKeywordRules<K extends Keyword>(keyword: K, value: string, otherValue: string) {
  const rows = {
    [`${keyword}-added`]: {
      effect: "narrows",
      summary: `a string must match a ${keyword} now`,
      explanation: "Strings that could be sent are refused now.",
      hint: `Remove the ${keyword}, or put it into x-writer, which applies to writers only.`,
      reverse: { rule: `${keyword}-removed` },
      example: createFieldExample(text, { ...text, [keyword]: value }),
      describe: (change) => `${describeValue(change)} must have the ${keyword} ${quoteList(change.to)} now.`,
    },
    [`${keyword}-removed`]: {
      effect: "widens",
      summary: `a string no longer has to match its ${keyword}`,
      explanation: `Readers of the baseline refuse strings that do not match the ${keyword}.`,
      hint: `Restore the ${keyword}.`,
      reverse: { rule: `${keyword}-added` },
      example: createFieldExample({ ...text, [keyword]: value }, text),
      describe: (change) =>
        `${describeValue(change)} no longer has to have the ${keyword} ${quoteList(change.from)}.`,
    },
    [`${keyword}-changed`]: {
      effect: "narrows-or-widens",
      summary: `a string must match another ${keyword}`,
      explanation:
        "Strings that match only one of the two break the contract. The event in the finding has such a string.",
      hint: `Restore the ${keyword}.`,
      example: createFieldExample({ ...text, [keyword]: value }, { ...text, [keyword]: otherValue }),
      describe: (change) => `${describeValue(change)} must have another ${keyword}: ${formatFromTo(change)}.`,
    },
  } satisfies { readonly [id: string]: RuleRow };
  type Id = `${K}-${"added" | "removed" | "changed"}`;
  return defineRulesWith({ compareValues: compareTextKeywords }, rows as { readonly [id in Id]: RuleRow });
}

/** Compares patterns and formats. */
function compareTextKeywords(context: ComparisonContext, pair: ViewPair): void {
  for (const keyword of ["pattern", "format"] as const) {
    const before = listAssertions(pair.before, keyword);
    const after = listAssertions(pair.after, keyword);
    const removedStatements = before.filter(
      ({ value }) => !after.some((other) => areEqual(value, other.value)),
    );
    const addedStatements = after.filter(
      ({ value }) => !before.some((other) => areEqual(value, other.value)),
    );
    const details = {
      name: keyword,
      from: unwrapSingle(removedStatements.map(({ value }) => value)),
      to: unwrapSingle(addedStatements.map(({ value }) => value)),
      before: removedStatements[0]?.spot,
      after: addedStatements[0]?.spot,
    };
    if (removedStatements.length + addedStatements.length === 0) continue;
    let change: "added" | "removed" | "changed" = "changed";
    if (addedStatements.length === 0) change = "removed";
    else if (removedStatements.length === 0) change = "added";
    recordKeywordChange(context, pair, TEXT_RULES[`${keyword}-${change}`], [keyword], details);
  }
}

function unwrapSingle(values: readonly Json[]): Json {
  return values.length > 1 ? values : (values[0] ?? null);
}

/** Returns the statements of a keyword, without formats that only inform. */
function listAssertions(view: View, keyword: Keyword) {
  return listStatements(view, keyword).filter(
    ({ value }) => keyword !== "format" || !ANNOTATION_FORMATS.has(String(value)),
  );
}
