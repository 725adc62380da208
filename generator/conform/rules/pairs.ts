import { eventType, eventTypes, payloadFields } from "../declaration.js";
import * as m from "../machine/build.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const pairBroken = defineFinding({
  id: "pair-broken",
  summary: "two event types that must alternate do not alternate",
  explanation:
    "The second event of a pair removes what the first one has shown, for example a spinner. This is checked only if no event in between can have been missed. A part of a stream that begins between the two is accepted.",
  hint: "Send the closing event exactly once for each opening one, before the next, with the same values.",
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
      reset: eventTypes("Event types after which nothing is open, although it was not closed."),
    },
  },
  example: [{ open: "compacting", close: "compacting_end", same: ["Type"] }],
  findings: [pairBroken, pairOpen],
  describe: ({ open, close, same = [], reset = [] }, { event, anyEvent, fields }) =>
    `Each ${event(open)} is followed by one ${event(close)}${same.length > 0 ? ` with the same ${fields(same)}` : ""} before the next ${event(open)}${reset.length > 0 ? `, unless ${anyEvent(reset)} comes in between` : ""}.`,
  comparison: { identify: ({ open, close }) => [open, close] },
  createMachines({ open, close, same = [], reset = [] }) {
    const nameValue = (index: number): string => `value${index}`;
    const pairs = m.table<string>("pairs", 0, {
      epoch: "epoch",
      event: "event",
      index: "index",
      ...Object.fromEntries(same.map((_, index) => [nameValue(index), "value"])),
    });
    const pair = pairs.row("pair");
    const opened = pair.cell("event");
    const readSame = (field: string): m.Value => m.firstOf(m.payload(field), m.literal(null));
    const isOpen = m.all(pair.isCurrent, m.present(opened));
    const compare = (field: string, index: number): m.Statement =>
      m.reportIf(
        m.different(pair.cell(nameValue(index)), readSame(field)),
        pairBroken,
        m.message`${m.NAME} has ${field} ${m.quote(readSame(field))}, but ${opened} had ${m.quote(pair.cell(nameValue(index)))}.`,
        field,
      );
    return m.createMachine(
      [pairs],
      m.on(
        [open],
        pair.find(
          m.reportIf(
            isOpen,
            pairBroken,
            m.message`${m.NAME} comes before the ${close} that belongs to ${opened}.`,
          ),
          pair.set({
            epoch: m.EPOCH,
            event: m.EVENT,
            index: m.INDEX,
            ...Object.fromEntries(same.map((field, index) => [nameValue(index), readSame(field)])),
          }),
        ),
      ),
      m.on(
        [close],
        pair.find(
          m.reportIf(
            m.all(m.any(pair.isCurrent, m.all(m.not(pair.exists), m.SEEN_FROM_START)), m.not(isOpen)),
            pairBroken,
            m.message`${m.NAME} comes without a ${open} before it.`,
          ),
          m.when(isOpen, ...same.map(compare)),
          pair.drop,
          pair.set({ epoch: m.EPOCH }),
        ),
      ),
      m.on(reset, pair.find(m.when(isOpen, pair.drop, pair.set({})))),
      m.on(
        "end",
        pair.find(
          m.reportIf(
            isOpen,
            pairOpen,
            m.message`The stream ends without the ${close} that belongs to ${opened}.`,
            undefined,
            pair.cell("index"),
          ),
        ),
      ),
    );
  },
});
