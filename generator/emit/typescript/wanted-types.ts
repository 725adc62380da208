/** The types that json-schema-to-typescript is asked for: payloads, envelope, resources and shared definitions. */
import type { JSONSchema } from "json-schema-to-typescript";
import { isObject, type JsonObject } from "../../json.js";
import { commonFields, hasPayload, inheritedFields, payloadPlace } from "../../protocol/message-layout.js";
import { payloadName, resourceName } from "../../protocol/names.js";
import type { Envelope, Protocol } from "../../protocol/protocol.js";
import type { Definitions } from "../../schema/reference.js";
import { formatEventDoc, formatSchemaDoc } from "./doc.js";
import { fieldKey, requiredSets, typeSchema } from "./type-schema.js";

/** A type that json-schema-to-typescript is asked for. */
export interface Wanted {
  readonly name: string;
  readonly doc: string;
  readonly schema: JSONSchema;
  /** Sets of fields of which one must be there as a whole. */
  readonly sets?: readonly (readonly string[])[] | undefined;
  /** An interface that holds some of its fields already. */
  readonly base?: string | undefined;
  /** Whether it redeclares one of those fields, perhaps so that it could not extend the interface. */
  readonly overrides?: boolean;
}

/** Payloads and the message around them are objects, whether or not their schemas say so. */
const OBJECT: ReadonlySet<string> = new Set(["object"]);

/** The interface of the fields that the envelope declares for every payload. */
const COMMON = "PayloadFields";

/** Everything that types.ts declares by name, apart from the events themselves. */
export function wantedTypes(protocol: Protocol): readonly Wanted[] {
  return [...shared(protocol), ...payloads(protocol)];
}

function shared(protocol: Protocol): Wanted[] {
  const { envelope, resources, definitions } = protocol;
  const wholes = new Set([
    "Envelope",
    ...resources.map(({ name }) => resourceName(name)),
    ...protocol.events.map(({ type }) => payloadName(type)),
  ]);
  const common = commonType(envelope);
  const want = (name: string, schema: JsonObject, within?: ReadonlySet<string>): Wanted => ({
    name,
    doc: formatSchemaDoc(schema),
    schema: typeSchema(schema, definitions, within),
  });
  return [
    ...(common ? [want(COMMON, common, OBJECT)] : []),
    { name: "Envelope", doc: formatSchemaDoc(envelope.schema), schema: envelopeType(envelope, definitions) },
    ...resources.map(({ name, schema }) => want(resourceName(name), schema)),
    ...Object.entries(definitions)
      .filter(([name]) => !wholes.has(name))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { schema }]) =>
        isObject(schema) ? want(name, schema) : { name, doc: "", schema: typeSchema(schema, definitions) },
      ),
  ];
}

/** The payload's schema in the envelope, without its explicit openness: no interface could extend an index signature. */
function commonType(envelope: Envelope): JsonObject | undefined {
  const payload = payloadPlace(envelope);
  if (payload === undefined || envelope.payloadFields.length === 0) return undefined;
  const { additionalProperties: _open, description: _description, ...closed } = payload;
  return { ...closed, description: "The fields that every payload may have." };
}

function envelopeType(envelope: Envelope, definitions: Definitions): JSONSchema {
  const { additionalProperties: _open, ...closed } = envelope.schema;
  const { property } = envelope;
  const type = typeSchema(closed, definitions, OBJECT);
  if (property === undefined) return type;
  const key = fieldKey(property);
  const payload = {
    tsType: commonType(envelope) ? COMMON : "object",
    description: type.properties?.[key]?.description ?? "",
  };
  return { ...type, properties: { ...type.properties, [key]: payload } };
}

function payloads({ events, envelope, definitions }: Protocol): Wanted[] {
  const common = commonFields(envelope);
  return events
    .filter((event) => hasPayload(envelope, event))
    .map((event) => {
      const { payload } = event;
      const inherited = inheritedFields(envelope, payload);
      const extendable = payload.$ref === undefined && payload.allOf === undefined;
      const properties = isObject(payload.properties) ? Object.entries(payload.properties) : [];
      const fields = properties.filter(([name]) => !extendable || !inherited.has(name));
      const overrides = fields.some(([name]) => Object.hasOwn(common, name) && !inherited.has(name));
      const base = overrides || fields.length < properties.length ? COMMON : undefined;
      const shares = base !== undefined || envelope.placement === "inline";
      const schema = { ...payload, properties: Object.fromEntries(fields) };
      return {
        name: payloadName(event.type),
        doc: formatEventDoc(event),
        schema: typeSchema({ ...schema, ...(shares && withIndexSignature(schema)) }, definitions, OBJECT),
        sets: requiredSets(payload),
        base,
        overrides,
      };
    });
}

/** An index signature must cover the fields of other interfaces too, so its values can only be unknown. */
function withIndexSignature(schema: JsonObject): JsonObject {
  const { additionalProperties: rest, patternProperties: patterns } = schema;
  return isObject(rest) || patterns !== undefined ? { additionalProperties: true } : {};
}
