/** Go types of schemas: structs with json tags, named strings with constants, json.RawMessage for everything else. */
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
  readonly unique: (name: string) => string;
  /** Declarations so far, each one text. */
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
  const place = scope.declarations.push("") - 1;
  const type = formatShape(scope, name, shape);
  // A type of its own would lose the methods of json.RawMessage.
  const declared = [...lines, `type ${name} ${type === RAW ? "= " : ""}${type}`];
  scope.declarations[place] = [...declared, ...formatEnumConstants(scope, name, shape)].join("\n");
}

/** Declares an object type: a struct, or a map where only a type of all values is known. `reserved` names no field. */
export function declareObject(
  scope: GoScope,
  name: string,
  schema: JsonObject,
  doc: DocText,
  reserved: readonly string[] = [],
): void {
  const place = scope.declarations.push("") - 1;
  const type = formatObjectType(scope, name, describeShape(schema, scope.definitions), reserved);
  scope.declarations[place] = [...formatGoDoc(doc.text, "", doc.deprecated), `type ${name} ${type}`].join(
    "\n",
  );
}

/** Returns the type of a field or item; a type that needs a name is declared as `hint`. */
function declareNestedType(scope: GoScope, hint: string, schema: Json): string {
  const shape = describeShape(schema, scope.definitions);
  if (shape.definition !== undefined) return scope.names.get(shape.definition) ?? RAW;
  const [type, ...others] = shape.types;
  const isNamed =
    others.length === 0 &&
    ((type === "string" && listTexts(shape).length > 0) || (type === "object" && shape.fields.length > 0));
  if (!isNamed) return formatShape(scope, hint, shape);
  const name = scope.unique(hint);
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
  return formatStruct(
    fields.map((field) => formatField(scope, name, field)),
    fields,
    reserved,
  );
}

/** Returns whether values of `type`, the Go type of `schema`, may be nil. */
function hasNil({ definitions }: GoScope, type: string, schema: Json): boolean {
  if (type === RAW || /^(\[\]|map\[|\*)/.test(type)) return true;
  const { definition } = describeShape(schema, definitions);
  const target = definition === undefined ? undefined : own(definitions, definition)?.schema;
  if (target === undefined) return false;
  const { types, fields } = describeShape(target, definitions);
  const [only = ""] = types;
  return types.length !== 1 || only === "array" || (only === "object" && fields.length === 0);
}

/** The parts of a struct field: its doc lines and its type. */
interface FormattedField {
  readonly doc: readonly string[];
  readonly type: string;
}

function formatStruct(
  written: readonly FormattedField[],
  fields: readonly ShapeField[],
  reserved: readonly string[],
): string {
  const unique = createNameAssigner(reserved);
  // A blank line between fields: gofmt then sets none of them in columns.
  const blocks = fields.flatMap(({ name, required }, i) => {
    const tag = formatGoTag(name, !required);
    const one = written[i];
    if (one === undefined) return [];
    if (tag === undefined)
      return [
        formatGoDoc(
          `No tag can name the field ${formatGoString(name)}: it is in the raw JSON only.`,
          "\t",
        ).join("\n"),
      ];
    return [[...one.doc, `\t${unique(formatGoName(name))} ${one.type} ${tag}`].join("\n")];
  });
  return blocks.length === 0 ? "struct{}" : `struct {\n${blocks.join("\n\n")}\n}`;
}

function formatField(scope: GoScope, owner: string, { name, schemas, required }: ShapeField): FormattedField {
  const { definitions } = scope;
  const [schema = true] = schemas;
  const areEqual = schemas.every((other) => equal(other, schema));
  const type = areEqual
    ? declareNestedType(scope, `${owner}${formatGoName(name)}`, schema)
    : findCommonType(scope, schemas);
  const shapes = schemas.map((one) => describeShape(one, definitions));
  const isOptional = !required || shapes.some(({ isNullable }) => isNullable);
  // Go takes a struct that contains itself behind a pointer only.
  const isCyclic = shapes[0]?.definition !== undefined && isRecursive(shapes[0].definition, definitions);
  const isPointer = (isOptional || isCyclic) && !hasNil(scope, type, schema);
  const doc = createDoc(schema);
  return { doc: formatGoDoc(doc.text, "\t", doc.deprecated), type: isPointer ? `*${type}` : type };
}

function isRecursive(definition: string, definitions: Definitions): boolean {
  return collectDefinitionsBelow(definition, definitions).has(definition);
}

/** The type of a field that branches declare differently: a scalar if they agree on that. */
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
    (value) => [scope.unique(`${name}${formatGoName(value)}`), value] as const,
  );
  return rows.length === 0 ? [] : ["", `// The known values of ${name}.`, ...formatGoConstants(name, rows)];
}
