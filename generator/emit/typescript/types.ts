import type { JSONSchema } from "json-schema-to-typescript";
import type { Cache } from "../../cache/cache.js";
import { findPayloadCarrier, hasPayload } from "../../protocol/message-layout.js";
import { deriveEventName, derivePayloadName, deriveUnionName } from "../../protocol/names.js";
import type { EventType, OutputFile, Protocol } from "../../protocol/protocol.js";
import { sha256Hex } from "../../sha256.js";
import { formatLiteral } from "../../text.js";
import { createEventKeys } from "../event-keys.js";
import { BANNER } from "../text.js";
import { type CompiledType, compileTypes } from "./compile-types.js";
import { type Declaration, type Member, printDeclarations } from "./declaration.js";
import { formatDocText, formatEventDoc } from "./doc.js";
import { decodeFieldNames } from "./field-names.js";
import { formatTypeKey } from "./type-schema.js";
import { createPayloadType, listSharedTypes, type WantedType } from "./wanted-types.js";

/**
 * Writes `types.ts`: an interface for every payload, event, resource and shared definition, and the closed union of all
 * events. json-schema-to-typescript makes the types of fields, and ts-morph writes and checks the declarations. The library
 * gets each field of an interface separately and without its description, so that it makes the type of equal fields once.
 * What is in the cache is not made again.
 */
export async function emitTypes(protocol: Protocol, cache?: Cache): Promise<OutputFile> {
  const declarations = new Map((await declareTypes(protocol, cache)).map((each) => [each.name, each]));
  const statements = [
    ...declarations.values(),
    ...protocol.events.map((event) => declareEvent(protocol, event, declarations)),
    ...declareUnions(protocol),
  ];
  const code = printDeclarations(statements, cache?.openPieces(`types-${protocol.id.replaceAll("/", "-")}`));
  return { path: `${protocol.id}/types.ts`, content: `${BANNER}\n${code}` };
}

/** Declares all types except the events. */
async function declareTypes(protocol: Protocol, cache: Cache | undefined): Promise<Declaration[]> {
  const pieces = cache?.openPieces(`types-${protocol.id.replaceAll("/", "-")}`);
  const createEventKey = cache && createEventKeys(protocol, "type");
  const parts = [
    ...listSharedTypes(protocol).map((type) => ({
      key: `shared ${sha256Hex(JSON.stringify(type))}`,
      create: () => type,
    })),
    ...protocol.events
      .filter((event) => hasPayload(protocol.envelope, event))
      .map((event) => ({
        key: createEventKey?.(event) ?? "",
        create: () => createPayloadType(protocol, event),
      })),
  ];
  const known = parts.map(({ key }) => pieces?.find(key));
  const missing = parts.map(({ create }, index) => {
    if (known[index] !== undefined) return undefined;
    const type = create();
    return { ...type, fields: listFields(type) };
  });
  const findType = await compileTypes(
    missing.flatMap((type) => (type ? (type.fields?.map(({ schema }) => schema) ?? [type.schema]) : [])),
    pieces,
  );
  return parts.flatMap(({ key }, index): Declaration[] => {
    const type = missing[index];
    if (type === undefined) return JSON.parse(known[index] ?? "[]");
    const declared = declareType(type, findType);
    pieces?.add(key, JSON.stringify(declared));
    return declared;
  });
}

/** A member of an interface, without its type. */
interface Field {
  readonly name: string;
  readonly doc: string;
  readonly isRequired: boolean;
  readonly schema: JSONSchema;
}

/** Lists the members of an interface, with its index signature as the first. Returns undefined for other types. */
function listFields({ schema }: WantedType): Field[] | undefined {
  const { type, properties = {}, required, additionalProperties: index } = schema;
  if (type !== "object") return undefined;
  const createField = (
    name: string,
    { description = "", ...rest }: JSONSchema,
    isRequired: boolean,
  ): Field => ({
    name,
    doc: description,
    isRequired,
    schema: rest,
  });
  return [
    ...(index ? [createField("[k: string]", index === true ? { tsType: "unknown" } : index, true)] : []),
    ...Object.entries(properties).map(([key, field]) =>
      createField(
        formatTypeKey(decodeFieldNames(key)),
        field,
        Array.isArray(required) && required.includes(key),
      ),
    ),
  ];
}

