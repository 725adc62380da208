/** Formats the type of a value: "string or null", "array of object", "string (`ToolCallId`)". */
import { getJsonType, isObject, type Json, type JsonObject } from "../../json.js";
import { readListedValues } from "../../schema/listed-values.js";
import { createDefinitionId, listBranches, listMembers, type Renderer } from "./renderer.js";

/** The type of a schema that allows every value. */
export const ANY_VALUE = "any value";

/**
 * Formats the type of the values of `schema` as Markdown, with references resolved and linked. `ancestors` are the schemas
 * that are being formatted; they are not formatted again, so that recursion ends.
 */
export function formatType(
  schema: Json | undefined,
  renderer: Renderer,
  ancestors: ReadonlySet<Json> = new Set(),
): string {
  if (!isObject(schema)) return schema === false ? "never" : ANY_VALUE;
  if (ancestors.has(schema)) return ANY_VALUE;
  const visitedSchemas = new Set([...ancestors, schema]);
  const ownType = formatOwnType(schema, renderer, visitedSchemas);
  const target = renderer.findDefinition(schema);
  if (!target) return ownType;
  const namedType = ownType === ANY_VALUE ? formatType(target.schema, renderer, visitedSchemas) : ownType;
  return `${namedType} (${renderer.link(createDefinitionId(target.name), target.name)})`;
}

function formatOwnType(schema: JsonObject, renderer: Renderer, ancestors: ReadonlySet<Json>): string {
  const types = [schema.type ?? inferTypes(schema)].flat();
  if (types.length > 0)
    return joinAlternatives(types.map((type) => formatTypeName(type, schema, renderer, ancestors)));
  for (const keyword of ["anyOf", "oneOf"]) {
    const words = listBranches(schema, keyword).map((branch) => formatType(branch, renderer, ancestors));
    if (words.length > 0) return joinAlternatives(words);
  }
  const parts = listBranches(schema, "allOf").map((part) => formatType(part, renderer, ancestors));
  return parts.find((words) => words !== ANY_VALUE) ?? ANY_VALUE;
}

function formatTypeName(
  type: Json,
  schema: JsonObject,
  renderer: Renderer,
  ancestors: ReadonlySet<Json>,
): string {
  if (type === "array") return formatArray(schema, renderer, ancestors);
  if (type === "object") return formatObject(schema, renderer, ancestors);
  return typeof type === "string" && /^[a-z]+$/.test(type) ? type : renderer.json(type);
}

/** Infers the types of a schema without `type` from its listed values, or from keywords for one type. */
function inferTypes(schema: JsonObject): readonly string[] {
  const [listed] = readListedValues(schema);
  if (listed) return [...new Set(listed.values.map(getJsonType))];
  if (schema.properties !== undefined || schema.additionalProperties !== undefined) return ["object"];
  return schema.items !== undefined || schema.prefixItems !== undefined ? ["array"] : [];
}

function formatArray(schema: JsonObject, renderer: Renderer, ancestors: ReadonlySet<Json>): string {
  if (Array.isArray(schema.prefixItems)) {
    const prefixTypes = schema.prefixItems.map((item) => formatType(item, renderer, ancestors));
    return `array (${[...prefixTypes, ...(schema.items === false ? [] : ["…"])].join(", ")})`;
  }
  return schema.items === undefined
    ? "array"
    : `array of ${parenthesize(formatType(schema.items, renderer, ancestors))}`;
}

/** Formats an object. A map, which declares no fields, shows the type of its values. */
function formatObject(schema: JsonObject, renderer: Renderer, ancestors: ReadonlySet<Json>): string {
  const values = schema.additionalProperties;
  if (!isObject(values) || listMembers(schema, "properties").length > 0) return "object";
  const words = formatType(values, renderer, ancestors);
  return words === ANY_VALUE ? "object" : `object of ${parenthesize(words)}`;
}

function parenthesize(words: string): string {
  return words.includes(" or ") ? `(${words})` : words;
}

function joinAlternatives(words: readonly string[]): string {
  return [...new Set(words)].join(" or ");
}
