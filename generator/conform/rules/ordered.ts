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
  explanation: "The rule compares figures of one event that contain each other. Absent figures are skipped.",
  hint: "Add the new part to the total before you send both.",
  severity: { reader: "error", writer: "error" },
});

/** Numbers of one event of which each contains the one before. */
export const ordered = defineStreamRule({
  member: "ordered",
  declaration: {
    description: "Figures of one event, in ascending order; absent ones are skipped.",
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
    adjust: (declared) => ({
      adjust(type, payload) {
        for (const { type: of, fields } of declared) {
          let part: Json | undefined;
          for (const field of of === type ? fields : []) {
            if (payload[field] === undefined) continue;
            payload[field] = greaterNumbers(part, payload[field]);
            part = payload[field];
          }
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

function createOrderChecker({ type, fields }: Ordered): RuleChecker {
  const check = (step: Step): void => {
    let [part, partName]: [Json | undefined, string] = [undefined, ""];
    for (const field of fields) {
      const whole = step.payload[field];
      if (whole === undefined) continue;
      const excess = part === undefined ? undefined : findExcess(part, whole);
      if (excess)
        step.report(
          partExceedsTotal,
          join(step.at(field), ...excess.member),
          `${named(step)} has ${[partName, ...excess.member].join(".")} ${excess.part}, more than ${[field, ...excess.member].join(".")} with ${excess.whole}.`,
        );
      [part, partName] = [whole, field];
    }
  };
  return createEventChecker([type], check, readNumbers(type, fields));
}

interface Excess {
  readonly member: readonly string[];
  readonly part: number;
  readonly whole: number;
}

/** Finds where `part` is more than `whole`: two numbers, or members of the same name. */
function findExcess(part: Json, whole: Json): Excess | undefined {
  if (typeof part === "number" && typeof whole === "number")
    return part > whole ? { member: [], part, whole } : undefined;
  if (!isObject(part) || !isObject(whole)) return undefined;
  for (const [member, one] of Object.entries(part)) {
    const other = Object.hasOwn(whole, member) ? whole[member] : undefined;
    if (typeof one === "number" && typeof other === "number" && one > other)
      return { member: [member], part: one, whole: other };
  }
  return undefined;
}
