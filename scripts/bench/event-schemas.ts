import { isObject, type Json, type JsonObject } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { readAs } from "../../generator/schema/readings.js";
import { mapSubschemas } from "../../generator/schema/walk.js";

/** What readers accept, one JSON Schema for each event type: envelope, constant type and payload in one, without `$ref`. */
export function eventSchemas({ envelope, events, definitions }: Protocol): ReadonlyMap<string, JsonObject> {
  const fields = envelope.schema.properties as JsonObject;
  return new Map(
    events.map(({ type, payload }) => {
      const own = { [envelope.discriminator]: { const: type }, [envelope.property ?? ""]: payload };
      const whole = { ...envelope.schema, properties: { ...fields, ...own } };
      const { schema, $defs } = readAs("reader", whole, definitions);
      return [type, inlined(schema, $defs) as JsonObject];
    }),
  );
}

/** `schema` with every reference replaced by what it names. The definitions of hecate/v1 are not recursive. */
function inlined(schema: Json, $defs: { readonly [name: string]: Json }): Json {
  if (!isObject(schema)) return schema;
  const { $ref, ...rest } = mapSubschemas(schema, (sub) => inlined(sub, $defs)) as JsonObject;
  if (typeof $ref !== "string") return rest;
  const target = inlined($defs[$ref.slice("#/$defs/".length)] ?? true, $defs);
  return isObject(target) ? { ...target, ...rest } : rest;
}
