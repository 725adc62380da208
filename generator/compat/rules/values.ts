import { listed, path, where } from "../words.js";
import { defineRule, oneField, type Rule } from "./rule.js";

const text = { type: "string" };
const STAY = "Restore the schema; say something new in a new optional field.";

type Say = Rule["say"];
const at = (fact: Parameters<Say>[0]): string => `${where(fact)}: ${path(fact)}`;
const fromTo: Say = ({ from, to }) => `${JSON.stringify(from ?? null)} → ${JSON.stringify(to ?? null)}`;
/** Both values of a limit; a schema need not have it. */
const limits: Say = ({ from, to }) =>
  [from, to].map((limit) => (limit === null ? "none" : JSON.stringify(limit))).join(" → ");

/** Rules about types, bounds, patterns, formats and defaults. */
export const VALUE_RULES: readonly Rule[] = [
  defineRule({
    id: "type-widened",
    effect: "widens",
    summary: "a value may have more types",
    explanation: "Readers of the baseline refuse the new type.",
    repair: STAY,
    mirror: { rule: "type-narrowed" },
    example: oneField(text, { type: ["string", "integer"] }),
    say: (fact) => `${at(fact)} may have more types: ${fromTo(fact)}.`,
  }),
  defineRule({
    id: "type-narrowed",
    effect: "narrows",
    summary: "a value may have fewer types",
    explanation: "Values that could be sent are refused now.",
    repair: STAY,
    mirror: { rule: "type-widened" },
    example: oneField({ type: "number" }, { type: "integer" }),
    say: (fact) => `${at(fact)} may have fewer types: ${fromTo(fact)}.`,
  }),
  defineRule({
    id: "type-changed",
    effect: "changes",
    summary: "a value has another type",
    explanation: "What could be sent is refused, and what is sent now readers of the baseline refuse.",
    repair: STAY,
    mirror: { none: "the opposite is the same" },
    example: oneField(text, { type: "integer" }),
    say: (fact) => `${at(fact)} has another type: ${fromTo(fact)}.`,
  }),
  defineRule({
    id: "nullable-added",
    effect: "widens",
    summary: "a value may be null",
    explanation: "Readers of the baseline do not expect null.",
    repair: "Leave the field out instead of sending null.",
    mirror: { rule: "nullable-removed" },
    example: oneField(text, { type: ["string", "null"] }),
    say: (fact) => `${at(fact)} may be null now.`,
  }),
  defineRule({
    id: "nullable-removed",
    effect: "narrows",
    summary: "a value may not be null any more",
    explanation: "Events with null were valid and are not now.",
    repair: "Leave null allowed.",
    mirror: { rule: "nullable-added" },
    example: oneField({ type: ["string", "null"] }, text),
    say: (fact) => `${at(fact)} may not be null any more.`,
  }),
  defineRule({
    id: "bound-tightened",
    effect: "narrows",
    summary: "a limit allows less",
    explanation: "Values that could be sent are beyond the new limit.",
    repair: "Restore the limit; x-writer can bind new emitters alone once no old value is left.",
    mirror: { rule: "bound-loosened" },
    example: oneField({ ...text, maxLength: 20 }, { ...text, maxLength: 10 }),
    say: (fact) => `${at(fact)}: ${fact.name} allows less (${limits(fact)}).`,
  }),
  defineRule({
    id: "bound-loosened",
    effect: "widens",
    summary: "a limit allows more",
    explanation: "Readers of the baseline refuse what is beyond the old limit.",
    repair: "Restore the limit.",
    mirror: { rule: "bound-tightened" },
    example: oneField({ ...text, maxLength: 10 }, text),
    say: (fact) => `${at(fact)}: ${fact.name} allows more (${limits(fact)}).`,
  }),
  ...(["pattern", "format"] as const).flatMap((keyword) => {
    const [one, other] = keyword === "pattern" ? ["^[a-z]+$", "^[A-Z]+$"] : ["date", "uuid"];
    return [
      defineRule({
        id: `${keyword}-added`,
        effect: "narrows",
        summary: `a text must have a ${keyword} now`,
        explanation: "Texts that could be sent are refused now.",
        repair: `Take the ${keyword} back; x-writer can bind new emitters alone.`,
        mirror: { rule: `${keyword}-removed` },
        example: oneField(text, { ...text, [keyword]: one }),
        say: (fact) => `${at(fact)} must have the ${keyword} ${listed(fact.to)} now.`,
      }),
      defineRule({
        id: `${keyword}-removed`,
        effect: "widens",
        summary: `a text need not have its ${keyword} any more`,
        explanation: `Readers of the baseline refuse texts without that ${keyword}.`,
        repair: `Restore the ${keyword}.`,
        mirror: { rule: `${keyword}-added` },
        example: oneField({ ...text, [keyword]: one }, text),
        say: (fact) => `${at(fact)} need not have the ${keyword} ${listed(fact.from)} any more.`,
      }),
      defineRule({
        id: `${keyword}-changed`,
        effect: "changes",
        summary: `a text must have another ${keyword}`,
        explanation:
          "Texts that only one of the two allows break the contract; the event that is shown has such a text.",
        repair: `Restore the ${keyword}.`,
        mirror: { none: "the opposite is the same" },
        example: oneField({ ...text, [keyword]: one }, { ...text, [keyword]: other }),
        say: (fact) => `${at(fact)} must have another ${keyword}: ${fromTo(fact)}.`,
      }),
    ];
  }),
  defineRule({
    id: "const-changed",
    effect: "changes",
    summary: "the only value that is allowed is another",
    explanation: "Old and new events refuse each other.",
    repair: "Restore the value; a new one belongs into a new field or event type.",
    mirror: { none: "the opposite is the same" },
    example: oneField({ const: "green" }, { const: "black" }),
    say: (fact) => `${at(fact)} has another fixed value: ${fromTo(fact)}.`,
  }),
  defineRule({
    id: "decoding-changed",
    effect: "reinterprets",
    summary: "a value is decoded differently",
    explanation:
      "The keywords contentEncoding, contentMediaType and contentSchema and formats such as int32, byte or iri say how to decode a value. Validators ignore them, but readers of the baseline decode the value wrongly. Adding, removing or changing an encoding or a media type is a break, and so is replacing one format by another. Adding or removing a format that only informs, such as int64, is not. A contentSchema is compared like any schema.",
    repair: "Restore the old decoding, and put values of the new kind in a new field.",
    mirror: { none: "the opposite is the same" },
    example: oneField({ ...text, contentEncoding: "base64" }, { ...text, contentEncoding: "base64url" }),
    say: (fact) =>
      fact.name === "contentSchema"
        ? `${at(fact)} has other content (contentSchema). Validators ignore the keyword, but readers decode the value by it.`
        : `${at(fact)} is decoded differently: ${fact.name} ${listed(fact.from)} → ${listed(fact.to)}. Validators ignore this, but readers decode the value wrongly.`,
  }),
  defineRule({
    id: "default-changed",
    effect: "annotates",
    summary: "a default is another",
    explanation: "No validator looks at it, but readers may take it for what a missing field means.",
    repair: "Make sure that no reader relies on the old default.",
    mirror: { none: "the opposite is the same" },
    example: oneField({ ...text, default: "green" }, { ...text, default: "black" }),
    say: (fact) => `${at(fact)} has another default: ${fromTo(fact)}.`,
  }),
];
