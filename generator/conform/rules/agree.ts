import { eventTypes, payloadFields } from "../declaration.js";
import * as m from "../machine/build.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const fieldsDisagree = defineFinding({
  id: "fields-disagree",
  summary: "two fields of an event that must have the same value differ",
  explanation:
    "The same fact is sent under two names, and readers use one or the other. If the values differ, two readers show different things. Absent fields are skipped.",
  hint: "Set both fields from one value when you create the event.",
});

/** Fields of one event that have the same value. */
export const agree = defineStreamRule({
  member: "agree",
  declaration: {
    description: "Fields of one event that have the same value, as far as they are present.",
    required: ["types", "fields"],
    properties: {
      types: eventTypes("The event types."),
      fields: payloadFields("The fields.", "types"),
    },
  },
  example: [{ types: ["approval.resolved"], fields: ["decision", "status"] }],
  findings: [fieldsDisagree],
  describe: ({ types, fields }, { allEvents, fields: names }) =>
    `In ${allEvents(types)}, ${names(fields)} have the same value if they are present.`,
  comparison: { identify: ({ fields }) => [...fields].sort(), split: "types" },
  createMachines({ types, fields }) {
    const compare = (field: string, first: string): m.Statement =>
      m.reportIf(
        m.different(m.payload(field), m.payload(first)),
        fieldsDisagree,
        m.message`${m.NAME} has ${field} ${m.quote(m.payload(field))}, but ${first} ${m.quote(m.payload(first))}.`,
        field,
      );
    // Each field is compared with the first one that is present.
    const clauses = fields.map((field, index) => {
      const others = fields.slice(0, index);
      return m.on(
        types,
        m.choose(...others.map((first) => [m.present(m.payload(first)), compare(field, first)] as const)),
      );
    });
    return m.createMachine([], ...clauses.slice(1));
  },
});
