import { SOURCE_KEYWORD } from "../conform/declaration.js";
import type { Location } from "../finding.js";
import { getMembers, getOwn, isObject, type Json, type JsonObject, mapValues, toJson } from "../json.js";
import { collectCommonFields, findPayloadPlaceSchema } from "../protocol/message-layout.js";
import { deriveDefaultGroup, derivePayloadName } from "../protocol/names.js";
import type { Envelope, EventType, Protocol, Resource, Stability, Stream } from "../protocol/protocol.js";
import type { StreamRules } from "../protocol/stream-rules.js";
import { pickToolMembers } from "../protocol/tool-members.js";
import type { Definition } from "../schema/json-schema.js";
import type { Source } from "../source/source.js";
import type { FolderDefinitions } from "./definitions.js";
import { readEventType, type SchemaFile } from "./folder.js";
import type { Manifest } from "./manifest.js";

/** Builds a protocol from its files. Missing parts get defaults, so that all checks can run. */
export function buildProtocol(
  manifest: Manifest,
  source: Source,
  files: readonly SchemaFile[],
  references: FolderDefinitions,
  id: string,
): Protocol {
  const rewriteFile = (file: SchemaFile): JsonObject => {
    const schema = references.rewrite(file.relative, file.source);
    return isObject(schema) ? schema : {};
  };
  const listFilesOfKind = (kind: SchemaFile["kind"]) =>
    files.filter((file) => file.kind === kind).sort((a, b) => (a.name < b.name ? -1 : 1));
  const [envelopeFile] = listFilesOfKind("envelope");
  const draft = createEnvelope(manifest, envelopeFile ? rewriteFile(envelopeFile) : {}, source);
  const envelope = { ...draft, at: envelopeFile?.source.locate("") ?? draft.at };
  const common = collectCommonFields(envelope);
  const events = listFilesOfKind("event")
    .map((file) => createEvent(file, rewriteFile(file), envelope, common, manifest))
    .sort((a, b) => (a.type < b.type ? -1 : 1));
  const resources = listFilesOfKind("resource").map((file) => createResource(file, rewriteFile(file)));
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
    ...splitRuleSources(manifest.stream),
    ...pickToolMembers(manifest),
    events,
    resources,
    definitions: completeDefinitions(references, envelope, events),
    tombstones: addLocations(manifest.tombstones, source, "/tombstones"),
    waivers: addLocations(manifest.waivers, source, "/waivers"),
    ...(manifest.withdrawn?.length && { withdrawn: addLocations(manifest.withdrawn, source, "/withdrawn") }),
    at: source.locate(""),
  };
}

/** Returns the definitions. If a definition is the whole file of the envelope or of a payload, it gets the schema built for that. */
function completeDefinitions(
  references: FolderDefinitions,
  envelope: Envelope,
  events: readonly EventType[],
) {
  const wholeFiles: [string, JsonObject, Location][] = [
    ["Envelope", envelope.schema, envelope.at],
    ...events.map((event): [string, JsonObject, Location] => [
      derivePayloadName(event),
      event.payload,
      event.at,
    ]),
  ];
  const definitions: { [name: string]: Definition } = { ...references.definitions };
  for (const [name, schema, { file }] of wholeFiles) {
    const known = getOwn(definitions, name);
    if (known?.at.pointer === "" && known.at.file === file) definitions[name] = { ...known, schema };
  }
  return definitions;
}

function addLocations<T>(items: readonly T[] | undefined, source: Source, pointer: string) {
  return (items ?? []).map((item, index) => ({ ...item, at: source.locate(`${pointer}/${index}`) }));
}

function createEnvelope(manifest: Manifest, schema: JsonObject, source: Source): Envelope {
  const { discriminator, payload, message } = manifest.envelope;
  const payloadPlace = findPayloadPlaceSchema({ schema, ...payload });
  return {
    discriminator,
    ...payload,
    ...(message && { message }),
    schema: openPayloadPlace(dropSources(schema), payload.property),
    ...readSources(schema),
    payloadFields: isObject(payloadPlace?.properties) ? Object.keys(payloadPlace.properties) : [],
    at: source.locate("/envelope"),
  };
}

