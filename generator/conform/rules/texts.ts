import type { TextParts } from "../../protocol/stream-rules.js";
import { eventType, eventTypes, payloadField, payloadFields } from "../declaration.js";
import * as m from "../machine/build.js";
import type { Machine, MessagePart, Statement } from "../machine/language.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const textMismatch = defineFinding({
  id: "text-mismatch",
  summary: "the complete text differs from its joined pieces",
  explanation:
    "Readers replace the pieces that they have drawn by the complete text, so the two must be equal, character by character. A complete text without pieces is accepted. If the first pieces may have been missed, the complete text must end with the pieces that were seen. If a piece in between may have been missed, nothing is reported.",
  hint: "Send every piece of the text once and in order, and then the same text as a whole.",
  severity: { reader: "error", writer: "error" },
});

const deltaAfterText = defineFinding({
  id: "delta-after-text",
  summary: "a piece comes after the complete text",
  explanation:
    "The complete text ends its block. A block that restarts, for example because the turn is tried again, is accepted.",
  hint: "Send the pieces first, or give the next text its own index.",
  severity: { reader: "error", writer: "error" },
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
  findings: [textMismatch, deltaAfterText],
  describe: ({ delta, part, whole, text, key }, { event, code, fields }) =>
    `${code(text)} of ${event(whole)} equals the joined ${code(part)} of every ${event(delta)} with the same ${fields(key)}; no ${event(delta)} follows it.`,
  comparison: { identify: ({ delta, whole }) => [delta, whole] },
  createMachines: createTextMachine,
});

function createTextMachine({ delta, part, whole, text, key, restart = [] }: TextParts): Machine {
  // Texts without ids are not checked.
  if (key.length === 0) return m.createMachine({}, []);
  const ids = key.map(m.payload);
  const findText = (...body: Statement[]): Statement => m.find("pieces", "open", ids, ...body);
  const isDone = m.isCurrent("done", "epoch");
  const mayRestart = m.find(
    "restart",
    "restarts",
    [],
    ...m.choose(
      [
        m.all(m.not(m.exists("pieces")), m.any(m.SEEN_FROM_START, m.isCurrent("restart", "epoch"))),
        m.set("pieces", { epoch: m.EPOCH, isFromStart: m.TRUE, count: m.literal(0), text: m.NOTHING }),
      ],
      [
        true,
        m.set("pieces", { epoch: m.EPOCH, isFromStart: m.NOTHING, count: m.literal(0), text: m.NOTHING }),
      ],
    ),
  );
  return m.createMachine(
    {
      open: m.table(key.length, { epoch: "epoch", isFromStart: "flag", count: "number", text: "text" }),
      done: m.table(key.length, { event: "event", epoch: "epoch" }),
      restarts: m.table(0, { epoch: "epoch" }),
    },
    [
      m.on(
        [delta],
        m.when(
          m.present(m.units(m.payload(part))),
          findText(
            m.when(
              m.not(m.isCurrent("pieces", "epoch")),
              m.find(
                "done",
                "done",
                ids,
                m.when(
                  isDone,
                  m.report(
                    deltaAfterText,
                    m.message`${m.NAME} adds to a text that ${m.plain(m.cell("done", "event"))} completed.`,
                    m.inPayload(part),
                  ),
                  m.drop("done"),
                ),
              ),
              mayRestart,
            ),
            m.set("pieces", { count: m.add(m.cell("pieces", "count"), m.literal(1)) }),
            m.append("pieces", "text", m.payload(part)),
          ),
        ),
      ),
      m.on(
        [whole],
        m.when(
          m.present(m.units(m.payload(text))),
          findText(
            m.when(m.isCurrent("pieces", "epoch"), ...checkWhole(text)),
            m.drop("pieces"),
            m.find("done", "done", ids, m.set("done", { event: m.EVENT, epoch: m.EPOCH })),
          ),
        ),
      ),
      m.on(
        restart,
        m.clear("open"),
        m.clear("done"),
        m.find("restart", "restarts", [], m.set("restart", { epoch: m.EPOCH })),
      ),
    ],
  );
}

/** Compares a whole text with its pieces. The pieces that were missed come first. */
function checkWhole(field: string): Statement[] {
  const whole = m.payload(field);
  const pieceUnits = m.textUnits("pieces", "text");
  const isFromStart = m.present(m.cell("pieces", "isFromStart"));
  const length = m.count(m.units(whole), "character");
  const pieces = m.message`${m.count(m.cell("pieces", "count"), "piece has", "pieces have")} ${m.count(pieceUnits, "character")}`;
  const reportMismatch = (difference: readonly MessagePart[]): Statement =>
    m.report(textMismatch, [...m.message`The text of ${m.NAME} `, ...difference, "."], m.inPayload(field));
  return m.choose(
    [{ op: "sameText", of: whole, row: "pieces", cell: "text" }],
    [
      m.all(m.not(isFromStart), m.less(pieceUnits, m.units(whole)), {
        op: "endsWithText",
        of: whole,
        row: "pieces",
        cell: "text",
      }),
    ],
    [
      m.equal(m.units(whole), pieceUnits),
      reportMismatch(m.message`has the same length as its pieces, ${length}, but other characters`),
    ],
    [isFromStart, reportMismatch([...m.message`has ${length}, but its `, ...pieces])],
    [true, reportMismatch([...m.message`with ${length} does not end with its last pieces: the `, ...pieces])],
  );
}
