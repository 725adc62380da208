/** Changes of the shop: what differs in the contract, and how events of the old contract look in the new one. */
import type { Json, JsonObject } from "../../../generator/json.js";
import { SHOP, type Shop } from "./shop.js";

/** An event of the shop. */
export interface ShopEvent {
  readonly type: string;
  readonly shop: string;
  readonly id: string;
  readonly number: number;
  readonly data: JsonObject;
}

/** Returns the event that is sent instead; undefined if none is. */
type Carry = (event: ShopEvent) => ShopEvent | undefined;

/** A change of the contract. */
export interface ShopChange {
  readonly after: Shop;
  /** What writers of the new contract may send instead of an event. Each one is a possible behaviour. */
  readonly carries: readonly Carry[];
  /**
   * True if writers choose what they send instead. Then the change reaches a consumer if it shows something else whatever they
   * choose; otherwise, if it shows something else for one of `carries`.
   */
  readonly isChosen?: boolean;
}

const getType = (type: string) => {
  const found = SHOP[type];
  if (found === undefined) throw new Error(`The shop has no ${type}.`);
  return found;
};
const without = (fields: JsonObject, name: string): JsonObject => {
  const { [name]: _removed, ...rest } = fields;
  return rest;
};
const editData =
  (type: string, edit: (data: JsonObject) => JsonObject): Carry =>
  (event) =>
    event.type === type ? { ...event, data: edit(event.data) } : event;
const editField = (type: string, name: string, edit: (value: Json) => Json): Carry =>
  editData(type, (data) => (data[name] === undefined ? data : { ...data, [name]: edit(data[name] ?? null) }));

function removeType(type: string): ShopChange {
  const { [type]: _removed, ...after } = SHOP;
  return { after, carries: [(event) => (event.type === type ? undefined : event)] };
}

function renameType(type: string, to: string): ShopChange {
  const { [type]: renamed, ...rest } = SHOP;
  return {
    after: { ...rest, [to]: { ...getType(type), ...renamed, renamedFrom: type } },
    carries: [(event) => (event.type === type ? { ...event, type: to } : event)],
  };
}

/** Replaces the schema of a field. */
function setField(type: string, name: string, schema: JsonObject): Shop {
  const found = getType(type);
  return { ...SHOP, [type]: { ...found, fields: { ...found.fields, [name]: schema } } };
}

function removeField(type: string, name: string): ShopChange {
  const { fields, required } = getType(type);
  const rest = Object.fromEntries(Object.entries(fields).filter(([each]) => each !== name));
  return {
    after: { ...SHOP, [type]: { fields: rest, required: required.filter((each) => each !== name) } },
    carries: [editData(type, (data) => without(data, name))],
  };
}

function renameField(type: string, name: string, to: string): ShopChange {
  const { fields, required } = getType(type);
  const renamed = Object.fromEntries(
    Object.entries(fields).map(([each, schema]) =>
      each === name ? [to, { ...schema, "x-renamed-from": name }] : [each, schema],
    ),
  );
  return {
    after: {
      ...SHOP,
      [type]: { fields: renamed, required: required.map((each) => (each === name ? to : each)) },
    },
    carries: [
      editData(type, ({ [name]: value, ...rest }) => (value === undefined ? rest : { ...rest, [to]: value })),
    ],
  };
}

function makeOptional(type: string, name: string): ShopChange {
  const found = getType(type);
  return {
    after: { ...SHOP, [type]: { ...found, required: found.required.filter((each) => each !== name) } },
    carries: [editData(type, (data) => without(data, name))],
  };
}

/** Removes a value of a list. Writers choose one that the consumer does not know, or another listed one. */
function removeValue(type: string, name: string, value: string): ShopChange {
  const schema = getType(type).fields[name] ?? {};
  const keyword = schema.enum === undefined ? "x-extensible-enum" : "enum";
  const rest = (schema[keyword] as string[]).filter((each) => each !== value);
  return {
    after: setField(type, name, { ...schema, [keyword]: rest }),
    isChosen: true,
    carries: ["unheard-of", ...rest].map((other) =>
      editField(type, name, (old) => (old === value ? other : old)),
    ),
  };
}

