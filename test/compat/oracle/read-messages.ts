/**
 * The two readings of complete messages, written from docs/authoring-schemas.md and independent of generator/: schemas
 * are taken from the files, references are inlined, and the result is plain JSON Schema 2020-12.
 */
import { isObject, type Json, type JsonObject } from "../../../generator/json.js";
import {
  ENVELOPE,
  getEventType,
  getList,
  getObject,
  type ProtocolFiles,
  readLayout,
} from "./protocol-files.js";

/** `emit`: what a writer may send. `read`: what a tolerant reader accepts. */
export type Reading = "emit" | "read";

const ANNOTATIONS = new Set([
  "$schema",
  "$comment",
  "$defs",
  "$anchor",
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "format",
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
  "x-stability",
  "x-since",
  "x-deprecated-since",
  "x-replaced-by",
  "x-renamed-from",
  "x-requires",
  "x-emitted-by",
  "x-group",
  "x-payload-property",
]);

/** Keywords whose subschemas describe the same value, and are closed together with what they stand in. */
export const IN_PLACE_LISTS = ["allOf", "anyOf", "oneOf"] as const;
export const IN_PLACE_SINGLES = ["then", "else"] as const;
const EXACT = new Set(["if", "not", "contains", "propertyNames", "x-writer"]);
const MAPS = new Set(["properties", "patternProperties", "dependentSchemas"]);
const SCHEMAS = new Set([
  "additionalProperties",
  "unevaluatedProperties",
  "items",
  "unevaluatedItems",
  ...IN_PLACE_SINGLES,
  ...EXACT,
]);
const LISTS = new Set<string>([...IN_PLACE_LISTS, "prefixItems"]);
const IN_PLACE = new Set<string>([...IN_PLACE_LISTS, ...IN_PLACE_SINGLES, "dependentSchemas"]);

/** Keywords beside a reference with which both describe one object, closed as a whole. */
const OBJECT_KEYWORDS = [
  ...IN_PLACE,
  "properties",
  "patternProperties",
  "additionalProperties",
  "required",
  "if",
  "not",
];

type Form = "value" | "branch" | "exact";

/**
 * The schema of complete messages of an event type, or of a resource, as it is written: references inlined, annotations
 * in place.
 */
export function createMessageSchema(files: ProtocolFiles, path: string): JsonObject {
  const { "x-stability": _label, ...payload } = inlineFile(files, path);
  const type = getEventType(path);
  return type === undefined ? payload : createEventSchema(files, type, payload);
}

function createEventSchema(files: ProtocolFiles, type: string, payload: JsonObject): JsonObject {
  const { discriminator, placement, property } = readLayout(files);
  const { "x-stability": _label, ...envelope } = inlineFile(files, ENVELOPE);
  const fields = getObject(envelope, "properties");
  const typed: JsonObject = {
    properties: { [discriminator]: { const: type } },
    required: [discriminator],
  };
  if (placement === "nested") {
    const { additionalProperties: _open, ...common } = getObject(fields, property ?? "");
    const body = declareFields(payload, Object.keys(getObject(common, "properties")));
    const properties = { ...fields, [property ?? ""]: { type: "object", allOf: [common, body] } };
    return { ...envelope, allOf: [...getList(envelope, "allOf"), typed], properties };
  }
  const carrier = payload["x-payload-property"];
  const body: JsonObject =
    placement === "inline"
      ? declareFields(payload, Object.keys(fields))
      : typeof carrier === "string"
        ? { properties: { [carrier]: payload }, required: [carrier] }
        : {};
  const { additionalProperties: _open, ...closed } = envelope;
  return { type: "object", allOf: [closed, body, typed] };
}

/** The payload with fields that are declared elsewhere, so that it does not take them for additional ones. */
function declareFields(payload: JsonObject, names: readonly string[]): JsonObject {
  if (names.length === 0) return payload;
  const declared = Object.fromEntries(names.map((name): [string, Json] => [name, true]));
  return { ...payload, properties: { ...declared, ...getObject(payload, "properties") } };
}

/** The root schema of a file with its references inlined. */
function inlineFile(files: ProtocolFiles, path: string): JsonObject {
  const schema = inlineReferences(files, path, readRootSchema(files, path), 0);
  return isObject(schema) ? schema : {};
}

/**
 * The root schema of a file as others see it: payloads have the fields that the envelope declares for all of them. An
 * envelope inside of a resource is closed: what stands in its room for payloads is compared with the events.
 */
function readRootSchema(files: ProtocolFiles, path: string): JsonObject {
  const { property = "" } = readLayout(files);
  const root = files[path] ?? {};
  const fields = getObject(files[ENVELOPE], "properties");
  const data = getObject(fields, property);
  if (path === ENVELOPE) {
    const closed = removeOpenContent(root);
    return property === ""
      ? closed
      : { ...closed, properties: { ...fields, [property]: removeOpenContent(data) } };
  }
  if (getEventType(path) === undefined || data.properties === undefined) return root;
  const common = inlineReferences(files, ENVELOPE, { properties: data.properties }, 0);
  return { ...root, properties: { ...getObject(common, "properties"), ...getObject(root, "properties") } };
}

function removeOpenContent({ additionalProperties, ...schema }: JsonObject): JsonObject {
  return additionalProperties === undefined || additionalProperties === true
    ? schema
    : { ...schema, additionalProperties };
}

