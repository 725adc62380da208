import type { Pair } from "../../protocol/stream-rules.js";
import { eventType, payloadFields } from "../declaration.js";
import * as m from "../machine/build.js";
import type { Machine, Statement, Value } from "../machine/language.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

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
  createMachines: createPairMachine,
});

function createPairMachine({ open, close, same = [] }: Pair): Machine {
  const opened = m.cell("pair", "event");
  const readSame = (field: string): Value => m.firstOf(m.payload(field), m.literal(null));
  const nameValue = (index: number): string => `value${index}`;
  const isKnown = m.isCurrent("pair", "epoch");
  const isOpen = m.all(isKnown, m.present(opened));
  const findPair = (...body: Statement[]): Statement => m.find("pair", "pairs", [], ...body);
  const values = same.map((field, index) => [nameValue(index), readSame(field)]);
  return m.createMachine(
    {
      pairs: m.table(0, {
        epoch: "epoch",
        event: "event",
        index: "index",
        ...Object.fromEntries(same.map((_, index) => [nameValue(index), "value"])),
      }),
    },
    [
      m.on(
        [open],
        findPair(
          m.when(
            isOpen,
            m.report(
              pairBroken,
              m.message`${m.NAME} comes before the ${close} that belongs to ${m.plain(opened)}.`,
            ),
          ),
          m.set("pair", { epoch: m.EPOCH, event: m.EVENT, index: m.INDEX, ...Object.fromEntries(values) }),
        ),
      ),
      m.on(
        [close],
        findPair(
          m.when(
            m.all(m.any(isKnown, m.SEEN_FROM_START), m.not(isOpen)),
            m.report(pairBroken, m.message`${m.NAME} comes without a ${open} before it.`),
          ),
          m.when(
            isOpen,
            ...same.map((field, index) =>
              m.when(
                m.different(m.cell("pair", nameValue(index)), readSame(field)),
                m.report(
                  pairBroken,
                  m.message`${m.NAME} has ${field} ${m.quote(readSame(field))}, but ${m.plain(opened)} had ${m.quote(m.cell("pair", nameValue(index)))}.`,
                  m.inPayload(field),
                ),
              ),
            ),
          ),
          m.drop("pair"),
          m.set("pair", { epoch: m.EPOCH }),
        ),
      ),
      m.on(
        "end",
        findPair(
          m.when(
            isOpen,
            m.report(
              pairOpen,
              m.message`The stream ends without the ${close} that belongs to ${m.plain(opened)}.`,
              undefined,
              m.cell("pair", "index"),
            ),
          ),
        ),
      ),
    ],
  );
}
