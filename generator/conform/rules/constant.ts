import { canonical, equal, type Json } from "../../json.js";
import { collectEventFields } from "../../protocol/event-fields.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { ConstantFields } from "../../protocol/stream-rules.js";
import { compareTexts } from "../../text.js";
import { createFieldUses, sortEntries } from "../comparable.js";
import { label } from "../declaration.js";
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
}

/** The first values, by the results of `createValueKey`. */
type Values = Map<string, FirstValue>;

function createValueKey(field: string, id: string): string {
  return `${field}\n${id}`;
}

/** Fields that have one value in all events about one thing. */
export const constant = defineStreamRule({
  member: "constant",
  declaration: {
    description: "Fields that have the same value in all events about one thing.",
    required: ["key", "fields"],
    properties: {
      key: label(
        "The field with the id of the thing, or with a list of ids; every event type with it and a field of the list is checked. If the field of a list of ids is in `fields` itself, the ids belong together.",
      ),
      fields: { ...label("The fields."), schema: { $ref: "#/$defs/names", description: "The fields." } },
    },
  },
  example: [{ key: "tool_call_id", fields: ["tool_name"] }],
  findings: [valueChanged],
  describe: ({ key, fields }, { code, fields: names }) =>
    `${names(fields)} ${fields.length === 1 ? "has" : "have"} the same value in all events with the same ${code(key)}.`,
  comparison: { identify: ({ key }) => key, split: "fields" },
  createCheckers: createConstantChecker,
  generation: { createAdjuster: createConstantAdjuster },
});

function createConstantChecker({ key, fields }: ConstantFields, protocol: Protocol): RuleChecker<Values> {
  const types = protocol.events
    .filter((event) => {
      const declared = collectEventFields(protocol, event);
      return declared.has(key) && fields.some((field) => declared.has(field));
    })
    .map(({ type }) => type);
  const checkField = (values: Values, step: Step, id: string, field: string): void => {
    const value = step.payload[field];
    if (value === undefined) return;
    const valueKey = createValueKey(field, id);
    const first = values.get(valueKey);
    if (first === undefined) remember(values, valueKey, { value, event: nameEvent(step) }, step);
    else if (!equal(sortList(first.value), sortList(value)))
      step.report(
        valueChanged,
        `${nameEvent(step)} has ${field} ${quoteValue(value)} for ${key} ${quoteValue(id)}, but ${first.event} had ${quoteValue(first.value)}.`,
        step.locate(field),
      );
  };
  const check = (values: Values, step: Step): void => {
    for (const id of listIds(step.payload[key]))
      for (const field of fields) checkField(values, step, id, field);
  };
  return {
    start: () => new Map(),
    handlers: [{ types, check }],
    comparable: {
      remembers: types,
      reads: [
        ...createFieldUses(types, key, { kind: "id" }),
        ...fields.flatMap((field) => createFieldUses(types, field, { kind: "two" })),
      ],
      snapshot: (values) => sortEntries(values, ({ value }) => sortList(value)),
    },
  };
}

/** Returns a list in a fixed order, and any other value as it is. */
function sortList(value: Json): Json {
  return Array.isArray(value) ? [...value].sort((a, b) => compareTexts(canonical(a), canonical(b))) : value;
}

function createConstantAdjuster({ key, fields }: ConstantFields): PayloadAdjuster {
  const values = new Map<string, Json>();
  return {
    adjust(_type, payload) {
      for (const id of listIds(payload[key]))
        for (const field of fields) {
          const known = values.get(createValueKey(field, id));
          if (known !== undefined && payload[field] !== undefined) payload[field] = known;
        }
    },
    record(_type, payload) {
      for (const id of listIds(payload[key]))
        for (const field of fields) {
          const value = payload[field];
          const valueKey = createValueKey(field, id);
          if (value !== undefined && !values.has(valueKey)) values.set(valueKey, value);
        }
    },
  };
}
