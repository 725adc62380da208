/** The events of a union: nested oneOf and anyOf, through references, down to what is no union any more. */
import { isObject, type Json, type JsonObject, own } from "../json.js";
import { keywordsOf } from "../schema/keywords.js";

/** One alternative of a union. */
export interface Leaf {
  /** Names of the definitions on the way from the root to it, the outermost first. */
  readonly names: readonly string[];
  readonly schema: JsonObject;
}

/** The definition that a `$ref` names, and its own name. */
export interface Lookup {
  readonly nameOf: (reference: string) => string;
  readonly definitions: { readonly [name: string]: Json };
}

const SILENT = new Set(["type", "$schema", "$ref"]);

/** The alternatives of `schema`, in order; a schema that is no union is its own only one. */
export function leavesOf(schema: Json, lookup: Lookup, names: readonly string[] = []): Leaf[] {
  if (!isObject(schema)) return [];
  const target = referred(schema, lookup);
  if (target !== undefined && !names.includes(target)) {
    const below = own(lookup.definitions, target) ?? true;
    return leavesOf(below, lookup, [...names, target]);
  }
  const keyword = (["oneOf", "anyOf"] as const).find((each) => Array.isArray(schema[each]));
  const branches = keyword === undefined ? [] : (schema[keyword] as readonly Json[]);
  const splits = names.length === 0 || isUnionOfEvents(branches, lookup);
  if (keyword === undefined || !splits) return [{ names, schema }];
  const { [keyword]: _union, ...beside } = schema;
  const constrains = Object.keys(beside).some((each) => !isAnnotation(each) && !SILENT.has(each));
  return branches.flatMap((branch) => {
    const leaves = leavesOf(branch, lookup, names);
    return constrains ? leaves.map((leaf) => ({ ...leaf, schema: beneath(beside, leaf.schema) })) : leaves;
  });
}

/** The name of the definition that `schema` is, where it says nothing else. */
function referred(schema: JsonObject, { nameOf }: Lookup): string | undefined {
  const lone = Object.keys(schema).every((each) => each === "$ref" || isAnnotation(each));
  return lone && typeof schema.$ref === "string" ? nameOf(schema.$ref) : undefined;
}

/** A union below the root is one of events where a field tells its alternatives apart, or where they are unions in turn. */
function isUnionOfEvents(branches: readonly Json[], lookup: Lookup): boolean {
  const fixed = branches.map((branch) => constants(branch, lookup));
  const told = [...(fixed[0]?.keys() ?? [])].some(
    (name) => new Set(fixed.map((each) => each.get(name) ?? "")).size === branches.length,
  );
  return told || branches.every((branch) => leavesOf(branch, lookup, [""]).length > 1);
}

function isAnnotation(keyword: string): boolean {
  const row = keywordsOf().get(keyword);
  return row === undefined ? !LEGACY.has(keyword) : row.facet === "annotations";
}

/** Keywords of older dialects that are read here before they are rewritten. */
const LEGACY = new Set(["dependencies", "additionalItems", "definitions"]);

function beneath(beside: JsonObject, schema: JsonObject): JsonObject {
  const parts = Array.isArray(beside.allOf) ? beside.allOf : [];
  return { ...beside, allOf: [...parts, schema] };
}

/** The fields that `schema` requires and fixes to one string, through references, allOf and all alternatives of a union. */
export function constants(schema: Json, lookup: Lookup, trail: readonly Json[] = []): Map<string, string> {
  const fixed = new Map<string, string>();
  const required = new Set<string>();
  if (!isObject(schema) || trail.includes(schema)) return fixed;
  const common: (readonly [string, string])[] = [];
  for (const member of basesOf(schema, lookup)) {
    for (const name of Array.isArray(member.required) ? member.required : []) required.add(String(name));
    for (const [name, field] of Object.entries(isObject(member.properties) ? member.properties : {})) {
      const value = isObject(field) ? onlyValue(field, lookup) : undefined;
      if (typeof value === "string") fixed.set(name, value);
    }
    for (const union of [member.oneOf, member.anyOf])
      if (Array.isArray(union))
        common.push(...inAll(union.map((branch) => constants(branch, lookup, [...trail, schema]))));
  }
  return new Map([...[...fixed].filter(([name]) => required.has(name)), ...common]);
}

/** What all of the maps say. */
function inAll([first, ...others]: readonly Map<string, string>[]): [string, string][] {
  return [...(first ?? [])].filter(([name, value]) => others.every((other) => other.get(name) === value));
}

/** `schema` and all that it takes over by `$ref` and `allOf`. */
function basesOf(schema: JsonObject, lookup: Lookup, seen: Set<Json> = new Set()): JsonObject[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const target =
    typeof schema.$ref === "string" ? [own(lookup.definitions, lookup.nameOf(schema.$ref)) ?? true] : [];
  const parts = [...target, ...(Array.isArray(schema.allOf) ? schema.allOf : [])];
  return [schema, ...parts.filter(isObject).flatMap((part: JsonObject) => basesOf(part, lookup, seen))];
}

function onlyValue(field: JsonObject, lookup: Lookup): Json | undefined {
  for (const member of basesOf(field, lookup)) {
    if (member.const !== undefined) return member.const;
    if (Array.isArray(member.enum) && member.enum.length === 1) return member.enum[0];
  }
  return undefined;
}
