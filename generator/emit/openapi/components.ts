/** Creates the named components of an API description from the schemas of a protocol. */
import { isObject, type Json, type JsonObject } from "../../json.js";
import { type Endpoints, listPathFields } from "../../protocol/endpoints.js";
import { deriveEventName, deriveResourceName } from "../../protocol/names.js";
import type { EventType, Protocol } from "../../protocol/protocol.js";
import { getTargetName } from "../../schema/reference.js";
import { mapSubschemas, walk } from "../../schema/walk.js";
import { createBundle } from "../bundle.js";
import { formatParagraphs } from "../catalog/markdown.js";

/** The place of schemas in API descriptions. */
export const SCHEMAS_POINTER = "#/components/schemas/";

/** Formats a name in the characters that a component's name may have. Different names stay different. */
export function formatComponentName(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/g, (unit) => `-${unit.charCodeAt(0).toString(16)}-`);
}

/** Formats the path of one stream below the path of the protocol. Its fields are named like components. */
export function formatStreamPath(endpoints: Endpoints): string {
  return listPathFields(endpoints).reduce(
    (path, name) => path.replace(`{${name}}`, () => `{${formatComponentName(name)}}`),
    endpoints.stream,
  );
}

/** Describes an envelope field in the path of one stream. */
export function describePathField(name: string): string {
  return formatMarkdown(`The stream's \`${name}\`; a single hyphen stands for none.`);
}

/** Creates a reference to the schema of whole events of a type. */
export function createEventReference(event: EventType): { readonly $ref: string } {
  return { $ref: `${SCHEMAS_POINTER}${formatComponentName(deriveEventName(event))}` };
}

/** Creates the components: the envelope, which unknown events also have, every event, and all definitions that they refer to. */
export function createComponentSchemas(protocol: Protocol): JsonObject {
  const { $defs } = createBundle(protocol);
  const schemas = isObject($defs) ? $defs : {};
  const resources = [protocol.actions?.artifacts?.resource, protocol.stateFeed?.resource];
  const wantedNames = new Set(["Envelope", ...protocol.events.map(deriveEventName)]);
  for (const resource of resources) if (resource !== undefined) wantedNames.add(deriveResourceName(resource));
  // The loop also visits the names that are added to the set meanwhile.
  for (const name of wantedNames)
    walk(schemas[name] ?? true, (schema) => {
      const target = getTargetName(schema);
      if (target !== undefined) wantedNames.add(target);
    });
  const wantedSchemas = Object.entries(schemas).filter(([name]) => wantedNames.has(name));
  return Object.fromEntries(
    wantedSchemas.map(([name, schema]) => [formatComponentName(name), createComponent(schema)]),
  );
}

/** The keywords below which tools accept a schema that is `true` or `false`. */
const BOOLEAN_KEYWORDS = new Set([
  "additionalProperties",
  "items",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/** Returns `schema` with references to components, and with descriptions escaped for Markdown. */
function createComponent(schema: Json, keyword = ""): Json {
  if (!isObject(schema)) {
    if (BOOLEAN_KEYWORDS.has(keyword)) return schema;
    return schema ? {} : { not: {} };
  }
  const { $ref: _ref, description, ...rest } = mapSubschemas(schema, createComponent);
  const target = getTargetName(schema);
  return {
    ...(target !== undefined && { $ref: `${SCHEMAS_POINTER}${formatComponentName(target)}` }),
    ...(typeof description === "string" && { description: formatMarkdown(description) }),
    ...rest,
  };
}

/** Formats untrusted texts as Markdown. */
export function formatMarkdown(...texts: readonly string[]): string {
  return texts.flatMap(formatParagraphs).join("\n\n");
}
