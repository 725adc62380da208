/** Formats the type of a value: "string or null", "array of object", "string (`ToolCallId`)". */
import { getJsonType, isObject, type Json, type JsonObject } from "../../json.js";
import { readListedValues } from "../../schema/listed-values.js";
import { createDefinitionId, listBranches, listMembers, type Renderer } from "./renderer.js";

/** The type of a schema that allows every value. */
export const ANY_VALUE = "any value";

/** The schemas of one type that are formatted. Definitions that refer several times to others have more than anybody reads. */
const MAX_SCHEMAS = 500;

/** How far the formatting of one type has come. */
interface Progress {
  readonly renderer: Renderer;
  /** The schemas that are being formatted. They are not formatted again, so that recursion ends. */
  readonly ancestors: Set<Json>;
  /** The number of schemas that may still be formatted. Any others are shown as any value. */
  schemasLeft: number;
}

/** Formats the type of the values of `schema` as Markdown, with references resolved and linked. */
export function formatType(schema: Json | undefined, renderer: Renderer): string {
  return formatPart(schema, { renderer, ancestors: new Set(), schemasLeft: MAX_SCHEMAS });
}

function formatPart(schema: Json | undefined, progress: Progress): string {
  const { renderer, ancestors } = progress;
  if (!isObject(schema)) return schema === false ? "never" : ANY_VALUE;
  if (ancestors.has(schema) || progress.schemasLeft === 0) return ANY_VALUE;
  progress.schemasLeft--;
  ancestors.add(schema);
  const ownType = formatOwnType(schema, progress);
  const target = renderer.findDefinition(schema);
  const namedType = target && ownType === ANY_VALUE ? formatPart(target.schema, progress) : ownType;
  ancestors.delete(schema);
  return target ? `${namedType} (${renderer.link(createDefinitionId(target.name), target.name)})` : namedType;
}

function formatOwnType(schema: JsonObject, progress: Progress): string {
  const types = [schema.type ?? inferTypes(schema)].flat();
  if (types.length > 0) return joinAlternatives(types.map((type) => formatTypeName(type, schema, progress)));
  for (const keyword of ["anyOf", "oneOf"]) {
    const words = listBranches(schema, keyword).map((branch) => formatPart(branch, progress));
    if (words.length > 0) return joinAlternatives(words);
  }
  const parts = listBranches(schema, "allOf").map((part) => formatPart(part, progress));
  return parts.find((words) => words !== ANY_VALUE) ?? ANY_VALUE;
}

function formatTypeName(type: Json, schema: JsonObject, progress: Progress): string {
  if (type === "array") return formatArray(schema, progress);
  if (type === "object") return formatObject(schema, progress);
  return typeof type === "string" && /^[a-z]+$/.test(type) ? type : progress.renderer.json(type);
}

/** Infers the types of a schema without `type` from its listed values, or from keywords for one type. */
function inferTypes(schema: JsonObject): readonly string[] {
  const [listed] = readListedValues(schema);
  if (listed) return [...new Set(listed.values.map(getJsonType))];
  if (schema.properties !== undefined || schema.additionalProperties !== undefined) return ["object"];
  return schema.items !== undefined || schema.prefixItems !== undefined ? ["array"] : [];
}

function formatArray(schema: JsonObject, progress: Progress): string {
  if (Array.isArray(schema.prefixItems)) {
    const prefixTypes = schema.prefixItems.map((item) => formatPart(item, progress));
    return `array (${[...prefixTypes, ...(schema.items === false ? [] : ["…"])].join(", ")})`;
  }
  return schema.items === undefined
    ? "array"
    : `array of ${parenthesize(formatPart(schema.items, progress))}`;
}

/** Formats an object. A map, which declares no fields, shows the type of its values. */
function formatObject(schema: JsonObject, progress: Progress): string {
  const values = schema.additionalProperties;
  if (!isObject(values) || listMembers(schema, "properties").length > 0) return "object";
  const words = formatPart(values, progress);
  return words === ANY_VALUE ? "object" : `object of ${parenthesize(words)}`;
}

function parenthesize(words: string): string {
  return words.includes(" or ") ? `(${words})` : words;
}

function joinAlternatives(words: readonly string[]): string {
  return [...new Set(words)].join(" or ");
}
