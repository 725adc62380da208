/** Payloads that lie beside the event type in the message: the type belongs to the envelope and leaves the payload. */
import { isObject, type Json, type JsonObject, own } from "../json.js";
import { definitionNameOf } from "../schema/reference.js";
import type { Upgraded } from "./upgrade.js";

type Definitions = Upgraded["$defs"];

/** `schema` without the field `name`; references and `allOf` that speak of it are copied. */
export function withoutField(
  schema: JsonObject,
  name: string,
  $defs: Definitions,
  trail: readonly Json[] = [],
): JsonObject {
  if (trail.includes(schema)) return schema;
  const below = (part: Json): Json =>
    isObject(part) ? withoutField(part, name, $defs, [...trail, schema]) : part;
  const { properties, required, additionalProperties, $ref, ...rest } = schema;
  const fields = isObject(properties)
    ? Object.entries(properties).filter(([each]) => each !== name)
    : undefined;
  const needed = Array.isArray(required) ? required.filter((each) => each !== name) : [];
  const target = typeof $ref === "string" ? own($defs, definitionNameOf($ref)) : undefined;
  const parts = [
    ...(target === undefined ? [] : [below(target)]),
    ...(Array.isArray(rest.allOf) ? rest.allOf.map(below) : []),
  ];
  // Closed for writers around the whole, where the envelope's fields count.
  const closed = additionalProperties === undefined || additionalProperties === false;
  return {
    ...rest,
    ...(fields && { properties: Object.fromEntries(fields) }),
    ...(needed.length > 0 && { required: needed }),
    ...(parts.length > 0 && { allOf: parts }),
    ...(!closed && { additionalProperties }),
  };
}
