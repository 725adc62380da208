import { isObject, type Json, type JsonObject, join } from "../../json.js";
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
  explanation: "Meters show running totals as they arrive. A total may stay the same or rise.",
  hint: "Send the total since the start of the stream, not the last increment.",
  severity: { reader: "error", writer: "error" },
});

/** Numbers that never fall from event to event. */
export const rising = defineStreamRule({
  member: "rising",
  declaration: {
    description: "Figures that never decrease within a stream.",
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
  generation: { adjust: counterAdjuster },
});

/** The last value of each number: by field, and by member of a field that is an object. */
type Totals = Map<string, number | Map<string, number>>;

function createCounterChecker({ type, fields }: Rising): RuleChecker<Totals> {
  const check = (totals: Totals, step: Step): void => {
    for (const field of fields) {
      const value = step.payload[field];
      const before = totals.get(field);
      if (typeof value === "number") {
        if (typeof before === "number" && value < before) reportDecrease(step, [field], value, before);
        totals.set(field, value);
      } else if (isObject(value)) {
        const members = before instanceof Map ? before : new Map<string, number>();
        if (members !== before) totals.set(field, members);
        checkMembers(step, field, members, value);
      }
    }
  };
  return {
    start: () => new Map(),
    handlers: [{ types: [type], check }],
    comparable: {
      reads: readNumbers(type, fields),
      snapshot: (totals) =>
        entriesOf(totals, (total) => (total instanceof Map ? entriesOf(total, (number) => number) : total)),
    },
  };
}

/** Objects of numbers are open, but no more members of a field than this are followed. */
const MAX_MEMBERS = 100;

function checkMembers(step: Step, field: string, members: Map<string, number>, value: JsonObject): void {
  for (const member of Object.keys(value)) {
    const [now, before] = [value[member], members.get(member)];
    if (typeof now !== "number" || (before === undefined && members.size >= MAX_MEMBERS)) continue;
    if (before !== undefined && now < before) reportDecrease(step, [field, member], now, before);
    members.set(member, now);
  }
}

function reportDecrease(
  step: Step,
  [field, ...member]: readonly [string, ...string[]],
  now: number,
  before: number,
): void {
  const message = `${named(step)} has ${[field, ...member].join(".")} ${now}, after ${before}.`;
  step.report(counterDecreased, join(step.at(field), ...member), message);
}

function counterAdjuster(declared: readonly Rising[]): PayloadAdjuster {
  const totals = new Map<string, Json>();
  const fieldsOf = (type: string): string[] =>
    declared.filter((each) => each.type === type).flatMap(({ fields }) => fields);
  return {
    adjust(type, payload) {
      for (const field of fieldsOf(type))
        if (payload[field] !== undefined)
          payload[field] = greaterNumbers(totals.get(`${type}\n${field}`), payload[field]);
    },
    record(type, payload) {
      for (const field of fieldsOf(type))
        if (payload[field] !== undefined) totals.set(`${type}\n${field}`, payload[field]);
    },
  };
}
