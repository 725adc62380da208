/** Lists the events of a union: the alternatives of nested `oneOf` and `anyOf`, with references resolved. */
import {
  formatCanonicalJson,
  getOwn,
  isObject,
  type Json,
  type JsonObject,
  joinPointer,
  listItems,
} from "../json.js";
import { BRANCHES, createSpotWithoutPlace, describeSchema, EVERYTHING } from "../schema/describe.js";
import { getKeywords } from "../schema/keywords.js";
import { findValueList, mergeFields } from "../schema/merge.js";
import { collectDeclaredFields } from "../schema/object-family.js";
import { type Definitions, getTargetName } from "../schema/reference.js";
import { describeConjunction, listUnions } from "./closed-objects.js";
import { TYPE_FIELDS } from "./name-events.js";

/** One alternative of a union, which is not a union itself. */
export interface Alternative {
  /** The names of the definitions on the way from the root to the alternative, the outermost first. */
  readonly names: readonly string[];
  /** The pointer to the alternative in the innermost of these definitions, or in the root. */
  readonly pointer: string;
  readonly schema: JsonObject;
  /** True if a `oneOf` repeats the alternative, and therefore refuses its messages. */
  readonly isRepeated?: boolean;
  /** The keyword of the innermost union around the alternative. */
  readonly unionKeyword?: "oneOf" | "anyOf";
}

/** Keywords beside a union that do not restrict its alternatives. */
const NEUTRAL_KEYWORDS = new Set(["type", "$schema", "$ref"]);

/** The place of a schema in a union. */
interface UnionPlace extends Pick<Alternative, "names" | "pointer"> {
  /** True for the schema of all messages, which references may lead to. Its alternatives are always separate. */
  readonly isRoot: boolean;
  /** True for a part of the `allOf` of that schema. Numbers and booleans may distinguish its alternatives. */
  readonly isPartOfRoot?: boolean;
}

/**
 * Lists the alternatives of `schema` in order, each definition once. A schema that is not a union is its own only
 * alternative.
 */
export function listAlternatives(
  schema: Json,
  definitions: Definitions,
  place: UnionPlace = { names: [], pointer: "", isRoot: true },
): Alternative[] {
  const { names, pointer } = place;
  if (schema === true) return [{ names, pointer, schema: {} }];
  if (!isObject(schema)) return [];
  const target = isReference(schema) ? getTargetName(schema) : undefined;
  if (target !== undefined && !names.includes(target))
    return listAlternatives(getOwn(definitions, target)?.schema ?? true, definitions, {
      ...place,
      names: [...names, target],
      pointer: "",
    });
  const unionKeyword = (["oneOf", "anyOf"] as const).find((keyword) => Array.isArray(schema[keyword]));
  const branches = unionKeyword === undefined ? [] : listItems(schema[unionKeyword]);
  if (unionKeyword === undefined)
    return (
      (place.isRoot ? splitConjunction(schema, definitions, place) : undefined) ?? [
        { names, pointer, schema },
      ]
    );
  const { [unionKeyword]: _union, ...siblings } = schema;
  const isPure = Object.keys(siblings).every((each) => isAnnotation(each) || NEUTRAL_KEYWORDS.has(each));
  const isSplit =
    (place.isRoot &&
      (names.length === 0 || branches.every(isReference)) &&
      !areConditions(branches, siblings, definitions)) ||
    isUnionOfEvents(branches, definitions) ||
    (place.isPartOfRoot === true && isUnionOfEvents(branches, definitions, findListedScalars)) ||
    (isPure && pointer !== "" && isUnionOfNames(branches, definitions));
  if (!isSplit) return [{ names, pointer, schema }];
  const alternatives = mergeRepeated(
    branches.flatMap((branch, index) =>
      listAlternatives(branch, definitions, {
        names,
        pointer: joinPointer(pointer, unionKeyword, index),
        isRoot: false,
      }).map((alternative) => ({ unionKeyword, ...alternative })),
    ),
    unionKeyword,
  );
  if (isPure) return alternatives;
  const commonParts = Array.isArray(siblings.allOf) ? siblings.allOf : [];
  return alternatives.map((alternative) => ({
    ...alternative,
    schema: { ...siblings, allOf: [...commonParts, alternative.schema] },
  }));
}

