import { isObject, type Json } from "../../json.js";
import type { OutputFile, Protocol } from "../../protocol/protocol.js";
import { formatReference } from "../../schema/reference.js";
import { mapSubschemas } from "../../schema/walk.js";
import { formatJavascriptLiteral, formatLiteral, formatPropertyKey } from "../../text.js";
import { BANNER } from "../text.js";

/**
 * Writes `schemas.js`: the schemas of a protocol as data, without annotations, for tools that make events. Only the export
 * `protocol` of `index.js` refers to it, so a bundle contains it only if it uses `protocol`.
 */
export function emitSchemas(protocol: Protocol, releases: readonly Protocol[]): OutputFile[] {
  const { id } = protocol;
  const code = `export const schemas = ${formatSchemas(protocol)};

export const releases = [
${releases.map((release) => `  ${formatRelease(release)},\n`).join("")}];
`;
  return [
    { path: `${id}/schemas.js`, content: `${BANNER}\n${code}` },
    { path: `${id}/schemas.d.ts`, content: `${BANNER}\n${DECLARATION}` },
  ];
}

const DECLARATION = `/** A JSON Schema 2020-12. A \`$ref\` has the form \`${formatReference("<name>")}\` and names a member of \`definitions\`. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** The schemas of a contract without titles, descriptions and examples. */
export interface Schemas {
  readonly envelope: JsonSchema;
  /** By event type. \`property\` carries the payload where each event has its own. */
  readonly events: {
    readonly [type: string]: { readonly payload: JsonSchema; readonly property?: string };
  };
  readonly definitions: { readonly [name: string]: JsonSchema };
}

/** An earlier release of this major version. */
export interface EarlierRelease {
  readonly version: string;
  readonly schemas: Schemas;
}

export declare const schemas: Schemas;

/** Oldest first; this version is not among them. */
export declare const releases: readonly EarlierRelease[];
`;

function formatRelease(release: Protocol): string {
  return `{ version: ${formatLiteral(release.version)}, schemas: ${formatSchemas(release)} }`;
}

function formatSchemas({ envelope, events, definitions }: Protocol): string {
  const payloads = events.map(({ type, payload, payloadProperty: property }) => {
    const schema = property === undefined && envelope.placement === "keyed" ? {} : dropAnnotations(payload);
    return `    ${formatPropertyKey(type)}: ${formatJavascriptLiteral({ payload: schema, ...(property !== undefined && { property }) })},\n`;
  });
  const shared = Object.entries(definitions)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([name, { schema }]) =>
        `    ${formatPropertyKey(name)}: ${formatJavascriptLiteral(dropAnnotations(schema))},\n`,
    );
  return `{
  envelope: ${formatJavascriptLiteral(dropAnnotations(envelope.schema))},
  events: {
    __proto__: null,
${payloads.join("")}  },
  definitions: {
    __proto__: null,
${shared.join("")}  },
}`;
}

const ANNOTATIONS = new Set(["$schema", "$comment", "title", "description", "examples"]);

/** Returns `schema` without keywords that only people read. */
function dropAnnotations(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const keywords = Object.entries(mapSubschemas(schema, dropAnnotations));
  return Object.fromEntries(keywords.filter(([keyword]) => !ANNOTATIONS.has(keyword)));
}
