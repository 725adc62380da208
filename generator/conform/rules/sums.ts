import type { Sum } from "../../protocol/stream-rules.js";
import { eventType, payloadField, payloadFields } from "../declaration.js";
import { nameEvent } from "../step.js";
import {
  createEventChecker,
  defineFinding,
  defineStreamRule,
  type RuleChecker,
  type Step,
} from "../stream-rule.js";
import { createNumberUses } from "./ordered.js";

const sumWrong = defineFinding({
  id: "sum-wrong",
  summary: "a number is not the sum of its parts",
  explanation:
    "Readers show these numbers of one event together, for example the spent part, the remaining part and the whole of a budget. A part may be negative.",
  hint: "Compute the last number from the others when you create the event.",
  severity: { reader: "error", writer: "error" },
});

/** A number of an event that is the sum of others. */
export const sums = defineStreamRule({
  member: "sums",
  declaration: {
    description: "Numbers of one event and their sum.",
    required: ["type", "sum", "of"],
    properties: {
      type: eventType("The event type."),
      sum: payloadField("The field with the sum.", "type"),
      of: payloadFields("The fields with the parts.", "type"),
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
  describe: ({ type, sum, of }, { event, code }) =>
    `In ${event(type)}, ${code(sum)} = ${of.map((name) => code(name)).join(" + ")}.`,
  comparison: { identify: ({ type, sum }) => [type, sum] },
  createCheckers: createSumChecker,
  generation: {
    createAdjuster: ({ type, sum, of }) => ({
      adjust(sentType, payload) {
        const parts = of.map((field) => payload[field]);
        if (
          sentType === type &&
          payload[sum] !== undefined &&
          parts.every((part) => typeof part === "number")
        )
          payload[sum] = parts.reduce((total, part) => total + part, 0);
      },
    }),
  },
});

function createSumChecker({ type, sum, of }: Sum): RuleChecker {
  const check = (step: Step): void => {
    const total = step.payload[sum];
    let partSum = 0;
    for (const field of of) {
      const part = step.payload[field];
      if (typeof part !== "number") return;
      partSum += part;
    }
    if (typeof total !== "number" || partSum === total || !Number.isSafeInteger(partSum)) return;
    const parts = of.map((field) => `${field} ${step.payload[field]}`).join(" and ");
    step.report(
      sumWrong,
      `${nameEvent(step)} has ${sum} ${total}, but ${parts} add up to ${partSum}.`,
      step.locate(of.at(-1) ?? sum),
    );
  };
  return createEventChecker([type], check, createNumberUses(type, [sum, ...of]));
}
