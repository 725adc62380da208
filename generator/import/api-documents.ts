/**
 * Reads the schemas of OpenAPI and AsyncAPI documents as JSON Schemas. Their places in the document stay the same, so that
 * references and findings lead to them.
 */
import {
  getOwn,
  getValueAtPointer,
  isObject,
  type Json,
  type JsonObject,
  joinPointer,
  listItems,
} from "../json.js";
import { DIALECTS, type Dialect, SCHEMA_URI } from "../schema/dialects.js";
import { decodeFragment } from "../schema/resolve.js";
import { ImportError } from "./import-error.js";

/** The kinds of documents, by the field that states their version. */
const KINDS = { openapi: "OpenAPI", swagger: "OpenAPI", asyncapi: "AsyncAPI" } as const;

/** Returns the kind of a document, such as OpenAPI; undefined for a JSON Schema. */
export function findApiKind(document: Json | undefined): (typeof KINDS)[keyof typeof KINDS] | undefined {
  if (!isObject(document)) return undefined;
  const fields = ["openapi", "swagger", "asyncapi"] as const;
  const field = fields.find((each) => typeof document[each] === "string");
  return field && KINDS[field];
}

/**
 * Returns a document with the keywords of JSON Schema in the place of those that OpenAPI has of its own: `nullable` of
 * OpenAPI 3.0, and `discriminator`. The document states the dialect of its schemas. Other documents stay as they are.
 */
export function convertApiDocument(document: Json): Json {
  const kind = findApiKind(document);
  if (kind === undefined || !isObject(document)) return document;
  const isOld = kind === "OpenAPI" && !/^3\.[1-9]/.test(String(document.openapi));
  const dialect = kind === "AsyncAPI" ? readDialects(document)[0] : isOld ? "draft4" : "2020-12";
  const convert = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(convert);
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(([name, child]) => [
      name,
      VALUE_KEYWORDS.has(name) ? child : convert(child),
    ]);
    const copy: JsonObject = Object.fromEntries(entries);
    return narrowAlternatives(isOld ? allowNull(copy) : copy, document);
  };
  return { ...(convert(document) as JsonObject), $schema: SCHEMA_URI[dialect ?? "draft7"] };
}

/** Returns the dialects that the messages of an AsyncAPI document state. */
function readDialects(document: Json): Dialect[] {
  const versions = [...listMessages(document).keys()].map((pointer) => {
    const format = readFormat(getValueAtPointer(document, pointer) as JsonObject);
    return /version=draft-0?([\w-]+)/.exec(String(format))?.[1];
  });
  return DIALECTS.filter((each) => versions.includes(each.replace("draft", "")));
}

/** Returns the `schemaFormat` of a message, which stands beside its payload or, with the schema, in it. */
function readFormat({ payload, schemaFormat }: JsonObject): Json | undefined {
  return isObject(payload) && payload.schemaFormat !== undefined ? payload.schemaFormat : schemaFormat;
}

/** Keywords whose values are no schemas. */
const VALUE_KEYWORDS = new Set(["example", "examples", "default", "enum", "const"]);

/** Replaces `nullable` beside a type, where it has an effect. */
function allowNull(schema: JsonObject): JsonObject {
  const { nullable, ...rest } = schema;
  return nullable === true && typeof rest.type === "string" ? { ...rest, type: [rest.type, "null"] } : schema;
}

/** Requires the values of a `discriminator` in the alternatives of a union, where the alternatives state no values themselves. */
function narrowAlternatives(schema: JsonObject, document: JsonObject): JsonObject {
  const { discriminator, ...rest } = schema;
  const keyword = ["oneOf", "anyOf"].find((each) => Array.isArray(schema[each]));
  if (!isObject(discriminator) || typeof discriminator.propertyName !== "string" || keyword === undefined)
    return schema;
  const { propertyName: field, mapping } = discriminator;
  const targets = Object.entries(isObject(mapping) ? mapping : {});
  const branches = listItems(schema[keyword]).map((branch) => {
    const reference = isObject(branch) ? branch.$ref : undefined;
    if (typeof reference !== "string" || statesValues(reference, field, document)) return branch;
    const name = reference.split("/").at(-1) ?? "";
    const mapped = targets.filter(([, target]) => target === reference || target === name);
    const values = mapped.length > 0 ? mapped.map(([value]) => value) : [name];
    return { allOf: [branch], properties: { [field]: { enum: values } }, required: [field] };
  });
  return { ...rest, [keyword]: branches };
}

