/** Creates the files of a protocol folder from the parts of an import. */
import type { Location } from "../finding.js";
import { getOwn, type Json, type JsonObject, joinPointer } from "../json.js";
import { GENERATED_NAMES } from "../load/lint/names.js";
import { deriveResourceName, toPascalCase } from "../protocol/names.js";
import type { OutputFile, Stability } from "../protocol/protocol.js";
import { SCHEMA_URI } from "../schema/dialects.js";
import { type Definitions, formatReference, getDefinitionName } from "../schema/reference.js";
import { collectDefinitionsBelow, listReferences, mapReferences } from "../schema/walk.js";

const DIALECT = SCHEMA_URI["2020-12"];

/**
 * The layout of messages. The payload is in `property`, or in a field that each event names if `isKeyed`, else beside the
 * envelope's fields.
 */
export interface MessageLayout {
  readonly discriminator: string;
  readonly isKeyed?: boolean;
  readonly property?: string;
  /** The other fields of the envelope, as keywords of its schema. */
  readonly fields?: { readonly properties: JsonObject; readonly required: readonly string[] };
}

/** An event type with the name of its files. */
export interface ImportedEvent {
  readonly type: string;
  readonly name: string;
  readonly payload: JsonObject;
  /** The field that holds the payload if each event has its own; absent for an event without payload. */
  readonly payloadProperty?: string;
  /** The place of the event in the original files; absent if it comes from samples. */
  readonly origin?: Location;
}

/** The contents of a protocol folder. */
export interface ProtocolParts {
  readonly name: string;
  readonly version: string;
  /** The file or folder of the import, for descriptions. */
  readonly source: string;
  readonly layout: MessageLayout;
  /** The document around each event, and the pointer to the event in it. */
  readonly message?: { readonly event: string; readonly schema: JsonObject };
  readonly stability: Stability;
  readonly events: readonly ImportedEvent[];
  readonly definitions: Definitions;
}

/** A schema in a created file, and its place in the original files. */
export interface Origin {
  readonly file: string;
  readonly pointer: string;
  readonly origin: Location;
}

/** The envelope around messages in which no field holds the event type. */
export const WRAPPER = { discriminator: "type", property: "payload" } as const;

/** The resource that describes the document around each event. */
const MESSAGE_RESOURCE = "message";

/** Describes the documents around events. */
export function describeMessage(pointer: string): string {
  return `each event is at ${pointer} of a document, which the resource ${MESSAGE_RESOURCE} describes`;
}

/** Formats a message in the envelope `WRAPPER`. */
export function formatWrapper(type: string, message = "the message"): string {
  return `{${JSON.stringify(WRAPPER.discriminator)}: ${type}, ${JSON.stringify(WRAPPER.property)}: ${message}}`;
}

/** Creates all files of a protocol folder. Their paths are relative to the folder of all schemas. */
export function createProtocolFiles(parts: ProtocolParts): OutputFile[] {
  const { events } = parts;
  const id = formatId(parts);
  const typeNames = assignTypeNames(parts);
  const renameReferences = <S extends Json>(schema: S, file: string): S =>
    mapReferences(
      schema,
      (reference) => file + formatReference(typeNames.get(getDefinitionName(reference)) ?? ""),
    );
  const definitions = listUsedDefinitions(parts).map((definitionName) => [
    typeNames.get(definitionName) ?? definitionName,
    renameReferences(getOwn(parts.definitions, definitionName)?.schema ?? true, ""),
  ]);
  const definitionsSchema = { $schema: DIALECT, $defs: Object.fromEntries(definitions) };
  return [
    createJsonFile(`${id}/protocol.json`, createManifest(parts)),
    createJsonFile(`${id}/envelope.schema.json`, renameReferences(createEnvelope(parts), DEFINITIONS_FILE)),
    ...(definitions.length > 0 ? [createJsonFile(`${id}/${DEFINITIONS_FILE}`, definitionsSchema)] : []),
    ...createMessageFiles(parts, (schema) => renameReferences(schema, `../${DEFINITIONS_FILE}`)),
    ...events.map((event) => {
      const payload = renameReferences(event.payload, `../${DEFINITIONS_FILE}`);
      const schema = createEventSchema(parts, { ...event, payload });
      return createJsonFile(`${id}/events/${event.name}.schema.json`, schema);
    }),
  ];
}

/** Lists the origins of the events and definitions in the files that `createProtocolFiles` creates. */
export function listOrigins(parts: ProtocolParts): Origin[] {
  const id = formatId(parts);
  const definitions = [...assignTypeNames(parts)].map(([name, typeName]) => ({
    file: `${id}/${DEFINITIONS_FILE}`,
    pointer: joinPointer("/$defs", typeName),
    origin: parts.definitions[name]?.at ?? { file: "", pointer: "" },
  }));
  const events = parts.events.flatMap(({ name, origin }) => {
    return origin === undefined ? [] : [{ file: `${id}/events/${name}.schema.json`, pointer: "", origin }];
  });
  return [...events, ...definitions];
}

/** Returns the folder of a protocol below that of all schemas. */
export function formatId({ name, version }: Pick<ProtocolParts, "name" | "version">): string {
  return `${name}/v${version.split(".")[0]}`;
}

/** The file of the definitions below the folder of a protocol. */
const DEFINITIONS_FILE = "shared/definitions.schema.json";

