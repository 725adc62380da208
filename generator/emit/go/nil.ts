/** Which Go types have nil of their own, and where a pointer has to give it to them. */
import { isObject, type Json, own } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { definitionsBelow } from "../../schema/walk.js";
import { definitionName, jsonTypes, shapeFields, unwrapped } from "./shape.js";

type Definitions = Protocol["definitions"];

/** What Go keeps as it came. */
export const RAW = "json.RawMessage";

/** Whether values of a type as Go writes it may be nil. */
export function isNilable(type: string): boolean {
  return type === RAW || type.startsWith("[]") || type.startsWith("map[") || type.startsWith("*");
}

/** The JSON types of `schema` beside null. */
export function valueTypes(schema: Json, definitions: Definitions): string[] {
  return [...(jsonTypes(schema, definitions) ?? [])].filter((type) => type !== "null");
}

/** Whether numbers, whole or not, are all that `types` are. */
export function areNumbers(types: readonly string[]): boolean {
  return types.length === 2 && types.includes("integer") && types.includes("number");
}

/** Whether the type of the definition that `schema` names has nil. */
export function isNamedNilable(schema: Json, definitions: Definitions): boolean {
  const target = nameOf(schema);
  const definition = target === undefined ? undefined : own(definitions, target)?.schema;
  if (definition === undefined) return false;
  if (!isObject(definition)) return true;
  const types = valueTypes(definition, definitions);
  const [type = ""] = types;
  if (types.length !== 1) return !areNumbers(types);
  return type === "array" || (type === "object" && shapeFields(definition, definitions).length === 0);
}

/** Whether null is among the values of `schema`. */
export function isNullable(schema: Json, definitions: Definitions): boolean {
  return jsonTypes(schema, definitions)?.has("null") ?? false;
}

/** Whether the definition that `schema` names refers to itself: Go takes such a struct behind a pointer only. */
export function isCyclic(schema: Json, definitions: Definitions): boolean {
  const start = nameOf(schema);
  if (start === undefined) return false;
  return definitionsBelow(start, definitions).has(start);
}

function nameOf(schema: Json): string | undefined {
  return definitionName(isObject(schema) ? unwrapped(schema) : schema);
}
