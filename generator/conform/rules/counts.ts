import type { EventCount } from "../../protocol/stream-rules.js";
import { eventType, eventTypes, payloadField } from "../declaration.js";
import * as m from "../machine/build.js";
import type { Machine, Statement } from "../machine/language.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const countWrong = defineFinding({
  id: "count-wrong",
  summary: "a number is not the number of the events that it counts",
  explanation:
    "Readers wait for as many events as the number says, or show it beside those that came. This is checked only if the event that begins the count was seen, and no event can be missing since then.",
  hint: "Send every event that counts, and set the number when you have sent them.",
  severity: { reader: "error", writer: "error" },
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
  createMachines: createCountMachine,
});

function createCountMachine({ type, field, of, key, start }: EventCount): Machine {
  const findCount = (...body: Statement[]): Statement => m.find("count", "counts", [m.payload(key)], ...body);
  const counted = m.cell("count", "events");
  const number = m.payload(field);
  const begin = m.message`${m.NAME} has ${field} ${m.plain(number)} for ${key} ${m.quote(m.keyOf("count"))}, but ${of.join(" or ")} came `;
  const place = m.inPayload(field);
  return m.createMachine({ counts: m.table(1, { events: "number", epoch: "epoch" }) }, [
    m.on(start, findCount(m.set("count", { events: m.literal(0), epoch: m.EPOCH }))),
    m.on(of, findCount(m.when(m.exists("count"), m.set("count", { events: m.add(counted, m.literal(1)) })))),
    m.on(
      [type],
      findCount(
        m.when(
          m.all(m.isCurrent("count", "epoch"), m.is("number", number), m.different(number, counted)),
          m.choose(
            [m.equal(counted, m.literal(1)), m.report(countWrong, [...begin, "once."], place)],
            [true, m.report(countWrong, [...begin, m.plain(counted), " times."], place)],
          ),
        ),
      ),
    ),
  ]);
}
