import { compile, type JSONSchema } from "json-schema-to-typescript";
import { ts } from "ts-morph";
import { findPayloadCarrier, hasPayload } from "../../protocol/message-layout.js";
import { deriveEventName, derivePayloadName, deriveUnionName } from "../../protocol/names.js";
import type { EventType, OutputFile, Protocol } from "../../protocol/protocol.js";
import { formatLiteral } from "../../text.js";
import { BANNER } from "../text.js";
import { formatDocText, formatEventDoc } from "./doc.js";
import {
  printDoc,
  printMemberDoc,
  printMembers,
  printType,
  printUnparenthesized,
  readDoc,
} from "./print-types.js";
import { decodeFieldName, formatTypeKey } from "./type-schema.js";
import { listWantedTypes, type WantedType } from "./wanted-types.js";

/** A declaration of types.ts. */
type Declaration = Interface | Alias;

interface Interface {
  readonly kind: "interface";
  readonly name: string;
  readonly doc: string;
  readonly bases: readonly string[];
  /** The code of the members. Each has one or more lines, indented by two spaces. */
  readonly members: readonly string[];
}

interface Alias {
  readonly kind: "alias";
  /** The name with its type parameters. */
  readonly name: string;
  readonly doc: string;
  readonly type: string;
}

/**
 * Writes `types.ts`: an interface for every payload, event, resource and shared definition, and the closed union of all
 * events. json-schema-to-typescript makes all types in one run, as members of one interface, since it would change the names
 * of types. Their syntax trees are then printed with the right names. The library gets each field of an interface separately
 * and without its description, so that it makes the type of equal fields once.
 */
export async function emitTypes(protocol: Protocol): Promise<OutputFile> {
  const wantedTypes = listWantedTypes(protocol).map((type) => ({ ...type, fields: listFields(type) }));
  const types = await compileTypes(
    wantedTypes.flatMap(({ schema, fields }) => fields?.map((field) => field.schema) ?? [schema]),
  );
  const wantedDeclarations = wantedTypes.flatMap((type) => declareType(type, types));
  const declarationsByName = new Map(
    wantedDeclarations.map((declaration) => [declaration.name, declaration]),
  );
  const declarations: Declaration[] = [
    ...declarationsByName.values(),
    ...protocol.events.map((event) => declareEvent(protocol, event, declarationsByName)),
    ...declareUnions(protocol),
  ];
  return { path: `${protocol.id}/types.ts`, content: `${BANNER}\n${printDeclarations(declarations)}` };
}

/** Prints declarations, with a blank line around each interface. */
function printDeclarations(declarations: readonly Declaration[]): string {
  return declarations
    .map((declaration, i) => {
      const needsBlankLine =
        i > 0 && (declaration.kind === "interface" || declarations[i - 1]?.kind === "interface");
      return `${needsBlankLine ? "\n" : ""}${printDeclaration(declaration)}`;
    })
    .join("");
}

function printDeclaration(declaration: Declaration): string {
  const { name, doc } = declaration;
  if (declaration.kind === "alias") return `${printDoc(doc)}export type ${name} = ${declaration.type};\n`;
  const { bases, members } = declaration;
  const heritage = bases.length === 0 ? "" : ` extends ${bases.join(", ")}`;
  return `${printDoc(doc)}export interface ${name}${heritage} {\n${members.join("")}}\n`;
}

/** A field of an interface. */
interface Field {
  readonly name: string;
  readonly doc: string;
  readonly isRequired: boolean;
  readonly schema: JSONSchema;
}

/** Returns the fields of an interface without an index signature, or with one of unknown type; undefined for other types. */
function listFields({ schema, overrides }: WantedType): Field[] | undefined {
  const { type, properties = {}, required, additionalProperties } = schema;
  const entries = Object.entries(properties);
  if (overrides || type !== "object" || entries.length === 0 || typeof additionalProperties !== "boolean")
    return undefined;
  return entries.map(([key, { description = "", ...rest }]) => ({
    name: formatTypeKey(decodeFieldName(key)),
    doc: description,
    isRequired: Array.isArray(required) && required.includes(key),
    schema: rest,
  }));
}

/** A type that json-schema-to-typescript made. */
interface CompiledType {
  readonly node: ts.TypeNode;
  /** The comment of the library about the type. */
  readonly doc: string;
  /** Its code as the type of a field. */
  readonly code: string;
}

type CompiledTypes = ReadonlyMap<JSONSchema, CompiledType>;

/** Returns the types that json-schema-to-typescript makes of `schemas`. The type of equal schemas is made once. */
async function compileTypes(schemas: readonly JSONSchema[]): Promise<CompiledTypes> {
  const texts = schemas.map((schema) => JSON.stringify(schema));
  const distinct = new Map(texts.map((text, i) => [text, schemas[i] as JSONSchema]));
  const members = await compileDistinct([...distinct.values()]);
  const compiledTypes = new Map([...distinct.keys()].map((text, i) => [text, members[i] as CompiledType]));
  return new Map(schemas.map((schema, i) => [schema, compiledTypes.get(texts[i] as string) as CompiledType]));
}

