import { areEqual, type Json } from "../../json.js";
import type { Agreement } from "../../protocol/stream-rules.js";
import { createFieldUses } from "../comparable.js";
import { eventTypes, payloadFields } from "../declaration.js";
import { nameEvent, quoteValue } from "../step.js";
import {
  createEventChecker,
  defineFinding,
  defineStreamRule,
  type RuleChecker,
  type Step,
} from "../stream-rule.js";

const fieldsDisagree = defineFinding({
  id: "fields-disagree",
  summary: "two fields of an event that must have the same value differ",
  explanation:
    "The same fact is sent under two names, and readers use one or the other. If the values differ, two readers show different things. Absent fields are skipped.",
  hint: "Set both fields from one value when you create the event.",
  severity: { reader: "error", writer: "error" },
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
  createCheckers: createAgreementChecker,
  generation: {
    createAdjuster: ({ types, fields }) => ({
      adjust(type, payload) {
        if (!types.includes(type)) return;
        const present = fields.filter((field) => payload[field] !== undefined);
        const [first] = present;
        if (first === undefined) return;
        for (const field of present) payload[field] = payload[first] as Json;
      },
    }),
  },
});

function createAgreementChecker({ types, fields }: Agreement): RuleChecker {
  const check = (step: Step): void => {
    let first: string | undefined;
    for (const field of fields) {
      const value = step.payload[field];
      if (value === undefined) continue;
      first ??= field;
      const other = step.payload[first];
      if (other !== undefined && !areEqual(value, other))
        step.report(
          fieldsDisagree,
          `${nameEvent(step)} has ${field} ${quoteValue(value)}, but ${first} ${quoteValue(other)}.`,
          step.locate(field),
        );
    }
  };
  const reads = fields.flatMap((field) => createFieldUses(types, field, { kind: "id" }));
  return createEventChecker(types, check, reads);
}
