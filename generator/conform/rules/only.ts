import { isObject } from "../../json.js";
import {
  collectMentions,
  type DeclarationPart,
  envelopeField,
  eventType,
  eventTypes,
  objectPart,
  payloadField,
  textList,
} from "../declaration.js";
import * as m from "../machine/build.js";
import { quoteValue } from "../machine/interpret.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const eventMisplaced = defineFinding({
  id: "event-misplaced",
  summary: "an event occurs where its type is not allowed",
  explanation:
    "Some event types belong to one kind of emitter or to one mode. If an earlier event decides this and was not seen, nothing is reported.",
  hint: "Send the event only where the contract allows it, or correct the field that decides.",
});

const FIELD: DeclarationPart = {
  ...envelopeField("The envelope field that decides; with `of`, a payload field of the earlier event."),
  findMentions(value, pointer, [declared]) {
    const of = declared?.of;
    const types = isObject(of) ? [String(of.type)] : undefined;
    return collectMentions(value, pointer, types ? { kind: "field", types } : { kind: "envelope" });
  },
};

/** Event types that are allowed only if a field has certain values. */
export const only = defineStreamRule({
  member: "only",
  declaration: {
    description: "Event types that occur only if a field has certain values.",
    required: ["types", "field"],
    properties: {
      types: eventTypes("The event types."),
      field: FIELD,
      of: objectPart({
        description: "The earlier event of the same thing.",
        required: ["type", "key"],
        properties: {
          type: eventType("The earlier event type."),
          key: payloadField("The field with the id of the thing, in both.", "type", "types"),
        },
      }),
      is: textList("Values with which the events may occur."),
      not: textList("Values with which the events may not occur."),
    },
  },
  example: [{ types: ["mode_changed"], field: "ParentID", is: [""] }],
  findings: [eventMisplaced],
  describe({ types, field, of, is, not = [] }, { allEvents, code, values, event }) {
    const verb = types.length === 1 ? "occurs" : "occur";
    const owner = of ? ` of ${event(of.type)} with the same ${code(of.key)}` : "";
    const condition = is ? values(is) : `not ${values(not)}`;
    return `${allEvents(types)} ${verb} only where ${code(field)}${owner} is ${condition}.`;
  },
  comparison: { identify: ({ field, of }) => [field, of ? { ...of } : null], split: "types", closed: ["is"] },
  createMachines({ types, field, of, is: allowed, not: forbidden = [] }) {
    const limit =
      allowed === undefined ? [] : [`, not ${allowed.map((each) => quoteValue(each)).join(" or ")}`];
    const check = (
      value: m.Value,
      subject: string | readonly m.MessagePart[],
      place: m.Place | string,
    ): m.Statement =>
      m.reportIf(
        m.all(
          m.is("text", value),
          m.any(
            ...(allowed === undefined ? [] : [m.not(m.isIn(value, [...allowed].sort()))]),
            m.isIn(value, [...forbidden].sort()),
          ),
        ),
        eventMisplaced,
        m.message`${m.NAME} is not allowed, because ${subject} is ${m.quote(value)}${limit}.`,
        place,
      );
    if (of === undefined)
      return m.createEventMachine(types, check(m.envelope(field), field, m.inEnvelope(field)));
    const things = m.table("things", 1, { value: "value" });
    const thing = things.row("thing", m.payload(of.key));
    const subject = m.message`the ${field} of ${of.key} ${m.quote(thing.key)}`;
    const value = m.payload(field);
    return m.createMachine(
      [things],
      m.on(types, thing.find(check(thing.cells.value, subject, of.key))),
      m.on([of.type], thing.find(m.when(m.present(value), thing.set({ value })))),
    );
  },
});