/** Returns whether the schema behind a reference lists the values of a field, itself or in an `allOf`. */
function statesValues(reference: string, field: string, document: JsonObject): boolean {
  if (!reference.startsWith("#/")) return false;
  const target = getValueAtPointer(document, decodeFragment(reference.slice(1)));
  const parts = isObject(target) ? [target, ...(Array.isArray(target.allOf) ? target.allOf : [])] : [];
  return parts.some((part) => {
    const property = isObject(part) && isObject(part.properties) ? getOwn(part.properties, field) : undefined;
    return isObject(property) && (property.const !== undefined || property.enum !== undefined);
  });
}

/** The payload of a message of an AsyncAPI document. */
interface Payload {
  readonly name: string;
  readonly pointer: string;
}

/** The payloads of the messages of an AsyncAPI document, and the names of the messages of which something is left out. */
interface Payloads {
  readonly payloads: readonly Payload[];
  readonly withHeaders: readonly string[];
  readonly withoutPayload: readonly string[];
}

/** Lists the payloads of an AsyncAPI document. Throws an ImportError for a payload that is no JSON Schema. */
export function listPayloads(file: string, document: Json): Payloads {
  const dialects = readDialects(document);
  if (dialects.length > 1)
    throw new ImportError(`${file}: its messages have schemas of several dialects: ${dialects.join(", ")}.`);
  const payloads: Payload[] = [];
  const withHeaders: string[] = [];
  const withoutPayload: string[] = [];
  for (const [pointer, key] of listMessages(document)) {
    const message = getValueAtPointer(document, pointer) as JsonObject;
    const name = typeof message.name === "string" ? message.name : key;
    const hasFormat = isObject(message.payload) && message.payload.schemaFormat !== undefined;
    const format = readFormat(message);
    if (format !== undefined && !/schema\+json|vnd\.aai\.asyncapi|schema\+yaml/.test(String(format)))
      throw new ImportError(
        `${file}: the payload of the message ${name} is not a JSON Schema, but ${format}.`,
      );
    if (message.headers !== undefined) withHeaders.push(name);
    if (message.payload === undefined) withoutPayload.push(name);
    else payloads.push({ name, pointer: joinPointer(pointer, "payload", ...(hasFormat ? ["schema"] : [])) });
  }
  return { payloads, withHeaders, withoutPayload };
}

/** Lists the pointers of all messages with their keys: those of the components first, then those that only channels have. */
function listMessages(document: Json): ReadonlyMap<string, string> {
  const messages = new Map<string, string>();
  const visited = new Set<string>();
  const add = (pointer: string, key: string): void => {
    const value = getValueAtPointer(document, pointer);
    if (!isObject(value) || visited.has(pointer)) return;
    visited.add(pointer);
    if (typeof value.$ref === "string") {
      // A message of a channel refers to one of the components, or to one of another channel.
      if (value.$ref.startsWith("#/")) add(decodeFragment(value.$ref.slice(1)), key);
    } else if (Array.isArray(value.oneOf))
      for (const index of value.oneOf.keys())
        add(joinPointer(pointer, "oneOf", index), `${key}.${index + 1}`);
    else messages.set(pointer, key);
  };
  const addAll = (...path: readonly string[]): void => {
    const map = getValueAtPointer(document, joinPointer("", ...path));
    for (const key of isObject(map) ? Object.keys(map) : []) add(joinPointer("", ...path, key), key);
  };
  addAll("components", "messages");
  const channels = getValueAtPointer(document, "/channels");
  for (const channel of isObject(channels) ? Object.keys(channels) : []) {
    addAll("channels", channel, "messages");
    for (const operation of ["publish", "subscribe"])
      add(joinPointer("", "channels", channel, operation, "message"), channel);
  }
  return messages;
}
