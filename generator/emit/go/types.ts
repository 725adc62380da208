/** Formats Go types of schemas: structs with json tags, named strings with constants, json.RawMessage for everything else. */
import { equal, type Json, type JsonObject, own } from "../../json.js";
import type { Definitions } from "../../schema/reference.js";
import { collectDefinitionsBelow } from "../../schema/walk.js";
import { createDoc, type DocText } from "../plan/doc.js";
import { createNameAssigner } from "../plan/names.js";
import { describeShape, type Shape, type ShapeField } from "../plan/shape.js";
import { formatGoConstants, formatGoDoc, formatGoName, formatGoString, formatGoTag } from "./text.js";

/** The package in which types are declared. Names are exported and unique. */
export interface GoScope {
  readonly definitions: Definitions;
  /** The Go name of each definition. */
  readonly names: ReadonlyMap<string, string>;
  /** Returns a name that no other declaration has, and reserves it. */
  readonly assignName: (name: string) => string;
  /** The texts of the declarations, in their order. */
  readonly declarations: string[];
}

const SCALARS: { readonly [type: string]: string } = {
  string: "string",
  integer: "int64",
  number: "float64",
  boolean: "bool",
};

/** The Go type of a value that is kept as raw JSON. */
const RAW = "json.RawMessage";

/** Declares `name` as the type of `schema`. */
export function declareType(scope: GoScope, name: string, schema: Json, doc: DocText): void {
  const lines = formatGoDoc(doc.text, "", doc.deprecated);
  const shape = describeShape(schema, scope.definitions);
  if (shape.definition !== undefined) {
    const target = scope.names.get(shape.definition) ?? RAW;
    scope.declarations.push([...lines, `type ${name} = ${target}`].join("\n"));
    return;
  }
  addDeclaration(scope, () => {
    const type = formatShape(scope, name, shape);
    // A defined type would lose the methods of json.RawMessage, so an alias is declared.
    const declaration = `type ${name} ${type === RAW ? "= " : ""}${type}`;
    return [...lines, declaration, ...formatEnumConstants(scope, name, shape)];
  });
}

/** Adds the declaration that `formatLines` returns. It precedes the declarations of nested types, which `formatLines` adds. */
function addDeclaration({ declarations }: GoScope, formatLines: () => readonly string[]): void {
  const index = declarations.length;
  declarations.push("");
  declarations[index] = formatLines().join("\n");
}

/** Declares an object type: a struct, or a map if only the type of all values is known. No field gets a name in `reserved`. */
export function declareObject(
  scope: GoScope,
  name: string,
  schema: JsonObject,
  doc: DocText,
  reserved: readonly string[] = [],
): void {
  addDeclaration(scope, () => {
    const type = formatObjectType(scope, name, describeShape(schema, scope.definitions), reserved);
    return [...formatGoDoc(doc.text, "", doc.deprecated), `type ${name} ${type}`];
  });
}

/** Returns the type of a field or item. Declares it if it needs a name, which is `hint` if that name is free. */
function declareNestedType(scope: GoScope, hint: string, schema: Json): string {
  const shape = describeShape(schema, scope.definitions);
  if (shape.definition !== undefined) return scope.names.get(shape.definition) ?? RAW;
  const [type, ...others] = shape.types;
  const isNamed =
    others.length === 0 &&
    ((type === "string" && listTexts(shape).length > 0) || (type === "object" && shape.fields.length > 0));
  if (!isNamed) return formatShape(scope, hint, shape);
  const name = scope.assignName(hint);
  const article = type === "object" ? "an object" : "a text";
  declareType(scope, name, schema, { text: `${name} is ${article} within another type.` });
  return name;
}

function formatShape(scope: GoScope, name: string, shape: Shape): string {
  const [type = "", ...others] = shape.types;
  if (others.length > 0) return RAW;
  if (type === "object" && shape.fields.length === 0 && shape.values === undefined)
    return `map[string]${RAW}`;
  if (type === "object") return formatObjectType(scope, name, shape);
  if (type === "array") return `[]${formatItemType(scope, name, shape.items ?? true)}`;
  return own(SCALARS, type) ?? RAW;
}

