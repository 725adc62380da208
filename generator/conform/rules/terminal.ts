import type { Terminal } from "../../protocol/stream-rules.js";
import { asSet } from "../comparable.js";
import { named } from "../step-text.js";
import { defineStreamRule, type RuleFile, type Watch } from "../stream-rule.js";

const afterTerminal = defineStreamRule({
  id: "event-after-terminal",
  summary: "an event comes after the one that ends its stream",
  explanation:
    "Readers close a stream at its terminal event and drop what comes later. Told once for each stream. In protocols whose terminal event need not be the last, such as those with gap markers behind it, there is no such rule.",
  hint: "Send the terminal event last; what comes later belongs to a new stream.",
  severity: { reader: "error", writer: "error" },
  declaredBy: "terminal",
});

const terminalRepeated = defineStreamRule({
  id: "terminal-repeated",
  summary: "a stream that had ended ends once more",
  explanation:
    "A stream has one outcome, unless it began anew in between. Readers of what is live take the first and are not hurt.",
  hint: "Send one terminal event when the outcome is certain.",
  severity: { reader: "off", writer: "error" },
  declaredBy: "terminal",
});

const streamUnfinished = defineStreamRule({
  id: "stream-unfinished",
  summary: "the input ends before the stream does",
  explanation:
    "A stream that is still live, or was cut, has no terminal event. In a golden stream one is missing.",
  hint: "Add the terminal event, or pass over this for a stream that goes on.",
  severity: { reader: "off", writer: "note" },
  declaredBy: "terminal",
});

interface Life {
  opened: boolean;
  ended: string | undefined;
  told: boolean;
}

/** How streams end. */
export const terminalRules: RuleFile = {
  rules: [afterTerminal, terminalRepeated, streamUnfinished],
  declares: { terminal: () => "" },
  watch: ({ stream }) => (stream?.rules?.terminal ? [watch(stream.rules.terminal)] : []),
};

function watch({ opens, types, final = false, once = false }: Terminal): Watch<Life> {
  return {
    rules: [afterTerminal, terminalRepeated, streamUnfinished],
    start: () => ({ opened: false, ended: undefined, told: false }),
    handlers: [
      {
        types: final ? "rest" : [],
        check(life, step) {
          if (life.ended === undefined || life.told) return;
          life.told = true;
          step.report(afterTerminal, "", `${named(step)} comes after ${life.ended}, which ends the stream.`);
        },
      },
      {
        types: opens,
        check(life) {
          life.opened = true;
          if (!final) life.ended = undefined;
        },
      },
      {
        types,
        check(life, step) {
          if (once && !final && life.ended !== undefined)
            step.report(
              terminalRepeated,
              "",
              `${named(step)} ends the stream, which ${life.ended} had ended.`,
            );
          life.ended ??= named(step);
        },
      },
    ],
    end({ opened, ended }, { stream, report }) {
      if (opened && ended === undefined)
        report(
          streamUnfinished,
          stream.mark,
          "",
          `The input ends before the stream does: no ${types.join(" or ")}.`,
        );
    },
    comparable: {
      madeOf: ["terminal", asSet(opens), asSet(types), final, once],
      usesEpochs: false,
      judges: final ? "every" : types,
      remembers: [...opens, ...types],
      allows: opens,
      reads: [],
      snapshot: ({ ended, told }) => [ended !== undefined, told],
    },
  };
}
