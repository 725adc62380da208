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
import { resolveRelativePath } from "./resources.js";

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
  // Messages in other files have the dialect of their own files.
  const readOnlyThis: ReadDocument = (file) => (file === "" ? document : undefined);
  const messages = kind === "AsyncAPI" ? [...listMessages("", readOnlyThis).values()] : [];
  const dialect = kind === "AsyncAPI" ? readDialects(messages)[0] : isOld ? "draft4" : "2020-12";
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

/** Returns the dialects that messages state. */
function readDialects(messages: readonly Message[]): Dialect[] {
  const versions = messages.map(
    ({ value }) => /version=draft-0?([\w-]+)/.exec(String(readFormat(value)))?.[1],
  );
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

/** A part of a document. */
interface Place {
  readonly file: string;
  readonly pointer: string;
}

/** The payload of a message of an AsyncAPI document. */
interface Payload extends Place {
  readonly name: string;
}

/** The payloads of the messages of an AsyncAPI document, and the names of the messages of which something is left out. */
interface Payloads {
  readonly payloads: readonly Payload[];
  readonly withHeaders: readonly string[];
  readonly withoutPayload: readonly string[];
}

/** Returns the document in a file; undefined if it cannot be read. */
type ReadDocument = (file: string) => Json | undefined;

/**
 * Lists the payloads of an AsyncAPI document. Throws an ImportError for a payload that is no JSON Schema, and for a message
 * or a channel in a file that cannot be read.
 */
export function listPayloads(file: string, read: ReadDocument): Payloads {
  const messages = listMessages(file, read, (reference) => {
    throw new ImportError(
      `${file}: the reference ${JSON.stringify(reference)} does not lead to a message or a channel that can be read.`,
    );
  });
  const dialects = readDialects([...messages.values()]);
  if (dialects.length > 1)
    throw new ImportError(`${file}: its messages have schemas of several dialects: ${dialects.join(", ")}.`);
  const payloads: Payload[] = [];
  const withHeaders: string[] = [];
  const withoutPayload: string[] = [];
  for (const { place, key, value } of messages.values()) {
    const name = typeof value.name === "string" ? value.name : key;
    const hasFormat = isObject(value.payload) && value.payload.schemaFormat !== undefined;
    const format = readFormat(value);
    if (format !== undefined && !/schema\+json|vnd\.aai\.asyncapi|schema\+yaml/.test(String(format)))
      throw new ImportError(
        `${file}: the payload of the message ${name} is not a JSON Schema, but ${format}.`,
      );
    if (value.headers !== undefined) withHeaders.push(name);
    const pointer = joinPointer(place.pointer, "payload", ...(hasFormat ? ["schema"] : []));
    if (value.payload === undefined) withoutPayload.push(name);
    else payloads.push({ name, file: place.file, pointer });
  }
  return { payloads, withHeaders, withoutPayload };
}

/** A message of an AsyncAPI document, with its key there. */
interface Message {
  readonly place: Place;
  readonly key: string;
  readonly value: JsonObject;
}

/**
 * Lists all messages by their places: those of the components first, then those that only channels have. Messages and channels may
 * be in other files. `refuse` is called for references that lead nowhere; by default they are ignored.
 */
function listMessages(
  file: string,
  read: ReadDocument,
  refuse: (reference: string) => void = () => {},
): ReadonlyMap<string, Message> {
  const messages = new Map<string, Message>();
  const visited = new Set<string>();
  const getValue = (place: Place): Json | undefined => {
    const document = read(place.file);
    return document === undefined ? undefined : getValueAtPointer(document, place.pointer);
  };
  /** Returns the object at a place, or the one to which a reference there leads. */
  const follow = (place: Place): { readonly place: Place; readonly value: JsonObject } | undefined => {
    const met = new Set<string>();
    let at = place;
    for (let value = getValue(at); isObject(value); value = getValue(at)) {
      if (typeof value.$ref !== "string") return { place: at, value };
      const [base = "", fragment = ""] = value.$ref.split("#");
      const target = base === "" ? at.file : resolveRelativePath(base, at.file);
      const next = { file: target ?? "", pointer: decodeFragment(fragment) };
      // References in a circle stand for nothing.
      const name = `${next.file}#${next.pointer}`;
      if (met.has(name)) return undefined;
      if (target === undefined || !isObject(getValue(next))) {
        refuse(value.$ref);
        return undefined;
      }
      met.add(name);
      at = next;
    }
    return undefined;
  };
  const below = ({ file: own, pointer }: Place, ...path: readonly (string | number)[]): Place => ({
    file: own,
    pointer: joinPointer(pointer, ...path),
  });
  const add = (at: Place, key: string): void => {
    const found = follow(at);
    const name = found && `${found.place.file}#${found.place.pointer}`;
    if (found === undefined || name === undefined || visited.has(name)) return;
    visited.add(name);
    const { place, value } = found;
    if (Array.isArray(value.oneOf))
      for (const index of value.oneOf.keys()) add(below(place, "oneOf", index), `${key}.${index + 1}`);
    else messages.set(name, { place, key, value });
  };
  const addAll = (place: Place): void => {
    const map = getValue(place);
    for (const key of isObject(map) ? Object.keys(map) : []) add(below(place, key), key);
  };
  const root = { file, pointer: "" };
  addAll(below(root, "components", "messages"));
  const channels = getValue(below(root, "channels"));
  for (const name of isObject(channels) ? Object.keys(channels) : []) {
    const channel = follow(below(root, "channels", name));
    if (channel === undefined) continue;
    addAll(below(channel.place, "messages"));
    for (const operation of ["publish", "subscribe"]) add(below(channel.place, operation, "message"), name);
  }
  return messages;
}
