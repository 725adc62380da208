import { isObject, type Json, type JsonObject } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { readAs } from "../../generator/schema/readings.js";
import { mapSubschemas } from "../../generator/schema/walk.js";

/** Returns what readers accept, one JSON Schema for each event type: envelope, constant type and payload, without `$ref`. */
export function createEventSchemas({
  envelope,
  events,
  definitions,
}: Protocol): ReadonlyMap<string, JsonObject> {
  const fields = envelope.schema.properties as JsonObject;
  return new Map(
    events.map(({ type, payload }) => {
      const own = { [envelope.discriminator]: { const: type }, [envelope.property ?? ""]: payload };
      const whole = { ...envelope.schema, properties: { ...fields, ...own } };
      const { schema, $defs } = readAs("reader", whole, definitions);
      return [type, inlineReferences(schema, $defs) as JsonObject];
    }),
  );
}

/** Returns `schema` with every reference replaced by what it names. The definitions of hecate/v1 are not recursive. */
function inlineReferences(schema: Json, $defs: { readonly [name: string]: Json }): Json {
  if (!isObject(schema)) return schema;
  const { $ref, ...rest } = mapSubschemas(schema, (sub) => inlineReferences(sub, $defs)) as JsonObject;
  if (typeof $ref !== "string") return rest;
  const target = inlineReferences($defs[$ref.slice("#/$defs/".length)] ?? true, $defs);
  return isObject(target) ? { ...target, ...rest } : rest;
}
