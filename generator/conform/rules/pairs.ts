import type { Json } from "../../json.js";
import { areEqual } from "../../json.js";
import type { Pair } from "../../protocol/stream-rules.js";
import { createFieldUses, isCurrentEpoch } from "../comparable.js";
import { eventType, payloadFields } from "../declaration.js";
import { nameEvent, quoteValue } from "../step.js";
import { defineFinding, defineStreamRule, isSeenFromStart, type RuleChecker } from "../stream-rule.js";

const pairBroken = defineFinding({
  id: "pair-broken",
  summary: "two event types that must alternate do not alternate",
  explanation:
    "The second event of a pair removes what the first one has shown, for example a spinner. This is checked only if no event in between can have been missed. A part of a stream that begins between the two is accepted.",
  hint: "Send the closing event exactly once for each opening one, before the next, with the same values.",
  severity: { reader: "error", writer: "error" },
});

const pairOpen = defineFinding({
  id: "pair-open",
  summary: "the stream ends between the two events of a pair",
  explanation:
    "A stream that continues may still close the pair. In a complete stream, readers wait forever.",
  hint: "Send the closing event, also if the work failed or was cancelled.",
  severity: { reader: "off", writer: "note" },
});

interface PairState {
  /** The epoch of the last event of the pair. */
  epoch: number;
  opened: { readonly event: string; readonly index: number; readonly values: readonly Json[] } | undefined;
}

/** Two event types that alternate. */
export const pairs = defineStreamRule({
  member: "pairs",
  declaration: {
    description: "Two event types that alternate.",
    required: ["open", "close"],
    properties: {
      open: eventType("The event type that comes first."),
      close: eventType("The event type that follows it."),
      same: payloadFields("Fields with the same value in both.", "open", "close"),
    },
  },
  example: [{ open: "compacting", close: "compacting_end", same: ["Type"] }],
  findings: [pairBroken, pairOpen],
  describe: ({ open, close, same = [] }, { event, fields }) =>
    `Each ${event(open)} is followed by one ${event(close)}${same.length > 0 ? ` with the same ${fields(same)}` : ""} before the next ${event(open)}.`,
  comparison: { identify: ({ open, close }) => [open, close] },
  createCheckers: createPairChecker,
  generation: {
    listReservedTypes: ({ open, close }) => [open, close],
    createScenario: ({ open, close, same = [] }) => ({
      name: `pair ${open}`,
      types: [open, close],
      propose({ createUniqueValue }) {
        const fixedFields = Object.fromEntries(same.map((field) => [field, createUniqueValue(open, field)]));
        return [
          { type: open, fixedFields },
          { type: close, fixedFields },
        ];
      },
    }),
  },
});

function createPairChecker({ open, close, same = [] }: Pair): RuleChecker<PairState> {
  return {
    start: () => ({ epoch: -1, opened: undefined }),
    handlers: [
      {
        types: [open],
        check(state, step) {
          if (state.opened && state.epoch === step.stream.epoch)
            step.report(
              pairBroken,
              `${nameEvent(step)} comes before the ${close} that belongs to ${state.opened.event}.`,
            );
          state.epoch = step.stream.epoch;
          const values = same.map((field) => step.payload[field] ?? null);
          state.opened = { event: nameEvent(step), index: step.stream.index, values };
        },
      },
      {
        types: [close],
        check(state, step) {
          const isCertain = state.epoch === step.stream.epoch || isSeenFromStart(step.stream);
          const opened = state.epoch === step.stream.epoch ? state.opened : undefined;
          if (!opened && isCertain)
            step.report(pairBroken, `${nameEvent(step)} comes without a ${open} before it.`);
          for (const [index, field] of same.entries()) {
            const [openingValue, closingValue] = [opened?.values[index], step.payload[field] ?? null];
            if (openingValue !== undefined && !areEqual(openingValue, closingValue))
              step.report(
                pairBroken,
                `${nameEvent(step)} has ${field} ${quoteValue(closingValue)}, but ${opened?.event} had ${quoteValue(openingValue)}.`,
                step.locate(field),
              );
          }
          state.epoch = step.stream.epoch;
          state.opened = undefined;
        },
      },
    ],
    end({ opened, epoch }, { stream, report }) {
      if (opened && epoch === stream.epoch)
        report(
          pairOpen,
          opened.index,
          `The stream ends without the ${close} that belongs to ${opened.event}.`,
        );
    },
    comparable: {
      usesEpochs: true,
      remembers: [open, close],
      allows: [open, close],
      reads: same.flatMap((field) => createFieldUses([open, close], field, { kind: "two" })),
      snapshot: ({ opened, epoch }, context) => isCurrentEpoch(epoch, context) && [opened?.values ?? null],
    },
  };
}
