import { isObject, type Json, joinPointer } from "../../json.js";
import type { TypeCondition } from "../../protocol/stream-rules.js";
import { type CheckerDescription, createEnvelopeUses, createFieldUses, sortEntries } from "../comparable.js";
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
import { nameEvent, quoteValue, readId, remember } from "../step.js";
import { defineFinding, defineStreamRule, type RuleChecker, type Step } from "../stream-rule.js";

const eventMisplaced = defineFinding({
  id: "event-misplaced",
  summary: "an event occurs where its type is not allowed",
  explanation:
    "Some event types belong to one kind of emitter or to one mode. If an earlier event decides this and was not seen, nothing is reported.",
  hint: "Send the event only where the contract allows it, or correct the field that decides.",
  severity: { reader: "error", writer: "error" },
});

/** The values of the field by the id of the thing. */
type Values = Map<string, Json>;

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
  createCheckers: createConditionChecker,
  generation: {
    createAdjuster: ({ field, of, is: [allowed] = [] as readonly string[] }) => ({
      // Chance alone would seldom choose a value with which the events may occur.
      adjust(type, payload, random) {
        const isDecisive = type === of?.type && payload[field] !== undefined;
        if (isDecisive && allowed !== undefined && random.chance(0.75)) payload[field] = allowed;
      },
    }),
  },
});

function createConditionChecker(declared: TypeCondition): RuleChecker<Values> {
  const { types, field, of, is, not = [] } = declared;
  const isAllowed = (value: Json): boolean =>
    typeof value !== "string" || ((is === undefined || is.includes(value)) && !not.includes(value));
  const findValue = (values: Values, step: Step): Json | undefined => {
    if (of === undefined) return step.event[field];
    const id = readId(step.payload[of.key]);
    return id === undefined ? undefined : values.get(id);
  };
  const check = (values: Values, step: Step): void => {
    const value = findValue(values, step);
    if (value === undefined || isAllowed(value)) return;
    const fieldName = of ? `the ${field} of ${of.key} ${quoteValue(readId(step.payload[of.key]))}` : field;
    const allowedValues = is ? `, not ${is.map((each) => quoteValue(each)).join(" or ")}` : "";
    const message = `${nameEvent(step)} is not allowed, because ${fieldName} is ${quoteValue(value)}${allowedValues}.`;
    step.report(eventMisplaced, message, of ? step.locate(of.key) : joinPointer("", field));
  };
  const recordValue = (values: Values, step: Step): void => {
    const id = of && readId(step.payload[of.key]);
    const value = step.payload[field];
    if (id !== undefined && value !== undefined) remember(values, id, value, step);
  };
  return {
    start: () => new Map(),
    handlers: [
      { types, check },
      { types: of ? [of.type] : [], check: recordValue },
    ],
    comparable: describeConditionChecker(declared),
  };
}

function describeConditionChecker({
  types,
  field,
  of,
  is,
  not = [],
}: TypeCondition): CheckerDescription<Values> {
  const samples = { kind: "listed", listed: [...(is ?? []), ...not], others: true } as const;
  return {
    refuses: types,
    remembers: of ? [of.type] : [],
    allows: of ? [of.type] : [],
    reads: of
      ? [
          ...createFieldUses([of.type, ...types], of.key, { kind: "id" }),
          ...createFieldUses([of.type], field, samples),
        ]
      : createEnvelopeUses(field, samples),
    snapshot: (values) => sortEntries(values, (value) => value),
  };
}
