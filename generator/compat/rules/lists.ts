import { listed, path, renameWords, where } from "../words.js";
import { defineRule, oneField, type Rule } from "./rule.js";

const text = { type: "string" };
const sorts = (...values: string[]) => ({ type: "string", enum: values });
const open = (...values: string[]) => ({ type: "string", "x-extensible-enum": values });

const at = (fact: Parameters<Rule["say"]>[0]): string => `${where(fact)}: ${path(fact)}`;

/** Rules about lists of values and alternatives. */
export const LIST_RULES: readonly Rule[] = [
  defineRule({
    id: "enum-value-added",
    effect: "adds",
    summary: "an extensible enum knows another value",
    explanation: "Readers accept values that they do not know, so a new one breaks nothing.",
    repair: "Nothing is to be done.",
    mirror: { rule: "enum-value-removed" },
    example: oneField(open("green"), open("green", "black")),
    say: (fact) => `${at(fact)} knows ${listed(fact.to)}.`,
  }),
  defineRule({
    id: "enum-value-added-closed",
    effect: "widens",
    summary: "a closed enum has another value",
    explanation: "Readers of the baseline refuse values that they do not know.",
    repair:
      "Add a new optional field for the new value, or wait for the next major version and use x-extensible-enum.",
    mirror: { rule: "enum-value-removed" },
    example: oneField(sorts("green", "white"), sorts("green", "white", "black")),
    say: (fact) => `${at(fact)} may be ${listed(fact.to)}, and its enum is closed.`,
  }),
  defineRule({
    id: "enum-value-removed",
    effect: "narrows",
    summary: "an enum has lost a value",
    explanation: "Emitters of the baseline may send it, and stored events hold it.",
    repair: "Restore the value, and say in the description that it is not sent any more.",
    mirror: { rule: "enum-value-added" },
    example: oneField(open("green", "black", "white"), open("green", "white")),
    say: (fact) => `${at(fact)} may not be ${listed(fact.from)} any more.`,
  }),
  defineRule({
    id: "enum-value-renamed",
    effect: "changes",
    summary: "a value of an enum has a new name and the old one is gone",
    explanation:
      "Emitters of the baseline may send the old name, stored events hold it, and readers of a closed enum refuse the new one. The rename is suspected from the names alone; a suspicion changes this sentence and nothing else.",
    repair:
      "Keep the old name. Where the enum is extensible, the new one may stand beside it; send one of them and take both.",
    mirror: { none: "a rename undone is a rename" },
    example: oneField(open("green", "black_tea"), open("green", "black")),
    say: (fact) => `${at(fact)}: the value ${renameWords(fact, "values")}`,
  }),
  defineRule({
    id: "enum-opened",
    effect: "annotates",
    summary: "a closed enum is extensible now",
    explanation:
      "Nothing can be sent that could not be sent before. A value that is added later is still a break, as long as a release of the major has the closed list.",
    repair: "Nothing is to be done.",
    mirror: { rule: "enum-closed" },
    example: oneField(sorts("green", "black"), open("green", "black")),
    say: (fact) => `${at(fact)} is an extensible enum now.`,
  }),
  defineRule({
    id: "enum-closed",
    effect: "promises",
    summary: "an extensible enum is closed now",
    explanation:
      "No event of today is refused, but readers were promised to be told to expect other values, and emitters that they may add some.",
    repair: "Use x-extensible-enum again.",
    mirror: { rule: "enum-opened" },
    example: oneField(open("green", "black"), sorts("green", "black")),
    say: (fact) => `${at(fact)} is a closed enum now.`,
  }),
  defineRule({
    id: "value-list-added",
    effect: "narrows",
    summary: "a value must be one of a list now",
    explanation: "Emitters of the baseline may send any value.",
    repair: "Take the list back, or name the values in the description.",
    mirror: { rule: "value-list-removed" },
    example: oneField(text, sorts("green", "black")),
    say: (fact) => `${at(fact)} must be ${listed(fact.to)} now.`,
  }),
  defineRule({
    id: "value-list-removed",
    effect: "widens",
    summary: "a value need not be one of a list any more",
    explanation: "Readers of the baseline refuse other values.",
    repair: "Restore the list.",
    mirror: { rule: "value-list-added" },
    example: oneField(sorts("green", "black"), text),
    say: (fact) => `${at(fact)} may be anything now, no more only ${listed(fact.from)}.`,
  }),
  defineRule({
    id: "branch-added",
    effect: "widens",
    summary: "a value has another alternative",
    explanation: "Readers of the baseline refuse it.",
    repair: "Put the new alternative into a new optional field.",
    mirror: { rule: "branch-removed" },
    example: oneField(
      { anyOf: [text, { type: "integer" }] },
      { anyOf: [text, { type: "integer" }, { type: "boolean" }] },
    ),
    say: (fact) => `${at(fact)} has another alternative.`,
  }),
  defineRule({
    id: "branch-removed",
    effect: "narrows",
    summary: "a value has lost an alternative",
    explanation: "Emitters of the baseline may send it.",
    repair: "Restore the alternative.",
    mirror: { rule: "branch-added" },
    example: oneField(
      { anyOf: [text, { type: "integer" }, { type: "boolean" }] },
      { anyOf: [text, { type: "integer" }] },
    ),
    say: (fact) => `${at(fact)} has lost an alternative.`,
  }),
  defineRule({
    id: "branches-changed",
    effect: "changes",
    summary: "the alternatives of a value are others",
    explanation: "Alternatives were removed and others added. The event that is shown says who is affected.",
    repair: "Restore the alternatives, and put new ones into a new optional field.",
    mirror: { none: "the opposite is the same" },
    example: oneField(
      { anyOf: [text, { type: "integer" }, { type: "null" }] },
      { anyOf: [text, { type: "boolean" }] },
    ),
    say: (fact) => `${at(fact)} has other alternatives.`,
  }),
  defineRule({
    id: "condition-changed",
    effect: "changes",
    summary: "a condition between fields or on items is another",
    explanation:
      "It concerns if, not, dependentRequired, contains, patternProperties and their like; the event that is shown says who is affected.",
    repair: "Restore the condition.",
    mirror: { none: "the opposite is the same" },
    example: oneField({ ...text, not: { const: "coffee" } }, { ...text, not: { const: "water" } }),
    say: (fact) => `${at(fact)} has other conditions (${fact.name}).`,
  }),
  defineRule({
    id: "writer-rule-changed",
    effect: "narrows",
    summary: "a rule for emitters alone is another",
    explanation: "What x-writer says binds emitters; events of the baseline may break the new rule.",
    repair: "Restore the rule, or wait until every emitter keeps the new one.",
    mirror: { none: "the opposite is the same" },
    example: oneField(text, { ...text, "x-writer": { minLength: 1 } }),
    say: (fact) => `${at(fact)} has another rule for emitters.`,
  }),
];
