/** Go types of schemas: structs with json tags, named strings with constants, json.RawMessage for everything else. */
import { equal, isObject, type Json, type JsonObject, own } from "../../json.js";
import type { Definitions } from "../../schema/reference.js";
import { definitionsBelow } from "../../schema/walk.js";
import { constraintSentence } from "../typescript/doc.js";
import { type Shape, type ShapeField, shapeOf } from "./shape.js";
import { goConstants, goDoc, goName, goString, goTag, uniqueNames } from "./text.js";

/** The package in which types are declared. Names are exported and unique. */
export interface GoScope {
  readonly definitions: Definitions;
  /** The Go name of each definition. */
  readonly names: ReadonlyMap<string, string>;
  readonly unique: (name: string) => string;
  /** Declarations so far, each one text. */
  readonly declarations: string[];
}

/** A doc comment's parts. */
interface GoDocText {
  readonly text: string;
  readonly deprecated?: string | undefined;
}

const SCALARS: { readonly [type: string]: string } = {
  string: "string",
  integer: "int64",
  number: "float64",
  boolean: "bool",
};

/** The type of what Go keeps as it came. */
const RAW = "json.RawMessage";

/** Declares `name` as the type of `schema`. */
export function declareType(scope: GoScope, name: string, schema: Json, doc: GoDocText): void {
  const lines = goDoc(doc.text, "", doc.deprecated);
  const shape = shapeOf(schema, scope.definitions);
  if (shape.definition !== undefined) {
    const target = scope.names.get(shape.definition) ?? RAW;
    scope.declarations.push([...lines, `type ${name} = ${target}`].join("\n"));
    return;
  }
  const place = scope.declarations.push("") - 1;
  const type = structure(scope, name, shape);
  // A type of its own would lose the methods of json.RawMessage.
  const declared = [...lines, `type ${name} ${type === RAW ? "= " : ""}${type}`];
  scope.declarations[place] = [...declared, ...enumConstants(scope, name, shape)].join("\n");
}

/** Declares an object type: a struct, or a map where only a type of all values is known. `reserved` names no field. */
export function declareObject(
  scope: GoScope,
  name: string,
  schema: JsonObject,
  doc: GoDocText,
  reserved: readonly string[] = [],
): void {
  const place = scope.declarations.push("") - 1;
  const type = objectType(scope, name, shapeOf(schema, scope.definitions), reserved);
  scope.declarations[place] = [...goDoc(doc.text, "", doc.deprecated), `type ${name} ${type}`].join("\n");
}

/** Returns the type of a field or item; a type that needs a name is declared as `hint`. */
function typeText(scope: GoScope, hint: string, schema: Json): string {
  const shape = shapeOf(schema, scope.definitions);
  if (shape.definition !== undefined) return scope.names.get(shape.definition) ?? RAW;
  const [type, ...others] = shape.types;
  const isNamed =
    others.length === 0 &&
    ((type === "string" && shape.texts.length > 0) || (type === "object" && shape.fields.length > 0));
  if (!isNamed) return structure(scope, hint, shape);
  const name = scope.unique(hint);
  const article = type === "object" ? "an object" : "a text";
  declareType(scope, name, schema, { text: `${name} is ${article} within another type.` });
  return name;
}

function structure(scope: GoScope, name: string, shape: Shape): string {
  const [type = "", ...others] = shape.types;
  if (others.length > 0) return RAW;
  if (type === "object" && shape.fields.length === 0 && shape.values === undefined)
    return `map[string]${RAW}`;
  if (type === "object") return objectType(scope, name, shape);
  if (type === "array") return `[]${itemType(scope, name, shape.items ?? true)}`;
  return own(SCALARS, type) ?? RAW;
}

function itemType(scope: GoScope, name: string, items: Json): string {
  const type = typeText(scope, `${name}Item`, items);
  const isPointer = shapeOf(items, scope.definitions).isNullable && !hasNil(scope, type, items);
  return isPointer ? `*${type}` : type;
}

function objectType(scope: GoScope, name: string, shape: Shape, reserved: readonly string[] = []): string {
  const { fields, values } = shape;
  if (fields.length === 0 && values !== undefined) return `map[string]${itemType(scope, name, values)}`;
  return structType(
    fields.map((field) => fieldLines(scope, name, field)),
    fields,
    reserved,
  );
}

