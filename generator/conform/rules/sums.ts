import {
  eventType,
  eventTypes,
  objectPart,
  payloadField,
  payloadFields,
  wholeNumber,
} from "../declaration.js";
import * as m from "../machine/build.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const sumWrong = defineFinding({
  id: "sum-wrong",
  summary: "a number is not the sum of its parts",
  explanation:
    "Readers show these numbers of one event together, for example the spent part, the remaining part and the whole of a budget. A part may be negative.",
  hint: "Compute the last number from the others when you create the event.",
});

/** Numbers of events that are the sums of others. */
export const sums = defineStreamRule({
  member: "sums",
  declaration: {
    description: "Numbers of one event and their sum.",
    required: ["type", "sum", "of"],
    properties: {
      type: eventType("The event type."),
      sum: payloadField("The field with the sum.", "type"),
      of: payloadFields("The fields with the parts.", "type"),
      plus: objectPart({
        description:
          "A part in an earlier event of the stream: the last one of its type. Without such an event, nothing is checked, unless `initial` is given.",
        required: ["type", "field"],
        properties: {
          type: eventType("The earlier event type, which may be the same."),
          field: payloadField("Its field with the part.", "type"),
          until: eventTypes("Event types after which the part no longer counts."),
          initial: wholeNumber(
            "The part before the first of these events, in a stream that is seen from its start.",
          ),
        },
      }),
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
  describe({ type, sum, of, plus }, { event, anyEvent, code }) {
    const parts = of.map((name) => code(name)).join(" + ");
    const earlier = plus ? ` + ${code(plus.field)} of the last ${event(plus.type)}` : "";
    const exception = plus?.until ? `, unless ${anyEvent(plus.until)} came in between` : "";
    const start = plus?.initial === undefined ? "" : `. Before the first one, that part is ${plus.initial}`;
    return `In ${event(type)}, ${code(sum)} = ${parts}${earlier}${exception}${start}.`;
  },
  comparison: { identify: ({ type, sum }) => [type, sum] },
  createMachines({ type, sum, of, plus }) {
    const earlier = m.table("earlier", 0, { part: "number", ...m.EVENT_CELLS });
    const last = earlier.row("earlier");
    const total = m.payload(sum);
    const ownParts = of.map((field) => m.message`${field} ${m.payload(field)}`);
    const checkSum = (earlierPart?: m.Value, earlierWords?: readonly m.MessagePart[]): m.Statement => {
      const partSum = m.add(...(earlierPart ? [earlierPart] : []), ...of.map(m.payload));
      const parts = [...ownParts, ...(earlierWords ? [earlierWords] : [])];
      const sumOfParts = parts.flatMap((words, index) => (index === 0 ? words : [" and ", ...words]));
      return m.reportIf(
        m.all(m.is("number", total), m.is("safe", partSum), m.different(total, partSum)),
        sumWrong,
        m.message`${m.NAME} has ${sum} ${total}, but ${sumOfParts} add up to ${partSum}.`,
        of.at(-1) ?? sum,
      );
    };
    if (plus === undefined) return m.createEventMachine([type], checkSum());
    const { field, initial, until = [] } = plus;
    const part = last.cells.part;
    const checks = m.choose(
      [
        m.all(last.isCurrent, m.present(part)),
        checkSum(part, m.message`${field} ${part} of ${last.cells.event}`),
      ],
      ...(initial === undefined
        ? []
        : [
            [
              m.all(m.not(last.exists), m.SEEN_FROM_START),
              checkSum(m.literal(initial), m.message`${m.literal(initial)} before the first ${plus.type}`),
            ] as const,
          ]),
    );
    return m.createMachine(
      [earlier],
      m.on([type], last.find(...checks)),
      m.on([plus.type], last.find(last.set({ part: m.payload(field), ...m.THIS_EVENT }))),
      m.on(until, last.find(last.set({ part: m.NOTHING }))),
    );
  },
});
