import { getOwn, getValueAtPointer, isObject, type Json, joinPointer } from "../../json.js";
import type { OrderedFields } from "../../protocol/stream-rules.js";
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

function createOrderChecker({ type, fields }: OrderedFields): RuleChecker {
  const check = (step: Step): void => {
    const present = fields.filter((field) => step.payload[field] !== undefined);
    for (const [index, field] of present.slice(1).entries()) {
      const partField = present[index] as string;
      const part = step.payload[partField] as Json;
      const total = step.payload[field] as Json;
      const path = findExcess(part, total);
      if (path === undefined) continue;
      const pointer = joinPointer("", ...path);
      const message = `${nameEvent(step)} has ${[partField, ...path].join(".")} ${getValueAtPointer(part, pointer)}, more than ${[field, ...path].join(".")} ${getValueAtPointer(total, pointer)}.`;
      step.report(partExceedsTotal, message, joinPointer(step.locate(field), ...path));
    }
  };
  return createEventChecker([type], check, createNumberUses(type, fields));
}

/** Returns the path of a number in `part` that is greater than the one in `total`: empty, or the name of a member. */
function findExcess(part: Json, total: Json): readonly string[] | undefined {
  if (typeof part === "number") return typeof total === "number" && part > total ? [] : undefined;
  if (!isObject(part) || !isObject(total)) return undefined;
  const member = Object.keys(part).find((name) => {
    const partNumber = part[name];
    const totalNumber = getOwn(total, name);
    return typeof partNumber === "number" && typeof totalNumber === "number" && partNumber > totalNumber;
  });
  return member === undefined ? undefined : [member];
}
