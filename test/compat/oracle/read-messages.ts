/**
 * Creates the two readings of complete messages as docs/authoring-schemas.md describes them, without code of generator/.
 * Reads schemas from the files, inlines references, and returns plain JSON Schema 2020-12.
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

/** A reading of a schema. "emit": a writer may send the message. "read": a tolerant reader accepts it. */
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
  "x-source",
  "x-group",
  "x-payload-property",
]);

/** Keywords whose subschemas describe the same value. They are closed together with the schema around them. */
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

/** Keywords beside a reference that make it a part of one object, which is closed as a whole. */
const OBJECT_KEYWORDS = [
  ...IN_PLACE,
  "properties",
  "patternProperties",
  "additionalProperties",
  "required",
  "if",
  "not",
];

/** The position of a schema: it describes a whole value, is a branch of another schema, or is read as it is written. */
type Form = "value" | "branch" | "exact";

/** Returns the schema of complete messages of an event type or a resource, with references inlined and annotations kept. */
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
  const { additionalProperties: _open, ...closed } = envelope;
  const key = payload["x-payload-property"];
  let body: JsonObject = {};
  if (placement === "inline") body = declareFields(payload, Object.keys(fields));
  else if (typeof key === "string") body = { properties: { [key]: payload }, required: [key] };
  return { type: "object", allOf: [closed, body, typed] };
}

/** Declares fields of the envelope in the payload, so that they are not additional ones there. */
function declareFields(payload: JsonObject, names: readonly string[]): JsonObject {
  if (names.length === 0) return payload;
  const declared = Object.fromEntries(names.map((name): [string, Json] => [name, true]));
  return { ...payload, properties: { ...declared, ...getObject(payload, "properties") } };
}

/** Returns the root schema of a file with its references inlined. */
function inlineFile(files: ProtocolFiles, path: string): JsonObject {
  const schema = inlineReferences(files, path, readRootSchema(files, path), 0);
  return isObject(schema) ? schema : {};
}

/**
 * Returns the root schema of a file as references see it. A payload has the fields that the envelope declares for all
 * payloads. An envelope inside of a resource is closed, because its payloads are compared with the events.
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
  // Random protocols are not recursive, so this depth is not reached. A recursive reference would accept everything.
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

/** Returns a copy of `schema` with each direct subschema replaced. */
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

/** Returns a message schema under a reading, as plain JSON Schema without annotations. */
export function applyReading(reading: Reading, schema: Json, form: Form = "value"): Json {
  if (!isObject(schema)) return schema;
  const below = mapSubschemas(schema, (subschema, keyword) =>
    applyReading(reading, subschema, form === "exact" ? "exact" : getForm(keyword)),
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

function getForm(keyword: string): Form {
  if (EXACT.has(keyword)) return "exact";
  return IN_PLACE.has(keyword) ? "branch" : "value";
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

/** Returns true if writers may send only declared fields: the schema describes an object and has no keyword about others. */
function isClosedForWriters(schema: JsonObject): boolean {
  const decided = ["additionalProperties", "unevaluatedProperties", "const", "enum"];
  if (decided.some((keyword) => Object.hasOwn(schema, keyword))) return false;
  if (schema.type !== undefined) return [schema.type].flat().includes("object");
  return [...walkInPlaceSchemas(schema)].some(
    (member) => Object.hasOwn(member, "properties") || Object.hasOwn(member, "required"),
  );
}

/** Yields a schema and its subschemas that describe the same value, also those in the keywords `more`. */
export function* walkInPlaceSchemas(
  schema: Json | undefined,
  more: readonly string[] = [],
): Generator<JsonObject> {
  if (!isObject(schema)) return;
  yield schema;
  const below = [
    ...IN_PLACE_LISTS.flatMap((keyword) => getList(schema, keyword)),
    ...[...IN_PLACE_SINGLES, "if", "not", ...more].map((keyword) => schema[keyword]),
    ...Object.values(getObject(schema, "dependentSchemas")),
  ];
  for (const each of below) yield* walkInPlaceSchemas(each, more);
}
