import { createPlainSchemas } from "../../protocol/plain-schemas.js";
import type { OutputFile, Protocol } from "../../protocol/protocol.js";
import { formatReference } from "../../schema/reference.js";
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

function formatSchemas(protocol: Protocol): string {
  const { envelope, events, definitions } = createPlainSchemas(protocol);
  return `{
  envelope: ${formatJavascriptLiteral(envelope)},
  events: {
    __proto__: null,
${formatMembers(events)}  },
  definitions: {
    __proto__: null,
${formatMembers(definitions)}  },
}`;
}

function formatMembers(values: object): string {
  return Object.entries(values)
    .map(([name, value]) => `    ${formatPropertyKey(name)}: ${formatJavascriptLiteral(value)},\n`)
    .join("");
}
