/** The events of a union: nested oneOf and anyOf, through references, down to schemas that are no unions. */
import { isObject, type Json, type JsonObject, own } from "../json.js";
import { keywordsOf } from "../schema/keywords.js";
import { fieldsOf, fixedValue } from "../schema/merge.js";
import { type Definitions, targetName } from "../schema/reference.js";
import { describeConjunction, unionsOf } from "./closed-objects.js";

/** One alternative of a union. */
export interface Leaf {
  /** Names of the definitions on the way from the root to it, the outermost first. */
  readonly names: readonly string[];
  readonly schema: JsonObject;
}

/** Keywords beside a union that do not restrict its alternatives. */
const NEUTRAL = new Set(["type", "$schema", "$ref"]);

/** Returns the alternatives of `schema` in order. A schema that is not a union is its own only alternative. */
export function leavesOf(schema: Json, definitions: Definitions, names: readonly string[] = []): Leaf[] {
  if (!isObject(schema)) return [];
  const isReference = Object.keys(schema).every((each) => each === "$ref" || isAnnotation(each));
  const target = isReference ? targetName(schema) : undefined;
  if (target !== undefined && !names.includes(target))
    return leavesOf(own(definitions, target)?.schema ?? true, definitions, [...names, target]);
  const keyword = (["oneOf", "anyOf"] as const).find((each) => Array.isArray(schema[each]));
  const branches = keyword === undefined ? [] : (schema[keyword] as readonly Json[]);
  const isSplit = names.length === 0 || isUnionOfEvents(branches, definitions);
  if (keyword === undefined || !isSplit) return [{ names, schema }];
  const { [keyword]: _union, ...beside } = schema;
  const leaves = branches.flatMap((branch) => leavesOf(branch, definitions, names));
  if (Object.keys(beside).every((each) => isAnnotation(each) || NEUTRAL.has(each))) return leaves;
  const common = Array.isArray(beside.allOf) ? beside.allOf : [];
  return leaves.map((leaf) => ({ ...leaf, schema: { ...beside, allOf: [...common, leaf.schema] } }));
}

/** Whether a union below the root is one of events: a field distinguishes its alternatives, or each is a union in turn. */
function isUnionOfEvents(branches: readonly Json[], definitions: Definitions): boolean {
  const fixed = branches.map((branch) => fixedFields(branch, definitions));
  const isDistinguished = [...(fixed[0]?.keys() ?? [])].some(
    (name) => new Set(fixed.map((fields) => fields.get(name) ?? "")).size === branches.length,
  );
  return isDistinguished || branches.every((branch) => leavesOf(branch, definitions, [""]).length > 1);
}

function isAnnotation(keyword: string): boolean {
  const row = keywordsOf().get(keyword);
  return row === undefined ? !LEGACY.has(keyword) : row.facet === "annotations";
}

/** Keywords of older dialects, which are read here before they are rewritten. */
const LEGACY = new Set(["dependencies", "additionalItems", "definitions"]);

/** Returns the fields that every value of `schema` must have and that it fixes to one text, in all alternatives of a union. */
export function fixedFields(
  schema: Json,
  definitions: Definitions,
  open: readonly Json[] = [],
): Map<string, string> {
  const fixed = new Map<string, string>();
  if (open.includes(schema)) return fixed;
  const whole = describeConjunction([schema], definitions);
  for (const { name, required, spots } of fieldsOf(whole).values()) {
    const fields = spots.map((spot) => spot.schema);
    const value = required ? fixedValue(describeConjunction(fields, definitions)) : undefined;
    if (typeof value === "string") fixed.set(name, value);
  }
  for (const union of unionsOf(whole)) {
    const [first, ...others] = union.map((branch) => fixedFields(branch, definitions, [...open, schema]));
    for (const [name, value] of first ?? [])
      if (others.every((other) => other.get(name) === value)) fixed.set(name, value);
  }
  return fixed;
}
