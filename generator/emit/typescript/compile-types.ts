/** Makes types with json-schema-to-typescript. */
import type { JSONSchema } from "json-schema-to-typescript";
import type { ts } from "ts-morph";
import type { Pieces } from "../../cache/pieces.js";
import { escapeInvisible } from "../../text.js";
import { decodeFieldNames } from "./field-names.js";
import { loadJsonSchemaToTypescript, loadTsMorph } from "./type-libraries.js";

/** A type that json-schema-to-typescript made. */
export interface CompiledType {
  /** Its code, without parentheses around the whole. Each member of an object is on a line of its own. */
  readonly code: string;
  /** The comment of the library about the type. */
  readonly doc: string;
}

/**
 * Makes the types of `schemas` in one run, and the type of equal schemas once. They are the types of the fields of one
 * declaration, because the library would change the names of several. Returns a function that finds the type of a schema.
 */
export async function compileTypes(
  schemas: readonly JSONSchema[],
  pieces?: Pieces,
): Promise<(schema: JSONSchema) => CompiledType> {
  const createKey = (schema: JSONSchema): string => `compiled ${JSON.stringify(schema)}`;
  const wanted = new Map(schemas.map((schema) => [createKey(schema), schema]));
  const missing = new Map([...wanted].filter(([key]) => pieces?.find(key) === undefined));
  const made = await makeTypes(missing);
  for (const [key, type] of made) pieces?.add(key, JSON.stringify(type));
  return (schema) => {
    const key = createKey(schema);
    const known = made.has(key) ? undefined : pieces?.find(key);
    return known === undefined ? (made.get(key) ?? throwUnknownSchema()) : JSON.parse(known);
  };
}

/** Makes a type for each schema with the library. */
async function makeTypes(schemas: ReadonlyMap<string, JSONSchema>): Promise<Map<string, CompiledType>> {
  // The libraries need not be loaded to make no type.
  if (schemas.size === 0) return new Map();
  const root: JSONSchema = {
    title: "Root",
    type: "object",
    properties: Object.fromEntries([...schemas.values()].map((schema, i) => [`T${i}`, schema])),
    additionalProperties: false,
  };
  const { ts } = loadTsMorph();
  const text = await loadJsonSchemaToTypescript().compile(root, "Root", {
    bannerComment: "",
    format: false,
    $refOptions: { resolve: { external: false } },
  });
  const file = ts.createSourceFile(
    "root.ts",
    decodeFieldNames(escapeInvisible(text)),
    ts.ScriptTarget.Latest,
    true,
  );
  const members = file.statements.filter(ts.isInterfaceDeclaration).flatMap((root) => [...root.members]);
  return new Map([...schemas.keys()].map((key, i) => [key, describeType(members[i])]));
}

function describeType(member: ts.TypeElement | undefined): CompiledType {
  const { ts } = loadTsMorph();
  if (member === undefined || !ts.isPropertySignature(member) || member.type === undefined)
    return throwUnknownSchema();
  const doc = readComment(member).slice(1, -1);
  const type = ts.isParenthesizedTypeNode(member.type) ? member.type.type : member.type;
  return { code: printNode(type), doc: doc.map((line) => line.slice(" * ".length)).join("\n") };
}

function throwUnknownSchema(): never {
  throw new Error("json-schema-to-typescript made other types than it was asked for");
}

/** Returns the lines of the comment before a member, without the spaces at their ends. */
function readComment(member: ts.Node): string[] {
  const comment = member.getSourceFile().text.slice(member.getFullStart(), member.getStart()).trim();
  return comment === "" ? [] : comment.split("\n").map((line) => line.trimEnd());
}

/**
 * Prints the code of the library with indented members that end with a semicolon, because a formatter would take longer than
 * everything else.
 */
function printNode(node: ts.Node, indent = ""): string {
  const { ts } = loadTsMorph();
  const code = node.getText();
  if (!code.includes("\n")) return code;
  if (ts.isTypeLiteralNode(node)) {
    const inner = `${indent}  `;
    const lines = node.members.flatMap((member) => [...readComment(member), `${printNode(member, inner)};`]);
    return `{\n${lines.map((line) => `${inner}${line}\n`).join("")}${indent}}`;
  }
  const source = node.getSourceFile().text;
  let text = "";
  let end = node.getStart();
  ts.forEachChild(node, (child) => {
    const separator = source.slice(end, child.getStart());
    text += (separator === "|" ? " | " : separator) + printNode(child, indent);
    end = child.end;
  });
  return text + source.slice(end, node.end);
}
