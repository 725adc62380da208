import { areEqual, formatCanonicalJson, type Json, type JsonObject, joinPointer } from "../../json.js";
import { selectEventTypes } from "../../protocol/event-families.js";
import { collectEventFields } from "../../protocol/event-fields.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { ConstantFields } from "../../protocol/stream-rules.js";
import { memoizeByObject } from "../../sample/memoize.js";
import { compareTexts } from "../../text.js";
import { createEnvelopeUses, createFieldUses, sortEntries } from "../comparable.js";
import {
  collectMentions,
  type DeclarationPart,
  eventTypes,
  eventTypesAndFamilies,
  flag,
  label,
} from "../declaration.js";
import { listIds, nameEvent, quoteValue, remember } from "../step.js";
import {
  defineFinding,
  defineStreamRule,
  type PayloadAdjuster,
  type RuleChecker,
  type Step,
} from "../stream-rule.js";

const valueChanged = defineFinding({
  id: "value-changed",
  summary: "a field that never changes for one thing has another value than before",
  explanation:
    "Readers take the value from whichever event of the thing they see first. A reader that joins later would show another one. Two lists are the same if they have the same elements, in any order.",
  hint: "Copy the value from the first event about the thing.",
  severity: { reader: "error", writer: "error" },
});

/** The first event with a value, and the value. */
interface FirstValue {
  readonly value: Json;
  readonly event: string;
  readonly field: string;
  readonly epoch: number;
}

/** The first values of one thing, by the results of `findValueIndex`. */
type FirstValues = (FirstValue | undefined)[];

/** The first values by the id of the thing. */
type Values = Map<string, FirstValues>;

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
  createCheckers: createConstantChecker,
  generation: { createAdjuster: createConstantAdjuster },
});

function createConstantChecker(declared: ConstantFields, protocol: Protocol): RuleChecker<Values> {
  const { key, fields, inEnvelope = false, restart = [] } = declared;
  const types = listComparedTypes(declared, protocol);
  const checkField = (firsts: FirstValues, step: Step, id: string, position: number): void => {
    const field = fields[position] as string;
    const value = (inEnvelope ? step.event : step.payload)[field];
    if (value === undefined) return;
    const index = findValueIndex(declared, position);
    const first = firsts[index];
    const { epoch } = step.stream;
    // If events may be missing, the values may have restarted.
    if (first === undefined || (restart.length > 0 && first.epoch !== epoch))
      firsts[index] = { value, event: nameEvent(step), field, epoch };
    else if (first.value !== value && !areEqual(sortList(first.value), sortList(value))) {
      const thing = key === undefined ? "" : ` for ${key} ${quoteValue(id)}`;
      const other = first.field === field ? "" : ` ${first.field}`;
      step.report(
        valueChanged,
        `${nameEvent(step)} has ${field} ${quoteValue(value)}${thing}, but ${first.event} had${other} ${quoteValue(first.value)}.`,
        inEnvelope ? joinPointer("", field) : step.locate(field),
      );
    }
  };
  const check = (values: Values, step: Step): void => {
    for (const id of listThings(key, step.payload)) {
      let firsts = values.get(id);
      if (firsts === undefined) {
        firsts = fields.map(() => undefined);
        remember(values, id, firsts, step);
      }
      for (let position = 0; position < fields.length; position++) checkField(firsts, step, id, position);
    }
  };
  const forget = (values: Values, step: Step): void => {
    for (const id of listThings(key, step.payload)) values.delete(id);
  };
  return {
    start: () => new Map(),
    // An event that restarts the values may have new ones itself.
    handlers: [
      { types: restart, check: forget },
      { types, check },
    ],
    comparable: {
      remembers: types,
      allows: restart,
      usesEpochs: restart.length > 0,
      reads: [
        ...(key === undefined
          ? []
          : createFieldUses([...new Set([...types, ...restart])], key, { kind: "id" })),
        ...fields.flatMap((field) =>
          inEnvelope
            ? createEnvelopeUses(field, { kind: "id", related: true })
            : createFieldUses(types, field, { kind: "two" }),
        ),
      ],
      snapshot: (values, { stream }) =>
        sortEntries(values, (firsts) =>
          firsts.map((first) =>
            first !== undefined && (restart.length === 0 || first.epoch === stream.epoch)
              ? sortList(first.value)
              : null,
          ),
        ),
    },
  };
}

const WHOLE_STREAM: readonly string[] = [""];

/** Returns the ids of the things that a payload is about. Without a key, the thing is the stream, which needs no id. */
function listThings(key: string | undefined, payload: JsonObject): readonly string[] {
  return key === undefined ? WHOLE_STREAM : listIds(payload[key]);
}

/** Returns the index of a field's value among the values of a thing. Fields that are names of one value share it. */
function findValueIndex({ oneValue }: ConstantFields, position: number): number {
  return oneValue ? 0 : position;
}

/** Returns the event types that are compared: of those in `types`, those with the key and one of the fields. */
function listComparedTypes(declared: ConstantFields, protocol: Protocol): readonly string[] {
  return createTypeLookup(protocol)(declared);
}

// The kit asks for the same types for each stream that it generates.
const createTypeLookup = memoizeByObject((protocol: Protocol) =>
  memoizeByObject(({ key, types, fields, inEnvelope = false }: ConstantFields): readonly string[] => {
    const selected = types && selectEventTypes(protocol, types, []);
    return protocol.events
      .filter((event) => {
        const names = collectEventFields(protocol, event);
        const hasKey = key === undefined || names.has(key);
        return hasKey && (inEnvelope || fields.some((field) => names.has(field)));
      })
      .map(({ type }) => type)
      .filter((type) => selected === undefined || selected.includes(type));
  }),
);

/** Returns a list in a fixed order, and any other value as it is. */
function sortList(value: Json): Json {
  return Array.isArray(value)
    ? [...value].sort((a, b) => compareTexts(formatCanonicalJson(a), formatCanonicalJson(b)))
    : value;
}

function createConstantAdjuster(declared: ConstantFields, protocol: Protocol): PayloadAdjuster {
  const { key, fields, inEnvelope = false, restart = [] } = declared;
  const types = new Set(listComparedTypes(declared, protocol));
  const values = new Map<string, Json>();
  const getValueKey = (id: string, field: string): string => {
    const index = findValueIndex(declared, fields.indexOf(field));
    return `${index}\n${id}`;
  };
  const listValueKeys = (
    type: string,
    payload: JsonObject,
  ): (readonly [valueKey: string, field: string])[] => {
    if (!types.has(type) || inEnvelope) return [];
    const present = fields.filter((field) => payload[field] !== undefined);
    return listThings(key, payload).flatMap((id) =>
      present.map((field) => [getValueKey(id, field), field] as const),
    );
  };
  return {
    adjust(type, payload) {
      if (restart.includes(type)) return;
      const firstValues = new Map<string, Json>();
      for (const [valueKey, field] of listValueKeys(type, payload)) {
        const known = values.get(valueKey) ?? firstValues.get(valueKey) ?? payload[field];
        if (known === undefined) continue;
        firstValues.set(valueKey, known);
        payload[field] = known;
      }
    },
    record(type, payload) {
      if (restart.includes(type))
        for (const id of listThings(key, payload))
          for (const field of fields) values.delete(getValueKey(id, field));
      for (const [valueKey, field] of listValueKeys(type, payload)) {
        const value = payload[field];
        if (value !== undefined && !values.has(valueKey)) values.set(valueKey, value);
      }
    },
  };
}
