import { compile, type JSONSchema } from "json-schema-to-typescript";
import {
  type InterfaceDeclarationStructure,
  Node,
  Project,
  StructureKind,
  type TypeAliasDeclarationStructure,
  type TypeNode,
} from "ts-morph";
import { hasPayload, payloadCarrier } from "../../protocol/message-layout.js";
import { eventName, payloadName } from "../../protocol/names.js";
import type { EventType, OutputFile, Protocol } from "../../protocol/protocol.js";
import { literal } from "../../text.js";
import { BANNER } from "../text.js";
import { docText, eventDoc } from "./doc.js";
import { layOut } from "./layout.js";
import { unionName } from "./names.js";
import { typeKey, withFieldNames } from "./type-schema.js";
import { type Wanted, wantedTypes } from "./wanted-types.js";

type Declaration = InterfaceDeclarationStructure | TypeAliasDeclarationStructure;

/**
 * `types.ts`: an interface for every payload, event, resource and shared definition, and the closed union of all
 * events. json-schema-to-typescript makes the types, all in one run as members of one interface, so that it names
 * nothing itself; here they get their names.
 */
export async function emitTypes(protocol: Protocol): Promise<OutputFile> {
  const wanted = wantedTypes(protocol);
  const types = await compileAll(wanted.map(({ schema }) => schema));
  const named = new Map(wanted.flatMap((one, i) => declare(one, types[i])).map((one) => [one.name, one]));
  const declarations: Declaration[] = [
    ...named.values(),
    ...protocol.events.map((event) => eventDeclaration(protocol, event, named)),
    ...unionDeclarations(protocol),
  ];
  const project = new Project({ useInMemoryFileSystem: true });
  const file = project.createSourceFile("types.ts", { statements: declarations });
  const text = layOut(file.getFullText());
  return { path: `${protocol.id}/types.ts`, content: `${BANNER}\n${text}` };
}

/** The type nodes that json-schema-to-typescript makes of `schemas`, in their order. */
async function compileAll(schemas: readonly JSONSchema[]): Promise<TypeNode[]> {
  const names = schemas.map((_, index) => `T${index}`);
  const root: JSONSchema = {
    title: "Root",
    type: "object",
    properties: Object.fromEntries(schemas.map((schema, i) => [`T${i}`, schema])),
    required: names,
    additionalProperties: false,
  };
  const text = await compile(root, "Root", {
    bannerComment: "",
    format: false,
    $refOptions: { resolve: { external: false } },
  });
  const project = new Project({ useInMemoryFileSystem: true });
  const made = project.createSourceFile("root.ts", withFieldNames(text)).getInterfaceOrThrow("Root");
  return made.getProperties().map((property) => property.getTypeNodeOrThrow());
}

function docs(text: string): { docs?: [{ description: string }] } {
  return text === "" ? {} : { docs: [{ description: `${text.includes("\n") ? "\n" : ""}${text}` }] };
}

/** An object type becomes an interface; with sets of required fields, an interface of the fields and an alias. */
function declare({ name, doc, sets, base, overrides }: Wanted, type: TypeNode | undefined): Declaration[] {
  const joined = base === undefined ? bare(type) : `${base} & ${type?.getText() ?? "unknown"}`;
  if (!type || !Node.isTypeLiteral(type) || overrides)
    return [{ kind: StructureKind.TypeAlias, isExported: true, name, type: joined, ...docs(doc) }];
  const fields: InterfaceDeclarationStructure = {
    kind: StructureKind.Interface,
    isExported: true,
    name: sets ? `${name}Fields` : name,
    ...(base !== undefined && { extends: [base] }),
    properties: type.getProperties().map((property) => ({
      name: property.getName(),
      hasQuestionToken: property.hasQuestionToken(),
      type: bare(property.getTypeNode()),
      // As text: ts-morph's own structure of a doc comment takes tags apart and loses what stands around them.
      docs: property.getJsDocs().map((doc) => ({ description: `\n${doc.getInnerText()}` })),
    })),
    indexSignatures: type.getIndexSignatures().map((signature) => signature.getStructure()),
    ...docs(sets ? `The fields of {@link ${name}}, which has some of them for certain.` : doc),
  };
  if (!sets) return [fields];
  const alternatives = sets.map(
    (set) => `Required<Pick<${fields.name}, ${set.map((field) => literal(field)).join(" | ")}>>`,
  );
  return [
    fields,
    {
      kind: StructureKind.TypeAlias,
      isExported: true,
      name,
      type: `${fields.name} & (${alternatives.join(" | ")})`,
      ...docs(doc),
    },
  ];
}

