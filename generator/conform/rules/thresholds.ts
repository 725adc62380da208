import type { Threshold } from "../../protocol/stream-rules.js";
import { createFieldUses } from "../comparable.js";
import { eventType, flag, payloadField } from "../declaration.js";
import { nameEvent, remember } from "../step.js";
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
  summary: "a percentage is reported that the figure has not reached",
  explanation:
    "A warning at 80 percent of a budget comes at 80 percent or above. A percentage that is not whole may have been rounded to two digits. Events without one of the figures are skipped.",
  hint: "Report the greatest percentage that the figure has reached.",
  severity: { reader: "error", writer: "error" },
});

const thresholdRepeated = defineFinding({
  id: "threshold-repeated",
  summary: "a percentage is reported again",
  explanation:
    "A figure reaches a percentage of the same whole once. A person who is warned twice looks for a second cause. The same percentage of another whole may be reported. If events may be missing in between, nothing is reported.",
  hint: "Report each percentage when the figure reaches it, and not again.",
  severity: { reader: "off", writer: "error" },
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
      once: flag("Each percentage of the same whole is reported once."),
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
  findings: [thresholdNotReached, thresholdRepeated],
  describe: ({ type, value, of, percent, once }, { event, code }) =>
    `In ${event(type)}, ${code(value)} is at least ${code(percent)} percent of ${code(of)}.${once ? " Each percentage is reported once." : ""}`,
  comparison: { identify: ({ type, value }) => [type, value] },
  createCheckers: (declared) => [
    createReachedChecker(declared),
    ...(declared.once ? [createOnceChecker(declared)] : []),
  ],
  generation: {
    createAdjuster: ({ type, value, of, percent }) => ({
      adjust(sentType, payload) {
        const figure = payload[value];
        const whole = payload[of];
        const percentage = payload[percent];
        if (sentType === type && typeof whole === "number" && typeof percentage === "number")
          payload[value] = Math.max(Number(figure), Math.ceil((whole * percentage) / 100));
      },
    }),
  },
});

/** Checks each event alone: the figure has reached the percentage. */
function createReachedChecker({ type, value, of, percent }: Threshold): RuleChecker {
  const check = (step: Step): void => {
    const figure = step.payload[value];
    const whole = step.payload[of];
    const percentage = step.payload[percent];
    if (typeof figure !== "number" || typeof whole !== "number" || typeof percentage !== "number") return;
    const share = (figure / whole) * 100;
    // A whole percentage is exact. Another one may have been rounded to two digits, a little above the share.
    const isReached = Number.isInteger(percentage)
      ? figure * 100 >= percentage * whole
      : share >= percentage - 0.005;
    if (whole <= 0 || isReached) return;
    step.report(
      thresholdNotReached,
      `${nameEvent(step)} has ${percent} ${percentage}, but ${value} ${figure} is less than ${percentage} percent of ${of} ${whole}.`,
      step.locate(percent),
    );
  };
  const reads = createNumberUses(type, [value, of, percent]);
  const dependsOn = ["thresholds", "reached", type, value, of, percent];
  return createEventChecker([type], check, reads, { findings: [thresholdNotReached], dependsOn });
}

/** The event that reported a percentage, and its epoch, by the percentage and its whole. */
type ReportedPercentages = Map<string, { readonly event: string; readonly epoch: number }>;

/** Checks that each percentage of a whole is reported once. */
function createOnceChecker({ type, of, percent }: Threshold): RuleChecker<ReportedPercentages> {
  const check = (reported: ReportedPercentages, step: Step): void => {
    const whole = step.payload[of];
    const percentage = step.payload[percent];
    if (typeof whole !== "number" || typeof percentage !== "number") return;
    const key = `${percentage} ${whole}`;
    const { epoch } = step.stream;
    const earlier = reported.get(key);
    if (earlier?.epoch !== epoch) remember(reported, key, { event: nameEvent(step), epoch }, step);
    else
      step.report(
        thresholdRepeated,
        `${nameEvent(step)} has ${percent} ${percentage} of ${of} ${whole}, which ${earlier.event} had reported.`,
        step.locate(percent),
      );
  };
  return {
    findings: [thresholdRepeated],
    start: () => new Map(),
    handlers: [{ types: [type], check }],
    comparable: {
      dependsOn: ["thresholds", "once", type, of, percent],
      remembers: [type],
      usesEpochs: true,
      reads: [of, percent].flatMap((field) => createFieldUses([type], field, { kind: "two" })),
      // A percentage of an earlier epoch may come again, as if it had not been reported.
      snapshot: (reported, { stream }) =>
        [...reported].flatMap(([key, { epoch }]) => (epoch === stream.epoch ? [key] : [])).sort(),
    },
  };
}
