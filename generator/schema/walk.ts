/** Walks and rewrites schemas as plain JSON. */
import { getOwn, isObject, type Json, type JsonObject, joinPointer, mapValues } from "../json.js";
import { getSubschemaLayout, type Vocabulary } from "./keywords.js";
import { type Definitions, getDefinitionName } from "./reference.js";

/** A subschema, the keyword that holds it, and its pointer below the schema that was walked. */
export interface Subschema {
  readonly keyword: string;
  readonly schema: Json;
  readonly pointer: string;
}

/** Returns the direct subschemas of `schema`, in document order. Values of the wrong type are skipped. */
export function listSubschemas(
  schema: JsonObject,
  pointer = "",
  vocabulary: Vocabulary = "protocol",
): Subschema[] {
  const found: Subschema[] = [];
  for (const keyword of Object.keys(schema)) {
    const layout = getSubschemaLayout(vocabulary, keyword);
    if (!layout) continue;
    const value = schema[keyword] ?? null;
    const isList = Array.isArray(value);
    if (layout === "schema" || (layout === "schema or list" && !isList))
      found.push({ keyword, schema: value, pointer: joinPointer(pointer, keyword) });
    else if (isList && (layout === "list" || layout === "schema or list"))
      for (const [index, schema] of value.entries())
        found.push({ keyword, schema, pointer: joinPointer(pointer, keyword, index) });
    else if (isObject(value) && (layout === "map" || layout === "map of schema or list"))
      for (const [name, schema] of Object.entries(value))
        if (layout === "map" || !Array.isArray(schema))
          found.push({ keyword, schema, pointer: joinPointer(pointer, keyword, name) });
  }
  return found;
}

/** Calls `visit` for `schema` and each object schema below it, parents first. References are not followed. */
export function walk(
  schema: Json,
  visit: (schema: JsonObject, pointer: string, keyword: string | undefined) => void,
  vocabulary: Vocabulary = "protocol",
): void {
  const enter = (part: Json, pointer: string, keyword?: string): void => {
    if (!isObject(part)) return;
    visit(part, pointer, keyword);
    for (const sub of listSubschemas(part, pointer, vocabulary)) enter(sub.schema, sub.pointer, sub.keyword);
  };
  enter(schema, "");
}

/** Returns whether `schema` or an object schema below it passes a test. References are not followed. */
export function hasSchemaWith(schema: Json, test: (schema: JsonObject) => boolean): boolean {
  if (!isObject(schema)) return false;
  return test(schema) || listSubschemas(schema).some((sub) => hasSchemaWith(sub.schema, test));
}

/** Returns the schema that replaces a subschema. */
type ReplaceSubschema = (schema: Json, keyword: string) => Json;

/** Returns a copy of `schema` with each direct subschema replaced by the result of `replace`. The order of keys is kept. */
export function mapSubschemas(
  schema: JsonObject,
  replace: ReplaceSubschema,
  vocabulary: Vocabulary = "protocol",
): { [key: string]: Json } {
  return mapValues(schema, (value, keyword) => mapKeyword(value, keyword, replace, vocabulary));
}

function mapKeyword(value: Json, keyword: string, replace: ReplaceSubschema, vocabulary: Vocabulary): Json {
  const layout = getSubschemaLayout(vocabulary, keyword);
  if (layout === undefined) return value;
  const isList = Array.isArray(value);
  if (layout === "schema" || (layout === "schema or list" && !isList)) return replace(value, keyword);
  if (layout === "list" || layout === "schema or list")
    return isList ? value.map((sub) => replace(sub, keyword)) : value;
  if (!isObject(value)) return value;
  return mapValues(value, (sub) => (layout === "map" || !Array.isArray(sub) ? replace(sub, keyword) : sub));
}

/** Returns the values of all `$ref` in a schema and below it, parents first. References are not followed. */
export function listReferences(schema: Json, vocabulary: Vocabulary = "protocol"): string[] {
  const found: string[] = [];
  walk(schema, ({ $ref }) => typeof $ref === "string" && found.push($ref), vocabulary);
  return found;
}

/** Returns a copy of `schema` with the value of each `$ref` in it and below it replaced. */
export function mapReferences<S extends Json>(
  schema: S,
  replace: (reference: string) => string,
  vocabulary: Vocabulary = "protocol",
): S {
  if (!isObject(schema)) return schema;
  const copy = mapSubschemas(schema, (sub) => mapReferences(sub, replace, vocabulary), vocabulary);
  return (typeof schema.$ref === "string" ? { ...copy, $ref: replace(schema.$ref) } : copy) as Json as S;
}

/** The results of `listTargets`. */
const targetsBySchema = new WeakMap<JsonObject, readonly string[]>();

/** Returns the names of the definitions to which the references of a schema lead. */
function listTargets(schema: Json): readonly string[] {
  if (!isObject(schema)) return [];
  const targets = targetsBySchema.get(schema) ?? [...new Set(listReferences(schema).map(getDefinitionName))];
  targetsBySchema.set(schema, targets);
  return targets;
}

/** The results of `collectDefinitionsBelow`. */
const resultsByDefinitions = new WeakMap<Definitions, Map<string, ReadonlySet<string>>>();

/** Returns the names of all definitions to which `name` leads, directly or not. They include `name` if it is recursive. */
export function collectDefinitionsBelow(name: string, definitions: Definitions): ReadonlySet<string> {
  const results = resultsByDefinitions.get(definitions) ?? new Map<string, ReadonlySet<string>>();
  resultsByDefinitions.set(definitions, results);
  const cached = results.get(name);
  if (cached) return cached;
  const found = new Set<string>();
  const queue = [name];
  for (let next = queue.pop(); next !== undefined; next = queue.pop())
    for (const target of listTargets(getOwn(definitions, next)?.schema ?? true)) {
      if (found.has(target)) continue;
      found.add(target);
      queue.push(target);
    }
  results.set(name, found);
  return found;
}
