/** The schemas of a protocol as the named components of an API description. */
import { isObject, type Json, type JsonObject } from "../../json.js";
import { type Endpoints, pathFields } from "../../protocol/endpoints.js";
import { eventName } from "../../protocol/names.js";
import type { EventType, Protocol } from "../../protocol/protocol.js";
import { targetName } from "../../schema/reference.js";
import { mapSubschemas, walk } from "../../schema/walk.js";
import { bundle } from "../bundle.js";
import { paragraphs } from "../catalog/markdown.js";

/** The place of schemas in API descriptions. */
export const SCHEMAS = "#/components/schemas/";

/** `name` in the characters that a component's name may have; different names stay different. */
export function componentName(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/g, (unit) => `-${unit.charCodeAt(0).toString(16)}-`);
}

/** The path of one stream below the protocol's, its fields in the characters of components' names. */
export function streamPath(endpoints: Endpoints): string {
  return pathFields(endpoints).reduce(
    (path, name) => path.replace(`{${name}}`, () => `{${componentName(name)}}`),
    endpoints.stream,
  );
}

/** The description of an envelope field in that path. */
export function aboutField(name: string): string {
  return markdown(`The stream's \`${name}\`; a single hyphen stands for none.`);
}

/** A reference to the schema of whole events of a type. */
export function eventReference({ type }: EventType): { readonly $ref: string } {
  return { $ref: `${SCHEMAS}${componentName(eventName(type))}` };
}

/** The envelope, which unknown events have too, every event, and what they refer to, by component name. */
export function componentSchemas(protocol: Protocol): JsonObject {
  const { $defs } = bundle(protocol);
  const all = isObject($defs) ? $defs : {};
  const wanted = new Set(["Envelope", ...protocol.events.map(({ type }) => eventName(type))]);
  // A set goes on over what is added meanwhile.
  for (const name of wanted)
    walk(all[name] ?? true, (schema) => {
      const target = targetName(schema);
      if (target !== undefined) wanted.add(target);
    });
  const kept = Object.entries(all).filter(([name]) => wanted.has(name));
  return Object.fromEntries(kept.map(([name, schema]) => [componentName(name), component(schema)]));
}

/** The keywords below which tools accept a schema that is `true` or `false`. */
const BOOLEAN = new Set(["additionalProperties", "items", "unevaluatedItems", "unevaluatedProperties"]);

/** `schema` with references to components, and descriptions escaped for Markdown. */
function component(schema: Json, keyword = ""): Json {
  if (!isObject(schema)) return BOOLEAN.has(keyword) ? schema : schema ? {} : { not: {} };
  const { $ref: _ref, description, ...rest } = mapSubschemas(schema, component);
  const target = targetName(schema);
  return {
    ...(target !== undefined && { $ref: `${SCHEMAS}${componentName(target)}` }),
    ...(typeof description === "string" && { description: markdown(description) }),
    ...rest,
  };
}

/** Untrusted text as Markdown. */
export function markdown(...texts: readonly string[]): string {
  return texts.flatMap(paragraphs).join("\n\n");
}