function inlineReferences(files: ProtocolFiles, path: string, schema: Json, depth: number): Json {
  if (!isObject(schema)) return schema;
  // Random protocols are not recursive; a reference that never ends accepts everything.
  if (depth > 24) return {};
  const { $ref, $defs: _definitions, ...rest } = schema;
  const here: JsonObject = mapSubschemas(rest, (below) => inlineReferences(files, path, below, depth + 1));
  if (typeof $ref !== "string") return here;
  const [file = "", pointer = ""] = $ref.split("#");
  const there = file === "" ? path : resolvePath(path, file);
  const target = inlineReferences(files, there, getValueAt(readRootSchema(files, there), pointer), depth + 1);
  if (isObject(target) && !OBJECT_KEYWORDS.some((keyword) => Object.hasOwn(here, keyword))) {
    const shared = Object.keys(here).filter((keyword) => Object.hasOwn(target, keyword));
    if (shared.every((keyword) => ANNOTATIONS.has(keyword))) return { ...target, ...here };
  }
  const label = here["x-stability"] ?? (isObject(target) ? target["x-stability"] : undefined);
  const stability: JsonObject = label === undefined ? {} : { "x-stability": label };
  return { ...here, allOf: [...getList(here, "allOf"), target], ...stability };
}

function resolvePath(from: string, reference: string): string {
  const steps = from.split("/").slice(0, -1);
  for (const step of reference.split("/"))
    if (step === "..") steps.pop();
    else if (step !== ".") steps.push(step);
  return steps.join("/");
}

function getValueAt(document: Json, pointer: string): Json {
  let value: Json = document;
  for (const token of pointer.split("/").slice(1))
    value = (value as { [key: string]: Json })[token.replaceAll("~1", "/").replaceAll("~0", "~")] ?? {};
  return value;
}

/** A copy of `schema` with each direct subschema replaced. */
export function mapSubschemas(
  schema: JsonObject,
  replace: (subschema: Json, keyword: string) => Json,
): JsonObject {
  const entries = Object.entries(schema).map(([keyword, value]): [string, Json] => {
    if (SCHEMAS.has(keyword)) return [keyword, replace(value, keyword)];
    if (LISTS.has(keyword) && Array.isArray(value))
      return [keyword, value.map((each) => replace(each, keyword))];
    if (MAPS.has(keyword) && isObject(value))
      return [
        keyword,
        Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replace(each, keyword)])),
      ];
    return [keyword, value];
  });
  return Object.fromEntries(entries);
}

/** A message schema under a reading, as plain JSON Schema without annotations. */
export function applyReading(reading: Reading, schema: Json, form: Form = "value"): Json {
  if (!isObject(schema)) return schema;
  const below = mapSubschemas(schema, (subschema, keyword) =>
    applyReading(
      reading,
      subschema,
      form === "exact" || EXACT.has(keyword) ? "exact" : IN_PLACE.has(keyword) ? "branch" : "value",
    ),
  );
  const { "x-writer": writer, "x-extensible-enum": known, ...plain } = removeAnnotations(below);
  if (form === "exact") return plain;
  if (reading === "read") return openForReaders(plain);
  const allOf = [...getList(plain, "allOf")];
  if (Array.isArray(known)) allOf.push({ enum: addNull(known, plain.type) });
  if (writer !== undefined) allOf.push(writer);
  const written: JsonObject = allOf.length > 0 ? { ...plain, allOf } : plain;
  return form === "value" && isClosedForWriters(schema)
    ? { ...written, unevaluatedProperties: false }
    : written;
}

function removeAnnotations(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !ANNOTATIONS.has(keyword)));
}

function addNull(values: readonly Json[], type: Json | undefined): readonly Json[] {
  return Array.isArray(type) && type.includes("null") ? [...new Set([...values, null])] : values;
}

function openForReaders({ oneOf, ...schema }: JsonObject): JsonObject {
  const open = Object.fromEntries(
    Object.entries(schema).filter(
      ([keyword, value]) =>
        value !== false || !["additionalProperties", "unevaluatedProperties"].includes(keyword),
    ),
  );
  return oneOf === undefined ? open : { ...open, allOf: [...getList(open, "allOf"), { anyOf: oneOf }] };
}

/** Whether writers may send declared fields only: the schema describes an object and does not say itself what else passes. */
function isClosedForWriters(schema: JsonObject): boolean {
  const decided = ["additionalProperties", "unevaluatedProperties", "const", "enum"];
  if (decided.some((keyword) => Object.hasOwn(schema, keyword))) return false;
  if (schema.type !== undefined) return [schema.type].flat().includes("object");
  return [...walkInPlaceSchemas(schema)].some(
    (member) => Object.hasOwn(member, "properties") || Object.hasOwn(member, "required"),
  );
}

/** A schema and those that describe the same value through it. */
function* walkInPlaceSchemas(schema: Json | undefined): Generator<JsonObject> {
  if (!isObject(schema)) return;
  yield schema;
  for (const keyword of IN_PLACE_LISTS)
    for (const each of getList(schema, keyword)) yield* walkInPlaceSchemas(each);
  for (const keyword of ["then", "else", "if", "not"]) yield* walkInPlaceSchemas(schema[keyword]);
  for (const each of Object.values(getObject(schema, "dependentSchemas"))) yield* walkInPlaceSchemas(each);
}
