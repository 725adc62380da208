import { areEqual, type Json } from "../../json.js";
import type { Chain } from "../../protocol/stream-rules.js";
import { createFieldUses, isCurrentEpoch } from "../comparable.js";
import { eventType, objectList, objectPart, payloadField } from "../declaration.js";
import { nameEvent, quoteValue } from "../step.js";
import { defineFinding, defineStreamRule, type RuleChecker, type Step } from "../stream-rule.js";

const chainBroken = defineFinding({
  id: "chain-broken",
  summary:
    "a change does not begin at the current value, or an event repeats a value that is not the current one",
  explanation:
    "Readers that show the current value would show another one than the writer has. If events may be missing in between, nothing is reported.",
  hint: "Send every change, with the value that was in force before it, and repeat the value that is in force.",
  severity: { reader: "error", writer: "error" },
});

/** The last change of a stream. */
interface LastChange {
  /** The value after the change; undefined before the first one. */
  value: Json | undefined;
  /** The name of the event that reported the change. */
  event: string;
  /** The epoch of that event; -1 before the first change. */
  epoch: number;
}

/** Changes of a value, each of which repeats the value before it. */
export const chains = defineStreamRule({
  member: "chains",
  declaration: {
    description: "Events that say from which value and to which value something changed.",
    required: ["type", "previous", "current"],
    properties: {
      type: eventType("The event type."),
      previous: payloadField("The field with the value before.", "type"),
      current: payloadField("The field with the value after.", "type"),
      copies: objectList(
        "Event types that repeat the value in force.",
        objectPart({
          required: ["type", "field"],
          properties: {
            type: eventType("The event type."),
            field: payloadField("Its field with the value.", "type"),
          },
        }),
      ),
    },
  },
  example: [{ type: "mode_changed", previous: "PrevMode", current: "Mode" }],
  findings: [chainBroken],
  describe: ({ type, previous, current, copies = [] }, { event, code }) =>
    [
      `${code(previous)} of each ${event(type)} is ${code(current)} of the one before.`,
      ...copies.map(
        (copy) =>
          `${code(copy.field)} of ${event(copy.type)} is ${code(current)} of the last ${event(type)}.`,
      ),
    ].join(" "),
  comparison: { identify: ({ type }) => type },
  createCheckers: createChainChecker,
  generation: {
    createAdjuster({ type, previous, current, copies = [] }) {
      let last: Json | undefined;
      return {
        adjust(sentType, payload) {
          if (last === undefined) return;
          if (sentType === type) payload[previous] = last;
          for (const copy of copies) if (sentType === copy.type) payload[copy.field] = last;
        },
        record(sentType, payload) {
          if (sentType === type) last = payload[current];
        },
      };
    },
  },
});

function createChainChecker({ type, previous, current, copies = [] }: Chain): RuleChecker<LastChange> {
  const checkValue = (last: LastChange, step: Step, field: string): void => {
    const value = step.payload[field];
    const isKnown = last.value !== undefined && last.epoch === step.stream.epoch;
    if (isKnown && value !== undefined && !areEqual(value, last.value as Json))
      step.report(
        chainBroken,
        `${nameEvent(step)} has ${field} ${quoteValue(value)}, but ${last.event} led to ${current} ${quoteValue(last.value)}.`,
        step.locate(field),
      );
  };
  const checkChange = (last: LastChange, step: Step): void => {
    checkValue(last, step, previous);
    last.value = step.payload[current];
    last.event = nameEvent(step);
    last.epoch = step.stream.epoch;
  };
  return {
    start: () => ({ value: undefined, event: "", epoch: -1 }),
    handlers: [
      { types: [type], check: checkChange },
      ...copies.map((copy) => ({
        types: [copy.type],
        check: (last: LastChange, step: Step) => checkValue(last, step, copy.field),
      })),
    ],
    comparable: {
      usesEpochs: true,
      remembers: [type],
      reads: [
        ...createFieldUses([type], previous, { kind: "id" }),
        ...createFieldUses([type], current, { kind: "id" }),
        ...copies.flatMap((copy) => createFieldUses([copy.type], copy.field, { kind: "id" })),
      ],
      snapshot: ({ value, epoch }, context) => isCurrentEpoch(epoch, context) && (value ?? null),
    },
  };
}