/**
 * Lists the alternatives of the `allOf` of all messages, of which exactly one part is a union of events; the other parts apply
 * to each of them. Returns undefined for any other schema.
 */
function splitConjunction(
  schema: JsonObject,
  definitions: Definitions,
  { names, pointer }: UnionPlace,
): Alternative[] | undefined {
  const { allOf, ...siblings } = schema;
  const parts = listItems(allOf);
  const unions = parts.flatMap((part, index) => {
    const place = {
      names,
      pointer: joinPointer(pointer, "allOf", index),
      isRoot: false,
      isPartOfRoot: true,
    };
    const alternatives = listAlternatives(part, definitions, place);
    return alternatives.length > 1 ? [{ index, alternatives }] : [];
  });
  const [union, ...others] = unions;
  if (union === undefined || others.length > 0) return undefined;
  const commonParts = parts.toSpliced(union.index, 1);
  return union.alternatives.map((alternative) => ({
    ...alternative,
    schema: { ...siblings, allOf: [...commonParts, alternative.schema] },
  }));
}

/** Joins the alternatives of each group into one, whose schema is a union of theirs. The groups hold indexes. */
export function joinAlternatives(
  alternatives: readonly Alternative[],
  groups: readonly (readonly number[])[],
): Alternative[] {
  return groups.flatMap((indexes) => {
    const members = indexes.flatMap((index) => alternatives[index] ?? []);
    const [first] = members;
    if (first === undefined || members.length === 1) return members;
    const keyword = members.every(({ unionKeyword }) => unionKeyword === "oneOf") ? "oneOf" : "anyOf";
    return [{ ...first, schema: { [keyword]: members.map(({ schema }) => schema) } }];
  });
}

/** Merges alternatives that lead to the same part of a definition. Type checkers and generators repeat them in unions of unions. */
function mergeRepeated(alternatives: readonly Alternative[], unionKeyword: "oneOf" | "anyOf"): Alternative[] {
  const merged = new Map<string | Alternative, Alternative>();
  for (const alternative of alternatives) {
    const { names, pointer, schema } = alternative;
    const name = names.at(-1);
    const key = name === undefined ? alternative : formatCanonicalJson([name, pointer, schema]);
    const known = merged.get(key);
    merged.set(
      key,
      known && unionKeyword === "oneOf" ? { ...known, isRepeated: true } : (known ?? alternative),
    );
  }
  return [...merged.values()];
}

/** Returns whether a schema restricts no value. Keywords that `neutral` names count as annotations. */
export function acceptsAnything(schema: JsonObject, neutral: readonly string[] = []): boolean {
  return Object.keys(schema).every((keyword) => isAnnotation(keyword) || neutral.includes(keyword));
}

/** Returns whether the keywords of a schema itself allow objects. References are not followed. */
export function mayBeObject(schema: Json | undefined): boolean {
  if (!isObject(schema)) return false;
  const types = [schema.type].flat();
  return schema.type === undefined ? schema.enum === undefined : types.includes("object");
}

function isReference(schema: Json): boolean {
  return (
    isObject(schema) &&
    Object.keys(schema).every((keyword) => keyword === "$ref" || isAnnotation(keyword)) &&
    getTargetName(schema) !== undefined
  );
}

/** Returns whether alternatives only restrict the object beside them, such as by the fields that must be present. */
function areConditions(
  branches: readonly Json[],
  { properties }: JsonObject,
  definitions: Definitions,
): boolean {
  return (
    isObject(properties) &&
    branches.every((branch) => !isReference(branch) && findListedScalars(branch, definitions).size === 0)
  );
}

/** Returns whether the alternatives are definitions without constants, so that only their names distinguish them. */
function isUnionOfNames(branches: readonly Json[], definitions: Definitions): boolean {
  return branches.every((branch) => isReference(branch) && findListedTexts(branch, definitions).size === 0);
}

