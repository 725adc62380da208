import { readFileSync } from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Finding } from "../finding.js";
import { isObject, type Json, type JsonObject, own } from "../json.js";
import { defaultGroup, payloadName, resourceName } from "../model/names.js";
import type {
  Definition,
  Envelope,
  EventType,
  Protocol,
  Resource,
  Stability,
  Stream,
  Tombstone,
  Waiver,
} from "../model/protocol.js";
import type { Files } from "./files.js";
import { lintProtocol } from "./lint.js";
import { lintSchema } from "./lint-schema.js";
import { emptyCycles, openReferences, type References } from "./references.js";
import type { Source } from "./source.js";

export interface LoadedProtocol {
  /** Absent if there is an error among the findings. */
  readonly protocol?: Protocol;
  readonly findings: readonly Finding[];
}

/** protocol.json after validation: what its schema guarantees. */
export interface Manifest {
  readonly name: string;
  readonly major: number;
  readonly version: string;
  readonly title: string;
  readonly description: string;
  readonly naming?: { readonly event?: string; readonly field?: string };
  readonly groups?: { readonly [name: string]: string };
  readonly envelope: {
    readonly discriminator: string;
    readonly payload: { readonly placement: Envelope["placement"]; readonly property?: string };
  };
  readonly stream?: Stream;
  readonly guarantees?: readonly string[];
  readonly evolution?: readonly string[];
  readonly tombstones?: readonly Omit<Tombstone, "at">[];
  readonly waivers?: readonly Omit<Waiver, "at">[];
}

/** A schema file of a protocol folder and what its place says about it. */
export interface SchemaFile {
  readonly kind: "envelope" | "event" | "shared" | "resource";
  /** The event type, or the file's base name. */
  readonly name: string;
  readonly relative: string;
  readonly source: Source;
}

const protocolSchema = JSON.parse(readFileSync(new URL("./protocol.schema.json", import.meta.url), "utf8"));
const validateManifest = new Ajv2020({ allErrors: true, strict: false }).compile(protocolSchema);

/** Loads the protocol in folder `id` of `files`. Findings about file contents as such are in `files.findings`. */
export function loadProtocol(files: Files, id: string): LoadedProtocol {
  const before = files.findings.length;
  const manifestSource = files.read(`${id}/protocol.json`);
  const schemas = schemaFiles(files, id);
  const findings = [...schemas.findings];
  for (const file of schemas.files) findings.push(...lintSchema(file));
  if (manifestSource) findings.push(...checkManifest(manifestSource, id));
  const broken = () =>
    files.findings.length > before || findings.some(({ severity }) => severity === "error");
  const envelope = schemas.files.find(({ kind }) => kind === "envelope");
  if (!manifestSource || !envelope || !isObject(envelope.source.document)) return { findings };
  if (!validateManifest(manifestSource.document)) return { findings };
  const manifest = manifestSource.document as unknown as Manifest;
  const kinds = new Map(schemas.files.map((file) => [file.relative, file]));
  const references = openReferences(files, (relative) => wholeFileName(kinds.get(relative)));
  const protocol = build(manifest, manifestSource, schemas.files, references, id);
  findings.push(...references.findings, ...cycles(references));
  findings.push(...lintProtocol({ manifest, manifestSource, files: schemas.files, protocol }));
  return broken() ? { findings } : { protocol, findings };
}

function wholeFileName(file: SchemaFile | undefined): string | undefined {
  if (file?.kind === "envelope") return "Envelope";
  if (file?.kind === "event") return payloadName(file.name);
  return file?.kind === "resource" ? resourceName(file.name) : undefined;
}

function cycles(references: References): Finding[] {
  return emptyCycles(references.definitions).map((name) => ({
    rule: "ref-cycle",
    severity: "error",
    message: `The definition ${name} refers back to itself with nothing in between, so it describes no value and no type.`,
    at: references.definitions[name]?.at ?? { file: "", pointer: "" },
    hint: "Let the cycle pass through a property or an item.",
  }));
}

const FOLDERS = [
  { folder: "events", kind: "event" },
  { folder: "shared", kind: "shared" },
  { folder: "resources", kind: "resource" },
] as const;

function schemaFiles(files: Files, id: string): { files: SchemaFile[]; findings: Finding[] } {
  const found: SchemaFile[] = [];
  const findings: Finding[] = [];
  const add = (relative: string, kind: SchemaFile["kind"], name: string): void => {
    const source = files.read(relative);
    if (source) found.push({ kind, name, relative, source });
  };
  const envelope = `${id}/envelope.schema.json`;
  if (files.has(envelope)) add(envelope, "envelope", "envelope");
  else
    findings.push(
      fileFinding(files.display(envelope), "envelope-missing", "The protocol has no envelope.schema.json."),
    );
  for (const { folder, kind } of FOLDERS)
    for (const relative of files.list(`${id}/${folder}`)) {
      const base = path.posix.basename(relative);
      if (base.endsWith(".schema.json")) add(relative, kind, base.slice(0, -".schema.json".length));
      else if (!base.startsWith("."))
        findings.push(
          fileFinding(
            files.display(relative),
            "file-unexpected",
            "The file is not named *.schema.json and is not read.",
          ),
        );
    }
  return { files: found, findings };
}

