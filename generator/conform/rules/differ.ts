import { areEqual, type Json } from "../../json.js";
import type { Difference } from "../../protocol/stream-rules.js";
import { createFieldUses } from "../comparable.js";
import { envelopeField, eventType, payloadField } from "../declaration.js";
import { nameEvent, quoteValue } from "../step.js";
import {
  createEventChecker,
  defineFinding,
  defineStreamRule,
  type RuleChecker,
  type Step,
} from "../stream-rule.js";

const fieldsEqual = defineFinding({
  id: "fields-equal",
  summary: "two fields of an event that must differ have the same value",
  explanation:
    "A change from a value to the same value, or a reference of a thing to itself, says that the writer has mixed up two things. Absent fields are skipped.",
  hint: "Do not send the event if nothing changed, and name the other thing in the field.",
  severity: { reader: "error", writer: "error" },
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
  createCheckers: createDifferenceChecker,
});

function createDifferenceChecker({ type, field, from, fromEnvelope }: Difference): RuleChecker {
  const compare = (step: Step, otherField: string, other: Json | undefined): void => {
    const value = step.payload[field];
    if (value === undefined || other === undefined || !areEqual(value, other)) return;
    const message = `${nameEvent(step)} has ${quoteValue(value)} as ${field} and as ${otherField}.`;
    step.report(fieldsEqual, message, step.locate(field));
  };
  const check = (step: Step): void => {
    if (from !== undefined) compare(step, from, step.payload[from]);
    if (fromEnvelope !== undefined) compare(step, fromEnvelope, step.event[fromEnvelope]);
  };
  const reads = [
    ...createFieldUses([type], field, fromEnvelope === undefined ? { kind: "id" } : { kind: "stream" }),
    ...(from === undefined ? [] : createFieldUses([type], from, { kind: "id" })),
  ];
  return createEventChecker([type], check, reads);
}
