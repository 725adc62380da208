import { isObject, type Json, joinPointer } from "../../json.js";
import type { RisingFields } from "../../protocol/stream-rules.js";
import { sortEntries } from "../comparable.js";
import { eventType, payloadFields } from "../declaration.js";
import { nameEvent } from "../step.js";
import {
  defineFinding,
  defineStreamRule,
  type PayloadAdjuster,
  type RuleChecker,
  type Step,
} from "../stream-rule.js";
import { createNumberUses, takeGreaterNumbers } from "./ordered.js";

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
  createCheckers: createCounterChecker,
  generation: { createAdjuster: createCounterAdjuster },
});

/** The last value of each number, by its JSON pointer in the payload. */
type Totals = Map<string, number>;

/** The greatest number of values that are remembered, because objects of numbers are open. */
const MAX_TOTALS = 1000;

function createCounterChecker({ type, fields }: RisingFields): RuleChecker<Totals> {
  const checkNumber = (totals: Totals, step: Step, path: readonly string[], now: number): void => {
    const key = joinPointer("", ...path);
    const lastNumber = totals.get(key);
    if (lastNumber === undefined && totals.size >= MAX_TOTALS) return;
    totals.set(key, now);
    if (lastNumber === undefined || now >= lastNumber) return;
    const message = `${nameEvent(step)} has ${path.join(".")} ${now}, which is less than the last value, ${lastNumber}.`;
    step.report(counterDecreased, message, joinPointer(step.locate(path[0] ?? ""), ...path.slice(1)));
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
      reads: createNumberUses(type, fields),
      snapshot: (totals) => sortEntries(totals, (total) => total),
    },
  };
}

function createCounterAdjuster({ type, fields }: RisingFields): PayloadAdjuster {
  const totals = new Map<string, Json>();
  return {
    adjust(sentType, payload) {
      if (sentType !== type) return;
      for (const field of fields)
        if (payload[field] !== undefined)
          payload[field] = takeGreaterNumbers(totals.get(field), payload[field]);
    },
    record(sentType, payload) {
      if (sentType !== type) return;
      for (const field of fields) if (payload[field] !== undefined) totals.set(field, payload[field]);
    },
  };
}
