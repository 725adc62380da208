import type { Sum } from "../../protocol/stream-rules.js";
import { asSet } from "../comparable.js";
import { nameOf, namesOf, PROFILE } from "../declaration-schema.js";
import { mentionFields, mentionTypes } from "../mention.js";
import { named } from "../step-text.js";
import { defineFinding, defineStreamRule, type RuleChecker, type Step } from "../stream-rule.js";
import { compareNumbers } from "./ordered.js";

const sumWrong = defineFinding({
  id: "sum-wrong",
  summary: "a figure is not the sum of its parts",
  explanation:
    "A remainder that was not computed from the other two figures of its event misleads its readers. It may be negative.",
  hint: "Compute the last figure from the others when you create the event.",
  severity: { reader: "error", writer: "error" },
});

/** A number of an event that is the sum of others. */
export const sums = defineStreamRule({
  member: "sums",
  declaration: {
    description: "Figures of one event and their sum.",
    required: ["type", "sum", "of"],
    properties: {
      type: nameOf("The event type."),
      sum: nameOf("The field with the sum."),
      of: namesOf("The fields with the parts."),
      profile: PROFILE,
    },
  },
  example: [
    {
      type: "cost.tick",
      sum: "task_budget_micros_usd",
      of: ["cumulative_cost_micros_usd", "task_budget_remaining_micros_usd"],
    },
  ],
  findings: [sumWrong],
  mentions: ({ type, sum, of }) => [
    ...mentionTypes([type], "type"),
    ...mentionFields([type], [sum], "sum"),
    ...mentionFields([type], of, "of", "*"),
  ],
  sentence: ({ type, sum, of }, { event, code }) =>
    `In ${event(type)}, ${code(sum)} = ${of.map((name) => code(name)).join(" + ")}.`,
  comparison: { identify: ({ type, sum }) => [type, sum] },
  createCheckers: (declared) => declared.map(createSumChecker),
  generation: {
    adjust: (declared) => ({
      adjust(type, payload) {
        for (const { type: of, sum, of: parts } of declared) {
          const values = parts.map((field) => payload[field]);
          if (of === type && payload[sum] !== undefined && values.every((value) => typeof value === "number"))
            payload[sum] = values.reduce((total, value) => total + value, 0);
        }
      },
    }),
  },
});

function createSumChecker({ type, sum, of, profile }: Sum): RuleChecker<null> {
  const check = (_state: null, step: Step): void => {
    const total = step.payload[sum];
    let added = 0;
    for (const field of of) {
      const part = step.payload[field];
      if (typeof part !== "number") return;
      added += part;
    }
    if (typeof total !== "number" || added === total || !Number.isSafeInteger(added)) return;
    const parts = of.map((field) => `${field} ${step.payload[field]}`).join(" and ");
    step.report(
      sumWrong,
      step.at(of.at(-1) ?? sum),
      `${named(step)} has ${sum} ${total}, but ${parts} make ${added}.`,
    );
  };
  return {
    findings: [sumWrong],
    profile,
    start: () => null,
    handlers: [{ types: [type], check }],
    comparable: {
      ...compareNumbers("sums", type, [sum, ...of]),
      madeOf: ["sums", type, sum, asSet(of)],
    },
  };
}
