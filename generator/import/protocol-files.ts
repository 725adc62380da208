/** The files of a protocol folder, made of the parts of an import. */
import { isObject, type Json, type JsonObject } from "../json.js";
import { pascalCase } from "../protocol/names.js";
import type { OutputFile, Stability } from "../protocol/protocol.js";
import { definitionNameOf, referenceTo } from "../schema/reference.js";
import { mapSubschemas, walk } from "../schema/walk.js";

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** How a message is laid out: the payload lies in a property, or without one beside the envelope's fields. */
export interface Layout {
  readonly discriminator: string;
  readonly property?: string;
  /** The schema's keywords for the envelope's further fields. */
  readonly fields?: { readonly properties: JsonObject; readonly required: readonly string[] };
}

/** What a protocol folder is made of. */
export interface Parts {
  readonly name: string;
  readonly version: string;
  /** Where it comes from, for people. */
  readonly source: string;
  readonly layout: Layout;
  readonly stability: Stability;
  readonly events: readonly { readonly type: string; readonly payload: JsonObject }[];
  readonly $defs: { readonly [name: string]: Json };
}

/** The envelope that is put around messages that have none. */
export const AROUND = { discriminator: "type", property: "payload" } as const;

/** All files, their paths below the folder of the protocols. */
export function protocolFiles(parts: Parts): OutputFile[] {
  const { name, version, events } = parts;
  const id = `${name}/v${version.split(".")[0]}`;
  const names = typeNames(parts);
  const refer = (schema: Json, file: string): Json => {
    if (!isObject(schema)) return schema;
    const next = mapSubschemas(schema, (sub) => refer(sub, file));
    if (typeof next.$ref === "string")
      next.$ref = `${file}${referenceTo(names.get(definitionNameOf(next.$ref)) ?? "")}`;
    return next;
  };
  const shared = reached(parts).sort();
  const definitions = Object.fromEntries(
    shared.map((each) => [names.get(each) ?? each, refer(parts.$defs[each] ?? true, "")]),
  );
  return [
    file(`${id}/protocol.json`, manifest(parts)),
    file(`${id}/envelope.schema.json`, envelope(parts)),
    ...(shared.length > 0
      ? [file(`${id}/shared/definitions.schema.json`, { $schema: DIALECT, $defs: definitions })]
      : []),
    ...events.map((event) =>
      file(
        `${id}/events/${event.type}.schema.json`,
        eventSchema(
          parts,
          event.type,
          refer(event.payload, "../shared/definitions.schema.json") as JsonObject,
        ),
      ),
    ),
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

/** Names of the definitions that the events reach. */
function reached({ events, $defs }: Parts): string[] {
  const names = new Set<string>();
  const follow = (schema: Json): void =>
    walk(schema, ({ $ref }) => {
      const name = typeof $ref === "string" ? definitionNameOf($ref) : undefined;
      if (name === undefined || names.has(name)) return;
      names.add(name);
      follow($defs[name] ?? true);
    });
  for (const { payload } of events) follow(payload);
  return [...names];
}

/** A type name for each definition, none that an event or the generated modules take. */
function typeNames({ name, events, $defs }: Parts): Map<string, string> {
  const taken = new Set(
    [name, ...events.map(({ type }) => type)].flatMap((each) => [
      `${pascalCase(each)}Event`,
      `${pascalCase(each)}Payload`,
      `${pascalCase(each)}PayloadFields`,
    ]),
  );
  const names = new Map<string, string>();
  for (const each of Object.keys($defs).sort()) {
    let free = pascalCase(each);
    while (taken.has(free) || RESERVED.test(free)) free += "Value";
    taken.add(free);
    names.set(each, free);
  }
  return names;
}

/** What generated modules declare for themselves. */
const RESERVED =
  /^(Event(Type|Of|Map|Metadata)|Payload(Of|Map|Fields)|UnknownEvent|Envelope|Required|Pick|Decode(Event|Result)|Issue|Profile|Validator)$/;