/** Returns whether the alternatives of a union below the root are events: a field distinguishes them, or all are unions. */
function isUnionOfEvents(
  branches: readonly Json[],
  definitions: Definitions,
  findTexts: typeof findListedTexts = findListedTexts,
): boolean {
  const different = [...new Map(branches.map((branch) => [formatCanonicalJson(branch), branch])).values()];
  const listedTexts = different.map((branch) => findTexts(branch, definitions));
  const fieldNames = [...(listedTexts[0]?.keys() ?? [])];
  const isDistinguished = fieldNames.some((name) => {
    const texts = listedTexts.map((fields) => String(fields.get(name) ?? ""));
    return new Set(texts).size === different.length || (TYPE_FIELDS.includes(name) && haveOwnTexts(texts));
  });
  const below = { names: [""], pointer: "", isRoot: false };
  return (
    isDistinguished || different.every((branch) => listAlternatives(branch, definitions, below).length > 1)
  );
}

/** Returns whether no text is empty, and at least half of them are different from all others. */
function haveOwnTexts(texts: readonly string[]): boolean {
  const own = texts.filter((text) => texts.indexOf(text) === texts.lastIndexOf(text));
  return !texts.includes("") && 2 * own.length >= texts.length;
}

/** Returns whether a keyword does not restrict values. */
export function isAnnotation(keyword: string): boolean {
  const definition = getKeywords().get(keyword);
  return definition === undefined ? !LEGACY_KEYWORDS.has(keyword) : definition.facet === "annotations";
}

/** Keywords of older dialects that are not annotations. The table of keywords does not have them. */
const LEGACY_KEYWORDS = new Set(["dependencies", "additionalItems", "definitions"]);

/**
 * Returns the required fields for which `schema`, or every alternative of a union in it, lists all texts, with the texts.
 * `results` has those of the schemas that were visited; a schema that is its own alternative lists no texts by that.
 */
export function findListedTexts(
  schema: Json,
  definitions: Definitions,
): ReadonlyMap<string, readonly string[]> {
  return findListedValues(schema, definitions, (_name, value) =>
    typeof value === "string" ? value : undefined,
  );
}

/** Does what `findListedTexts` does, also for numbers and booleans. These become texts such as `type.0`. */
export function findListedScalars(
  schema: Json,
  definitions: Definitions,
): ReadonlyMap<string, readonly string[]> {
  return findListedValues(schema, definitions, (name, value) => {
    if (typeof value === "number" || typeof value === "boolean") return `${name}.${value}`;
    return typeof value === "string" ? value : undefined;
  });
}

function findListedValues(
  schema: Json,
  definitions: Definitions,
  formatValue: (name: string, value: Json) => string | undefined,
  results = new Map<Json, Map<string, readonly string[]>>(),
): Map<string, readonly string[]> {
  const known = results.get(schema);
  if (known) return known;
  const listedTexts = new Map<string, readonly string[]>();
  results.set(schema, new Map());
  const description = describeConjunction([schema], definitions);
  for (const { name, isRequired, spots } of mergeFields(description).values()) {
    const fieldSchemas = spots.map((spot) => spot.schema);
    const list = isRequired
      ? findValueList(describeConjunction(fieldSchemas, definitions), "closed")
      : undefined;
    const texts = list?.values.map((value) => formatValue(name, value));
    if (texts?.every((text) => text !== undefined)) listedTexts.set(name, texts);
  }
  for (const union of listUnions(description)) {
    const [first, ...others] = union.map((branch) =>
      findListedValues(branch, definitions, formatValue, results),
    );
    for (const [name, texts] of first ?? []) {
      const lists = others.map((other) => other.get(name));
      if (listedTexts.has(name) || lists.includes(undefined)) continue;
      listedTexts.set(name, [...new Set([...texts, ...lists.flatMap((list) => list ?? [])])]);
    }
  }
  results.set(schema, listedTexts);
  return listedTexts;
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
