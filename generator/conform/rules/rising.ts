import { isObject, type Json, join } from "../../json.js";
import type { Rising } from "../../protocol/stream-rules.js";
import { entriesOf } from "../comparable.js";
import { eventType, payloadFields } from "../declaration.js";
import { named } from "../step.js";
import {
  defineFinding,
  defineStreamRule,
  type PayloadAdjuster,
  type RuleChecker,
  type Step,
} from "../stream-rule.js";
import { greaterNumbers, readNumbers } from "./ordered.js";

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
  sentence: ({ type, fields: names }, { event, fields }) =>
    `${fields(names)} of ${event(type)} never ${names.length === 1 ? "decreases" : "decrease"}.`,
  comparison: { identify: ({ type, fields }) => [type, fields], split: "fields" },
  createCheckers: createCounterChecker,
  generation: { createAdjuster: createCounterAdjuster },
});

/** The last value of each number, by its JSON pointer in the payload. */
type Totals = Map<string, number>;

/** The greatest number of values that are remembered, because objects of numbers are open. */
const MAX_TOTALS = 1000;

function createCounterChecker({ type, fields }: Rising): RuleChecker<Totals> {
  const checkNumber = (totals: Totals, step: Step, path: readonly string[], now: number): void => {
    const key = join("", ...path);
    const before = totals.get(key);
    if (before === undefined && totals.size >= MAX_TOTALS) return;
    totals.set(key, now);
    if (before === undefined || now >= before) return;
    const message = `${named(step)} has ${path.join(".")} ${now}, which is less than the last value, ${before}.`;
    step.report(counterDecreased, message, join(step.at(path[0] ?? ""), ...path.slice(1)));
  };
  return {
    start: () => new Map(),
    handlers: [
      {
        types: [type],
        check(totals, step) {
          for (const field of fields) {
            const value = step.payload[field];
            if (typeof value === "number") checkNumber(totals, step, [field], value);
            else if (isObject(value))
              for (const [member, now] of Object.entries(value))
                if (typeof now === "number") checkNumber(totals, step, [field, member], now);
          }
        },
      },
    ],
    comparable: {
      reads: readNumbers(type, fields),
      snapshot: (totals) => entriesOf(totals, (total) => total),
    },
  };
}

function createCounterAdjuster({ type, fields }: Rising): PayloadAdjuster {
  const totals = new Map<string, Json>();
  return {
    adjust(sentType, payload) {
      for (const field of sentType === type ? fields : [])
        if (payload[field] !== undefined) payload[field] = greaterNumbers(totals.get(field), payload[field]);
    },
    record(sentType, payload) {
      for (const field of sentType === type ? fields : [])
        if (payload[field] !== undefined) totals.set(field, payload[field]);
    },
  };
}
