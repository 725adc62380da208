import { eventTypeLists, eventTypes, payloadField } from "../declaration.js";
import * as m from "../machine/build.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const stageLate = defineFinding({
  id: "stage-late",
  summary: "a stage comes after a later one of the same thing",
  explanation:
    "Readers draw the stages of a thing one below the other, and take the last one as its state. An earlier stage that comes late would set it back.",
  hint: "Send the events of one id in the order in which they happen.",
});

const stageRepeated = defineFinding({
  id: "stage-repeated",
  summary: "a stage that happens once comes again for the same thing",
  explanation:
    "A reader that adds a line for each stage shows it twice. Pieces of output and other types that the contract lists may come again.",
  hint: "Send the event once for each id, and use a new id for a new attempt.",
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
  createMachines({ key, stages, repeat = [] }) {
    const things = m.table("things", 1, { stage: "number", ...m.EVENT_CELLS });
    const thing = things.rowsOf("thing", key);
    const { stage: reached, event } = thing.cells;
    const about = m.message`${m.NAME} is about ${key} ${m.quote(thing.key)}, which had `;
    const clauses = stages.map((types, index) => {
      const stage = m.literal(index);
      // If events may be missing since the last stage, the work may have started again.
      const check = m.choose(
        [m.not(thing.isCurrent), thing.set({ stage, ...m.THIS_EVENT })],
        [m.less(stage, reached), m.report(stageLate, m.message`${about}reached ${event}.`, key)],
        [
          true,
          m.reportIf(
            m.all(m.equal(reached, stage), m.not(m.isIn(m.TYPE, repeat))),
            stageRepeated,
            m.message`${about}${event} already.`,
            key,
          ),
          thing.set({ stage, event: m.EVENT }),
        ],
      );
      return m.on(types, thing.find(...check));
    });
    return m.createMachine([things], ...clauses);
  },
});
