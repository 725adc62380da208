import type { Chain } from "../../protocol/stream-rules.js";
import { eventType, objectList, objectPart, payloadField } from "../declaration.js";
import * as m from "../machine/build.js";
import type { Machine, Statement } from "../machine/language.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const chainBroken = defineFinding({
  id: "chain-broken",
  summary:
    "a change does not begin at the current value, or an event repeats a value that is not the current one",
  explanation:
    "Readers that show the current value would show another one than the writer has. If events may be missing in between, nothing is reported.",
  hint: "Send every change, with the value that was in force before it, and repeat the value that is in force.",
  severity: { reader: "error", writer: "error" },
});

/** Changes of a value, each of which repeats the value before it. */
export const chains = defineStreamRule({
  member: "chains",
  declaration: {
    description: "Events that say from which value and to which value something changed.",
    required: ["type", "previous", "current"],
    properties: {
      type: eventType("The event type."),
      previous: payloadField("The field with the value before.", "type"),
      current: payloadField("The field with the value after.", "type"),
      copies: objectList(
        "Event types that repeat the value in force.",
        objectPart({
          required: ["type", "field"],
          properties: {
            type: eventType("The event type."),
            field: payloadField("Its field with the value.", "type"),
          },
        }),
      ),
    },
  },
  example: [{ type: "mode_changed", previous: "PrevMode", current: "Mode" }],
  findings: [chainBroken],
  describe: ({ type, previous, current, copies = [] }, { event, code }) =>
    [
      `${code(previous)} of each ${event(type)} is ${code(current)} of the one before.`,
      ...copies.map(
        (copy) =>
          `${code(copy.field)} of ${event(copy.type)} is ${code(current)} of the last ${event(type)}.`,
      ),
    ].join(" "),
  comparison: { identify: ({ type }) => type },
  createMachines: createChainMachine,
});

function createChainMachine({ type, previous, current, copies = [] }: Chain): Machine {
  const checkValue = (field: string): Statement =>
    m.when(
      m.all(m.isCurrent("last", "epoch"), m.different(m.payload(field), m.cell("last", "value"))),
      m.report(
        chainBroken,
        m.message`${m.NAME} has ${field} ${m.quote(m.payload(field))}, but ${m.plain(m.cell("last", "event"))} led to ${current} ${m.quote(m.cell("last", "value"))}.`,
        m.inPayload(field),
      ),
    );
  const findLast = (...body: Statement[]): Statement => m.find("last", "changes", [], ...body);
  return m.createMachine({ changes: m.table(0, { value: "value", event: "event", epoch: "epoch" }) }, [
    m.on(
      [type],
      findLast(
        checkValue(previous),
        m.set("last", { value: m.payload(current), event: m.EVENT, epoch: m.EPOCH }),
      ),
    ),
    ...copies.map((copy) => m.on([copy.type], findLast(checkValue(copy.field)))),
  ]);
}
