import type { Terminal } from "../../protocol/stream-rules.js";
import { eventTypes, flag } from "../declaration.js";
import { nameEvent } from "../step.js";
import { defineFinding, defineStreamRule, type RuleChecker } from "../stream-rule.js";

const afterTerminal = defineFinding({
  id: "event-after-terminal",
  summary: "an event comes after the terminal event of its stream",
  explanation:
    "Readers close a stream at its terminal event and drop later events. This is reported once per stream. It does not apply to protocols whose terminal event need not be the last, such as those with gap markers after it.",
  hint: "Send the terminal event last. Later events belong to a new stream.",
  severity: { reader: "error", writer: "error" },
});

const terminalRepeated = defineFinding({
  id: "terminal-repeated",
  summary: "a stream that had ended ends again",
  explanation:
    "A stream has one outcome, except if it restarted in between. Readers of a live stream use the first one.",
  hint: "Send one terminal event when the outcome is certain.",
  severity: { reader: "off", writer: "error" },
});

const streamUnfinished = defineFinding({
  id: "stream-unfinished",
  summary: "the input ends before the stream does",
  explanation:
    "A stream that is still live, or was cut, has no terminal event. A complete example stream needs one.",
  hint: "Add the terminal event, or ignore this for a stream that continues.",
  severity: { reader: "off", writer: "note" },
});

interface StreamEnd {
  opened: boolean;
  /** The terminal event. */
  ended: string | undefined;
  /** True if an event after the end was reported. */
  reported: boolean;
}

/** The rule about the event types that end streams. */
export const terminal = defineStreamRule({
  member: "terminal",
  single: true,
  declaration: {
    description: "How a stream ends.",
    required: ["opens", "types"],
    properties: {
      opens: eventTypes("Event types that begin the stream."),
      types: eventTypes("The terminal event types."),
      final: flag("No event comes after a terminal one."),
      once: flag("Writers send only one terminal event."),
    },
    hasProfile: false,
  },
  example: { opens: ["session_started"], types: ["session_ended"], final: true },
  findings: [afterTerminal, terminalRepeated, streamUnfinished],
  describe: ({ types, opens, final, once }, { anyEvent }) =>
    `A stream starts with ${anyEvent(opens)} and ends${once ? " once," : ""} with ${anyEvent(types)}. ${final ? "No event follows the end." : "It may start again after the end."}`,
  comparison: { identify: () => "" },
  createCheckers: createTerminalChecker,
  generation: { listReservedTypes: ({ opens, types }) => [...opens.slice(0, 1), ...types] },
});

function createTerminalChecker({
  opens,
  types,
  final = false,
  once = false,
}: Terminal): RuleChecker<StreamEnd> {
  return {
    start: () => ({ opened: false, ended: undefined, reported: false }),
    handlers: [
      {
        types: final ? "after-terminal" : [],
        check(state, step) {
          if (state.ended === undefined || state.reported) return;
          state.reported = true;
          step.report(afterTerminal, `${nameEvent(step)} comes after ${state.ended}, which ends the stream.`);
        },
      },
      {
        types: opens,
        check(state) {
          state.opened = true;
          if (!final) state.ended = undefined;
        },
      },
      {
        types,
        check(state, step) {
          if (once && !final && state.ended !== undefined)
            step.report(
              terminalRepeated,
              `${nameEvent(step)} ends the stream, which had already ended with ${state.ended}.`,
            );
          state.ended ??= nameEvent(step);
        },
      },
    ],
    end({ opened, ended }, { stream, report }) {
      if (opened && ended === undefined)
        report(
          streamUnfinished,
          stream.index,
          `The input ends before the stream does: no ${types.join(" or ")}.`,
        );
    },
    comparable: {
      refuses: final ? "every" : types,
      remembers: [...opens, ...types],
      allows: opens,
      reads: [],
      snapshot: ({ ended, reported }) => [ended !== undefined, reported],
    },
  };
}