/** Returns the envelope with the place of the payload open, because each event closes it itself. */
function openPayloadPlace(envelope: JsonObject, property: string | undefined): JsonObject {
  if (property === undefined) return { ...envelope, additionalProperties: true };
  const properties = isObject(envelope.properties) ? envelope.properties : {};
  const payload = getOwn(properties, property);
  return isObject(payload)
    ? { ...envelope, properties: { ...properties, [property]: { ...payload, additionalProperties: true } } }
    : envelope;
}

/** Separates the rules of streams from where they come from. The rules may have any form, since nothing has checked them yet. */
function splitRuleSources(stream: Stream | undefined): Pick<Protocol, "stream" | "ruleSources"> {
  if (!stream) return {};
  const rules = getMembers(toJson(stream.rules ?? null));
  const ruleSources = mapValues(rules, (declared) =>
    [declared].flat().map((each) => readSources(getMembers(each)).sources ?? []),
  );
  if (Object.values(ruleSources).flat(2).length === 0) return { stream };
  const drop = (declared: Json): Json => (isObject(declared) ? dropSources(declared) : declared);
  const bare: unknown = mapValues(rules, (declared) =>
    Array.isArray(declared) ? declared.map(drop) : drop(declared),
  );
  return { stream: { ...stream, rules: bare as StreamRules }, ruleSources };
}

/** Returns where the statements of a file come from. The catalogue shows it; releases and generated code do not hold it. */
function readSources(schema: JsonObject): { readonly sources?: readonly string[] } {
  const sources = schema[SOURCE_KEYWORD];
  return Array.isArray(sources) ? { sources: sources.map(String) } : {};
}

function dropSources({ [SOURCE_KEYWORD]: _sources, ...schema }: JsonObject): JsonObject {
  return schema;
}

function createEvent(
  file: SchemaFile,
  schema: JsonObject,
  envelope: Envelope,
  common: JsonObject,
  manifest: Manifest,
): EventType {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const payload: JsonObject =
    envelope.payloadFields.length > 0
      ? { ...dropSources(schema), properties: { ...common, ...properties } }
      : dropSources(schema);
  const readText = (keyword: string): string | undefined => {
    const value = schema[keyword];
    return typeof value === "string" ? value : undefined;
  };
  const type = readEventType(file);
  const since = readText("x-deprecated-since");
  const replacedBy = schema["x-replaced-by"] === null ? null : readText("x-replaced-by");
  return {
    type,
    ...(file.name !== type && { name: file.name }),
    group: readText("x-group") ?? deriveDefaultGroup(file.name),
    ...readTexts(schema, type),
    stability: (readText("x-stability") as Stability | undefined) ?? "experimental",
    since: readText("x-since") ?? manifest.version,
    ...(schema.deprecated === true && {
      deprecated: { ...(since !== undefined && { since }), ...(replacedBy !== undefined && { replacedBy }) },
    }),
    ...createOptionalMember("requires", readText("x-requires")),
    ...readSources(schema),
    ...(Array.isArray(schema["x-emitted-by"]) && { emittedBy: schema["x-emitted-by"].map(String) }),
    ...createOptionalMember("renamedFrom", readText("x-renamed-from")),
    ...(envelope.placement === "keyed"
      ? createOptionalMember("payloadProperty", readText("x-payload-property"))
      : {}),
    payload,
    at: file.source.locate(""),
  };
}

function createResource(file: SchemaFile, schema: JsonObject): Resource {
  return {
    name: file.name,
    ...readTexts(schema, file.name),
    schema: dropSources(schema),
    ...readSources(schema),
    at: file.source.locate(""),
  };
}

/** Returns what a schema says to a person about an event type or a resource. */
export function readTexts(
  { title, description, examples }: JsonObject,
  name: string,
): Pick<EventType, "summary" | "description" | "examples"> {
  return {
    summary: typeof title === "string" ? title : name,
    description: typeof description === "string" ? description : "",
    examples: Array.isArray(examples) ? examples : [],
  };
}

function createOptionalMember<K extends string>(
  key: K,
  value: string | undefined,
): { readonly [key in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [key in K]: string });
}
