/** Splits the schema of a document into the schema of the event in it, and that of the document around the event. */
import { formatCanonicalJson, getOwn, isObject, type Json, type JsonObject } from "../json.js";
import { type Definitions, getTargetName } from "../schema/reference.js";
import { isAnnotation } from "./union.js";

/** The schema of an event, and that of the document around it, which accepts any object in the place of the event. */
export interface SplitMessage {
  readonly event: Json;
  readonly message: JsonObject;
  /** True if alternatives have different documents around their events, so that the documents depended on the events. */
  readonly isUntied: boolean;
}

/** The schema of the place of the event in a document. */
export const EVENT_PLACE: JsonObject = {
  type: "object",
  description: "The event. Its type determines its form.",
  additionalProperties: true,
};

/**
 * Splits `schema` at the place that the names of `path` lead to. Looks into references, `allOf` and alternatives, and
 * replaces the references on the way by copies of their definitions. Alternatives without the place are left out, because
 * they are other messages. Returns undefined if no schema declares the place.
 */
export function splitMessage(
  schema: Json,
  path: readonly string[],
  definitions: Definitions,
  visited: readonly Json[] = [],
): SplitMessage | undefined {
  if (!isObject(schema) || visited.includes(schema)) return undefined;
  const split = (part: Json, rest = path): SplitMessage | undefined =>
    splitMessage(part, rest, definitions, [...visited, schema]);
  const { $ref: _reference, ...rest } = schema;
  const definition = getOwn(definitions, getTargetName(schema) ?? "");
  const target = definition && split(definition.schema);
  if (target) return { ...target, message: { ...rest, ...target.message } };
  const [name = "", ...names] = path;
  const events: Json[] = [];
  let isUntied = false;
  const copy: { [keyword: string]: Json } = { ...schema };
  const field = isObject(schema.properties) ? getOwn(schema.properties, name) : undefined;
  if (field !== undefined) {
    const place = { event: field, message: EVENT_PLACE, isUntied: false };
    const part = names.length === 0 ? place : split(field, names);
    if (part) {
      events.push(part.event);
      isUntied ||= part.isUntied;
      copy.properties = { ...(schema.properties as JsonObject), [name]: part.message };
    }
  }
  const allOf = [];
  for (const branch of Array.isArray(schema.allOf) ? schema.allOf : []) {
    const part = split(branch);
    if (part) events.push(part.event);
    isUntied ||= part?.isUntied === true;
    allOf.push(part?.message ?? branch);
  }
  for (const keyword of ["anyOf", "oneOf"] as const) {
    const branches = schema[keyword];
    const parts = Array.isArray(branches) ? branches.flatMap((branch) => split(branch) ?? []) : [];
    if (parts.length === 0) continue;
    const forms = new Set(parts.map(({ message }) => formatCanonicalJson(message)));
    isUntied ||= forms.size > 1 || parts.some((part) => part.isUntied);
    events.push(
      combine(
        "anyOf",
        parts.map(({ event }) => event),
      ),
    );
    delete copy[keyword];
    // Alternatives that only their events distinguish overlap, so none of them may exclude the others.
    allOf.push(
      combine(
        "anyOf",
        parts.map(({ message }) => message),
      ),
    );
  }
  if (allOf.length > 0) copy.allOf = allOf;
  return events.length === 0 ? undefined : { event: combine("allOf", events), message: copy, isUntied };
}

/** Combines schemas. A schema that only annotates another one is left out. */
function combine(keyword: "allOf" | "anyOf", schemas: readonly Json[]): Json {
  const [first = true] = schemas;
  if (schemas.length > 1) return { [keyword]: schemas.map((schema) => combine(keyword, [schema])) };
  if (!isObject(first) || !Array.isArray(first.allOf) || first.allOf.length !== 1) return first;
  const isAnnotated = Object.keys(first).every((each) => each === "allOf" || isAnnotation(each));
  return isAnnotated ? combine("allOf", first.allOf) : first;
}
