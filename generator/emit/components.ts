/** The schemas of a protocol as the named components of an API description. */
import { isObject, type Json, type JsonObject } from "../json.js";
import { eventName } from "../model/names.js";
import type { EventType, Protocol } from "../model/protocol.js";
import { mapSubschemas, walk } from "../model/walk.js";
import { bundle } from "./bundle.js";
import { paragraphs } from "./markdown.js";

const DEFS = "#/$defs/";

/** Where API descriptions keep schemas. */
export const SCHEMAS = "#/components/schemas/";

/** `name` in the characters that a component's name may have; different names stay different. */
export function componentName(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/g, (unit) => `-${unit.charCodeAt(0).toString(16)}-`);
}

/** A reference to the schema of whole events of a type. */
export function eventReference({ type }: EventType): JsonObject {
  return { $ref: `${SCHEMAS}${componentName(eventName(type))}` };
}

/** The envelope, which unknown events have too, every event, and what they refer to, by component name. */
export function componentSchemas(protocol: Protocol): JsonObject {
  const { $defs } = bundle(protocol);
  const all = isObject($defs) ? $defs : {};
  const wanted = new Set(["Envelope", ...protocol.events.map(({ type }) => eventName(type))]);
  // A set goes on over what is added meanwhile.
  for (const name of wanted)
    walk(all[name] ?? true, ({ $ref }) => typeof $ref === "string" && wanted.add($ref.slice(DEFS.length)));
  const kept = Object.entries(all).filter(([name]) => wanted.has(name));
  return Object.fromEntries(kept.map(([name, schema]) => [componentName(name), component(schema)]));
}

/** `schema` with references to components; what it says to people shows as that text and nothing else in Markdown. */
function component(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const { $ref, description, ...rest } = mapSubschemas(schema, component);
  return {
    ...(typeof $ref === "string" && { $ref: `${SCHEMAS}${componentName($ref.slice(DEFS.length))}` }),
    ...(typeof description === "string" && { description: markdown(description) }),
    ...rest,
  };
}

/** Untrusted text as Markdown. */
export function markdown(...texts: readonly string[]): string {
  return texts.flatMap(paragraphs).join("\n\n");
}
