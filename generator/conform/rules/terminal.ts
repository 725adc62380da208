import { eventTypes, flag } from "../declaration.js";
import * as m from "../machine/build.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const afterTerminal = defineFinding({
  id: "event-after-terminal",
  summary: "an event comes after the terminal event of its stream",
  explanation:
    "Readers close a stream at its terminal event and drop later events. This is reported once per stream. It does not apply to protocols whose terminal event need not be the last, such as those with gap markers after it.",
  hint: "Send the terminal event last. Later events belong to a new stream.",
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
  createMachines({ opens, types, final = false, once = false }) {
    const ends = m.table("ends", 0, { opened: "flag", ended: "event", reported: "flag" });
    const end = ends.row("end");
    const { opened, ended, reported } = end.cells;
    const repeated = m.report(
      terminalRepeated,
      m.message`${m.NAME} ends the stream, which had already ended with ${ended}.`,
    );
    return m.createMachine(
      [ends],
      m.on(
        final ? "after-terminal" : [],
        end.find(
          m.when(
            m.all(m.present(ended), m.absent(reported)),
            end.set({ reported: m.TRUE }),
            m.report(afterTerminal, m.message`${m.NAME} comes after ${ended}, which ends the stream.`),
          ),
        ),
      ),
      m.on(opens, end.find(end.set({ opened: m.TRUE, ...(!final && { ended: m.NOTHING }) }))),
      m.on(
        types,
        end.find(
          ...m.choose(
            [m.absent(ended), end.set({ ended: m.EVENT })],
            ...(once && !final ? [[true, repeated] as const] : []),
          ),
        ),
      ),
      m.on(
        "end",
        end.find(
          m.reportIf(m.all(m.present(opened), m.absent(ended)), streamUnfinished, [
            `The input ends before the stream does: no ${types.join(" or ")}.`,
          ]),
        ),
      ),
    );
  },
});
