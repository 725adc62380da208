import { eventType, eventTypes, payloadField } from "../declaration.js";
import * as m from "../machine/build.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const countWrong = defineFinding({
  id: "count-wrong",
  summary: "a number is not the number of the events that it counts",
  explanation:
    "Readers wait for as many events as the number says, or show it beside those that came. This is checked only if the event that begins the count was seen, and no event can be missing since then.",
  hint: "Send every event that counts, and set the number when you have sent them.",
});

/** Numbers of the events of a type. */
export const counts = defineStreamRule({
  member: "counts",
  declaration: {
    description: "Fields with the number of the events about one thing that came before.",
    required: ["type", "field", "of", "key", "start"],
    properties: {
      type: eventType("The event type with the number."),
      field: payloadField("Its field with the number.", "type"),
      of: eventTypes("The event types that are counted."),
      key: payloadField("The field of all of them with the id of the thing.", "type", "of", "start"),
      start: eventTypes("Event types of the thing that begin the count."),
    },
  },
  example: [
    {
      type: "turn.completed",
      field: "tool_calls",
      of: ["assistant.tool_call_proposed"],
      key: "turn_index",
      start: ["turn.started"],
    },
  ],
  findings: [countWrong],
  describe: ({ type, field, of, key, start }, { event, anyEvent, code }) =>
    `${code(field)} of ${event(type)} is the number of ${anyEvent(of)} with the same ${code(key)} since ${anyEvent(start)}.`,
  comparison: { identify: ({ type, field }) => [type, field] },
  createMachines({ type, field, of, key, start }) {
    const counts = m.table("counts", 1, { events: "number", epoch: "epoch" });
    const count = counts.row("count", m.payload(key));
    const { events } = count.cells;
    const number = m.payload(field);
    const report = (times: readonly m.MessagePart[]): m.Statement =>
      m.report(
        countWrong,
        m.message`${m.NAME} has ${field} ${number} for ${key} ${m.quote(count.key)}, but ${of.join(" or ")} came ${times}`,
        field,
      );
    return m.createMachine(
      [counts],
      m.on(start, count.find(count.set({ events: m.literal(0), epoch: m.EPOCH }))),
      m.on(of, count.find(m.when(count.exists, count.set({ events: m.add(events, m.literal(1)) })))),
      m.on(
        [type],
        count.find(
          m.when(
            m.all(count.isCurrent, m.is("number", number), m.different(number, events)),
            m.choose(
              [m.equal(events, m.literal(1)), report(["once."])],
              [true, report(m.message`${events} times.`)],
            ),
          ),
        ),
      ),
    );
  },
});
