/** The type of a value in words: "string or null", "array of object", "string (`ToolCallId`)". */
import { isObject, type Json, type JsonObject, jsonType } from "../../json.js";
import { listedValues } from "../../schema/listed-values.js";
import { branches, definitionId, members, type Renderer } from "./renderer.js";

/** The type of a schema that allows every value. */
export const ANY_VALUE = "any value";

/** Returns the type of the values of `schema`, references resolved and linked. Markdown. */
export function typeWords(
  schema: Json | undefined,
  renderer: Renderer,
  seen: ReadonlySet<Json> = new Set(),
): string {
  if (!isObject(schema)) return schema === false ? "never" : ANY_VALUE;
  if (seen.has(schema)) return ANY_VALUE;
  const within = new Set([...seen, schema]);
  const said = ownType(schema, renderer, within);
  const target = renderer.definition(schema);
  if (!target) return said;
  const named = said === ANY_VALUE ? typeWords(target.schema, renderer, within) : said;
  return `${named} (${renderer.link(definitionId(target.name), target.name)})`;
}

function ownType(schema: JsonObject, renderer: Renderer, seen: ReadonlySet<Json>): string {
  const types = [schema.type ?? impliedTypes(schema)].flat();
  if (types.length > 0) return either(types.map((type) => typeName(type, schema, renderer, seen)));
  for (const keyword of ["anyOf", "oneOf"]) {
    const words = branches(schema, keyword).map((branch) => typeWords(branch, renderer, seen));
    if (words.length > 0) return either(words);
  }
  const parts = branches(schema, "allOf").map((part) => typeWords(part, renderer, seen));
  return parts.find((words) => words !== ANY_VALUE) ?? ANY_VALUE;
}

function typeName(type: Json, schema: JsonObject, renderer: Renderer, seen: ReadonlySet<Json>): string {
  if (type === "array") return arrayWords(schema, renderer, seen);
  if (type === "object") return objectWords(schema, renderer, seen);
  return typeof type === "string" && /^[a-z]+$/.test(type) ? type : renderer.json(type);
}

/** The types that listed values or keywords of one type leave, for a schema without `type`. */
function impliedTypes(schema: JsonObject): readonly string[] {
  const [listed] = listedValues(schema);
  if (listed) return [...new Set(listed.values.map(jsonType))];
  if (schema.properties !== undefined || schema.additionalProperties !== undefined) return ["object"];
  return schema.items !== undefined || schema.prefixItems !== undefined ? ["array"] : [];
}

function arrayWords(schema: JsonObject, renderer: Renderer, seen: ReadonlySet<Json>): string {
  if (Array.isArray(schema.prefixItems)) {
    const fixed = schema.prefixItems.map((item) => typeWords(item, renderer, seen));
    return `array (${[...fixed, ...(schema.items === false ? [] : ["…"])].join(", ")})`;
  }
  return schema.items === undefined
    ? "array"
    : `array of ${grouped(typeWords(schema.items, renderer, seen))}`;
}

/** A map, an object that declares no field by name, shows the type of its values. */
function objectWords(schema: JsonObject, renderer: Renderer, seen: ReadonlySet<Json>): string {
  const values = schema.additionalProperties;
  if (!isObject(values) || members(schema, "properties").length > 0) return "object";
  const words = typeWords(values, renderer, seen);
  return words === ANY_VALUE ? "object" : `object of ${grouped(words)}`;
}

function grouped(words: string): string {
  return words.includes(" or ") ? `(${words})` : words;
}

function either(words: readonly string[]): string {
  return [...new Set(words)].join(" or ");
}
