import { equal, type Json } from "../../json.js";
import type { Chain } from "../../protocol/stream-rules.js";
import { createFieldUses, isCurrentEpoch } from "../comparable.js";
import { eventType, payloadField } from "../declaration.js";
import { nameEvent, quoteValue } from "../step.js";
import { defineFinding, defineStreamRule, type RuleChecker, type Step } from "../stream-rule.js";

const chainBroken = defineFinding({
  id: "chain-broken",
  summary: "a change does not begin at the value that the change before led to",
  explanation:
    "Readers that show the current value would show another one than the writer has. If events may be missing in between, nothing is reported.",
  hint: "Send every change, with the value that was in force before it.",
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
    },
  },
  example: [{ type: "mode_changed", previous: "PrevMode", current: "Mode" }],
  findings: [chainBroken],
  describe: ({ type, previous, current }, { event, code }) =>
    `${code(previous)} of each ${event(type)} is ${code(current)} of the one before.`,
  comparison: { identify: ({ type }) => type },
  createCheckers: createChainChecker,
  generation: {
    createAdjuster({ type, previous, current }) {
      let last: Json | undefined;
      return {
        adjust(sentType, payload) {
          if (sentType === type && last !== undefined) payload[previous] = last;
        },
        record(sentType, payload) {
          if (sentType === type) last = payload[current];
        },
      };
    },
  },
});

function createChainChecker({ type, previous, current }: Chain): RuleChecker<LastChange> {
  const check = (last: LastChange, step: Step): void => {
    const from = step.payload[previous];
    const isKnown = last.value !== undefined && last.epoch === step.stream.epoch;
    if (isKnown && from !== undefined && !equal(from, last.value as Json))
      step.report(
        chainBroken,
        `${nameEvent(step)} has ${previous} ${quoteValue(from)}, but ${last.event} led to ${current} ${quoteValue(last.value)}.`,
        step.locate(previous),
      );
    last.value = step.payload[current];
    last.event = nameEvent(step);
    last.epoch = step.stream.epoch;
  };
  return {
    start: () => ({ value: undefined, event: "", epoch: -1 }),
    handlers: [{ types: [type], check }],
    comparable: {
      usesEpochs: true,
      remembers: [type],
      reads: [
        ...createFieldUses([type], previous, { kind: "id" }),
        ...createFieldUses([type], current, { kind: "id" }),
      ],
      snapshot: ({ value, epoch }, context) => isCurrentEpoch(epoch, context) && (value ?? null),
    },
  };
}
