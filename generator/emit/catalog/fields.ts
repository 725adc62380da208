/**
 * The fields of a schema as rows, nested ones by their path (`todos[].status`), and the rules between them. Inline
 * objects are opened in place; a reference is opened where it composes an object (at the root, in `allOf`) and is a
 * link where it is the whole type of a field.
 */
import { isObject, type Json, type JsonObject, own } from "../../json.js";
import { BRANCHES, listStatements } from "../../schema/describe.js";
import { collectRequired, mergeFields } from "../../schema/merge.js";
import { listConstraints } from "./constraints.js";
import { type Described, listBranches, listMembers, listNames, type Renderer } from "./renderer.js";
import { type Clause, listFieldRules } from "./rules.js";

/** A row of the field table. */
export interface FieldRow {
  readonly path: string;
  readonly schema: Json;
  /** Whether the object that holds the field requires it; absent for items and the values of maps. */
  readonly required?: "yes" | "no" | "see below";
  /** The pattern of the field names that the row describes. */
  readonly names?: string;
}

/** A rule between fields, and the path of the object that holds them; empty for the root. */
interface FieldRule {
  readonly path: string;
  readonly clause: Clause;
}

interface Fields {
  readonly rows: FieldRow[];
  readonly rules: FieldRule[];
}

/** Returns the fields of `schema` and the rules between them. Rules are written with `renderer`. */
export function collectFields(schema: Json, renderer: Renderer): Fields {
  const found: Fields = { rows: [], rules: [] };
  addBelow(schema, "", { renderer, found, opened: new Set(), isRoot: true });
  return found;
}

interface Visit {
  readonly renderer: Renderer;
  readonly found: Fields;
  /** The definitions that are being opened. They are not opened again, so that recursion ends. */
  readonly opened: ReadonlySet<string>;
  readonly isRoot: boolean;
}

/** Adds the fields and rules below the value of `schema` at `path`. */
function addBelow(schema: Json, path: string, visit: Visit): void {
  const { renderer, found, isRoot } = visit;
  const opened = new Set(visit.opened);
  const described = renderer.describe(schema, (edge, part, count) => {
    if (edge !== "$ref") return BRANCHES(edge, part, count);
    const name = renderer.definition(part.schema)?.name;
    const isComposed = isRoot || (part.certain && part.schema !== schema);
    if (name === undefined || opened.has(name) || !isComposed) return "skip";
    opened.add(name);
    return "certain";
  });
  const below: Visit = { ...visit, opened, isRoot: false };
  addFields(described, path, below);
  for (const part of described.parts) addValues(part.schema, path, below);
  for (const part of described.parts.filter(({ certain }) => certain)) {
    const schema = isRoot ? part.schema : dropBareAlternatives(part.schema);
    for (const clause of listFieldRules(schema, renderer)) found.rules.push({ path, clause });
  }
}

function addFields(described: Described, path: string, visit: Visit): void {
  const required = collectRequired(described);
  const certain = described.parts.filter((part) => part.certain);
  const always = new Set(certain.flatMap(({ schema }) => listRequiredInEachBranch(schema)));
  const needed = new Set(described.parts.flatMap(({ schema }) => listRequiredByRules(schema)));
  for (const [name, field] of mergeFields(described)) {
    const declared = listDeclarations(described, name, field.certain);
    const isRuled = required.has(name) || needed.has(name) || !field.certain;
    const [only = true, ...others] = declared;
    const schema = others.length === 0 ? only : { [field.certain ? "allOf" : "anyOf"]: declared };
    const at = formatChildPath(path, name);
    visit.found.rows.push({
      path: at,
      schema,
      required: field.required || always.has(name) ? "yes" : isRuled ? "see below" : "no",
    });
    addBelow(schema, at, visit);
  }
}

/** Lists the schemas that declare a field. If `isCertain`, only those that certainly apply. */
function listDeclarations(described: Described, name: string, isCertain: boolean): Json[] {
  return listStatements(described, "properties").flatMap(({ value, certain }) => {
    const schema = isObject(value) && (certain || !isCertain) ? own(value, name) : undefined;
    return schema === undefined ? [] : [schema];
  });
}

/** Lists the fields that every branch of an `anyOf` or `oneOf` requires. */
function listRequiredInEachBranch(schema: JsonObject): readonly string[] {
  return ["anyOf", "oneOf"].flatMap((keyword) => {
    const [first, ...others] = listBranches(schema, keyword).map(({ required }) => listNames(required));
    return first?.filter((name) => others.every((list) => list.includes(name))) ?? [];
  });
}

/** Lists the fields that `dependentRequired` or the writer reading requires. */
function listRequiredByRules(schema: JsonObject): readonly string[] {
  const writer = schema["x-writer"];
  return [
    ...listMembers(schema, "dependentRequired").flatMap(([, list]) => listNames(list)),
    ...(isObject(writer) ? listNames(writer.required) : []),
  ];
}

/** Adds items and the values of maps: a row if they have more than a type, and the fields below them. */
function addValues(schema: JsonObject, path: string, visit: Visit): void {
  const add = (sub: Json | undefined, at: string, names?: string): void => {
    if (!isObject(sub)) return;
    if (names !== undefined || hasMoreThanType(sub, visit.renderer))
      visit.found.rows.push({ path: at, schema: sub, ...(names !== undefined && { names }) });
    addBelow(sub, at, visit);
  };
  for (const [i, item] of listBranches(schema, "prefixItems").entries()) add(item, `${path}[${i}]`);
  add(schema.items, `${path}[]`);
  const anyName = path === "" ? "*" : `${path}.*`;
  for (const [pattern, sub] of listMembers(schema, "patternProperties")) add(sub, anyName, pattern);
  for (const keyword of ["additionalProperties", "unevaluatedProperties"]) add(schema[keyword], anyName);
}

function hasMoreThanType(schema: JsonObject, renderer: Renderer): boolean {
  const { $ref: _type, additionalProperties: _open, ...own } = schema;
  const notes = [
    "description",
    "deprecated",
    "x-known-values",
    "x-sensitive",
    "x-requires",
    "x-stability",
    "x-since",
    "x-renamed-from",
  ];
  return notes.some((keyword) => Object.hasOwn(own, keyword)) || listConstraints(own, renderer).length > 0;
}

/** Drops alternatives of references or bare types, which the type column shows. */
function dropBareAlternatives(schema: JsonObject): JsonObject {
  const isBare = (branch: JsonObject): boolean =>
    Object.keys(branch).every((keyword) => ["$ref", "type", "title", "description"].includes(keyword));
  return Object.fromEntries(
    Object.entries(schema).filter(
      ([keyword]) => !["anyOf", "oneOf"].includes(keyword) || !listBranches(schema, keyword).every(isBare),
    ),
  );
}

/** Returns a path such as `todos[].status`; a name that is not a plain word is quoted in brackets. */
function formatChildPath(path: string, name: string): string {
  if (path === "") return name;
  return /^[\w$-]+$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
}