/** Declares a type. An object type becomes an interface; with sets of required fields, an interface and an alias. */
function declareType(
  { name, doc, sets, base, schema, fields }: WantedType & { readonly fields: Field[] | undefined },
  findType: (schema: JSONSchema) => CompiledType,
): Declaration[] {
  if (fields === undefined) return [declareAlias(name, findType(schema).code, doc)];
  const members = fields.map(({ schema: fieldSchema, doc: fieldDoc, ...field }): Member => {
    const type = findType(fieldSchema);
    return {
      ...field,
      type: type.code,
      doc: [fieldDoc, type.doc].filter((part) => part !== "").join("\n\n"),
    };
  });
  const bases = base === undefined ? [] : [base];
  if (!sets) return [declareInterface(name, members, doc, bases)];
  const interfaceName = `${name}Fields`;
  const alternatives = sets.map(
    (set) => `Required<Pick<${interfaceName}, ${set.map((field) => formatLiteral(field)).join(" | ")}>>`,
  );
  return [
    declareInterface(
      interfaceName,
      members,
      `The fields of {@link ${name}}, which has some of them for certain.`,
      bases,
    ),
    declareAlias(name, `${interfaceName} & (${alternatives.join(" | ")})`, doc),
  ];
}

function declareInterface(
  name: string,
  members: readonly Member[],
  doc: string,
  bases: readonly string[] = [],
): Declaration {
  return { name, doc, members, bases };
}

function declareAlias(name: string, type: string, doc: string): Declaration {
  return { name, doc, type };
}

function declareEvent(
  { envelope }: Protocol,
  event: EventType,
  declarations: ReadonlyMap<string, Declaration>,
): Declaration {
  const name = deriveEventName(event);
  const doc = formatEventDoc(event);
  const payload = derivePayloadName(event);
  const carrier = findPayloadCarrier(envelope, event);
  const discriminator = { name: formatTypeKey(envelope.discriminator), type: formatLiteral(event.type) };
  const fields = [
    discriminator,
    ...(carrier === undefined ? [] : [{ name: formatTypeKey(carrier), type: payload }]),
  ];
  const isInline = envelope.placement === "inline";
  const isInterface = (typeName: string): boolean => declarations.get(typeName)?.members !== undefined;
  if (!isInterface("Envelope") || (isInline && !isInterface(payload))) {
    const members = fields.map((field) => `${field.name}: ${field.type}`).join("; ");
    return declareAlias(name, `Envelope & ${isInline ? `${payload} & ` : ""}{ ${members} }`, doc);
  }
  const bases = isInline ? ["Envelope", payload] : ["Envelope"];
  return declareInterface(name, isInline ? [discriminator] : fields, doc, bases);
}

function declareUnions(protocol: Protocol): Declaration[] {
  const { envelope, events } = protocol;
  const mapEvents = (formatType: (event: EventType) => string): Member[] =>
    events.map((event) => ({ name: formatLiteral(event.type), type: formatType(event) }));
  const formatPayload = (event: EventType): string =>
    hasPayload(envelope, event) ? derivePayloadName(event) : "undefined";
  const unknownEvent =
    envelope.property === undefined
      ? "Envelope & { [field: string]: unknown }"
      : `Envelope & { ${formatTypeKey(envelope.property)}: { [field: string]: unknown } }`;
  return [
    declareInterface("EventMap", mapEvents(deriveEventName), "Events by type."),
    declareInterface("PayloadMap", mapEvents(formatPayload), "Payloads by event type."),
    declareAlias("EventType", "keyof EventMap", "Every event type, as it stands on the wire."),
    declareAlias(
      deriveUnionName(protocol.name),
      events.length === 0 ? "never" : "EventMap[EventType]",
      formatDocText([
        `Every event. \`switch (event.${envelope.discriminator})\` narrows it, and the union is closed: an event type that is not handled is an error where the switch must be complete.`,
      ]),
    ),
    declareAlias("EventOf<Type extends EventType>", "EventMap[Type]", "The event of a type."),
    declareAlias("PayloadOf<Type extends EventType>", "PayloadMap[Type]", "The payload of a type."),
    declareAlias(
      "UnknownEvent",
      unknownEvent,
      "An event of a type that this version does not know: a valid envelope around an opaque payload.",
    ),
  ];
}
