import { eventType, objectList, objectPart, payloadField } from "../declaration.js";
import * as m from "../machine/build.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const chainBroken = defineFinding({
  id: "chain-broken",
  summary:
    "a change does not begin at the current value, or an event repeats a value that is not the current one",
  explanation:
    "Readers that show the current value would show another one than the writer has. If events may be missing in between, nothing is reported.",
  hint: "Send every change, with the value that was in force before it, and repeat the value that is in force.",
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
  createMachines({ type, previous, current, copies = [] }) {
    const changes = m.table("changes", 0, { value: "value", ...m.EVENT_CELLS });
    const last = changes.row("last");
    const { value, event } = last.cells;
    const checkValue = (field: string): m.Statement =>
      m.reportIf(
        m.all(last.isCurrent, m.different(m.payload(field), value)),
        chainBroken,
        m.message`${m.NAME} has ${field} ${m.quote(m.payload(field))}, but ${event} led to ${current} ${m.quote(value)}.`,
        field,
      );
    return m.createMachine(
      [changes],
      m.on([type], last.find(checkValue(previous), last.set({ value: m.payload(current), ...m.THIS_EVENT }))),
      ...copies.map((copy) => m.on([copy.type], last.find(checkValue(copy.field)))),
    );
  },
});
