/** Typical changes of an event, and what they break. */
import type { JsonObject } from "../../generator/json.js";

/** A change of the schema of one event, `before` and `after`. */
export interface TypicalChange {
  readonly name: string;
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** An event that today's producers may send and that the schema `before` refuses; undefined if there is none. */
  readonly newEvent?: JsonObject;
  /** An event that producers could send before and that the schema `after` refuses; undefined if there is none. */
  readonly oldEvent?: JsonObject;
  /** The same change in Protocol Buffers, as fields of a message; undefined if they cannot say it. */
  readonly proto?: { readonly before: string; readonly after: string };
}

const ORDER = { type: "order.shipped", id: "o1" };

/** Returns the schema of an event with these fields besides its type and id. */
function describeOrder(
  fields: JsonObject,
  required: readonly string[] = [],
  further: JsonObject = {},
): JsonObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    required: ["type", "id", ...required],
    properties: { type: { const: "order.shipped" }, id: { type: "string" }, ...fields },
    ...further,
  };
}

const TEXT = { type: "string" };
const CARRIER = { enum: ["post", "courier"] };
const GRAMS = { type: "integer", minimum: 1 };

export const TYPICAL_CHANGES: readonly TypicalChange[] = [
  {
    name: "a description is written again",
    before: describeOrder({ note: { ...TEXT, description: "A note." } }),
    after: describeOrder({ note: { ...TEXT, description: "What the sender wrote." } }),
  },
  {
    name: "an optional field is added",
    before: describeOrder({}),
    after: describeOrder({ note: TEXT }),
    proto: { before: "", after: "optional string note = 3;" },
  },
  {
    name: "a required field is added",
    before: describeOrder({}),
    after: describeOrder({ note: TEXT }, ["note"]),
    oldEvent: ORDER,
  },
  {
    name: "a required field is removed",
    before: describeOrder({ note: TEXT }, ["note"]),
    after: describeOrder({}),
    newEvent: ORDER,
    proto: { before: "string note = 3;", after: 'reserved 3; reserved "note";' },
  },
  {
    name: "a required field becomes optional",
    before: describeOrder({ note: TEXT }, ["note"]),
    after: describeOrder({ note: TEXT }),
    newEvent: ORDER,
  },
  {
    name: "an optional field becomes required",
    before: describeOrder({ note: TEXT }),
    after: describeOrder({ note: TEXT }, ["note"]),
    oldEvent: ORDER,
  },
  {
    name: "a required field is renamed",
    before: describeOrder({ note: TEXT }, ["note"]),
    after: describeOrder({ remark: TEXT }, ["remark"]),
    newEvent: { ...ORDER, remark: "a" },
    oldEvent: { ...ORDER, note: "a" },
    proto: { before: "string note = 3;", after: "string remark = 3;" },
  },
  {
    name: "a value is added to an enum",
    before: describeOrder({ carrier: CARRIER }),
    after: describeOrder({ carrier: { enum: ["post", "courier", "drone"] } }),
    newEvent: { ...ORDER, carrier: "drone" },
    proto: {
      before: "enum Carrier { POST = 0; COURIER = 1; } Carrier carrier = 3;",
      after: "enum Carrier { POST = 0; COURIER = 1; DRONE = 2; } Carrier carrier = 3;",
    },
  },
  {
    name: "a value is removed from an enum",
    before: describeOrder({ carrier: CARRIER }),
    after: describeOrder({ carrier: { enum: ["post"] } }),
    oldEvent: { ...ORDER, carrier: "courier" },
    proto: {
      before: "enum Carrier { POST = 0; COURIER = 1; } Carrier carrier = 3;",
      after: "enum Carrier { POST = 0; } Carrier carrier = 3;",
    },
  },
  {
    name: "a field may also be null",
    before: describeOrder({ note: TEXT }),
    after: describeOrder({ note: { type: ["string", "null"] } }),
    newEvent: { ...ORDER, note: null },
  },
  {
    name: "an integer becomes a number",
    before: describeOrder({ weight: { type: "integer" } }),
    after: describeOrder({ weight: { type: "number" } }),
    newEvent: { ...ORDER, weight: 0.5 },
    proto: { before: "int32 weight = 3;", after: "double weight = 3;" },
  },
  {
    name: "a number becomes an integer",
    before: describeOrder({ weight: { type: "number" } }),
    after: describeOrder({ weight: { type: "integer" } }),
    oldEvent: { ...ORDER, weight: 0.5 },
    proto: { before: "double weight = 3;", after: "int32 weight = 3;" },
  },
  {
    name: "a text may be longer",
    before: describeOrder({ note: { ...TEXT, maxLength: 5 } }),
    after: describeOrder({ note: { ...TEXT, maxLength: 10 } }),
    newEvent: { ...ORDER, note: "longer" },
  },
  {
    name: "a text must be shorter",
    before: describeOrder({ note: { ...TEXT, maxLength: 10 } }),
    after: describeOrder({ note: { ...TEXT, maxLength: 5 } }),
    oldEvent: { ...ORDER, note: "longer" },
  },
  {
    name: "a pattern is relaxed",
    before: describeOrder({ code: { ...TEXT, pattern: "^[A-Z]{2}$" } }),
    after: describeOrder({ code: { ...TEXT, pattern: "^[A-Z]{2,3}$" } }),
    newEvent: { ...ORDER, code: "ABC" },
  },
  {
    name: "a list of texts may also be one text",
    before: describeOrder({ notes: { type: "array", items: TEXT } }),
    after: describeOrder({ notes: { anyOf: [{ type: "array", items: TEXT }, TEXT] } }),
    newEvent: { ...ORDER, notes: "a" },
  },
  {
    name: "a field of the items of a list is retyped",
    before: describeOrder({
      lines: { type: "array", items: { properties: { price: { type: "integer" } } } },
    }),
    after: describeOrder({ lines: { type: "array", items: { properties: { price: TEXT } } } }),
    newEvent: { ...ORDER, lines: [{ price: "1" }] },
    oldEvent: { ...ORDER, lines: [{ price: 1 }] },
    proto: {
      before: "message Line { int32 price = 1; } repeated Line lines = 3;",
      after: "message Line { string price = 1; } repeated Line lines = 3;",
    },
  },
  {
    name: "a field needs another one",
    before: describeOrder({ carrier: CARRIER, weight: GRAMS }),
    after: describeOrder({ carrier: CARRIER, weight: GRAMS }, [], {
      dependentRequired: { weight: ["carrier"] },
    }),
    oldEvent: { ...ORDER, weight: 1 },
  },
  {
    name: "one of two fields must be present",
    before: describeOrder({ carrier: CARRIER, note: TEXT }),
    after: describeOrder({ carrier: CARRIER, note: TEXT }, [], {
      anyOf: [{ required: ["carrier"] }, { required: ["note"] }],
    }),
    oldEvent: ORDER,
  },
  {
    name: "a definition is used instead of a schema in place",
    before: describeOrder({ weight: GRAMS }),
    after: describeOrder({ weight: { $ref: "#/$defs/grams" } }, [], { $defs: { grams: GRAMS } }),
  },
  {
    name: "a schema is split into two with allOf",
    before: describeOrder({ weight: GRAMS }),
    after: describeOrder({ weight: { allOf: [{ type: "integer" }, { minimum: 1 }] } }),
  },
  {
    name: "an enum is written as oneOf of constants",
    before: describeOrder({ carrier: CARRIER }),
    after: describeOrder({ carrier: { oneOf: [{ const: "post" }, { const: "courier" }] } }),
  },
  {
    name: "a constant is written as an enum with one value",
    before: describeOrder({ carrier: { const: "post" } }),
    after: describeOrder({ carrier: { enum: ["post"] } }),
  },
  {
    name: "the alternatives of a field change places",
    before: describeOrder({ note: { anyOf: [TEXT, { type: "integer" }] } }),
    after: describeOrder({ note: { anyOf: [{ type: "integer" }, TEXT] } }),
  },
  {
    name: "alternatives of different types are asked by oneOf instead of anyOf",
    before: describeOrder({ note: { anyOf: [TEXT, { type: "integer" }] } }),
    after: describeOrder({ note: { oneOf: [TEXT, { type: "integer" }] } }),
  },
  {
    name: "a bound of integers is written as an exclusive one",
    before: describeOrder({ weight: GRAMS }),
    after: describeOrder({ weight: { type: "integer", exclusiveMinimum: 0 } }),
  },
  {
    name: "a pattern is written in another way",
    before: describeOrder({ code: { ...TEXT, pattern: "^[0-9][0-9]$" } }),
    after: describeOrder({ code: { ...TEXT, pattern: "^\\d{2}$" } }),
  },
];

/** Says what a change breaks. */
export function describeTruth({ newEvent, oldEvent }: TypicalChange): string {
  if (newEvent !== undefined) return oldEvent === undefined ? "old readers" : "old readers, old events";
  return oldEvent === undefined ? "nothing" : "old events";
}
