import type { Threshold } from "../../protocol/stream-rules.js";
import { eventType, flag, payloadField } from "../declaration.js";
import * as m from "../machine/build.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const thresholdNotReached = defineFinding({
  id: "threshold-not-reached",
  summary: "a percentage is reported that the figure has not reached",
  explanation:
    "A warning at 80 percent of a budget comes at 80 percent or above. A percentage that is not whole may have been rounded to two digits. Events without one of the figures are skipped.",
  hint: "Report the greatest percentage that the figure has reached.",
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
  createMachines: (declared) => [
    createReachedMachine(declared),
    ...(declared.once ? [createOnceMachine(declared)] : []),
  ],
});

/** Checks each event alone: the figure has reached the percentage. */
function createReachedMachine({ type, value, of, percent }: Threshold): m.Machine {
  const [figure, whole, percentage] = [m.payload(value), m.payload(of), m.payload(percent)];
  const hundred = m.literal(100);
  const isWhole = m.is("integer", percentage);
  // A whole percentage is exact. Another one may have been rounded to two digits, a little above the share.
  const share = m.multiply(m.divide(figure, whole), hundred);
  const isMissed = m.any(
    m.all(isWhole, m.less(m.multiply(figure, hundred), m.multiply(percentage, whole))),
    m.all(m.not(isWhole), m.less(share, m.subtract(percentage, m.literal(0.005)))),
  );
  return m.createEventMachine(
    [type],
    m.reportIf(
      m.all(m.less(m.literal(0), whole), isMissed),
      thresholdNotReached,
      m.message`${m.NAME} has ${percent} ${percentage}, but ${value} ${figure} is less than ${percentage} percent of ${of} ${whole}.`,
      percent,
    ),
  );
}

/** Checks that each percentage of a whole is reported once. */
function createOnceMachine({ type, of, percent }: Threshold): m.Machine {
  const [whole, percentage] = [m.payload(of), m.payload(percent)];
  const percentages = m.table("percentages", 2, m.EVENT_CELLS);
  const reported = percentages.row("reported", percentage, whole);
  const check = m.choose(
    [
      reported.isCurrent,
      m.report(
        thresholdRepeated,
        m.message`${m.NAME} has ${percent} ${percentage} of ${of} ${whole}, which ${reported.cells.event} had reported.`,
        percent,
      ),
    ],
    [true, reported.set(m.THIS_EVENT)],
  );
  const areNumbers = m.all(m.is("number", whole), m.is("number", percentage));
  return m.createMachine([percentages], m.on([type], m.when(areNumbers, reported.find(...check))));
}
