/** Edits of single schemas of a protocol, addressed by file and pointer. */
import { createObject, getOwn, isObject, type Json, type JsonObject, splitPointer } from "../../json.js";
import { collectCommonFields, collectInheritedFields } from "../../protocol/message-layout.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Part, Spot } from "../../schema/describe.js";
import type { Definition } from "../../schema/json-schema.js";
import { listSubschemas } from "../../schema/walk.js";

/** Returns the schema that replaces an object schema. */
type SchemaEdit = (schema: JsonObject) => JsonObject;

/** Edits by the addresses of the schemas that they replace. */
export type SchemaEdits = ReadonlyMap<string, SchemaEdit>;

/** The file and the pointer of a schema. */
type SchemaAddress = Pick<Spot, "file" | "pointer">;

/** Returns the address of a schema, which is unique in one protocol. */
export function createAddress({ file, pointer }: SchemaAddress): string {
  return `${file}#${pointer}`;
}

/** Returns edits that remove keywords from all parts of a value's schema. */
export function dropKeywords(parts: readonly Part[], keywords: readonly string[]): SchemaEdits {
  const drop: SchemaEdit = (schema) =>
    Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));
  return new Map(parts.map((part) => [createAddress(part), drop]));
}

/** Keywords whose subschemas apply to the same value. `keepKeywords` keeps them, because their subschemas have edits, too. */
const SAME_VALUE_KEYWORDS = ["$ref", "allOf"];

/**
 * Returns edits that remove all keywords except `keywords` from all parts of a value's schema. `items` and
 * `prefixItems` become `true`: any item is allowed, and `unevaluatedItems` still sees it as evaluated.
 */
export function keepKeywords(parts: readonly Part[], keywords: readonly string[]): SchemaEdits {
  const keep: SchemaEdit = (schema) =>
    Object.fromEntries(
      Object.entries(schema).flatMap(([keyword, value]): [string, Json][] => {
        if (keywords.includes(keyword) || SAME_VALUE_KEYWORDS.includes(keyword)) return [[keyword, value]];
        if (keyword === "items") return [[keyword, true]];
        return keyword === "prefixItems" && Array.isArray(value) ? [[keyword, value.map(() => true)]] : [];
      }),
    );
  return new Map(parts.map((part) => [createAddress(part), keep]));
}

/** A field of an object whose schema consists of `parts`. */
export interface ObjectField {
  readonly parts: readonly SchemaAddress[];
  readonly name: string;
}

/** Returns edits after which each of the fields may have any value, or be absent. */
export function allowAnyFields(fields: readonly ObjectField[]): SchemaEdits {
  return createFieldEdits(fields, true, (schema, name) =>
    Array.isArray(schema.required)
      ? { ...schema, required: schema.required.filter((each) => each !== name) }
      : schema,
  );
}

/** Returns edits after which no value has any of the fields. */
export function forbidFields(fields: readonly ObjectField[]): SchemaEdits {
  return createFieldEdits(fields, false, (schema) => schema);
}

/** Returns edits after which the schemas accept no value. */
export function forbidValues(schemas: readonly SchemaAddress[]): SchemaEdits {
  return new Map(schemas.map((each) => [createAddress(each), () => ({ not: {} })]));
}

/**
 * Returns edits that give each field the schema `fieldSchema`, and that apply `editObject` to the schema of the object.
 * The first part always declares the field. The other parts do so only if they did before, because they may be
 * definitions that other values share.
 */
function createFieldEdits(
  fields: readonly ObjectField[],
  fieldSchema: boolean,
  editObject: (schema: JsonObject, name: string) => JsonObject,
): SchemaEdits {
  const edits = new Map<string, SchemaEdit>();
  for (const { parts, name } of fields)
    for (const [index, part] of parts.entries()) {
      const previousEdit = edits.get(createAddress(part));
      edits.set(createAddress(part), (original) => {
        const schema = editObject(previousEdit?.(original) ?? original, name);
        const properties = isObject(schema.properties) ? schema.properties : {};
        if (index > 0 && !Object.hasOwn(properties, name)) return schema;
        return { ...schema, properties: { ...properties, [name]: fieldSchema } };
      });
    }
  return edits;
}

