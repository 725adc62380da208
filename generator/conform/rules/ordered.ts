import { getOwn, isObject, type Json, join, valueAt } from "../../json.js";
import type { Ordered } from "../../protocol/stream-rules.js";
import { createFieldUses, type FieldUse } from "../comparable.js";
import { eventType, payloadFields } from "../declaration.js";
import { nameEvent } from "../step.js";
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
  describe: ({ type, fields }, { event, code }) =>
    `In ${event(type)}, ${fields.map((name) => code(name)).join(" ≤ ")}.`,
  comparison: { identify: ({ type }) => type, ordered: ["fields"] },
  createCheckers: createOrderChecker,
  generation: {
    createAdjuster: ({ type, fields }) => ({
      adjust(sentType, payload) {
        if (sentType !== type) return;
        let previous: Json | undefined;
        for (const field of fields) {
          if (payload[field] === undefined) continue;
          payload[field] = takeGreaterNumbers(previous, payload[field]);
          previous = payload[field];
        }
      },
    }),
  },
});

/** Returns the greater of two numbers, or of the members of two objects of numbers. */
export function takeGreaterNumbers(before: Json | undefined, now: Json): Json {
  if (typeof before === "number" && typeof now === "number") return Math.max(before, now);
  if (!isObject(before) || !isObject(now)) return now;
  return Object.fromEntries(
    Object.entries(now).map(([name, value]) => [name, takeGreaterNumbers(before[name], value)]),
  );
}

/** Returns the uses of fields with numbers. */
export function createNumberUses(type: string, fields: readonly string[]): FieldUse[] {
  return fields.flatMap((field) => createFieldUses([type], field, { kind: "figure" }));
}

function createOrderChecker({ type, fields }: Ordered): RuleChecker {
  const check = (step: Step): void => {
    let [part, partField]: [Json | undefined, string] = [undefined, ""];
    for (const field of fields) {
      const total = step.payload[field];
      if (total === undefined) continue;
      const path = findExcess(part, total);
      if (path !== undefined) {
        const [more, less] = [valueAt(part ?? null, join("", ...path)), valueAt(total, join("", ...path))];
        const message = `${nameEvent(step)} has ${[partField, ...path].join(".")} ${more}, more than ${[field, ...path].join(".")} ${less}.`;
        step.report(partExceedsTotal, message, join(step.locate(field), ...path));
      }
      [part, partField] = [total, field];
    }
  };
  return createEventChecker([type], check, createNumberUses(type, fields));
}

/** Returns the path of a number in `part` that is greater than the one in `total`: no names, or that of a member. */
function findExcess(part: Json | undefined, total: Json): readonly string[] | undefined {
  if (typeof part === "number") return typeof total === "number" && part > total ? [] : undefined;
  if (!isObject(part) || !isObject(total)) return undefined;
  const member = Object.keys(part).find((name) => {
    const [one, other] = [part[name], getOwn(total, name)];
    return typeof one === "number" && typeof other === "number" && one > other;
  });
  return member === undefined ? undefined : [member];
}
