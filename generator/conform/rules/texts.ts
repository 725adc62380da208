import { eventType, eventTypes, payloadField, payloadFields } from "../declaration.js";
import * as m from "../machine/build.js";
import { isMasked } from "../masked-fields.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const textMismatch = defineFinding({
  id: "text-mismatch",
  summary: "the complete text differs from its joined pieces",
  explanation:
    "Readers replace the pieces that they have drawn by the complete text, so the two must be equal, character by character. A complete text without pieces is accepted. If the first pieces may have been missed, the complete text must end with the pieces that were seen. If a piece in between may have been missed, nothing is reported. A text or a piece that was masked is not compared.",
  hint: "Send every piece of the text once and in order, and then the same text as a whole.",
});

const deltaAfterText = defineFinding({
  id: "delta-after-text",
  summary: "a piece comes after the complete text",
  explanation:
    "The complete text ends its block. A block that restarts, for example because the turn is tried again, is accepted.",
  hint: "Send the pieces first, or give the next text its own index.",
});

const textRepeated = defineFinding({
  id: "text-repeated",
  summary: "a complete text comes after the complete text of the same block",
  explanation:
    "The complete text is the last word about its block: readers replace what they have drawn by it, and a second one would replace the first, or be drawn beside it. A block that restarts, for example because the turn is tried again, is accepted.",
  hint: "Send the complete text once, or give the next text its own index.",
  severity: { reader: "off", writer: "error" },
});

/** Texts that are sent in pieces and then as a whole. */
export const texts = defineStreamRule({
  member: "texts",
  declaration: {
    description: "Texts that are sent in pieces and then as a whole.",
    required: ["delta", "part", "whole", "text", "key"],
    properties: {
      delta: eventType("The event type of a piece."),
      part: payloadField("Its field with the text.", "delta"),
      whole: eventType("The event type of the whole."),
      text: payloadField("Its field with the text.", "whole"),
      key: payloadFields("The fields of both that identify the text.", "delta", "whole"),
      restart: eventTypes("Event types after which texts start again."),
    },
  },
  example: [
    {
      delta: "assistant.text_delta",
      part: "delta",
      whole: "assistant.text_complete",
      text: "text",
      key: ["turn_index", "block_index"],
      restart: ["turn.started", "turn.failed"],
    },
  ],
  findings: [textMismatch, deltaAfterText, textRepeated],
  describe: ({ delta, part, whole, text, key }, { event, code, fields }) =>
    `${code(text)} of ${event(whole)} equals the joined ${code(part)} of every ${event(delta)} with the same ${fields(key)}; no ${event(delta)} follows it, and it is not repeated.`,
  comparison: { identify: ({ delta, whole }) => [delta, whole] },
  createMachines({ delta, part, whole, text, key, restart = [] }, protocol) {
    // Texts without ids are not checked.
    if (key.length === 0) return m.createMachine([]);
    const open = m.table("open", key.length, {
      epoch: "epoch",
      isFromStart: "flag",
      count: "number",
      text: "text",
    });
    const doneTexts = m.table("done", key.length, m.EVENT_CELLS);
    const restarts = m.table("restarts", 0, { epoch: "epoch" });
    const ids = key.map(m.payload);
    const [pieces, done] = [open.row("pieces", ...ids), doneTexts.row("done", ...ids)];
    const last = restarts.row("restart");
    const begin = (isFromStart: m.Value): m.Statement =>
      pieces.set({ epoch: m.EPOCH, isFromStart, count: m.literal(0), text: m.NOTHING });
    const mayRestart = last.find(
      ...m.choose(
        [m.all(m.not(pieces.exists), m.any(m.SEEN_FROM_START, last.isCurrent)), begin(m.TRUE)],
        [true, begin(m.NOTHING)],
      ),
    );
    const isAfterWhole = m.when(
      done.isCurrent,
      m.report(deltaAfterText, m.message`${m.NAME} adds to a text that ${done.cells.event} completed.`, part),
      done.drop,
    );
    const isRepeated = m.when(
      done.isCurrent,
      m.report(textRepeated, m.message`${m.NAME} repeats a text that ${done.cells.event} completed.`, text),
    );
    return m.createMachine(
      [open, doneTexts, restarts],
      m.on(
        [delta],
        m.when(
          m.present(m.units(m.payload(part))),
          pieces.find(
            m.when(m.not(pieces.isCurrent), done.find(isAfterWhole), mayRestart),
            ...m.choose(
              // The pieces before a masked one are not compared, as if they had been missed.
              [isMasked(protocol, part), pieces.set({ epoch: m.NOTHING })],
              [
                true,
                pieces.set({ count: m.add(pieces.cells.count, m.literal(1)) }),
                { op: "append", ...pieces.place("text"), text: m.payload(part) },
              ],
            ),
          ),
        ),
      ),
      m.on(
        [whole],
        m.when(
          m.present(m.units(m.payload(text))),
          pieces.find(
            m.when(m.all(pieces.isCurrent, m.not(isMasked(protocol, text))), ...checkWhole(text, pieces)),
            pieces.drop,
            done.find(isRepeated, done.set(m.THIS_EVENT)),
          ),
        ),
      ),
      m.on(restart, open.clear(), doneTexts.clear(), last.find(last.set({ epoch: m.EPOCH }))),
    );
  },
});

/** Compares a whole text with its pieces. The pieces that were missed come first. */
function checkWhole(
  field: string,
  { cells, place }: m.Row<"epoch" | "isFromStart" | "count" | "text">,
): m.Statement[] {
  const whole = m.payload(field);
  const text = { of: whole, ...place("text") };
  const pieceUnits: m.Value = { op: "textUnits", ...place("text") };
  const isFromStart = m.present(cells.isFromStart);
  const length = m.count(m.units(whole), "character");
  const pieces = m.message`${m.count(cells.count, "piece has", "pieces have")} ${m.count(pieceUnits, "character")}`;
  const reportMismatch = (difference: readonly m.MessagePart[]): m.Statement =>
    m.report(textMismatch, m.message`The text of ${m.NAME} ${difference}.`, field);
  return m.choose(
    [{ op: "sameText", ...text }],
    [m.all(m.not(isFromStart), m.less(pieceUnits, m.units(whole)), { op: "endsWithText", ...text })],
    [
      m.equal(m.units(whole), pieceUnits),
      reportMismatch(m.message`has the same length as its pieces, ${length}, but other characters`),
    ],
    [isFromStart, reportMismatch(m.message`has ${length}, but its ${pieces}`)],
    [true, reportMismatch(m.message`with ${length} does not end with its last pieces: the ${pieces}`)],
  );
}
