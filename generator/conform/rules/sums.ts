import type { Json } from "../../json.js";
import type { Sum } from "../../protocol/stream-rules.js";
import { isCurrentEpoch } from "../comparable.js";
import { eventType, eventTypes, objectPart, payloadField, payloadFields } from "../declaration.js";
import { nameEvent } from "../step.js";
import {
  defineFinding,
  defineStreamRule,
  type PayloadAdjuster,
  type RuleChecker,
  type Step,
} from "../stream-rule.js";
import { createNumberUses } from "./ordered.js";

const sumWrong = defineFinding({
  id: "sum-wrong",
  summary: "a number is not the sum of its parts",
  explanation:
    "Readers show these numbers of one event together, for example the spent part, the remaining part and the whole of a budget. A part may be negative.",
  hint: "Compute the last number from the others when you create the event.",
  severity: { reader: "error", writer: "error" },
});

/** Numbers of events that are the sums of others. */
export const sums = defineStreamRule({
  member: "sums",
  declaration: {
    description: "Numbers of one event and their sum.",
    required: ["type", "sum", "of"],
    properties: {
      type: eventType("The event type."),
      sum: payloadField("The field with the sum.", "type"),
      of: payloadFields("The fields with the parts.", "type"),
      plus: objectPart({
        description:
          "A part in an earlier event of the stream: the last one of its type. Without such an event, nothing is checked.",
        required: ["type", "field"],
        properties: {
          type: eventType("The earlier event type, which may be the same."),
          field: payloadField("Its field with the part.", "type"),
          until: eventTypes("Event types after which the part no longer counts."),
        },
      }),
    },
  },
  example: [
    {
      type: "cost.tick",
      sum: "task_budget_micros_usd",
      of: ["cumulative_cost_micros_usd", "task_budget_remaining_micros_usd"],
    },
  ],
  findings: [sumWrong],
  describe({ type, sum, of, plus }, { event, anyEvent, code }) {
    const parts = of.map((name) => code(name)).join(" + ");
    const earlier = plus ? ` + ${code(plus.field)} of the last ${event(plus.type)}` : "";
    const exception = plus?.until ? `, unless ${anyEvent(plus.until)} came in between` : "";
    return `In ${event(type)}, ${code(sum)} = ${parts}${earlier}${exception}.`;
  },
  comparison: { identify: ({ type, sum }) => [type, sum] },
  createCheckers: createSumChecker,
  generation: { createAdjuster: createSumAdjuster },
});

/** The part of the last earlier event. */
interface EarlierPart {
  part: number | undefined;
  event: string;
  epoch: number;
}

function createSumChecker({ type, sum, of, plus }: Sum): RuleChecker<EarlierPart> {
  const check = (state: EarlierPart, step: Step): void => {
    const total = step.payload[sum];
    const earlierPart = plus === undefined ? 0 : state.part;
    if (earlierPart === undefined || (plus !== undefined && state.epoch !== step.stream.epoch)) return;
    let partSum = earlierPart;
    for (const field of of) {
      const part = step.payload[field];
      if (typeof part !== "number") return;
      partSum += part;
    }
    if (typeof total !== "number" || partSum === total || !Number.isSafeInteger(partSum)) return;
    const parts = of.map((field) => `${field} ${step.payload[field]}`);
    if (plus !== undefined) parts.push(`${plus.field} ${earlierPart} of ${state.event}`);
    step.report(
      sumWrong,
      `${nameEvent(step)} has ${sum} ${total}, but ${parts.join(" and ")} add up to ${partSum}.`,
      step.locate(of.at(-1) ?? sum),
    );
  };
  const record = (state: EarlierPart, step: Step): void => {
    const part = plus === undefined ? undefined : step.payload[plus.field];
    state.part = typeof part === "number" ? part : undefined;
    state.event = nameEvent(step);
    state.epoch = step.stream.epoch;
  };
  const forget = (state: EarlierPart): void => {
    state.part = undefined;
  };
  const until = plus?.until ?? [];
  const plusTypes = plus === undefined ? [] : [plus.type];
  return {
    start: () => ({ part: undefined, event: "", epoch: -1 }),
    handlers: [
      { types: [type], check },
      { types: plusTypes, check: record },
      { types: until, check: forget },
    ],
    comparable: {
      refuses: [type],
      remembers: [...plusTypes, ...until],
      allows: until,
      usesEpochs: plus !== undefined,
      reads: [
        ...createNumberUses(type, [sum, ...of]),
        ...(plus === undefined ? [] : createNumberUses(plus.type, [plus.field])),
      ],
      snapshot: ({ part, epoch }, context) => isCurrentEpoch(epoch, context) && (part ?? null),
    },
  };
}

function createSumAdjuster({ type, sum, of, plus }: Sum): PayloadAdjuster {
  let earlierPart: Json | undefined = plus === undefined ? 0 : undefined;
  return {
    adjust(sentType, payload) {
      if (sentType !== type || payload[sum] === undefined || typeof earlierPart !== "number") return;
      const parts = of.map((field) => payload[field]);
      if (parts.every((part) => typeof part === "number"))
        payload[sum] = parts.reduce((total, part) => total + part, earlierPart);
    },
    record(sentType, payload) {
      if (sentType === plus?.type) earlierPart = payload[plus.field];
      else if (plus?.until?.includes(sentType)) earlierPart = undefined;
    },
  };
}
