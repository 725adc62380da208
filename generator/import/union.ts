/** Lists the events of a union: the alternatives of nested `oneOf` and `anyOf`, with references resolved. */
import { getOwn, isObject, type Json, type JsonObject, join } from "../json.js";
import { BRANCHES, createNodeWithoutPlace, describeSchema, EVERYTHING } from "../schema/describe.js";
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
  const listed = branches.map((branch) => findListedTexts(branch, definitions));
  const isDistinguished = [...(listed[0]?.keys() ?? [])].some(
    (name) => new Set(listed.map((fields) => String(fields.get(name) ?? ""))).size === branches.length,
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

/** Returns the required fields for which `schema` lists all texts, with the texts. In a union, each alternative must list some. */
export function findListedTexts(
  schema: Json,
  definitions: Definitions,
  visited: readonly Json[] = [],
): Map<string, readonly string[]> {
  const listed = new Map<string, readonly string[]>();
  if (visited.includes(schema)) return listed;
  const whole = describeConjunction([schema], definitions);
  for (const { name, required, spots } of mergeFields(whole).values()) {
    const fields = spots.map((spot) => spot.schema);
    const list = required ? findValueList(describeConjunction(fields, definitions), "closed") : undefined;
    if (list?.values.every(isText)) listed.set(name, list.values);
  }
  for (const union of listUnions(whole)) {
    const [first, ...others] = union.map((branch) =>
      findListedTexts(branch, definitions, [...visited, schema]),
    );
    for (const [name, texts] of first ?? []) {
      const lists = others.map((other) => other.get(name));
      if (listed.has(name) || lists.includes(undefined)) continue;
      listed.set(name, [...new Set([...texts, ...lists.flatMap((list) => list ?? [])])]);
    }
  }
  return listed;
}

function isText(value: Json): value is string {
  return typeof value === "string";
}

/** Collects the fields that a schema of a whole message declares, in any branch. */
export function collectFields(schema: Json, definitions: Definitions): string[] {
  const family = describeSchema([createNodeWithoutPlace(schema)], definitions, EVERYTHING, BRANCHES);
  return [...collectDeclaredFields(family)];
}

/** Returns whether every value of `schema` has the field. */
export function requiresField(schema: Json, name: string, definitions: Definitions): boolean {
  return mergeFields(describeConjunction([schema], definitions)).get(name)?.required === true;
}
