import { isObject, type Json, join } from "../../json.js";
import type { Ordered } from "../../protocol/stream-rules.js";
import { type FieldUse, readField } from "../comparable.js";
import { eventType, payloadFields } from "../declaration.js";
import { named } from "../step.js";
import {
  createEventChecker,
  defineFinding,
  defineStreamRule,
  type RuleChecker,
  type Step,
} from "../stream-rule.js";

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
  sentence: ({ type, fields }, { event, code }) =>
    `In ${event(type)}, ${fields.map((name) => code(name)).join(" ≤ ")}.`,
  comparison: { identify: ({ type }) => type, ordered: ["fields"] },
  createCheckers: createOrderChecker,
  generation: {
    createAdjuster: ({ type, fields }) => ({
      adjust(sentType, payload) {
        let part: Json | undefined;
        for (const field of sentType === type ? fields : []) {
          if (payload[field] === undefined) continue;
          payload[field] = greaterNumbers(part, payload[field]);
          part = payload[field];
        }
      },
    }),
  },
});

/** Returns the greater of two numbers, or of the members of two objects of numbers. */
export function greaterNumbers(before: Json | undefined, now: Json): Json {
  if (typeof before === "number" && typeof now === "number") return Math.max(before, now);
  if (!isObject(before) || !isObject(now)) return now;
  return Object.fromEntries(
    Object.entries(now).map(([name, value]) => [name, greaterNumbers(before[name], value)]),
  );
}

/** Returns the uses of fields with numbers. */
export function readNumbers(type: string, fields: readonly string[]): FieldUse[] {
  return fields.flatMap((field) => readField([type], field, { kind: "figure" }));
}

/** Returns the numbers in a value: the value itself, without a name, or the members of an object by their names. */
export function numbersOf(value: Json | undefined): ReadonlyMap<string | undefined, number> {
  const entries = isObject(value) ? Object.entries(value) : [[undefined, value] as const];
  return new Map(entries.flatMap(([name, each]) => (typeof each === "number" ? [[name, each]] : [])));
}

function createOrderChecker({ type, fields }: Ordered): RuleChecker {
  const check = (step: Step): void => {
    let [parts, partField] = [numbersOf(undefined), ""];
    for (const field of fields) {
      if (step.payload[field] === undefined) continue;
      const totals = numbersOf(step.payload[field]);
      for (const [member, part] of parts) {
        const total = totals.get(member);
        if (total === undefined || part <= total) continue;
        const path = member === undefined ? [] : [member];
        const message = `${named(step)} has ${[partField, ...path].join(".")} ${part}, more than ${[field, ...path].join(".")} ${total}.`;
        step.report(partExceedsTotal, message, join(step.at(field), ...path));
        break;
      }
      [parts, partField] = [totals, field];
    }
  };
  return createEventChecker([type], check, readNumbers(type, fields));
}
