import type { OrderedFields } from "../../protocol/stream-rules.js";
import { eventType, payloadFields } from "../declaration.js";
import * as m from "../machine/build.js";
import type { Machine, Statement, Value } from "../machine/language.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const partExceedsTotal = defineFinding({
  id: "part-exceeds-total",
  summary: "a part is greater than its total",
  explanation:
    "The rule compares numbers of one event, each of which includes the one before it. Absent numbers are skipped.",
  hint: "Add the new part to the total before you send both.",
  severity: { reader: "error", writer: "error" },
});

/** Numbers of one event of which each contains the one before. */
export const ordered = defineStreamRule({
  member: "ordered",
  declaration: {
    description: "Numbers of one event, in ascending order; absent ones are skipped.",
    required: ["type", "fields"],
    properties: {
      type: eventType("The event type."),
      fields: payloadFields("The fields, smallest first: numbers, or objects of numbers.", "type"),
    },
  },
  example: [{ type: "usage", fields: ["Turn", "Cumulative"] }],
  findings: [partExceedsTotal],
  describe: ({ type, fields }, { event, code }) =>
    `In ${event(type)}, ${fields.map((name) => code(name)).join(" ≤ ")}.`,
  comparison: { identify: ({ type }) => type, ordered: ["fields"] },
  createMachines: createOrderMachine,
});

/** Compares each field with the one before it that is present. */
function createOrderMachine({ type, fields }: OrderedFields): Machine {
  const compare = (part: string, total: string): Statement => {
    const totalNumber: Value = { op: "counterpart", item: "number", of: m.payload(total) };
    return m.each(
      "number",
      "numbers",
      m.payload(part),
      m.when(
        m.less(totalNumber, m.item("number")),
        m.report(
          partExceedsTotal,
          m.message`${m.NAME} has ${{ field: part, item: "number" }} ${m.plain(m.item("number"))}, more than ${{ field: total, item: "number" }} ${m.plain(totalNumber)}.`,
          m.inPayload(total, "number"),
        ),
        m.STOP,
      ),
    );
  };
  const statements = fields.flatMap((total, index) =>
    m.choose(
      ...fields
        .slice(0, index)
        .reverse()
        .map((part) => [m.present(m.payload(part)), compare(part, total)] as const),
    ),
  );
  return m.createMachine({}, [m.on([type], statements)]);
}
