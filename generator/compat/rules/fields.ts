import { declaration, field, listed, renameWords, where } from "../words.js";
import { defineRule, payloads, type Rule } from "./rule.js";

const cups = { type: "integer" };
const sort = { type: "string", enum: ["green", "black"] };
const KEEP = "Keep the field, deprecated and with x-replaced-by, and remove it with the next major version.";

/** Rules about fields of the envelope and of payloads, at any depth. */
export const FIELD_RULES: readonly Rule[] = [
  defineRule({
    id: "field-added-optional",
    effect: "adds",
    summary: "an optional field is new",
    explanation:
      "Old readers pass over it, and old events are still valid without it. Only an object that took undeclared fields may have had another value under that name.",
    repair:
      "No action is needed, unless the finding shows an event: then choose a name that nobody sends yet, or let the field have any value.",
    mirror: { rule: "field-removed-optional" },
    example: payloads({ cups }, { cups, sort }),
    say: (fact) =>
      `${where(fact)}: the optional field ${field(fact)} is new${fact.proof?.left === undefined ? "" : ", and undeclared fields could have any value"}.`,
  }),
  defineRule({
    id: "field-added-required",
    effect: "narrows",
    summary: "a required field is new",
    explanation: "Events that were sent before lack it: emitters must change, and stored events are refused.",
    repair: "Make the field optional.",
    mirror: { rule: "field-removed-required" },
    example: payloads({ cups }, { cups, sort }, { after: ["sort"] }),
    say: (fact) => `${where(fact)}: the required field ${field(fact)} is new, and older events lack it.`,
  }),
  defineRule({
    id: "field-removed-optional",
    effect: "withdraws",
    summary: "an optional field is gone",
    explanation:
      "Emitters of the baseline may send it, and readers may show it; the current contract does not know it.",
    repair: KEEP,
    mirror: { rule: "field-added-optional" },
    example: payloads({ cups, sort }, { cups }),
    say: (fact) => `${where(fact)}: the optional field ${field(fact)} is gone.`,
  }),
  defineRule({
    id: "field-removed-required",
    effect: "withdraws",
    summary: "a required field is gone",
    explanation: "Readers of the baseline refuse every event without it.",
    repair: KEEP,
    mirror: { rule: "field-added-required" },
    example: payloads({ cups, sort }, { cups }, { before: ["sort"] }),
    say: (fact) => `${where(fact)}: the required field ${field(fact)} is gone.`,
  }),
  defineRule({
    id: "field-renamed",
    effect: "withdraws",
    summary: "a field has a new name and the old one is gone",
    explanation:
      "To readers the old field is missing and the new one is unknown. The rename is declared by x-renamed-from, or suspected from shape, neighbours and name; a suspicion changes this sentence and nothing else.",
    repair:
      "Rename in three steps: add the new field, optional and with x-renamed-from; keep the old one, deprecated with x-deprecated-since and x-replaced-by, and send both; remove the old one with the next major version and leave a tombstone.",
    mirror: { none: "a rename undone is a rename" },
    example: payloads({ tea_sort: sort, cups }, { sort, cups }),
    say: (fact) =>
      `${where(fact)}: ${fact.rename?.members ? "of the fields," : "the field"} ${renameWords(fact, "fields")}${declaration(fact)}`,
  }),
  defineRule({
    id: "field-moved",
    effect: "withdraws",
    summary: "a field is in another place and gone from the old one",
    explanation: "Readers look for it where it was.",
    repair: "Keep the field in its old place, deprecated, beside the new one.",
    mirror: { none: "a move undone is a move" },
    example: payloads(
      { pot: { type: "object", properties: { size: cups } }, sort },
      { pot: { type: "object", properties: { size: cups, sort } } },
    ),
    say: (fact) => {
      const members = fact.rename?.members?.map(([from, to]) => `${from} → ${to}`) ?? [];
      const family = members.length > 0 ? ` (${members.length} fields: ${members.join(", ")})` : "";
      const side = fact.movedTo === undefined ? "" : ` in the ${fact.movedTo}`;
      return `${where(fact)}: the field ${listed(fact.from)} has moved to ${listed(fact.to)}${side}${family}.`;
    },
  }),
  defineRule({
    id: "field-became-required",
    effect: "narrows",
    summary: "an optional field is required now",
    explanation: "Events that were sent without it are not valid any more.",
    repair: "Leave the field optional; x-writer can require it of new emitters once no event lacks it.",
    mirror: { rule: "field-became-optional" },
    example: payloads({ cups, sort }, { cups, sort }, { after: ["sort"] }),
    say: (fact) => `${where(fact)}: the field ${field(fact)} is required now and was optional.`,
  }),
  defineRule({
    id: "field-became-optional",
    effect: "widens",
    summary: "a required field is optional now",
    explanation: "Readers of the baseline refuse events without it, and today's emitters may send such.",
    repair: "Leave the field required.",
    mirror: { rule: "field-became-required" },
    example: payloads({ cups, sort }, { cups, sort }, { before: ["sort"] }),
    say: (fact) => `${where(fact)}: the field ${field(fact)} is optional now and was required.`,
  }),
  defineRule({
    id: "content-opened",
    effect: "annotates",
    summary: "an object takes undeclared fields now",
    explanation:
      "Tolerant readers pass over such fields, so no document breaks; but a field that is declared later may meet one that was sent under its name before.",
    repair: "Declare the fields by name.",
    mirror: { rule: "content-closed" },
    example: payloads(
      { pot: { type: "object", properties: { size: cups } } },
      { pot: { type: "object", properties: { size: cups }, additionalProperties: true } },
    ),
    say: (fact) => `${where(fact)}: the object at ${place(fact)} takes undeclared fields now.`,
  }),
  defineRule({
    id: "content-closed",
    effect: "narrows",
    summary: "an object that took undeclared fields takes them no more",
    explanation: "Emitters of the baseline may have sent any field there.",
    repair: "Leave the object open.",
    mirror: { rule: "content-opened" },
    example: payloads(
      { pot: { type: "object", properties: { size: cups }, additionalProperties: true } },
      { pot: { type: "object", properties: { size: cups } } },
    ),
    say: (fact) => `${where(fact)}: the object at ${place(fact)} does not take undeclared fields any more.`,
  }),
];

function place({ occurrences: [first] }: Parameters<Rule["say"]>[0]): string {
  return listed(first?.path ?? "");
}
