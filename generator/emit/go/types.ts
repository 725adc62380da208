/** Go types of schemas: structs with json tags, named strings with constants, json.RawMessage for everything else. */
import { equal, isObject, type Json, type JsonObject, own } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { listedValues } from "../../schema/listed-values.js";
import { constraintSentence } from "../typescript/doc.js";
import { areNumbers, isCyclic, isNamedNilable, isNilable, isNullable, RAW, valueTypes } from "./nil.js";
import { definitionName, jsonTypes, type ShapeField, shapeFields, unwrapped } from "./shape.js";
import { goConstants, goDoc, goName, goString, goTag, uniqueNames } from "./text.js";

/** Where types are declared. Names are exported and unique. */
export interface GoScope {
  readonly definitions: Protocol["definitions"];
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

/** Declares `name` as the type of `schema`. */
export function declareType(scope: GoScope, name: string, schema: Json, doc: GoDocText): void {
  const lines = goDoc(doc.text, "", doc.deprecated);
  const plain = isObject(schema) ? unwrapped(schema) : schema;
  const target = definitionName(plain);
  if (!isObject(plain) || target !== undefined) {
    scope.declarations.push([...lines, `type ${name} = ${typeText(scope, name, plain)}`].join("\n"));
    return;
  }
  const place = scope.declarations.push("") - 1;
  const type = structure(scope, name, plain);
  // A type of its own would lose the methods of json.RawMessage.
  const declared = [...lines, `type ${name} ${type === RAW ? "= " : ""}${type}`];
  scope.declarations[place] = [...declared, ...enumConstants(scope, name, plain)].join("\n");
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
  const type = objectType(scope, name, schema, reserved);
  scope.declarations[place] = [...goDoc(doc.text, "", doc.deprecated), `type ${name} ${type}`].join("\n");
}

/** The type of a value as it stands in a field or list; what needs a name of its own is declared as `hint`. */
function typeText(scope: GoScope, hint: string, schema: Json): string {
  const plain = isObject(schema) ? unwrapped(schema) : schema;
  const target = definitionName(plain);
  if (target !== undefined) return scope.names.get(target) ?? RAW;
  if (!isObject(plain)) return RAW;
  const [type, ...others] = valueTypes(plain, scope.definitions);
  const named =
    others.length === 0 &&
    ((type === "string" && knownTexts(plain).length > 0) ||
      (type === "object" && shapeFields(plain, scope.definitions).length > 0));
  if (!named) return structure(scope, hint, plain);
  const name = scope.unique(hint);
  declareType(scope, name, plain, { text: `${name} is ${article(type)} within another type.` });
  return name;
}

function article(type: string | undefined): string {
  return type === "object" ? "an object" : "a text";
}

function structure(scope: GoScope, name: string, schema: JsonObject): string {
  const types = valueTypes(schema, scope.definitions);
  if (areNumbers(types)) return "float64";
  const [type = ""] = types;
  if (types.length !== 1) return RAW;
  if (type === "object" && !isTyped(scope, schema)) return `map[string]${RAW}`;
  if (type === "object") return objectType(scope, name, schema);
  if (type === "array") return `[]${itemType(scope, name, schema)}`;
  return own(SCALARS, type) ?? RAW;
}

/** Whether an object schema says anything of its values. */
function isTyped({ definitions }: GoScope, schema: JsonObject): boolean {
  return isObject(schema.additionalProperties) || shapeFields(schema, definitions).length > 0;
}

function itemType(scope: GoScope, name: string, { items, prefixItems }: JsonObject): string {
  if (items === undefined || prefixItems !== undefined) return RAW;
  const type = typeText(scope, `${name}Item`, items);
  return isNullable(items, scope.definitions) && !isNilable(type) ? `*${type}` : type;
}

function objectType(
  scope: GoScope,
  name: string,
  schema: JsonObject,
  reserved: readonly string[] = [],
): string {
  const fields = shapeFields(schema, scope.definitions);
  const values = schema.additionalProperties;
  if (fields.length === 0 && isObject(values))
    return `map[string]${itemType(scope, name, { items: values })}`;
  return structType(
    fields.map((field) => fieldLines(scope, name, field)),
    fields,
    reserved,
  );
}

/** What a field is made of: its doc, its type and whether it may be missing. */
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
  const alike = schemas.every((other) => equal(other, schema));
  const text = alike ? typeText(scope, `${owner}${goName(name)}`, schema) : commonType(scope, schemas);
  const optional = !required || schemas.some((one) => isNullable(one, definitions));
  const indirect =
    (optional || isCyclic(schema, definitions)) && !isNilable(text) && !isNamedNilable(schema, definitions);
  const doc = docOf(schema);
  return { doc: goDoc(doc.text, "\t", doc.deprecated), type: indirect ? `*${text}` : text };
}

/** The type of a field that branches declare differently: a scalar if they agree on that. */
function commonType(scope: GoScope, schemas: readonly Json[]): string {
  const types = schemas.map((schema) => [...(jsonTypes(schema, scope.definitions) ?? ["unknown"])]);
  const [type = "", ...others] = new Set(types.flat().filter((one) => one !== "null"));
  return (others.length === 0 && own(SCALARS, type)) || RAW;
}

function knownTexts(schema: JsonObject): string[] {
  const listed = listedValues(schema).find(({ keyword }) => keyword !== "const");
  return listed?.values.filter((value) => typeof value === "string") ?? [];
}

function enumConstants(scope: GoScope, name: string, schema: JsonObject): string[] {
  if (valueTypes(schema, scope.definitions).join() !== "string") return [];
  const rows = [...new Set(knownTexts(schema).map((text) => text.toWellFormed()))].map(
    (value) => [scope.unique(`${name}${goName(value)}`), value] as const,
  );
  return rows.length === 0 ? [] : ["", `// The known values of ${name}.`, ...goConstants(name, rows)];
}

/** What to use instead of something deprecated; null says that there is nothing. */
export function instead(replacedBy: Json | undefined): string {
  if (replacedBy === undefined) return "It will go.";
  return replacedBy === null ? "It will go, and nothing replaces it." : `Use ${replacedBy}.`;
}

/** What a schema says to people. */
export function docOf(schema: Json): GoDocText {
  if (!isObject(schema)) return { text: "" };
  const parts = [
    typeof schema.description === "string" ? schema.description : "",
    constraintSentence(schema),
  ];
  const deprecated = schema.deprecated === true ? instead(schema["x-replaced-by"]) : undefined;
  return { text: parts.filter((part) => part !== "").join(" "), deprecated };
}
