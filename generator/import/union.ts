/** Lists the events of a union: the alternatives of nested `oneOf` and `anyOf`, with references resolved. */
import { getOwn, isObject, type Json, type JsonObject, joinPointer } from "../json.js";
import { BRANCHES, createSpotWithoutPlace, describeSchema, EVERYTHING } from "../schema/describe.js";
import { getKeywords } from "../schema/keywords.js";
import { findValueList, mergeFields } from "../schema/merge.js";
import { collectDeclaredFields } from "../schema/object-family.js";
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
  const isReference = Object.keys(schema).every((keyword) => keyword === "$ref" || isAnnotation(keyword));
  const target = isReference ? getTargetName(schema) : undefined;
  if (target !== undefined && !names.includes(target))
    return listAlternatives(getOwn(definitions, target)?.schema ?? true, definitions, [...names, target]);
  const unionKeyword = (["oneOf", "anyOf"] as const).find((keyword) => Array.isArray(schema[keyword]));
  const branches = unionKeyword === undefined ? [] : (schema[unionKeyword] as readonly Json[]);
  const isSplit = names.length === 0 || isUnionOfEvents(branches, definitions);
  if (unionKeyword === undefined || !isSplit) return [{ names, pointer, schema }];
  const { [unionKeyword]: _union, ...siblings } = schema;
  const listed = branches.flatMap((branch, index) =>
    listAlternatives(branch, definitions, names, joinPointer(pointer, unionKeyword, index)),
  );
  // A definition may be listed itself and in a nested union. In `oneOf`, two equal alternatives exclude each other.
  const isRepeated = ({ schema: each }: Alternative, index: number): boolean =>
    unionKeyword === "anyOf" && listed.findIndex((other) => other.schema === each) < index;
  const alternatives = listed.filter((alternative, index) => !isRepeated(alternative, index));
  if (Object.keys(siblings).every((keyword) => isAnnotation(keyword) || NEUTRAL_KEYWORDS.has(keyword)))
    return alternatives;
  const commonParts = Array.isArray(siblings.allOf) ? siblings.allOf : [];
  return alternatives.map((alternative) => ({
    ...alternative,
    schema: { ...siblings, allOf: [...commonParts, alternative.schema] },
  }));
}

/** Returns whether the alternatives of a union below the root are events: a field distinguishes them, or all are unions. */
function isUnionOfEvents(branches: readonly Json[], definitions: Definitions): boolean {
  const listedTexts = branches.map((branch) => findListedTexts(branch, definitions));
  const fieldNames = [...(listedTexts[0]?.keys() ?? [])];
  const isDistinguished = fieldNames.some(
    (name) => new Set(listedTexts.map((fields) => String(fields.get(name) ?? ""))).size === branches.length,
  );
  return (
    isDistinguished || branches.every((branch) => listAlternatives(branch, definitions, [""]).length > 1)
  );
}

/** Returns whether a keyword does not restrict values. */
export function isAnnotation(keyword: string): boolean {
  const definition = getKeywords().get(keyword);
  return definition === undefined ? !LEGACY_KEYWORDS.has(keyword) : definition.facet === "annotations";
}

/** Keywords of older dialects that are not annotations. The table of keywords does not have them. */
const LEGACY_KEYWORDS = new Set(["dependencies", "additionalItems", "definitions"]);

/** Returns the required fields for which `schema`, or every alternative of a union in it, lists all texts, with the texts. */
export function findListedTexts(
  schema: Json,
  definitions: Definitions,
  visited: readonly Json[] = [],
): Map<string, readonly string[]> {
  const listedTexts = new Map<string, readonly string[]>();
  if (visited.includes(schema)) return listedTexts;
  const description = describeConjunction([schema], definitions);
  for (const { name, isRequired, spots } of mergeFields(description).values()) {
    const fieldSchemas = spots.map((spot) => spot.schema);
    const list = isRequired
      ? findValueList(describeConjunction(fieldSchemas, definitions), "closed")
      : undefined;
    if (list?.values.every(isText)) listedTexts.set(name, list.values);
  }
  for (const union of listUnions(description)) {
    const [first, ...others] = union.map((branch) =>
      findListedTexts(branch, definitions, [...visited, schema]),
    );
    for (const [name, texts] of first ?? []) {
      const lists = others.map((other) => other.get(name));
      if (listedTexts.has(name) || lists.includes(undefined)) continue;
      listedTexts.set(name, [...new Set([...texts, ...lists.flatMap((list) => list ?? [])])]);
    }
  }
  return listedTexts;
}

function isText(value: Json): value is string {
  return typeof value === "string";
}

/** Collects the fields that a schema of a whole message declares, in any branch. */
export function collectFields(schema: Json, definitions: Definitions): string[] {
  const family = describeSchema([createSpotWithoutPlace(schema)], definitions, EVERYTHING, BRANCHES);
  return [...collectDeclaredFields(family)];
}

/** Returns whether every value of `schema` has the field. */
export function requiresField(schema: Json, name: string, definitions: Definitions): boolean {
  return mergeFields(describeConjunction([schema], definitions)).get(name)?.isRequired === true;
}
