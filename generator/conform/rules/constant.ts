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
} from "../declaration.js";
import * as m from "../machine/build.js";
import type { CellKind, Machine, MessagePart, Statement } from "../machine/language.js";
import { defineFinding, defineStreamRule } from "../stream-rule.js";

const valueChanged = defineFinding({
  id: "value-changed",
  summary: "a field that never changes for one thing has another value than before",
  explanation:
    "Readers take the value from whichever event of the thing they see first. A reader that joins later would show another one. Two lists are the same if they have the same elements, in any order.",
  hint: "Copy the value from the first event about the thing.",
  severity: { reader: "error", writer: "error" },
});

const FIELDS: DeclarationPart = {
  schema: { $ref: "#/$defs/names", description: "The fields." },
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
  createMachines: createConstantMachine,
});

/** Returns the index of a field's value among the values of a thing. Fields that are names of one value share it. */
function findValueIndex({ oneValue }: ConstantFields, position: number): number {
  return oneValue ? 0 : position;
}

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

function createConstantMachine(declared: ConstantFields, protocol: Protocol): Machine {
  const { key, fields, inEnvelope: isInEnvelope = false, oneValue = false, restart = [] } = declared;
  const indexes = fields.map((_, position) => findValueIndex(declared, position));
  const types = listComparedTypes(declared, protocol);
  const visit = (...body: Statement[]): Statement =>
    key === undefined
      ? m.find("thing", "things", [], ...body)
      : m.each("id", "ids", m.payload(key), m.find("thing", "things", [m.item("id")], ...body));
  const subject = key === undefined ? [] : [` for ${key} `, m.quote(m.keyOf("thing"))];
  const checkField = (field: string, position: number): Statement => {
    const index = findValueIndex(declared, position);
    const value = isInEnvelope ? m.envelope(field) : m.payload(field);
    const first = m.cell("thing", `value${index}`);
    const place = isInEnvelope ? m.inEnvelope(field) : m.inPayload(field);
    const reportChange = (name: readonly MessagePart[]): Statement =>
      m.report(
        valueChanged,
        [
          ...m.message`${m.NAME} has ${field} ${m.quote(value)}`,
          ...subject,
          ...m.message`, but ${m.plain(m.cell("thing", `event${index}`))} had`,
          ...name,
          ...m.message` ${m.quote(first)}.`,
        ],
        place,
      );
    const firstField = m.cell("thing", "field");
    const reports = oneValue
      ? m.choose(
          [m.equal(firstField, m.literal(field)), reportChange([])],
          [true, reportChange([" ", m.plain(firstField)])],
        )
      : [reportChange([])];
    // If events may be missing, the values may have restarted.
    const isOutdated = restart.length === 0 ? [] : [m.not(m.isCurrent("thing", `epoch${index}`))];
    const remember = m.set("thing", {
      [`value${index}`]: value,
      [`event${index}`]: m.EVENT,
      ...(restart.length > 0 && { [`epoch${index}`]: m.EPOCH }),
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
  const cells = [...new Set(indexes)].flatMap((index): [string, CellKind][] => [
    [`value${index}`, "value"],
    [`event${index}`, "event"],
    ...(restart.length > 0 ? [[`epoch${index}`, "epoch"] as [string, CellKind]] : []),
  ]);
  const things = m.table(key === undefined ? 0 : 1, {
    ...Object.fromEntries(cells),
    ...(oneValue && { field: "value" as const }),
  });
  return m.createMachine({ things }, [
    // An event that restarts the values may have new ones itself.
    m.on(restart, visit(m.drop("thing"))),
    m.on(types, visit(...fields.map(checkField))),
  ]);
}
