/**
 * The fields of a schema as rows, nested ones by their path (`todos[].status`), and the rules between them. Inline
 * objects are opened in place; a reference is opened where it composes an object (at the root, in `allOf`) and is a
 * link where it is the whole type of a field.
 */
import { isObject, type Json, type JsonObject, own } from "../../json.js";
import { BRANCHES, statements } from "../../schema/describe.js";
import { fieldsOf, requiredOf } from "../../schema/merge.js";
import { listConstraints } from "./constraints.js";
import { branches, type Described, members, names, type Renderer } from "./renderer.js";
import { type Clause, fieldRules } from "./rules.js";

/** A row of the field table. */
export interface Row {
  readonly path: string;
  readonly schema: Json;
  /** Relative to the object that holds the field; items and the values of maps are neither. */
  readonly required?: "yes" | "no" | "see below";
  /** The pattern of the names that the row is about. */
  readonly names?: string;
}

/** A rule between fields, and the path of the object that it is about, empty for the root. */
interface Rule {
  readonly path: string;
  readonly clause: Clause;
}

interface Fields {
  readonly rows: Row[];
  readonly rules: Rule[];
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
  /** Definitions that are open on the way here; opening one of them again would never end. */
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
  for (const part of described.parts.filter(({ certain }) => certain))
    for (const clause of fieldRules(isRoot ? part.schema : withoutBareChoice(part.schema), renderer))
      found.rules.push({ path, clause });
}

function addFields(described: Described, path: string, visit: Visit): void {
  const required = requiredOf(described);
  const certain = described.parts.filter((part) => part.certain);
  const always = new Set(certain.flatMap(({ schema }) => requiredInEachBranch(schema)));
  const needed = new Set(described.parts.flatMap(({ schema }) => neededByRules(schema)));
  for (const [name, field] of fieldsOf(described)) {
    const declared = declarations(described, name, field.certain);
    const isRuled = required.has(name) || needed.has(name) || !field.certain;
    const [only = true, ...others] = declared;
    const schema = others.length === 0 ? only : { [field.certain ? "allOf" : "anyOf"]: declared };
    const at = childPath(path, name);
    visit.found.rows.push({
      path: at,
      schema,
      required: field.required || always.has(name) ? "yes" : isRuled ? "see below" : "no",
    });
    addBelow(schema, at, visit);
  }
}

/** The schemas that declare a field: those that certainly apply if there is one. */
function declarations(described: Described, name: string, isCertain: boolean): Json[] {
  return statements(described, "properties").flatMap(({ value, certain }) => {
    const schema = isObject(value) && (certain || !isCertain) ? own(value, name) : undefined;
    return schema === undefined ? [] : [schema];
  });
}

/** Names that every branch of an `anyOf` or `oneOf` requires. */
function requiredInEachBranch(schema: JsonObject): readonly string[] {
  return ["anyOf", "oneOf"].flatMap((keyword) => {
    const [first, ...others] = branches(schema, keyword).map(({ required }) => names(required));
    return first?.filter((name) => others.every((list) => list.includes(name))) ?? [];
  });
}

/** Names that other fields or a writer require. */
function neededByRules(schema: JsonObject): readonly string[] {
  const writer = schema["x-writer"];
  return [
    ...members(schema, "dependentRequired").flatMap(([, list]) => names(list)),
    ...(isObject(writer) ? names(writer.required) : []),
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
  for (const [i, item] of branches(schema, "prefixItems").entries()) add(item, `${path}[${i}]`);
  add(schema.items, `${path}[]`);
  const anyName = path === "" ? "*" : `${path}.*`;
  for (const [pattern, sub] of members(schema, "patternProperties")) add(sub, anyName, pattern);
  for (const keyword of ["additionalProperties", "unevaluatedProperties"]) add(schema[keyword], anyName);
}

function hasMoreThanType(schema: JsonObject, renderer: Renderer): boolean {
  const { $ref: _type, additionalProperties: _open, ...own } = schema;
  const notes = ["description", "deprecated", "x-requires", "x-stability", "x-since", "x-renamed-from"];
  return notes.some((keyword) => Object.hasOwn(own, keyword)) || listConstraints(own, renderer).length > 0;
}

/** Drops alternatives of references or bare types, which the type column shows. */
function withoutBareChoice(schema: JsonObject): JsonObject {
  const isBare = (branch: JsonObject): boolean =>
    Object.keys(branch).every((keyword) => ["$ref", "type", "title", "description"].includes(keyword));
  return Object.fromEntries(
    Object.entries(schema).filter(
      ([keyword]) => !["anyOf", "oneOf"].includes(keyword) || !branches(schema, keyword).every(isBare),
    ),
  );
}

/** Returns a path such as `todos[].status`; a name that is not a plain word is quoted in brackets. */
function childPath(path: string, name: string): string {
  if (path === "") return name;
  return /^[\w$-]+$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
}
