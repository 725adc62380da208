/** Makes the files of a protocol folder from the parts of an import. */
import { isObject, type Json, type JsonObject, own } from "../json.js";
import { GENERATED_NAMES } from "../load/lint/names.js";
import { pascalCase } from "../protocol/names.js";
import type { OutputFile, Stability } from "../protocol/protocol.js";
import { SCHEMA_URI } from "../schema/dialects.js";
import { type Definitions, referenceTo, targetName } from "../schema/reference.js";
import { definitionsBelow, mapSubschemas, walk } from "../schema/walk.js";

const DIALECT = SCHEMA_URI["2020-12"];

/** The layout of messages: the payload is in a property, or beside the envelope's fields if there is none. */
export interface Layout {
  readonly discriminator: string;
  readonly property?: string;
  /** The other fields of the envelope, as keywords of its schema. */
  readonly fields?: { readonly properties: JsonObject; readonly required: readonly string[] };
}

/** The contents of a protocol folder. */
export interface Parts {
  readonly name: string;
  readonly version: string;
  /** Where it was imported from, for people. */
  readonly source: string;
  readonly layout: Layout;
  readonly stability: Stability;
  readonly events: readonly { readonly type: string; readonly payload: JsonObject }[];
  readonly definitions: Definitions;
}

/** The envelope for messages in which no field is the event type. */
export const WRAPPER = { discriminator: "type", property: "payload" } as const;

/** Returns a message in its wrapper as text, for people. */
export function wrapperText(type: string, message = "the message"): string {
  return `{${JSON.stringify(WRAPPER.discriminator)}: ${type}, ${JSON.stringify(WRAPPER.property)}: ${message}}`;
}

/** Returns all files. Their paths are below the folder of the protocols. */
export function protocolFiles(parts: Parts): OutputFile[] {
  const { name, version, events } = parts;
  const id = `${name}/v${version.split(".")[0]}`;
  const names = typeNames(parts);
  const rename = (schema: Json, file: string): Json => {
    if (!isObject(schema)) return schema;
    const target = targetName(schema);
    const copy = mapSubschemas(schema, (sub) => rename(sub, file));
    return target === undefined ? copy : { ...copy, $ref: file + referenceTo(names.get(target) ?? "") };
  };
  const definitions = usedDefinitions(parts).map((each) => [
    names.get(each) ?? each,
    rename(own(parts.definitions, each)?.schema ?? true, ""),
  ]);
  const shared = { $schema: DIALECT, $defs: Object.fromEntries(definitions) };
  return [
    file(`${id}/protocol.json`, manifest(parts)),
    file(`${id}/envelope.schema.json`, envelope(parts)),
    ...(definitions.length > 0 ? [file(`${id}/shared/definitions.schema.json`, shared)] : []),
    ...events.map(({ type, payload }) => {
      const schema = rename(payload, "../shared/definitions.schema.json") as JsonObject;
      return file(`${id}/events/${type}.schema.json`, eventSchema(parts, type, schema));
    }),
  ];
}

function file(path: string, content: Json): OutputFile {
  return { path, content: `${JSON.stringify(content, undefined, 2)}\n` };
}

function manifest({ name, version, source, layout }: Parts): JsonObject {
  const { discriminator, property } = layout;
  const payload = property === undefined ? { placement: "inline" } : { placement: "nested", property };
  return {
    name,
    major: Number(version.split(".")[0]),
    version,
    title: pascalCase(name),
    description: `Imported from ${source}.`,
    envelope: { discriminator, payload },
    tombstones: [],
    waivers: [],
  };
}

function envelope({ layout: { discriminator, property, fields } }: Parts): JsonObject {
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

function eventSchema({ source, stability, version }: Parts, type: string, payload: JsonObject): JsonObject {
  const { $schema: _dialect, title, description, ...rest } = payload;
  return {
    $schema: DIALECT,
    title: textOf(title) ?? type,
    description: textOf(description) ?? `The event ${type}, imported from ${source}.`,
    "x-stability": stability,
    "x-since": version,
    ...(rest.type === undefined && rest.$ref === undefined && { type: "object" }),
    ...rest,
  };
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** Returns the names of the definitions that the events use, sorted. */
function usedDefinitions({ events, definitions }: Parts): string[] {
  const names = new Set<string>();
  for (const { payload } of events)
    walk(payload, (schema) => {
      const name = targetName(schema);
      if (name === undefined || names.has(name)) return;
      for (const each of [name, ...definitionsBelow(name, definitions)]) names.add(each);
    });
  return [...names].sort();
}

/** Returns a type name for each definition that neither an event nor the generated modules have. */
function typeNames({ name, events, definitions }: Parts): Map<string, string> {
  const types = [name, ...events.map(({ type }) => type)].map(pascalCase);
  const taken = new Set([
    ...GENERATED_NAMES,
    ...types.flatMap((type) => [`${type}Event`, `${type}Payload`, `${type}PayloadFields`]),
  ]);
  const names = new Map<string, string>();
  for (const each of Object.keys(definitions).sort()) {
    let free = pascalCase(each);
    while (taken.has(free)) free += "Value";
    taken.add(free);
    names.set(each, free);
  }
  return names;
}