/** Applies `edits` to the schema at `address` and to its subschemas. Returns the same object if nothing is edited. */
export function editSchema(schema: Json, address: SchemaAddress, edits: SchemaEdits): Json {
  if (!isObject(schema) || !hasEditAtOrBelow(address, edits)) return schema;
  let editedSchema = schema;
  for (const sub of listSubschemas(schema)) {
    const next = editSchema(
      sub.schema,
      { file: address.file, pointer: address.pointer + sub.pointer },
      edits,
    );
    if (next !== sub.schema) editedSchema = replaceAt(editedSchema, sub.pointer, next);
  }
  return edits.get(createAddress(address))?.(editedSchema) ?? editedSchema;
}

/** Returns the protocol with `edits` applied to its envelope, its payloads, its resources and its definitions. */
export function editProtocol(protocol: Protocol, edits: SchemaEdits): Protocol {
  if (edits.size === 0) return protocol;
  const edit = (schema: JsonObject, at: SchemaAddress): JsonObject =>
    editSchema(schema, at, edits) as JsonObject;
  const { envelope } = protocol;
  const schema = edit(envelope.schema, envelope.at);
  return {
    ...protocol,
    envelope: schema === envelope.schema ? envelope : { ...envelope, schema },
    events: protocol.events.map((event) => {
      const payload = replaceCommonFields(edit(event.payload, event.at), envelope, schema);
      return payload === event.payload ? event : { ...event, payload };
    }),
    resources: protocol.resources.map((resource) => {
      const editedSchema = edit(resource.schema, resource.at);
      return editedSchema === resource.schema ? resource : { ...resource, schema: editedSchema };
    }),
    definitions: editDefinitions(protocol.definitions, edits),
  };
}

/** Applies `edits` to definitions. */
export function editDefinitions(definitions: Protocol["definitions"], edits: SchemaEdits) {
  const edited: { [name: string]: Definition } = { ...definitions };
  for (const [name, definition] of Object.entries(definitions)) {
    const schema = editSchema(definition.schema, definition.at, edits) as Definition["schema"];
    if (schema !== definition.schema) edited[name] = { ...definition, schema };
  }
  return edited;
}

/** Replaces the fields that a payload inherits from the envelope by those of the edited envelope. */
function replaceCommonFields(
  payload: JsonObject,
  envelope: Protocol["envelope"],
  editedSchema: JsonObject,
): JsonObject {
  if (envelope.schema === editedSchema || !isObject(payload.properties)) return payload;
  const after = collectCommonFields({ ...envelope, schema: editedSchema });
  const inheritedFields = [...collectInheritedFields(envelope, payload)];
  const { properties } = payload;
  if (inheritedFields.every((name) => getOwn(after, name) === getOwn(properties, name))) return payload;
  const newFields = createObject(
    inheritedFields.map((name): [string, Json] => [name, getOwn(after, name) ?? true]),
  );
  return { ...payload, properties: { ...properties, ...newFields } };
}

/** Returns whether an edit concerns the schema at an address or a schema below it. */
function hasEditAtOrBelow(schemaAddress: SchemaAddress, edits: SchemaEdits): boolean {
  const address = createAddress(schemaAddress);
  for (const each of edits.keys()) if (each === address || each.startsWith(`${address}/`)) return true;
  return false;
}

/** Returns `value` with the part at `pointer` replaced. */
function replaceAt(value: JsonObject, pointer: string, part: Json): JsonObject {
  const replace = (holder: Json, [token, ...rest]: readonly string[]): Json => {
    if (token === undefined) return part;
    if (Array.isArray(holder))
      return holder.map((each, index) => (String(index) === token ? replace(each, rest) : each));
    return isObject(holder) ? { ...holder, [token]: replace(getOwn(holder, token) ?? null, rest) } : holder;
  };
  return replace(value, splitPointer(pointer)) as JsonObject;
}
