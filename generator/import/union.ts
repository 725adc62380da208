/** Lists the events of a union: the alternatives of nested `oneOf` and `anyOf`, with references resolved. */
import { getOwn, isObject, type Json, type JsonObject, join } from "../json.js";
import { getKeywords } from "../schema/keywords.js";
import { findFixedValue, mergeFields } from "../schema/merge.js";
import { type Definitions, getTargetName } from "../schema/reference.js";
import { describeConjunction, listUnions } from "./closed-objects.js";

/** One alternative of a union, which is not a union itself. */
export interface Alternative {
  /** The names of the definitions on the way from the root to the alternative, the outermost first. */
  readonly names: readonly string[];
  /** The pointer to the alternative in the innermost of these definitions, or in the root. */
  readonly pointer: string;
  readonly schema: JsonObject;
}

/** Keywords beside a union that do not restrict its alternatives. */
const NEUTRAL_KEYWORDS = new Set(["type", "$schema", "$ref"]);

/** Lists the alternatives of `schema` in order. A schema that is not a union is its own only alternative. */
export function listAlternatives(
  schema: Json,
  definitions: Definitions,
  names: readonly string[] = [],
  pointer = "",
): Alternative[] {
  if (!isObject(schema)) return [];
  const isReference = Object.keys(schema).every((each) => each === "$ref" || isAnnotation(each));
  const target = isReference ? getTargetName(schema) : undefined;
  if (target !== undefined && !names.includes(target))
    return listAlternatives(getOwn(definitions, target)?.schema ?? true, definitions, [...names, target]);
  const keyword = (["oneOf", "anyOf"] as const).find((each) => Array.isArray(schema[each]));
  const branches = keyword === undefined ? [] : (schema[keyword] as readonly Json[]);
  const isSplit = names.length === 0 || isUnionOfEvents(branches, definitions);
  if (keyword === undefined || !isSplit) return [{ names, pointer, schema }];
  const { [keyword]: _union, ...siblings } = schema;
  const alternatives = branches.flatMap((branch, index) =>
    listAlternatives(branch, definitions, names, join(pointer, keyword, index)),
  );
  if (Object.keys(siblings).every((each) => isAnnotation(each) || NEUTRAL_KEYWORDS.has(each)))
    return alternatives;
  const common = Array.isArray(siblings.allOf) ? siblings.allOf : [];
  return alternatives.map((alternative) => ({
    ...alternative,
    schema: { ...siblings, allOf: [...common, alternative.schema] },
  }));
}

/** Returns whether the alternatives of a union below the root are events: a field distinguishes them, or each is a union itself. */
function isUnionOfEvents(branches: readonly Json[], definitions: Definitions): boolean {
  const fixed = branches.map((branch) => findFixedFields(branch, definitions));
  const isDistinguished = [...(fixed[0]?.keys() ?? [])].some(
    (name) => new Set(fixed.map((fields) => fields.get(name) ?? "")).size === branches.length,
  );
  return (
    isDistinguished || branches.every((branch) => listAlternatives(branch, definitions, [""]).length > 1)
  );
}

function isAnnotation(keyword: string): boolean {
  const known = getKeywords().get(keyword);
  return known === undefined ? !LEGACY_KEYWORDS.has(keyword) : known.facet === "annotations";
}

/** Keywords of older dialects that are not annotations. The table of keywords does not have them. */
const LEGACY_KEYWORDS = new Set(["dependencies", "additionalItems", "definitions"]);

/** Returns the required fields that `schema` fixes to one text, with their texts. In a union, all alternatives must agree. */
export function findFixedFields(
  schema: Json,
  definitions: Definitions,
  visited: readonly Json[] = [],
): Map<string, string> {
  const fixed = new Map<string, string>();
  if (visited.includes(schema)) return fixed;
  const whole = describeConjunction([schema], definitions);
  for (const { name, isRequired, spots } of mergeFields(whole).values()) {
    const fields = spots.map((spot) => spot.schema);
    const value = isRequired ? findFixedValue(describeConjunction(fields, definitions)) : undefined;
    if (typeof value === "string") fixed.set(name, value);
  }
  for (const union of listUnions(whole)) {
    const [first, ...others] = union.map((branch) =>
      findFixedFields(branch, definitions, [...visited, schema]),
    );
    for (const [name, value] of first ?? [])
      if (others.every((other) => other.get(name) === value)) fixed.set(name, value);
  }
  return fixed;
}
