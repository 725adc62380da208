import { compile, type JSONSchema } from "json-schema-to-typescript";
import { ts } from "ts-morph";
import { hasPayload, payloadCarrier } from "../../protocol/message-layout.js";
import { eventName, payloadName } from "../../protocol/names.js";
import type { EventType, OutputFile, Protocol } from "../../protocol/protocol.js";
import { literal } from "../../text.js";
import { BANNER } from "../text.js";
import { docText, eventDoc } from "./doc.js";
import { printDoc, printMembers, printType, printUnparenthesized } from "./print-types.js";
import { typeKey } from "./type-schema.js";
import { type Wanted, wantedTypes } from "./wanted-types.js";

/** A declaration of types.ts. */
type Declaration = Interface | Alias;

interface Interface {
  readonly kind: "interface";
  readonly name: string;
  readonly doc: string;
  readonly bases: readonly string[];
  /** The members as code, a line or more each, indented by two. */
  readonly members: readonly string[];
}

interface Alias {
  readonly kind: "alias";
  /** With its type parameters. */
  readonly name: string;
  readonly doc: string;
  readonly type: string;
}

/**
 * `types.ts`: an interface for every payload, event, resource and shared definition, and the closed union of all
 * events. json-schema-to-typescript makes the types, all in one run as members of one interface, so that it names
 * nothing itself; here their syntax trees are printed under their names.
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
  return { path: `${protocol.id}/types.ts`, content: `${BANNER}\n${printDeclarations(declarations)}` };
}

/** Prints declarations, with a blank line around each interface. */
function printDeclarations(declarations: readonly Declaration[]): string {
  return declarations
    .map((declaration, i) => {
      const apart = i > 0 && (declaration.kind === "interface" || declarations[i - 1]?.kind === "interface");
      return `${apart ? "\n" : ""}${printDeclaration(declaration)}`;
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

/** Returns the types that json-schema-to-typescript makes of `schemas`, in their order, as syntax trees. */
async function compileAll(schemas: readonly JSONSchema[]): Promise<ts.TypeNode[]> {
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
  const file = ts.createSourceFile("root.ts", text, ts.ScriptTarget.Latest, true);
  const declaration = file.statements.find(ts.isInterfaceDeclaration);
  const types = (declaration?.members ?? []).map((member) =>
    ts.isPropertySignature(member) ? member.type : undefined,
  );
  if (types.length !== schemas.length || !types.every((type) => type !== undefined))
    throw new Error("json-schema-to-typescript made other types than it was asked for");
  return types;
}

/** An object type becomes an interface; with sets of required fields, an interface of the fields and an alias. */
function declare({ name, doc, sets, base, overrides }: Wanted, type: ts.TypeNode | undefined): Declaration[] {
  if (!type || !ts.isTypeLiteralNode(type) || overrides) {
    const own = type && (base === undefined ? printUnparenthesized(type) : printType(type));
    const joined = `${base === undefined ? "" : `${base} & `}${own ?? "unknown"}`;
    return [{ kind: "alias", name, doc, type: joined }];
  }
  const indexSignatures = type.members.filter(ts.isIndexSignatureDeclaration);
  const properties = type.members.filter(ts.isPropertySignature);
  const fields: Interface = {
    kind: "interface",
    name: sets ? `${name}Fields` : name,
    doc: sets ? `The fields of {@link ${name}}, which has some of them for certain.` : doc,
    bases: base === undefined ? [] : [base],
    members: printMembers([...indexSignatures, ...properties], printUnparenthesized),
  };
  if (!sets) return [fields];
  const alternatives = sets.map(
    (set) => `Required<Pick<${fields.name}, ${set.map((field) => literal(field)).join(" | ")}>>`,
  );
  return [fields, { kind: "alias", name, doc, type: `${fields.name} & (${alternatives.join(" | ")})` }];
}

/** Members of simple types, by name. */
function printFields(fields: readonly (readonly [name: string, type: string])[]): string[] {
  return fields.map(([name, type]) => `  ${name}: ${type};\n`);
}

function eventDeclaration(
  { envelope }: Protocol,
  event: EventType,
  named: ReadonlyMap<string, Declaration>,
): Declaration {
  const name = eventName(event.type);
  const doc = eventDoc(event);
  const payload = payloadName(event.type);
  const carried = payloadCarrier(envelope, event);
  const discriminator = [typeKey(envelope.discriminator), literal(event.type)] as const;
  const fields = [discriminator, ...(carried === undefined ? [] : [[typeKey(carried), payload] as const])];
  const isInline = envelope.placement === "inline";
  if (named.get("Envelope")?.kind !== "interface" || (isInline && named.get(payload)?.kind !== "interface")) {
    const own = fields.map(([field, type]) => `${field}: ${type}`).join("; ");
    return { kind: "alias", name, doc, type: `Envelope & ${isInline ? `${payload} & ` : ""}{ ${own} }` };
  }
  const bases = isInline ? ["Envelope", payload] : ["Envelope"];
  return { kind: "interface", name, doc, bases, members: printFields(isInline ? [discriminator] : fields) };
}

function unionDeclarations(protocol: Protocol): Declaration[] {
  const { envelope, events } = protocol;
  const map = (name: string, doc: string, type: (event: EventType) => string): Interface => {
    const members = printFields(events.map((event) => [literal(event.type), type(event)]));
    return { kind: "interface", name, doc, bases: [], members };
  };
  const alias = (name: string, type: string, doc: string): Alias => ({ kind: "alias", name, doc, type });
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
      eventName(protocol.name),
      events.length === 0 ? "never" : "EventMap[EventType]",
      docText([
        `Every event. \`switch (event.${envelope.discriminator})\` narrows it, and the union is closed: an event type that is not handled is an error where the switch must be complete.`,
      ]),
    ),
    alias("EventOf<Type extends EventType>", "EventMap[Type]", "The event of a type."),
    alias("PayloadOf<Type extends EventType>", "PayloadMap[Type]", "The payload of a type."),
    alias(
      "UnknownEvent",
      unknown,
      "An event of a type that this version does not know: a valid envelope around an opaque payload.",
    ),
  ];
}
