import type { JSONSchema } from "json-schema-to-typescript";
import {
  IndentationText,
  type InterfaceDeclarationStructure,
  Project,
  StructureKind,
  type TypeAliasDeclarationStructure,
} from "ts-morph";
import { findPayloadCarrier, hasPayload } from "../../protocol/message-layout.js";
import { deriveEventName, derivePayloadName, deriveUnionName } from "../../protocol/names.js";
import type { EventType, OutputFile, Protocol } from "../../protocol/protocol.js";
import { formatLiteral } from "../../text.js";
import { BANNER } from "../text.js";
import { type CompiledType, compileTypes, decodeFieldNames } from "./compile-types.js";
import { formatDocText, formatEventDoc } from "./doc.js";
import { formatTypeKey } from "./type-schema.js";
import { listWantedTypes, type WantedType } from "./wanted-types.js";

/** A declaration of types.ts. */
type Declaration = InterfaceDeclarationStructure | TypeAliasDeclarationStructure;

/**
 * Writes `types.ts`: an interface for every payload, event, resource and shared definition, and the closed union of all
 * events. json-schema-to-typescript makes the types of fields, and ts-morph writes and checks the declarations. The library
 * gets each field of an interface separately and without its description, so that it makes the type of equal fields once.
 */
export async function emitTypes(protocol: Protocol): Promise<OutputFile> {
  const wantedTypes = listWantedTypes(protocol).map((type) => ({ ...type, fields: listFields(type) }));
  const findType = await compileTypes(
    wantedTypes.flatMap(({ schema, fields }) => fields?.map((field) => field.schema) ?? [schema]),
  );
  const declarations = new Map(
    wantedTypes.flatMap((type) => declareType(type, findType)).map((each) => [each.name, each]),
  );
  const statements = [
    ...declarations.values(),
    ...protocol.events.map((event) => declareEvent(protocol, event, declarations)),
    ...declareUnions(protocol),
  ];
  return { path: `${protocol.id}/types.ts`, content: `${BANNER}\n${printStatements(statements)}` };
}

function printStatements(statements: Declaration[]): string {
  const project = new Project({
    useInMemoryFileSystem: true,
    skipLoadingLibFiles: true,
    manipulationSettings: { indentationText: IndentationText.TwoSpaces },
  });
  const file = project.createSourceFile("types.ts", { statements });
  const [error] = project.getProgram().getSyntacticDiagnostics(file);
  if (error) throw new Error(`types.ts:${error.getLineNumber()}: ${error.getMessageText()}`);
  return file.getFullText().replaceAll("\r", "\n");
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

interface Member {
  readonly name: string;
  readonly type: string;
  readonly doc?: string;
  readonly isRequired?: boolean;
}

function declareInterface(
  name: string,
  members: readonly Member[],
  doc: string,
  bases: readonly string[] = [],
): InterfaceDeclarationStructure {
  return {
    kind: StructureKind.Interface,
    isExported: true,
    name,
    docs: listDocs(doc),
    extends: [...bases],
    // The comment of a member is on lines of its own.
    properties: members.map(({ name, type, doc = "", isRequired = true }) => ({
      name,
      type: indentType(type, "  "),
      hasQuestionToken: !isRequired,
      docs: listDocs(doc === "" ? "" : `\n${doc}`),
    })),
  };
}

function declareAlias(name: string, type: string, doc: string): TypeAliasDeclarationStructure {
  return {
    kind: StructureKind.TypeAlias,
    isExported: true,
    name,
    type: indentType(type),
    docs: listDocs(doc),
  };
}

/** Indents the further lines of a type. ts-morph would indent them more, but sees no line end in a carriage return. */
function indentType(type: string, indent = ""): string {
  return type.replaceAll("\n", `\r${indent}`);
}

function listDocs(doc: string): string[] {
  return doc === "" ? [] : [doc];
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
  const isInterface = (typeName: string): boolean =>
    declarations.get(typeName)?.kind === StructureKind.Interface;
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
