import { selectEventTypes } from "../../protocol/event-families.js";
import { collectEventFields } from "../../protocol/event-fields.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { ConstantFields } from "../../protocol/stream-rules.js";
import {
  collectMentions,
  type DeclarationPart,
  eventTypes,
  eventTypesAndFamilies,
  flag,
  label,
  labels,
} from "../declaration.js";
import * as m from "../machine/build.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const valueChanged = defineFinding({
  id: "value-changed",
  summary: "a field that never changes for one thing has another value than before",
  explanation:
    "Readers take the value from whichever event of the thing they see first. A reader that joins later would show another one. Two lists are the same if they have the same elements, in any order.",
  hint: "Copy the value from the first event about the thing.",
});

const FIELDS: DeclarationPart = {
  ...labels("The fields."),
  findMentions: (value, pointer, [declared]) =>
    declared?.inEnvelope === true ? collectMentions(value, pointer, { kind: "envelope" }) : [],
};

/** Fields that have one value in all events about one thing. */
export const constant = defineStreamRule({
  member: "constant",
  declaration: {
    description: "Fields that have the same value in all events about one thing.",
    required: ["fields"],
    properties: {
      key: label(
        "The field with the id of the thing, or with a list of ids; every event type with it and a field of the list is checked. If the field of a list of ids is in `fields` itself, the ids belong together. Without `key`, the thing is the whole stream.",
      ),
      types: eventTypesAndFamilies("The event types that are checked, if not all of them are."),
      fields: FIELDS,
      oneValue: flag("The fields are names of one value, so that each has the value of the others."),
      inEnvelope: flag("The fields are fields of the envelope."),
      restart: eventTypes("Event types of the same thing after which the fields may have other values."),
    },
  },
  example: [{ key: "tool_call_id", fields: ["tool_name"] }],
  findings: [valueChanged],
  describe({ key, types, fields, oneValue, restart }, { code, anyEvent, allEvents, fields: names }) {
    const scope = types === undefined ? "all events" : allEvents(types);
    const thing = key === undefined ? "of a stream" : `with the same ${code(key)}`;
    const verb = fields.length === 1 ? "has" : "have";
    const value = oneValue ? "one value in common" : "the same value";
    const end = restart === undefined ? "" : `, until ${anyEvent(restart)}`;
    return `${names(fields)} ${verb} ${value} in ${scope} ${thing}${end}.`;
  },
  comparison: {
    identify: ({ key, types, fields, oneValue }) => [key ?? null, types ?? null, oneValue ? fields : null],
    split: "fields",
  },
  createMachines(declared, protocol) {
    const { key, fields, inEnvelope: isInEnvelope = false, oneValue = false, restart = [] } = declared;
    const canRestart = restart.length > 0;
    // Fields that are names of one value share its cells.
    const findIndex = (position: number): number => (oneValue ? 0 : position);
    const cells = fields.flatMap((_, position): [string, m.CellKind][] => [
      [`value${findIndex(position)}`, "value"],
      [`event${findIndex(position)}`, "event"],
      ...(canRestart ? [[`epoch${findIndex(position)}`, "epoch"] as [string, m.CellKind]] : []),
    ]);
    const things = m.table<string>("things", key === undefined ? 0 : 1, {
      ...Object.fromEntries(cells),
      ...(oneValue && { field: "value" }),
    });
    const thing = things.rowsOf("thing", key);
    const subject = key === undefined ? [] : [` for ${key} `, m.quote(thing.key)];
    const checkField = (field: string, position: number): m.Statement => {
      const index = findIndex(position);
      const value = isInEnvelope ? m.envelope(field) : m.payload(field);
      const first = thing.cell(`value${index}`);
      const reportChange = (name: readonly m.MessagePart[]): m.Statement =>
        m.report(
          valueChanged,
          m.message`${m.NAME} has ${field} ${m.quote(value)}${subject}, but ${thing.cell(`event${index}`)} had${name} ${m.quote(first)}.`,
          isInEnvelope ? m.inEnvelope(field) : field,
        );
      const firstField = thing.cell("field");
      const reports = oneValue
        ? m.choose(
            [m.equal(firstField, m.literal(field)), reportChange([])],
            [true, reportChange(m.message` ${firstField}`)],
          )
        : [reportChange([])];
      // If events may be missing, the values may have restarted.
      const isOutdated = canRestart ? [m.not(m.isCurrent(thing.place(`epoch${index}`)))] : [];
      const remember = thing.set({
        [`value${index}`]: value,
        [`event${index}`]: m.EVENT,
        ...(canRestart && { [`epoch${index}`]: m.EPOCH }),
        ...(oneValue && { field: m.literal(field) }),
      });
      return m.when(
        m.present(value),
        m.choose(
          [m.any(m.absent(first), ...isOutdated), remember],
          [{ op: "differ", of: [first, value], asSets: true }, reports],
        ),
      );
    };
    return m.createMachine(
      [things],
      // An event that restarts the values may have new ones itself.
      m.on(restart, thing.find(thing.drop)),
      m.on(listComparedTypes(declared, protocol), thing.find(...fields.map(checkField))),
    );
  },
});

/** Returns the event types that are compared: of those in `types`, those with the key and one of the fields. */
function listComparedTypes(
  { key, types, fields, inEnvelope = false }: ConstantFields,
  protocol: Protocol,
): readonly string[] {
  const selected = types && selectEventTypes(protocol, types, []);
  return protocol.events
    .filter((event) => {
      const names = collectEventFields(protocol, event);
      const hasKey = key === undefined || names.has(key);
      return hasKey && (inEnvelope || fields.some((field) => names.has(field)));
    })
    .map(({ type }) => type)
    .filter((type) => selected === undefined || selected.includes(type));
}
