/** Parts of the JSON Schemas of declarations in `stream.rules`, and the schema that all of them make up. */
import type { JsonObject } from "../json.js";
import type { AnyStreamRule } from "./stream-rule.js";

/** A name of an event type, a field or a state. */
export function nameOf(description: string): JsonObject {
  return { $ref: "#/$defs/name", description };
}

/** A list of names. */
export function namesOf(description: string): JsonObject {
  return { $ref: "#/$defs/names", description };
}

/** A condition that is off unless it is `true`. */
export function flag(description: string): JsonObject {
  return { type: "boolean", description };
}

/** Says that readers may not rely on the declaration. */
export const PROFILE: JsonObject = { $ref: "#/$defs/profile" };

/** Payload fields and the value that they must have for an event to count. */
export function valuesByField(description: string): JsonObject {
  return { type: "object", description, additionalProperties: { type: ["string", "number", "boolean"] } };
}

/** The JSON Schema of `stream.rules`: `$defs/rules` of the published schema of protocol.json. */
export function streamRulesSchema(rules: readonly AnyStreamRule[]): JsonObject {
  return {
    type: "object",
    additionalProperties: false,
    description:
      "Rules for whole streams. Fields are payload fields, except if a description states otherwise.",
    properties: Object.fromEntries(rules.map((rule) => [rule.member, memberSchema(rule)])),
  };
}

function memberSchema({ declaration, single }: AnyStreamRule): JsonObject {
  const { description, required, properties } = declaration;
  const object = { required: [...required], additionalProperties: false, properties: { ...properties } };
  return single
    ? { type: "object", description, ...object }
    : { type: "array", description, items: { type: "object", ...object } };
}
