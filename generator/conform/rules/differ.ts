import { envelopeField, eventType, payloadField } from "../declaration.js";
import * as m from "../machine/build.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const fieldsEqual = defineFinding({
  id: "fields-equal",
  summary: "two fields of an event that must differ have the same value",
  explanation:
    "A change from a value to the same value, or a reference of a thing to itself, says that the writer has mixed up two things. Absent fields are skipped.",
  hint: "Do not send the event if nothing changed, and name the other thing in the field.",
});

/** Fields of one event that never have the same value. */
export const differ = defineStreamRule({
  member: "differ",
  declaration: {
    description: "A field that never has the value of another field.",
    required: ["type", "field"],
    properties: {
      type: eventType("The event type."),
      field: payloadField("The field.", "type"),
      from: payloadField("The other payload field.", "type"),
      fromEnvelope: envelopeField("The other field, if it is one of the envelope."),
    },
  },
  example: [{ type: "run.resumed_from_event", field: "from_run_id", fromEnvelope: "run_id" }],
  findings: [fieldsEqual],
  describe: ({ type, field, from, fromEnvelope }, { event, code }) =>
    `In ${event(type)}, ${code(field)} differs from ${code(from ?? fromEnvelope ?? "")}.`,
  comparison: { identify: ({ type, field }) => [type, field] },
  createMachines({ type, field, from, fromEnvelope }) {
    const compare = (other: m.Value, name: string): m.Statement =>
      m.reportIf(
        m.equal(m.payload(field), other),
        fieldsEqual,
        m.message`${m.NAME} has ${m.quote(m.payload(field))} as ${field} and as ${name}.`,
        field,
      );
    return m.createEventMachine(
      [type],
      from === undefined ? [] : compare(m.payload(from), from),
      fromEnvelope === undefined ? [] : compare(m.envelope(fromEnvelope), fromEnvelope),
    );
  },
});
