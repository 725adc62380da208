/** A small contract of a shop, with open and closed lists, declared ranges, nested values and optional fields. */
import type { JsonObject } from "../../../generator/json.js";
import type { KitProtocol } from "../../../generator/kit/kit-protocol.js";
import { createPlainSchemas } from "../../../generator/protocol/plain-schemas.js";
import type { Protocol } from "../../../generator/protocol/protocol.js";
import { createValidators } from "../../../generator/validators/protocol-validators.js";
import { loadFiles } from "../../compat/oracle/run-compat.js";

/** The fields of an event type, and the names of those that are required. */
interface ShopType {
  readonly fields: { readonly [name: string]: JsonObject };
  readonly required: readonly string[];
  readonly renamedFrom?: string;
}

/** The event types of a shop. */
export interface Shop {
  readonly [type: string]: ShopType;
}

const text: JsonObject = { type: "string" };
const createOpenList = (...values: readonly string[]): JsonObject => ({
  type: "string",
  "x-extensible-enum": values,
});
const createList = (...values: readonly string[]): JsonObject => ({ type: "string", enum: values });
const createRange = (minimum: number, maximum: number): JsonObject => ({ type: "integer", minimum, maximum });

/** The shop before all changes. */
export const SHOP: Shop = {
  "order.placed": {
    fields: {
      order_id: text,
      total: createRange(0, 1_000_000),
      currency: createList("EUR", "USD", "GBP"),
      channel: createOpenList("web", "app", "shop"),
      note: { type: "string", maxLength: 500 },
      items: {
        type: "array",
        maxItems: 40,
        items: {
          type: "object",
          properties: {
            sku: { ...text, description: "The article." },
            count: { ...createRange(1, 99), description: "How many." },
          },
          required: ["sku", "count"],
        },
      },
    },
    required: ["order_id", "total", "currency", "channel", "items"],
  },
  "order.paid": {
    fields: {
      order_id: text,
      method: createOpenList("card", "cash", "voucher", "invoice"),
      amount: { type: "number", minimum: 0, maximum: 1_000_000 },
      fee: { type: "number", minimum: 0 },
    },
    required: ["order_id", "method", "amount"],
  },
  "order.shipped": {
    fields: {
      order_id: text,
      carrier: createList("dhl", "ups", "post"),
      weight: { type: "number", minimum: 0, maximum: 100 },
      eta: { type: "string", format: "date-time" },
      tracking: text,
    },
    required: ["order_id", "carrier", "weight"],
  },
  "order.cancelled": {
    fields: {
      order_id: text,
      reason: createOpenList("customer", "stock", "fraud"),
      refund: { type: "boolean" },
    },
    required: ["order_id", "reason", "refund"],
  },
  "stock.changed": {
    fields: { sku: text, level: createRange(0, 10_000), delta: createRange(-10_000, 10_000) },
    required: ["sku", "level", "delta"],
  },
  "review.left": {
    fields: { rating: createRange(1, 5), text, tags: { type: "array", items: text, maxItems: 10 } },
    required: ["rating"],
  },
  heartbeat: { fields: { load: { type: "number", minimum: 0, maximum: 1 } }, required: ["load"] },
};

const describeFields = (fields: ShopType["fields"]): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, { description: `The ${name}.`, ...schema }]),
  );

/** Loads a shop as a protocol. */
export async function loadShop(shop: Shop): Promise<Protocol> {
  const events = Object.entries(shop).map(([type, { fields, required, renamedFrom }]) => [
    `events/${type}.schema.json`,
    {
      title: `The event ${type}`,
      description: `Sent for ${type}.`,
      "x-stability": "stable",
      "x-since": "1.0",
      ...(renamedFrom !== undefined && { "x-renamed-from": renamedFrom }),
      type: "object",
      properties: describeFields(fields),
      required,
    },
  ]);
  const { protocol, findings } = await loadFiles({
    "protocol.json": {
      name: "tea",
      major: 1,
      version: "1.0",
      title: "Shop",
      description: "What happens in a shop.",
      envelope: { discriminator: "type", payload: { placement: "nested", property: "data" } },
      stream: { key: ["shop"], sequence: "number", first: 0, id: "id" },
    },
    "envelope.schema.json": {
      title: "Envelope",
      description: "Around every event.",
      "x-stability": "stable",
      type: "object",
      properties: {
        type: { type: "string", description: "What happened." },
        shop: { type: "string", description: "The shop." },
        id: { type: "string", minLength: 1, description: "The identifier." },
        number: { type: "integer", minimum: 0, description: "The number in the stream." },
        data: { type: "object", description: "The payload." },
      },
      required: ["type", "shop", "id", "number", "data"],
    },
    ...Object.fromEntries(events),
  });
  if (protocol === undefined) throw new Error(JSON.stringify(findings));
  return protocol;
}

/** Returns a protocol as the kit needs it. */
export function createKit(protocol: Protocol): KitProtocol {
  const { profiles: validators, decodeEvent } = createValidators(protocol);
  return {
    ...protocol,
    validators,
    decodeEvent,
    schemas: createPlainSchemas(protocol),
    releases: [],
  } as unknown as KitProtocol;
}
