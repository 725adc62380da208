import type { RisingFields } from "../../protocol/stream-rules.js";
import { eventType, payloadFields } from "../declaration.js";
import * as m from "../machine/build.js";
import type { Machine, Statement, Value } from "../machine/language.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const counterDecreased = defineFinding({
  id: "counter-decreased",
  summary: "a running total is lower than before",
  explanation: "Readers show running totals as they arrive. A total may stay the same or rise.",
  hint: "Send the total since the start of the stream, not the last increment.",
  severity: { reader: "error", writer: "error" },
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
  createMachines: createCounterMachine,
});

/** Remembers the last numbers of the fields, and those of the members of objects. */
function createCounterMachine({ type, fields }: RisingFields): Machine {
  const check = (field: string, now: Value, last: Value, item?: string): Statement =>
    m.when(
      m.less(now, last),
      m.report(
        counterDecreased,
        m.message`${m.NAME} has ${item === undefined ? field : { field, item }} ${m.plain(now)}, which is less than the last value, ${m.plain(last)}.`,
        m.inPayload(field, item),
      ),
    );
  const checkNumber = (field: string): Statement[] => {
    const now = m.payload(field);
    return [check(field, now, m.cell("last", field)), m.set("last", { [field]: now })];
  };
  const checkMembers = (field: string): Statement => {
    const now = m.item("number");
    return m.each(
      "number",
      "numbers",
      m.payload(field),
      m.find(
        "total",
        "totals",
        [m.literal(field), { op: "path", item: "number" }],
        check(field, now, m.cell("total", "number"), "number"),
        m.set("total", { number: now }),
      ),
    );
  };
  return m.createMachine(
    {
      numbers: m.table(0, Object.fromEntries(fields.map((field) => [field, "number" as const]))),
      totals: m.table(2, { number: "number" }, { limit: MAX_TOTALS }),
    },
    [
      m.on(
        [type],
        m.find(
          "last",
          "numbers",
          [],
          ...fields.flatMap((field) =>
            m.choose([m.is("number", m.payload(field)), ...checkNumber(field)], [true, checkMembers(field)]),
          ),
        ),
      ),
    ],
  );
}

/** The greatest number of values that are remembered, because objects of numbers are open. */
const MAX_TOTALS = 1000;