function bare(type: TypeNode | undefined): string {
  const node = Node.isParenthesizedTypeNode(type) ? type.getTypeNode() : type;
  return node?.getText() ?? "unknown";
}

function eventDeclaration(
  { envelope }: Protocol,
  event: EventType,
  named: ReadonlyMap<string, Declaration>,
): Declaration {
  const name = eventName(event.type);
  const payload = payloadName(event.type);
  const discriminator = { name: typeKey(envelope.discriminator), type: literal(event.type) };
  const carried = payloadCarrier(envelope, event);
  const payloadFields = carried === undefined ? [] : [{ name: typeKey(carried), type: payload }];
  const base = { isExported: true as const, name, ...docs(eventDoc(event)) };
  const whole = (rest: string): Declaration => ({
    kind: StructureKind.TypeAlias,
    ...base,
    type: `Envelope & ${rest}{ ${[discriminator, ...payloadFields].map(({ name, type }) => `${name}: ${type}`).join("; ")} }`,
  });
  if (named.get("Envelope")?.kind !== StructureKind.Interface)
    return whole(envelope.placement === "inline" ? `${payload} & ` : "");
  if (envelope.placement !== "inline") {
    const properties = [discriminator, ...payloadFields];
    return { kind: StructureKind.Interface, ...base, extends: ["Envelope"], properties };
  }
  return named.get(payload)?.kind === StructureKind.Interface
    ? { kind: StructureKind.Interface, ...base, extends: ["Envelope", payload], properties: [discriminator] }
    : whole(`${payload} & `);
}

function alias(name: string, type: string, doc: string, typeParameters: string[] = []): Declaration {
  return { kind: StructureKind.TypeAlias, isExported: true, name, type, typeParameters, ...docs(doc) };
}

function unionDeclarations(protocol: Protocol): Declaration[] {
  const { envelope, events } = protocol;
  const map = (name: string, doc: string, type: (event: EventType) => string): Declaration => ({
    kind: StructureKind.Interface,
    isExported: true,
    name,
    properties: events.map((event) => ({ name: literal(event.type), type: type(event) })),
    ...docs(doc),
  });
  const unknown =
    envelope.property === undefined
      ? "Envelope & { [field: string]: unknown }"
      : `Envelope & { ${typeKey(envelope.property)}: { [field: string]: unknown } }`;
  return [
    map("EventMap", "Events by type.", ({ type }) => eventName(type)),
    map("PayloadMap", "Payloads by event type.", (event) =>
      hasPayload(envelope, event) ? payloadName(event.type) : "undefined",
    ),
    alias("EventType", "keyof EventMap", "Every event type, as it stands on the wire."),
    alias(
      unionName(protocol),
      events.length === 0 ? "never" : "EventMap[EventType]",
      docText([
        `Every event. \`switch (event.${envelope.discriminator})\` narrows it, and the union is closed: an event type that is not handled is an error where the switch must be complete.`,
      ]),
    ),
    alias("EventOf", "EventMap[Type]", "The event of a type.", ["Type extends EventType"]),
    alias("PayloadOf", "PayloadMap[Type]", "The payload of a type.", ["Type extends EventType"]),
    alias(
      "UnknownEvent",
      unknown,
      "An event of a type that this version does not know: a valid envelope around an opaque payload.",
    ),
  ];
}
