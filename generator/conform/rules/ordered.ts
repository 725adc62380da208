import { eventType, flag, payloadFields } from "../declaration.js";
import * as m from "../machine/build.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const partExceedsTotal = defineFinding({
  id: "part-exceeds-total",
  summary: "a part is greater than its total",
  explanation:
    "The rule compares numbers of one event, each of which includes the one before it. Absent numbers are skipped.",
  hint: "Add the new part to the total before you send both.",
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
      upToSequence: flag("None of them is greater than the number of the event in its stream."),
    },
  },
  example: [{ type: "usage", fields: ["Turn", "Cumulative"] }],
  findings: [partExceedsTotal],
  describe: ({ type, fields, upToSequence }, { event, code }) =>
    `In ${event(type)}, ${fields.map((name) => code(name)).join(" ≤ ")}${upToSequence ? " ≤ the number of the event" : ""}.`,
  comparison: { identify: ({ type }) => type, ordered: ["fields"] },
  createMachines({ type, fields, upToSequence = false }) {
    const number = m.item("number");
    const compare = (part: string, total: string): m.Statement => {
      const totalNumber: m.Value = { op: "counterpart", item: "number", of: m.payload(total) };
      return m.each(
        "number",
        "numbers",
        m.payload(part),
        m.when(
          m.less(totalNumber, number),
          m.report(
            partExceedsTotal,
            m.message`${m.NAME} has ${{ field: part, item: "number" }} ${number}, more than ${{ field: total, item: "number" }} ${totalNumber}.`,
            m.inPayload(total, "number"),
          ),
          m.STOP,
        ),
      );
    };
    // Each field is compared with the one before it that is present.
    const statements = fields.flatMap((total, index) => {
      const parts = fields.slice(0, index).reverse();
      return m.choose(...parts.map((part) => [m.present(m.payload(part)), compare(part, total)] as const));
    });
    const checkSequence = (field: string): m.Statement =>
      m.reportIf(
        m.less(m.SEQUENCE, m.payload(field)),
        partExceedsTotal,
        m.message`${m.NAME} has ${field} ${m.payload(field)}, more than its own number ${m.SEQUENCE}.`,
        field,
      );
    return m.createEventMachine([type], statements, upToSequence ? fields.map(checkSequence) : []);
  },
});
