/** Lists the types that json-schema-to-typescript makes: payloads, envelope, resources and shared definitions. */
import type { JSONSchema } from "json-schema-to-typescript";
import { isObject, type JsonObject } from "../../json.js";
import {
  collectCommonFields,
  collectInheritedFields,
  findPayloadPlaceSchema,
} from "../../protocol/message-layout.js";
import { derivePayloadName, deriveResourceName } from "../../protocol/names.js";
import type { Envelope, EventType, Protocol } from "../../protocol/protocol.js";
import type { Definitions } from "../../schema/reference.js";
import { formatEventDoc, formatSchemaDoc } from "./doc.js";
import { encodeFieldName } from "./field-names.js";
import { createTypeSchema, listRequiredSets } from "./type-schema.js";

/** A type for json-schema-to-typescript to make. */
export interface WantedType {
  readonly name: string;
  readonly doc: string;
  readonly schema: JSONSchema;
  /** Sets of fields, if every value has all fields of at least one of the sets. */
  readonly sets?: readonly (readonly string[])[] | undefined;
  /** An interface that the type extends. */
  readonly base?: string | undefined;
}

/** The JSON types of payloads and envelopes, which are objects even if their schemas do not say so. */
const OBJECT_TYPE: ReadonlySet<string> = new Set(["object"]);

/** The interface of the fields that the envelope declares for every payload. */
const COMMON_INTERFACE = "PayloadFields";

/** Lists the types of the envelope, the resources and the definitions. */
export function listSharedTypes(protocol: Protocol): WantedType[] {
  const { envelope, resources, definitions } = protocol;
  const reservedNames = new Set([
    "Envelope",
    ...resources.map(({ name }) => deriveResourceName(name)),
    ...protocol.events.map(derivePayloadName),
  ]);
  const commonSchema = createCommonSchema(envelope);
  const createWanted = (name: string, schema: JsonObject, allowed?: ReadonlySet<string>): WantedType => ({
    name,
    doc: formatSchemaDoc(schema),
    schema: createTypeSchema(schema, definitions, allowed),
  });
  return [
    ...(commonSchema ? [createWanted(COMMON_INTERFACE, commonSchema, OBJECT_TYPE)] : []),
    {
      name: "Envelope",
      doc: formatSchemaDoc(envelope.schema),
      schema: createEnvelopeType(envelope, definitions),
    },
    ...resources.map(({ name, schema }) => createWanted(deriveResourceName(name), schema)),
    ...Object.entries(definitions)
      .filter(([name]) => !reservedNames.has(name))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { schema }]) =>
        isObject(schema)
          ? createWanted(name, schema)
          : { name, doc: "", schema: createTypeSchema(schema, definitions) },
      ),
  ];
}

/**
 * Creates the schema of the fields that the envelope declares for every payload. It has no `additionalProperties`, because no
 * interface can extend an index signature.
 */
function createCommonSchema(envelope: Envelope): JsonObject | undefined {
  const payload = findPayloadPlaceSchema(envelope);
  if (payload === undefined || envelope.payloadFields.length === 0) return undefined;
  const { additionalProperties: _open, description: _description, ...closed } = payload;
  return { ...closed, description: "The fields that every payload may have." };
}

function createEnvelopeType(envelope: Envelope, definitions: Definitions): JSONSchema {
  const { additionalProperties: _open, ...closed } = envelope.schema;
  const { property } = envelope;
  const type = createTypeSchema(closed, definitions, OBJECT_TYPE);
  if (property === undefined) return type;
  const payload = {
    tsType: createCommonSchema(envelope) ? COMMON_INTERFACE : "object",
    description: type.properties?.[encodeFieldName(property)]?.description ?? "",
  };
  return { ...type, properties: { ...type.properties, [encodeFieldName(property)]: payload } };
}

/** Creates the type of the payload of an event type that has one. */
export function createPayloadType({ envelope, definitions }: Protocol, event: EventType): WantedType {
  const { payload } = event;
  const commonFields = collectCommonFields(envelope);
  const inheritedFields = collectInheritedFields(envelope, payload);
  const isExtendable = payload.$ref === undefined && payload.allOf === undefined;
  const properties = isObject(payload.properties) ? Object.entries(payload.properties) : [];
  const fields = properties.filter(([name]) => !isExtendable || !inheritedFields.has(name));
  const overrides = fields.some(([name]) => Object.hasOwn(commonFields, name) && !inheritedFields.has(name));
  const base = overrides || fields.length < properties.length ? COMMON_INTERFACE : undefined;
  const extendsInterface = base !== undefined || envelope.placement === "inline";
  const schema = { ...payload, properties: Object.fromEntries(fields) };
  const type = createTypeSchema(
    { ...schema, ...(extendsInterface && createIndexSignature(schema)) },
    definitions,
    OBJECT_TYPE,
  );
  // A type that declares a field differently might not be able to extend the interface.
  const isIntersection = base !== undefined && (overrides || type.type !== "object");
  return {
    name: derivePayloadName(event),
    doc: formatEventDoc(event),
    schema: isIntersection ? { allOf: [{ tsType: base }, type] } : type,
    sets: listRequiredSets(payload),
    base: isIntersection ? undefined : base,
  };
}

/** Creates the `additionalProperties` of a type that extends an interface. The index signature also covers the fields of the interface, so it is of unknown type. */
function createIndexSignature(schema: JsonObject): JsonObject {
  const { additionalProperties: rest, patternProperties: patterns } = schema;
  return isObject(rest) || patterns !== undefined ? { additionalProperties: true } : {};
}
