import type { Threshold } from "../../protocol/stream-rules.js";
import { eventType, flag, payloadField } from "../declaration.js";
import * as m from "../machine/build.js";
import type { Machine } from "../machine/language.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

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
  createMachines: (declared) => [
    createReachedMachine(declared),
    ...(declared.once ? [createOnceMachine(declared)] : []),
  ],
});

/** Checks each event alone: the figure has reached the percentage. */
function createReachedMachine({ type, value, of, percent }: Threshold): Machine {
  const [figure, whole, percentage] = [m.payload(value), m.payload(of), m.payload(percent)];
  // A whole percentage is exact. Another one may have been rounded to two digits, a little above the share.
  const isMissed = m.any(
    m.all(
      m.is("integer", percentage),
      m.less(m.multiply(figure, m.literal(100)), m.multiply(percentage, whole)),
    ),
    m.all(
      m.not(m.is("integer", percentage)),
      m.less(m.multiply(m.divide(figure, whole), m.literal(100)), m.subtract(percentage, m.literal(0.005))),
    ),
  );
  return m.createMachine({}, [
    m.on(
      [type],
      m.when(
        m.all(m.less(m.literal(0), whole), isMissed),
        m.report(
          thresholdNotReached,
          m.message`${m.NAME} has ${percent} ${m.plain(percentage)}, but ${value} ${m.plain(figure)} is less than ${m.plain(percentage)} percent of ${of} ${m.plain(whole)}.`,
          m.inPayload(percent),
        ),
      ),
    ),
  ]);
}

/** Checks that each percentage of a whole is reported once. */
function createOnceMachine({ type, of, percent }: Threshold): Machine {
  const [whole, percentage] = [m.payload(of), m.payload(percent)];
  return m.createMachine({ percentages: m.table(2, { event: "event", epoch: "epoch" }) }, [
    m.on(
      [type],
      m.when(
        m.all(m.is("number", whole), m.is("number", percentage)),
        m.find(
          "reported",
          "percentages",
          [percentage, whole],
          ...m.choose(
            [
              m.isCurrent("reported", "epoch"),
              m.report(
                thresholdRepeated,
                m.message`${m.NAME} has ${percent} ${m.plain(percentage)} of ${of} ${m.plain(whole)}, which ${m.plain(m.cell("reported", "event"))} had reported.`,
                m.inPayload(percent),
              ),
            ],
            [true, m.set("reported", { event: m.EVENT, epoch: m.EPOCH })],
          ),
        ),
      ),
    ),
  ]);
}