/** The file of the document around each event below the folder of a protocol. */
const MESSAGE_FILE = `resources/${MESSAGE_RESOURCE}.schema.json`;

/** The files below the folder of a protocol that only some imports write, besides those of events. */
export const IMPORTED_FILES: readonly string[] = [DEFINITIONS_FILE, MESSAGE_FILE];

function createJsonFile(path: string, content: Json): OutputFile {
  return { path, content: `${JSON.stringify(content, undefined, 2)}\n` };
}

/** Creates the file of the resource for the document around each event, if there is one. */
function createMessageFiles(
  { name, message, source, stability, version }: ProtocolParts,
  rename: (schema: JsonObject) => JsonObject,
): OutputFile[] {
  if (message === undefined) return [];
  const { $schema: _dialect, title, description, ...rest } = rename(message.schema);
  const schema = {
    $schema: DIALECT,
    title: readText(title) ?? "Message",
    description:
      readText(description) ?? `The document in which each event is sent, imported from ${source}.`,
    "x-stability": stability,
    "x-since": version,
    ...(rest.type === undefined && { type: "object" }),
    ...rest,
  };
  return [createJsonFile(`${formatId({ name, version })}/${MESSAGE_FILE}`, schema)];
}

function createManifest({ name, version, source, layout, message }: ProtocolParts): JsonObject {
  const { discriminator, property, isKeyed = false } = layout;
  const placement = isKeyed ? "keyed" : "inline";
  const payload = property === undefined ? { placement } : { placement: "nested", property };
  return {
    name,
    major: Number(version.split(".")[0]),
    version,
    title: toPascalCase(name),
    description: `Imported from ${source}.`,
    envelope: {
      discriminator,
      payload,
      ...(message && { message: { event: message.event, resource: MESSAGE_RESOURCE } }),
    },
    tombstones: [],
    waivers: [],
  };
}

function createEnvelope({ layout: { discriminator, property, fields } }: ProtocolParts): JsonObject {
  const payload = { type: "object", description: "The payload. The event type determines its form." };
  return {
    $schema: DIALECT,
    title: "Envelope",
    description: "The fields of every event.",
    type: "object",
    properties: {
      [discriminator]: { type: "string", description: "The event type." },
      ...fields?.properties,
      ...(property !== undefined && { [property]: payload }),
    },
    required: [
      ...new Set([discriminator, ...(fields?.required ?? []), ...(property === undefined ? [] : [property])]),
    ],
  };
}

function createEventSchema(
  { source, stability, version, layout }: ProtocolParts,
  { type, name, payload, payloadProperty }: ImportedEvent,
): JsonObject {
  const { $schema: _dialect, title, description, ...rest } = payload;
  const hasPayload = layout.isKeyed !== true || payloadProperty !== undefined;
  const needsType = hasPayload && rest.type === undefined && rest.$ref === undefined;
  return {
    $schema: DIALECT,
    title: readText(title) ?? readText(type) ?? name,
    description: readText(description) ?? `The event ${type}, imported from ${source}.`,
    ...(name !== type && { "x-type": type }),
    "x-stability": stability,
    "x-since": version,
    ...(payloadProperty !== undefined && { "x-payload-property": payloadProperty }),
    ...(needsType && { type: "object" }),
    ...rest,
  };
}

/** Texts that an import writes if the source has none. */
const DEFAULT_TEXTS: { readonly [keyword: string]: RegExp } = {
  title: /^(Envelope|Message)$/,
  description:
    /^(The event .+, imported from .+|The document in which each event is sent, imported from .+|The fields of every event|The event type|The payload\. The event type determines its form)\.$/s,
};

/** Returns whether an import writes this text if the source has none. */
export function isDefaultText(keyword: string, text: string): boolean {
  return getOwn(DEFAULT_TEXTS, keyword)?.test(text) === true;
}

function readText(value: Json | undefined): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** Lists the names of the definitions that the events and the document around them use, sorted. */
function listUsedDefinitions({ events, message, layout, definitions }: ProtocolParts): string[] {
  const names = new Set<string>();
  const roots = [
    ...events.map(({ payload }) => payload),
    ...(message ? [message.schema] : []),
    { properties: layout.fields?.properties ?? {} },
  ];
  for (const name of roots.flatMap((root) => listReferences(root)).map(getDefinitionName)) {
    names.add(name);
    for (const nameBelow of collectDefinitionsBelow(name, definitions)) names.add(nameBelow);
  }
  return [...names].sort();
}

/** Assigns each definition a type name that neither an event nor the generated modules have. */
function assignTypeNames({ name, events, definitions }: ProtocolParts): Map<string, string> {
  const types = [name, ...events.map((event) => event.name)].map(toPascalCase);
  const claimedNames = new Set([
    ...GENERATED_NAMES,
    ...types.flatMap((type) => [`${type}Event`, `${type}Payload`, `${type}PayloadFields`]),
    deriveResourceName(MESSAGE_RESOURCE),
  ]);
  const names = new Map<string, string>();
  for (const definitionName of Object.keys(definitions).sort()) {
    let typeName = toPascalCase(definitionName);
    while (claimedNames.has(typeName)) typeName += "Value";
    claimedNames.add(typeName);
    names.set(definitionName, typeName);
  }
  return names;
}