function fileFinding(file: string, rule: string, message: string): Finding {
  return { rule, severity: "error", message, at: { file, pointer: "" } };
}

function checkManifest(source: Source, id: string): Finding[] {
  const findings: Finding[] = [];
  if (!validateManifest(source.document))
    for (const { instancePath, message, params, keyword } of validateManifest.errors ?? []) {
      if (keyword === "if") continue;
      const name = params.additionalProperty ?? params.allowedValues?.join(", ");
      findings.push({
        rule: "protocol-invalid",
        severity: "error",
        message: `protocol.json: ${instancePath || "the document"} ${message}${name === undefined ? "" : ` (${name})`}.`,
        at: source.locate(instancePath),
      });
    }
  else {
    const { name, major, version } = source.document as unknown as Manifest;
    const complain = (pointer: string, message: string): number =>
      findings.push({ rule: "protocol-invalid", severity: "error", message, at: source.locate(pointer) });
    if (`${name}/v${major}` !== id)
      complain("/name", `The folder is ${id}, but protocol.json says ${name}/v${major}.`);
    if (!version.startsWith(`${major}.`))
      complain("/version", `The version ${version} does not belong to major ${major}.`);
  }
  return findings;
}

function build(
  manifest: Manifest,
  source: Source,
  files: readonly SchemaFile[],
  references: References,
  id: string,
): Protocol {
  const rewritten = (file: SchemaFile): JsonObject => {
    const schema = references.rewrite(file.relative, file.source);
    return isObject(schema) ? schema : {};
  };
  const ofKind = (kind: SchemaFile["kind"]) =>
    files.filter((file) => file.kind === kind).sort((a, b) => (a.name < b.name ? -1 : 1));
  const [envelopeFile] = ofKind("envelope");
  const envelope = makeEnvelope(manifest, envelopeFile ? rewritten(envelopeFile) : {}, source);
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
    envelope: { ...envelope, at: envelopeFile?.source.locate("") ?? envelope.at },
    ...(manifest.stream && { stream: manifest.stream }),
    events,
    resources,
    definitions: wholeDefinitions(references, envelope, events),
    tombstones: located(manifest.tombstones, source, "/tombstones"),
    waivers: located(manifest.waivers, source, "/waivers"),
  };
}

/** The definitions; those that are a whole envelope or payload are the same value as the envelope's or the event's. */
function wholeDefinitions(references: References, envelope: Envelope, events: readonly EventType[]) {
  const wholes: [string, JsonObject][] = [
    ["Envelope", envelope.schema],
    ...events.map(({ type, payload }): [string, JsonObject] => [payloadName(type), payload]),
  ];
  const definitions: { [name: string]: Definition } = { ...references.definitions };
  for (const [name, schema] of wholes) {
    const known = own(definitions, name);
    if (known?.at.pointer === "") definitions[name] = { ...known, schema };
  }
  return definitions;
}

function located<T>(items: readonly T[] | undefined, source: Source, pointer: string) {
  return (items ?? []).map((item, index) => ({ ...item, at: source.locate(`${pointer}/${index}`) }));
}

function makeEnvelope(manifest: Manifest, schema: JsonObject, source: Source): Envelope {
  const { discriminator, payload } = manifest.envelope;
  const fields = payload.property === undefined ? {} : payloadProperties(schema, payload.property);
  return {
    discriminator,
    ...payload,
    schema: leaveRoom(schema, payload.property),
    payloadFields: Object.keys(fields),
    at: source.locate("/envelope"),
  };
}

/** The envelope with its payload's place explicitly open, since each event closes it for itself. */
function leaveRoom(envelope: JsonObject, property: string | undefined): JsonObject {
  if (property === undefined) return { ...envelope, additionalProperties: true };
  const properties = isObject(envelope.properties) ? envelope.properties : {};
  const payload = own(properties, property);
  return isObject(payload)
    ? { ...envelope, properties: { ...properties, [property]: { ...payload, additionalProperties: true } } }
    : envelope;
}

/** The fields that a nested envelope declares for every payload. */
function payloadProperties(envelope: JsonObject, property: string): JsonObject {
  const properties = isObject(envelope.properties) ? envelope.properties : {};
  const payload = own(properties, property);
  return isObject(payload) && isObject(payload.properties) ? payload.properties : {};
}

function makeEvent(file: SchemaFile, schema: JsonObject, envelope: Envelope, manifest: Manifest): EventType {
  const common = envelope.property === undefined ? {} : payloadProperties(envelope.schema, envelope.property);
  const properties = isObject(schema.properties) ? schema.properties : {};
  const payload: JsonObject =
    envelope.payloadFields.length > 0 ? { ...schema, properties: { ...common, ...properties } } : schema;
  const text = (keyword: string): string | undefined => {
    const value = schema[keyword];
    return typeof value === "string" ? value : undefined;
  };
  const since = text("x-deprecated-since");
  const replacedBy = text("x-replaced-by");
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