/** Gives values that are outside of the new range the nearest bound, or a value in the middle. */
function limitRange(type: string, name: string, bounds: JsonObject): ShopChange {
  const schema = { ...getType(type).fields[name], ...bounds };
  const { minimum = 0, maximum = 0 } = schema as { minimum?: number; maximum?: number };
  const replaceBy = (other: (value: number) => number): Carry =>
    editField(type, name, (old) =>
      Number(old) < minimum || Number(old) > maximum ? other(Number(old)) : old,
    );
  return {
    after: setField(type, name, schema),
    carries: [replaceBy((old) => Math.min(maximum, Math.max(minimum, old)))],
  };
}

/** Sends values beyond the old range. */
function extendRange(type: string, name: string, bounds: JsonObject): ShopChange {
  const values = Object.values(bounds).map(Number);
  return {
    after: setField(type, name, { ...getType(type).fields[name], ...bounds }),
    carries: values.map((value) => editField(type, name, () => value)),
  };
}

function retype(type: string, name: string, schema: JsonObject, ...values: readonly Json[]): ShopChange {
  return {
    after: setField(type, name, schema),
    carries: values.map((value) => editField(type, name, () => value)),
  };
}

/** The changes by their names. */
export const SHOP_CHANGES: { readonly [name: string]: ShopChange } = {
  "remove order.placed": removeType("order.placed"),
  "remove order.paid": removeType("order.paid"),
  "remove order.shipped": removeType("order.shipped"),
  "remove order.cancelled": removeType("order.cancelled"),
  "remove stock.changed": removeType("stock.changed"),
  "remove review.left": removeType("review.left"),
  "remove heartbeat": removeType("heartbeat"),
  "rename order.shipped": renameType("order.shipped", "order.sent"),
  "rename stock.changed": renameType("stock.changed", "inventory.changed"),
  "rename heartbeat": renameType("heartbeat", "ping"),
  "remove total": removeField("order.placed", "total"),
  "remove currency": removeField("order.placed", "currency"),
  "remove channel": removeField("order.placed", "channel"),
  "remove note": removeField("order.placed", "note"),
  "remove items": removeField("order.placed", "items"),
  "remove method": removeField("order.paid", "method"),
  "remove fee": removeField("order.paid", "fee"),
  "remove weight": removeField("order.shipped", "weight"),
  "remove tracking": removeField("order.shipped", "tracking"),
  "remove refund": removeField("order.cancelled", "refund"),
  "remove delta": removeField("stock.changed", "delta"),
  "remove text": removeField("review.left", "text"),
  "rename total": renameField("order.placed", "total", "sum_total"),
  "rename eta": renameField("order.shipped", "eta", "expected_at"),
  "rename amount": renameField("order.paid", "amount", "paid_amount"),
  "rename rating": renameField("review.left", "rating", "stars"),
  "remove GBP": removeValue("order.placed", "currency", "GBP"),
  "remove EUR": removeValue("order.placed", "currency", "EUR"),
  "remove shop": removeValue("order.placed", "channel", "shop"),
  "remove voucher": removeValue("order.paid", "method", "voucher"),
  "remove card": removeValue("order.paid", "method", "card"),
  "remove post": removeValue("order.shipped", "carrier", "post"),
  "remove fraud": removeValue("order.cancelled", "reason", "fraud"),
  "total at most 400000": limitRange("order.placed", "total", { maximum: 400_000 }),
  "total at most 2000000": extendRange("order.placed", "total", { maximum: 2_000_000 }),
  "weight at most 40": limitRange("order.shipped", "weight", { maximum: 40 }),
  "rating at most 10": extendRange("review.left", "rating", { maximum: 10 }),
  "level at least -100": extendRange("stock.changed", "level", { minimum: -100 }),
  "delta at most 1000": limitRange("stock.changed", "delta", { minimum: -1000, maximum: 1000 }),
  "total as text": retype("order.placed", "total", text("The total."), "1.50", "12 EUR"),
  "refund as text": retype("order.cancelled", "refund", text("Refunded."), "yes", "no"),
  "optional currency": makeOptional("order.placed", "currency"),
  "optional weight": makeOptional("order.shipped", "weight"),
};

function text(description: string): JsonObject {
  return { type: "string", description };
}