function formatItemType(scope: GoScope, name: string, items: Json): string {
  const type = declareNestedType(scope, `${name}Item`, items);
  const isPointer = describeShape(items, scope.definitions).isNullable && !hasNil(scope, type, items);
  return isPointer ? `*${type}` : type;
}

function formatObjectType(
  scope: GoScope,
  name: string,
  shape: Shape,
  reserved: readonly string[] = [],
): string {
  const { fields, values } = shape;
  if (fields.length === 0 && values !== undefined) return `map[string]${formatItemType(scope, name, values)}`;
  return formatStruct(scope, name, fields, reserved);
}

/** Returns whether values of `type`, the Go type of `schema`, may be nil. */
function hasNil({ definitions }: GoScope, type: string, schema: Json): boolean {
  if (type === RAW || /^(\[\]|map\[|\*)/.test(type)) return true;
  const { definition } = describeShape(schema, definitions);
  const target = definition === undefined ? undefined : own(definitions, definition)?.schema;
  if (target === undefined) return false;
  const { types, fields } = describeShape(target, definitions);
  const [targetType = ""] = types;
  return types.length !== 1 || targetType === "array" || (targetType === "object" && fields.length === 0);
}

function formatStruct(
  scope: GoScope,
  owner: string,
  fields: readonly ShapeField[],
  reserved: readonly string[],
): string {
  const assignFieldName = createNameAssigner(reserved);
  const blocks = fields.map((field) => {
    const { doc, type } = formatField(scope, owner, field);
    const tag = formatGoTag(field.name, !field.required);
    const lines =
      tag === undefined
        ? formatGoDoc(
            `No tag can name the field ${formatGoString(field.name)}: it is in the raw JSON only.`,
            "\t",
          )
        : [...doc, `\t${assignFieldName(formatGoName(field.name))} ${type} ${tag}`];
    return lines.join("\n");
  });
  // gofmt would align fields that no blank line separates.
  return blocks.length === 0 ? "struct{}" : `struct {\n${blocks.join("\n\n")}\n}`;
}

/** Formats the doc comment and the type of a struct field. Declares the types that the field needs. */
function formatField(
  scope: GoScope,
  owner: string,
  { name, schemas, required }: ShapeField,
): { readonly doc: readonly string[]; readonly type: string } {
  const { definitions } = scope;
  const [schema = true] = schemas;
  const areEqual = schemas.every((other) => equal(other, schema));
  const type = areEqual
    ? declareNestedType(scope, `${owner}${formatGoName(name)}`, schema)
    : findCommonType(scope, schemas);
  const shapes = schemas.map((one) => describeShape(one, definitions));
  const isOptional = !required || shapes.some(({ isNullable }) => isNullable);
  // In Go, a struct can contain itself only through a pointer.
  const isCyclic = shapes[0]?.definition !== undefined && isRecursive(shapes[0].definition, definitions);
  const isPointer = (isOptional || isCyclic) && !hasNil(scope, type, schema);
  const doc = createDoc(schema);
  return { doc: formatGoDoc(doc.text, "\t", doc.deprecated), type: isPointer ? `*${type}` : type };
}

function isRecursive(definition: string, definitions: Definitions): boolean {
  return collectDefinitionsBelow(definition, definitions).has(definition);
}

/** Returns the type of a field that branches declare differently: a scalar if all branches agree on it. */
function findCommonType({ definitions }: GoScope, schemas: readonly Json[]): string {
  const [type = "", ...others] = describeShape({ anyOf: schemas }, definitions).types;
  return (others.length === 0 && own(SCALARS, type)) || RAW;
}

/** Returns the texts that a schema lists. */
function listTexts({ listed }: Shape): string[] {
  return listed?.values.filter((value) => typeof value === "string") ?? [];
}

function formatEnumConstants(scope: GoScope, name: string, shape: Shape): string[] {
  if (shape.types.join() !== "string") return [];
  const rows = [...new Set(listTexts(shape).map((text) => text.toWellFormed()))].map(
    (value) => [scope.assignName(`${name}${formatGoName(value)}`), value] as const,
  );
  return rows.length === 0 ? [] : ["", `// The known values of ${name}.`, ...formatGoConstants(name, rows)];
}
