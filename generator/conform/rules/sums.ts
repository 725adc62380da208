import type { Sum } from "../../protocol/stream-rules.js";
import { eventType, eventTypes, objectPart, payloadField, payloadFields } from "../declaration.js";
import * as m from "../machine/build.js";
import type { Machine, Statement } from "../machine/language.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const sumWrong = defineFinding({
  id: "sum-wrong",
  summary: "a number is not the sum of its parts",
  explanation:
    "Readers show these numbers of one event together, for example the spent part, the remaining part and the whole of a budget. A part may be negative.",
  hint: "Compute the last number from the others when you create the event.",
  severity: { reader: "error", writer: "error" },
});

/** Numbers of events that are the sums of others. */
export const sums = defineStreamRule({
  member: "sums",
  declaration: {
    description: "Numbers of one event and their sum.",
    required: ["type", "sum", "of"],
    properties: {
      type: eventType("The event type."),
      sum: payloadField("The field with the sum.", "type"),
      of: payloadFields("The fields with the parts.", "type"),
      plus: objectPart({
        description:
          "A part in an earlier event of the stream: the last one of its type. Without such an event, nothing is checked.",
        required: ["type", "field"],
        properties: {
          type: eventType("The earlier event type, which may be the same."),
          field: payloadField("Its field with the part.", "type"),
          until: eventTypes("Event types after which the part no longer counts."),
        },
      }),
    },
  },
  example: [
    {
      type: "cost.tick",
      sum: "task_budget_micros_usd",
      of: ["cumulative_cost_micros_usd", "task_budget_remaining_micros_usd"],
    },
  ],
  findings: [sumWrong],
  describe({ type, sum, of, plus }, { event, anyEvent, code }) {
    const parts = of.map((name) => code(name)).join(" + ");
    const earlier = plus ? ` + ${code(plus.field)} of the last ${event(plus.type)}` : "";
    const exception = plus?.until ? `, unless ${anyEvent(plus.until)} came in between` : "";
    return `In ${event(type)}, ${code(sum)} = ${parts}${earlier}${exception}.`;
  },
  comparison: { identify: ({ type, sum }) => [type, sum] },
  createMachines: createSumMachine,
});

function createSumMachine({ type, sum, of, plus }: Sum): Machine {
  const [total, parts] = [m.payload(sum), of.map(m.payload)];
  const earlierPart = m.cell("earlier", "part");
  const partSum = m.add(plus === undefined ? m.literal(0) : earlierPart, ...parts);
  const writtenParts = of.map((field) => m.message`${field} ${m.plain(m.payload(field))}`);
  if (plus !== undefined)
    writtenParts.push(
      m.message`${plus.field} ${m.plain(earlierPart)} of ${m.plain(m.cell("earlier", "event"))}`,
    );
  const check = m.when(
    m.all(m.is("number", total), m.is("safe", partSum), m.different(total, partSum)),
    m.report(
      sumWrong,
      [
        ...m.message`${m.NAME} has ${sum} ${m.plain(total)}, but `,
        ...writtenParts.flatMap((part, index) => (index === 0 ? part : [" and ", ...part])),
        ...m.message` add up to ${m.plain(partSum)}.`,
      ],
      m.inPayload(of.at(-1) ?? sum),
    ),
  );
  if (plus === undefined) return m.createMachine({}, [m.on([type], check)]);
  const findEarlier = (...body: Statement[]): Statement => m.find("earlier", "earlier", [], ...body);
  const part = m.payload(plus.field);
  return m.createMachine({ earlier: m.table(0, { part: "number", event: "event", epoch: "epoch" }) }, [
    m.on([type], findEarlier(m.when(m.isCurrent("earlier", "epoch"), check))),
    m.on(
      [plus.type],
      findEarlier(
        ...m.choose(
          [m.is("number", part), m.set("earlier", { part, event: m.EVENT, epoch: m.EPOCH })],
          [true, m.drop("earlier")],
        ),
      ),
    ),
    m.on(plus.until ?? [], m.clear("earlier")),
  ]);
}
