import type { Threshold } from "../../protocol/stream-rules.js";
import { eventType, payloadField } from "../declaration.js";
import { nameEvent } from "../step.js";
import {
  createEventChecker,
  defineFinding,
  defineStreamRule,
  type RuleChecker,
  type Step,
} from "../stream-rule.js";
import { createNumberUses } from "./ordered.js";

const thresholdNotReached = defineFinding({
  id: "threshold-not-reached",
  summary: "a mark is reported that the figure has not reached",
  explanation:
    "A warning at 80 percent of a budget comes at 80 percent or above. Events without one of the figures are skipped.",
  hint: "Report the greatest mark that the figure has passed.",
  severity: { reader: "error", writer: "error" },
});

/** Figures that have reached a percentage of another one. */
export const thresholds = defineStreamRule({
  member: "thresholds",
  declaration: {
    description: "Events that report that a figure has reached a percentage of another one.",
    required: ["type", "value", "of", "percent"],
    properties: {
      type: eventType("The event type."),
      value: payloadField("The field with the figure.", "type"),
      of: payloadField("The field with the whole.", "type"),
      percent: payloadField("The field with the percentage.", "type"),
    },
  },
  example: [
    {
      type: "cost.budget_warning",
      value: "cumulative_cost_micros_usd",
      of: "task_budget_micros_usd",
      percent: "threshold_pct",
    },
  ],
  findings: [thresholdNotReached],
  describe: ({ type, value, of, percent }, { event, code }) =>
    `In ${event(type)}, ${code(value)} is at least ${code(percent)} percent of ${code(of)}.`,
  comparison: { identify: ({ type, value }) => [type, value] },
  createCheckers: createThresholdChecker,
  generation: {
    createAdjuster: ({ type, value, of, percent }) => ({
      adjust(sentType, payload) {
        const figure = payload[value];
        const whole = payload[of];
        const mark = payload[percent];
        if (sentType === type && typeof whole === "number" && typeof mark === "number")
          payload[value] = Math.max(Number(figure), Math.ceil((whole * mark) / 100));
      },
    }),
  },
});

function createThresholdChecker({ type, value, of, percent }: Threshold): RuleChecker {
  const check = (step: Step): void => {
    const figure = step.payload[value];
    const whole = step.payload[of];
    const mark = step.payload[percent];
    if (typeof figure !== "number" || typeof whole !== "number" || typeof mark !== "number") return;
    const share = (figure / whole) * 100;
    // A percentage that was rounded to two digits may be a little above the share.
    if (whole <= 0 || share >= mark - 0.005) return;
    step.report(
      thresholdNotReached,
      `${nameEvent(step)} has ${percent} ${mark}, but ${value} ${figure} is ${Number(share.toFixed(2))} percent of ${of} ${whole}.`,
      step.locate(percent),
    );
  };
  return createEventChecker([type], check, createNumberUses(type, [value, of, percent]));
}