/** Returns whether values of `type`, the Go type of `schema`, may be nil. */
function hasNil({ definitions }: GoScope, type: string, schema: Json): boolean {
  if (type === RAW || /^(\[\]|map\[|\*)/.test(type)) return true;
  const { definition } = shapeOf(schema, definitions);
  const target = definition === undefined ? undefined : own(definitions, definition)?.schema;
  if (target === undefined) return false;
  const { types, fields } = shapeOf(target, definitions);
  const [only = ""] = types;
  return types.length !== 1 || only === "array" || (only === "object" && fields.length === 0);
}

/** The parts of a struct field: its doc lines and its type. */
interface Written {
  readonly doc: readonly string[];
  readonly type: string;
}

function structType(
  written: readonly Written[],
  fields: readonly ShapeField[],
  reserved: readonly string[],
): string {
  const unique = uniqueNames(reserved);
  // A blank line between fields: gofmt then sets none of them in columns.
  const blocks = fields.flatMap(({ name, required }, i) => {
    const tag = goTag(name, !required);
    const one = written[i];
    if (one === undefined) return [];
    if (tag === undefined)
      return [
        goDoc(`No tag can name the field ${goString(name)}: it is in the raw JSON only.`, "\t").join("\n"),
      ];
    return [[...one.doc, `\t${unique(goName(name))} ${one.type} ${tag}`].join("\n")];
  });
  return blocks.length === 0 ? "struct{}" : `struct {\n${blocks.join("\n\n")}\n}`;
}

function fieldLines(scope: GoScope, owner: string, { name, schemas, required }: ShapeField): Written {
  const { definitions } = scope;
  const [schema = true] = schemas;
  const areEqual = schemas.every((other) => equal(other, schema));
  const type = areEqual ? typeText(scope, `${owner}${goName(name)}`, schema) : commonType(scope, schemas);
  const shapes = schemas.map((one) => shapeOf(one, definitions));
  const isOptional = !required || shapes.some(({ isNullable }) => isNullable);
  // Go takes a struct that contains itself behind a pointer only.
  const isCyclic = shapes[0]?.definition !== undefined && isRecursive(shapes[0].definition, definitions);
  const isPointer = (isOptional || isCyclic) && !hasNil(scope, type, schema);
  const doc = docOf(schema);
  return { doc: goDoc(doc.text, "\t", doc.deprecated), type: isPointer ? `*${type}` : type };
}

function isRecursive(definition: string, definitions: Definitions): boolean {
  return definitionsBelow(definition, definitions).has(definition);
}

/** The type of a field that branches declare differently: a scalar if they agree on that. */
function commonType({ definitions }: GoScope, schemas: readonly Json[]): string {
  const [type = "", ...others] = shapeOf({ anyOf: schemas }, definitions).types;
  return (others.length === 0 && own(SCALARS, type)) || RAW;
}

function enumConstants(scope: GoScope, name: string, { types, texts }: Shape): string[] {
  if (types.join() !== "string") return [];
  const rows = [...new Set(texts.map((text) => text.toWellFormed()))].map(
    (value) => [scope.unique(`${name}${goName(value)}`), value] as const,
  );
  return rows.length === 0 ? [] : ["", `// The known values of ${name}.`, ...goConstants(name, rows)];
}

/** Returns the replacement of something deprecated as a sentence; null means that nothing replaces it. */
export function instead(replacedBy: Json | undefined): string {
  if (replacedBy === undefined) return "It will go.";
  return replacedBy === null ? "It will go, and nothing replaces it." : `Use ${replacedBy}.`;
}

/** Returns the doc comment of a schema. */
export function docOf(schema: Json): GoDocText {
  if (!isObject(schema)) return { text: "" };
  const parts = [
    typeof schema.description === "string" ? schema.description : "",
    constraintSentence(schema),
  ];
  const deprecated = schema.deprecated === true ? instead(schema["x-replaced-by"]) : undefined;
  return { text: parts.filter((part) => part !== "").join(" "), deprecated };
}
