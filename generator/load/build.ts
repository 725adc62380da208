import type { Location } from "../finding.js";
import { isObject, type Json, type JsonObject, own } from "../json.js";
import { commonFields, payloadPlace } from "../protocol/message-layout.js";
import { defaultGroup, payloadName } from "../protocol/names.js";
import type { Envelope, EventType, Protocol, Resource, Stability } from "../protocol/protocol.js";
import type { Definition } from "../schema/json-schema.js";
import type { Source } from "../source/source.js";
import type { FolderDefinitions } from "./definitions.js";
import type { SchemaFile } from "./folder.js";
import type { Manifest } from "./manifest.js";

/** Makes a protocol from its files. Missing parts get defaults, so that all checks can run. */
export function buildProtocol(
  manifest: Manifest,
  source: Source,
  files: readonly SchemaFile[],
  references: FolderDefinitions,
  id: string,
): Protocol {
  const rewritten = (file: SchemaFile): JsonObject => {
    const schema = references.rewrite(file.relative, file.source);
    return isObject(schema) ? schema : {};
  };
  const ofKind = (kind: SchemaFile["kind"]) =>
    files.filter((file) => file.kind === kind).sort((a, b) => (a.name < b.name ? -1 : 1));
  const [envelopeFile] = ofKind("envelope");
  const made = makeEnvelope(manifest, envelopeFile ? rewritten(envelopeFile) : {}, source);
  const envelope = { ...made, at: envelopeFile?.source.locate("") ?? made.at };
  const events = ofKind("event").map((file) => makeEvent(file, rewritten(file), envelope, manifest));
  const resources = ofKind("resource").map((file) => makeResource(file, rewritten(file)));
  return {
    name: manifest.name,
    major: manifest.major,
    id,
    version: manifest.version,
    title: manifest.title,
    description: manifest.description,
    guarantees: manifest.guarantees ?? [],
    evolution: manifest.evolution ?? [],
    groups: manifest.groups ?? {},
    envelope,
    ...(manifest.stream && { stream: manifest.stream }),
    ...(manifest.endpoints && { endpoints: manifest.endpoints }),
    ...(manifest.view && { view: manifest.view }),
    ...(manifest.faults && { faults: manifest.faults }),
    events,
    resources,
    definitions: wholeDefinitions(references, envelope, events),
    tombstones: located(manifest.tombstones, source, "/tombstones"),
    waivers: located(manifest.waivers, source, "/waivers"),
    ...(manifest.withdrawn?.length && { withdrawn: located(manifest.withdrawn, source, "/withdrawn") }),
    at: source.locate(""),
  };
}

/** Returns the definitions. A whole file that is also the envelope or a payload has the schema of that one. */
function wholeDefinitions(references: FolderDefinitions, envelope: Envelope, events: readonly EventType[]) {
  const wholes: [string, JsonObject, Location][] = [
    ["Envelope", envelope.schema, envelope.at],
    ...events.map(({ type, payload, at }): [string, JsonObject, Location] => [
      payloadName(type),
      payload,
      at,
    ]),
  ];
  const definitions: { [name: string]: Definition } = { ...references.definitions };
  for (const [name, schema, { file }] of wholes) {
    const known = own(definitions, name);
    if (known?.at.pointer === "" && known.at.file === file) definitions[name] = { ...known, schema };
  }
  return definitions;
}

function located<T>(items: readonly T[] | undefined, source: Source, pointer: string) {
  return (items ?? []).map((item, index) => ({ ...item, at: source.locate(`${pointer}/${index}`) }));
}

function makeEnvelope(manifest: Manifest, schema: JsonObject, source: Source): Envelope {
  const { discriminator, payload } = manifest.envelope;
  const place = payloadPlace({ schema, ...payload });
  return {
    discriminator,
    ...payload,
    schema: openPayloadPlace(schema, payload.property),
    payloadFields: isObject(place?.properties) ? Object.keys(place.properties) : [],
    at: source.locate("/envelope"),
  };
}

/** Returns the envelope with the place of the payload open, because each event closes it itself. */
function openPayloadPlace(envelope: JsonObject, property: string | undefined): JsonObject {
  if (property === undefined) return { ...envelope, additionalProperties: true };
  const properties = isObject(envelope.properties) ? envelope.properties : {};
  const payload = own(properties, property);
  return isObject(payload)
    ? { ...envelope, properties: { ...properties, [property]: { ...payload, additionalProperties: true } } }
    : envelope;
}

function makeEvent(file: SchemaFile, schema: JsonObject, envelope: Envelope, manifest: Manifest): EventType {
  const common = commonFields(envelope);
  const properties = isObject(schema.properties) ? schema.properties : {};
  const payload: JsonObject =
    envelope.payloadFields.length > 0 ? { ...schema, properties: { ...common, ...properties } } : schema;
  const text = (keyword: string): string | undefined => {
    const value = schema[keyword];
    return typeof value === "string" ? value : undefined;
  };
  const since = text("x-deprecated-since");
  const replacedBy = schema["x-replaced-by"] === null ? null : text("x-replaced-by");
  return {
    type: file.name,
    group: text("x-group") ?? defaultGroup(file.name),
    summary: text("title") ?? file.name,
    description: text("description") ?? "",
    stability: (text("x-stability") as Stability | undefined) ?? "experimental",
    since: text("x-since") ?? manifest.version,
    ...(schema.deprecated === true && {
      deprecated: { ...(since !== undefined && { since }), ...(replacedBy !== undefined && { replacedBy }) },
    }),
    ...optional("requires", text("x-requires")),
    ...(Array.isArray(schema["x-emitted-by"]) && { emittedBy: schema["x-emitted-by"].map(String) }),
    ...optional("renamedFrom", text("x-renamed-from")),
    ...(envelope.placement === "keyed" ? optional("payloadProperty", text("x-payload-property")) : {}),
    payload,
    examples: examplesOf(schema),
    at: file.source.locate(""),
  };
}

function makeResource(file: SchemaFile, schema: JsonObject): Resource {
  return {
    name: file.name,
    summary: typeof schema.title === "string" ? schema.title : file.name,
    description: typeof schema.description === "string" ? schema.description : "",
    schema,
    examples: examplesOf(schema),
    at: file.source.locate(""),
  };
}

function examplesOf(schema: JsonObject): readonly Json[] {
  return Array.isArray(schema.examples) ? schema.examples : [];
}

function optional<K extends string>(key: K, value: string | undefined): { readonly [key in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [key in K]: string });
}
