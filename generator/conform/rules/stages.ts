import type { Stages } from "../../protocol/stream-rules.js";
import { eventTypeLists, eventTypes, payloadField } from "../declaration.js";
import * as m from "../machine/build.js";
import type { Machine } from "../machine/language.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const stageLate = defineFinding({
  id: "stage-late",
  summary: "a stage comes after a later one of the same thing",
  explanation:
    "Readers draw the stages of a thing one below the other, and take the last one as its state. An earlier stage that comes late would set it back.",
  hint: "Send the events of one id in the order in which they happen.",
  severity: { reader: "error", writer: "error" },
});

const stageRepeated = defineFinding({
  id: "stage-repeated",
  summary: "a stage that happens once comes again for the same thing",
  explanation:
    "A reader that adds a line for each stage shows it twice. Pieces of output and other types that the contract lists may come again.",
  hint: "Send the event once for each id, and use a new id for a new attempt.",
  severity: { reader: "error", writer: "error" },
});

/** Things whose events come in a fixed order. */
export const stages = defineStreamRule({
  member: "stages",
  declaration: {
    description: "Event types about one thing that come in an order, each once; any of them may be left out.",
    required: ["key", "stages"],
    properties: {
      key: payloadField("The field with the id of the thing, or with a list of ids.", "stages"),
      stages: eventTypeLists("The stages in their order, each a list of event types."),
      repeat: eventTypes("Event types that may come more than once in their stage."),
    },
  },
  example: [
    {
      key: "call_id",
      stages: [["call.proposed"], ["call.started"], ["call.output"]],
      repeat: ["call.output"],
    },
  ],
  findings: [stageLate, stageRepeated],
  describe: ({ key, stages, repeat = [] }, { anyEvent, allEvents, code }) =>
    `Events with the same ${code(key)} come in this order, at most one for each stage: ${stages.map((types) => anyEvent(types)).join(" → ")}.${repeat.length > 0 ? ` ${allEvents(repeat)} may come several times.` : ""}`,
  comparison: { identify: ({ key }) => key, ordered: ["stages"] },
  createMachines: createStageMachine,
});

function createStageMachine({ key, stages, repeat = [] }: Stages): Machine {
  const reached = m.cell("thing", "stage");
  const about = m.message`${m.NAME} is about ${key} ${m.quote(m.keyOf("thing"))}, which had `;
  const event = m.plain(m.cell("thing", "event"));
  const clauses = stages.map((types, index) => {
    const stage = m.literal(index);
    return m.on(
      types,
      m.each(
        "id",
        "ids",
        m.payload(key),
        m.find(
          "thing",
          "things",
          [m.item("id")],
          // If events may be missing since the last stage, the work may have started again.
          ...m.choose(
            [m.not(m.isCurrent("thing", "epoch")), m.set("thing", { stage, event: m.EVENT, epoch: m.EPOCH })],
            [
              m.less(stage, reached),
              m.report(stageLate, [...about, ...m.message`reached ${event}.`], m.inPayload(key)),
            ],
            [
              true,
              m.when(
                m.all(m.equal(reached, stage), m.not(m.isIn(m.TYPE, repeat))),
                m.report(stageRepeated, [...about, ...m.message`${event} already.`], m.inPayload(key)),
              ),
              m.set("thing", { stage, event: m.EVENT }),
            ],
          ),
        ),
      ),
    );
  });
  return m.createMachine(
    { things: m.table(1, { stage: "number", event: "event", epoch: "epoch" }) },
    clauses,
  );
}