async function compileDistinct(schemas: readonly JSONSchema[]): Promise<CompiledType[]> {
  const names = schemas.map((_, index) => `T${index}`);
  const root: JSONSchema = {
    title: "Root",
    type: "object",
    properties: Object.fromEntries(names.map((name, i) => [name, schemas[i] ?? {}])),
    required: names,
    additionalProperties: false,
  };
  const text = await compile(root, "Root", {
    bannerComment: "",
    format: false,
    $refOptions: { resolve: { external: false } },
  });
  const file = ts.createSourceFile("root.ts", text, ts.ScriptTarget.Latest, true);
  const declaration = file.statements.find(ts.isInterfaceDeclaration);
  const types = (declaration?.members ?? []).flatMap((member) =>
    ts.isPropertySignature(member) && member.type
      ? [{ node: member.type, doc: readDoc(member), code: printUnparenthesized(member.type, "  ") }]
      : [],
  );
  if (types.length !== schemas.length)
    throw new Error("json-schema-to-typescript made other types than it was asked for");
  return types;
}

/** Declares a type. An object type becomes an interface; with sets of required fields, an interface and an alias. */
function declareType(
  { name, doc, sets, base, overrides, schema, fields }: WantedType & { readonly fields: Field[] | undefined },
  types: CompiledTypes,
): Declaration[] {
  const node = types.get(schema)?.node;
  let members: string[] | undefined;
  if (fields) members = printOwnFields(schema, fields, types);
  else if (node && ts.isTypeLiteralNode(node) && !overrides) members = printLiteralMembers(node);
  if (members === undefined) {
    const code = node && (base === undefined ? printUnparenthesized(node) : printType(node));
    const aliasedType = `${base === undefined ? "" : `${base} & `}${code ?? "unknown"}`;
    return [{ kind: "alias", name, doc, type: aliasedType }];
  }
  const declaration: Interface = {
    kind: "interface",
    name: sets ? `${name}Fields` : name,
    doc: sets ? `The fields of {@link ${name}}, which has some of them for certain.` : doc,
    bases: base === undefined ? [] : [base],
    members,
  };
  if (!sets) return [declaration];
  const alternatives = sets.map(
    (set) => `Required<Pick<${declaration.name}, ${set.map((field) => formatLiteral(field)).join(" | ")}>>`,
  );
  const type = `${declaration.name} & (${alternatives.join(" | ")})`;
  return [declaration, { kind: "alias", name, doc, type }];
}

function printLiteralMembers(type: ts.TypeLiteralNode): string[] {
  const indexSignatures = type.members.filter(ts.isIndexSignatureDeclaration);
  const properties = type.members.filter(ts.isPropertySignature);
  return printMembers([...indexSignatures, ...properties], printUnparenthesized);
}

function printOwnFields(schema: JSONSchema, fields: readonly Field[], types: CompiledTypes): string[] {
  const index = schema.additionalProperties === true ? ["  [k: string]: unknown;\n"] : [];
  const members = fields.map(({ name, doc, isRequired, schema: fieldSchema }) => {
    const type = types.get(fieldSchema);
    const docs = [doc, type?.doc ?? ""].filter((part) => part !== "").join("\n\n");
    return `${printMemberDoc(docs, "  ")}  ${name}${isRequired ? "" : "?"}: ${type?.code};\n`;
  });
  return [...index, ...members];
}

/** Prints members whose types are names. */
function printFields(fields: readonly (readonly [name: string, type: string])[]): string[] {
  return fields.map(([name, type]) => `  ${name}: ${type};\n`);
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
  const discriminator = [formatTypeKey(envelope.discriminator), formatLiteral(event.type)] as const;
  const fields = [
    discriminator,
    ...(carrier === undefined ? [] : [[formatTypeKey(carrier), payload] as const]),
  ];
  const isInline = envelope.placement === "inline";
  const isInterface = (typeName: string): boolean => declarations.get(typeName)?.kind === "interface";
  if (!isInterface("Envelope") || (isInline && !isInterface(payload))) {
    const members = fields.map(([field, type]) => `${field}: ${type}`).join("; ");
    return { kind: "alias", name, doc, type: `Envelope & ${isInline ? `${payload} & ` : ""}{ ${members} }` };
  }
  const bases = isInline ? ["Envelope", payload] : ["Envelope"];
  return { kind: "interface", name, doc, bases, members: printFields(isInline ? [discriminator] : fields) };
}

function declareUnions(protocol: Protocol): Declaration[] {
  const { envelope, events } = protocol;
  const declareMap = (name: string, doc: string, formatType: (event: EventType) => string): Interface => {
    const members = printFields(events.map((event) => [formatLiteral(event.type), formatType(event)]));
    return { kind: "interface", name, doc, bases: [], members };
  };
  const declareAlias = (name: string, type: string, doc: string): Alias => ({
    kind: "alias",
    name,
    doc,
    type,
  });
  const unknownEvent =
    envelope.property === undefined
      ? "Envelope & { [field: string]: unknown }"
      : `Envelope & { ${formatTypeKey(envelope.property)}: { [field: string]: unknown } }`;
  return [
    declareMap("EventMap", "Events by type.", deriveEventName),
    declareMap("PayloadMap", "Payloads by event type.", (event) =>
      hasPayload(envelope, event) ? derivePayloadName(event) : "undefined",
    ),
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
