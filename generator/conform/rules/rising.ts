import { eventType, payloadFields } from "../declaration.js";
import * as m from "../machine/build.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const counterDecreased = defineFinding({
  id: "counter-decreased",
  summary: "a running total is lower than before",
  explanation: "Readers show running totals as they arrive. A total may stay the same or rise.",
  hint: "Send the total since the start of the stream, not the last increment.",
});

/** Numbers that never fall from event to event. */
export const rising = defineStreamRule({
  member: "rising",
  declaration: {
    description: "Numbers that never decrease within a stream.",
    required: ["type", "fields"],
    properties: {
      type: eventType("The event type."),
      fields: payloadFields("The fields: numbers, or objects of numbers.", "type"),
    },
  },
  example: [{ type: "usage", fields: ["Cumulative"], profile: "writer" }],
  findings: [counterDecreased],
  describe: ({ type, fields: names }, { event, fields }) =>
    `${fields(names)} of ${event(type)} never ${names.length === 1 ? "decreases" : "decrease"}.`,
  comparison: { identify: ({ type, fields }) => [type, fields], split: "fields" },
  createMachines({ type, fields }) {
    const numbers = m.table("numbers", 0, Object.fromEntries(fields.map((field) => [field, "number"])));
    const totals = m.table("totals", 2, { number: "number" }, { limit: MAX_TOTALS });
    const last = numbers.row("last");
    const check = (field: string, now: m.Value, before: m.Value, item?: string): m.Statement =>
      m.reportIf(
        m.less(now, before),
        counterDecreased,
        m.message`${m.NAME} has ${item === undefined ? field : { field, item }} ${now}, which is less than the last value, ${before}.`,
        m.inPayload(field, item),
      );
    const checkNumber = (field: string): m.Statement[] => [
      check(field, m.payload(field), last.cell(field)),
      last.set({ [field]: m.payload(field) }),
    ];
    const checkMembers = (field: string): m.Statement => {
      const number = m.item("number");
      const total = totals.row("total", m.literal(field), { op: "path", item: "number" });
      return m.each(
        "number",
        "numbers",
        m.payload(field),
        total.find(check(field, number, total.cells.number, "number"), total.set({ number })),
      );
    };
    const checkField = (field: string): m.Statement[] =>
      m.choose([m.is("number", m.payload(field)), ...checkNumber(field)], [true, checkMembers(field)]);
    return m.createMachine([numbers, totals], m.on([type], last.find(...fields.flatMap(checkField))));
  },
});

/** The greatest number of values that are remembered, because objects of numbers are open. */
const MAX_TOTALS = 1000;
