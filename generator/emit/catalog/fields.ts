/**
 * The fields of a schema as rows, nested ones by their path (`todos[].status`), and the rules between them. Inline
 * objects are opened in place; a reference is opened where it composes an object (at the root, in `allOf`) and is a
 * link where it is the whole type of a field.
 */
import { isObject, type Json, type JsonObject } from "../../json.js";
import { constraints } from "./constraints.js";
import { rules } from "./field-rules.js";
import { branches, members, names, type Pen } from "./renderer.js";

export interface Row {
  readonly path: string;
  readonly schema: Json;
  /** Relative to the object that holds the field; items and the values of maps are neither. */
  readonly required?: "yes" | "no" | "see below";
  /** The pattern of the names that the row is about. */
  readonly names?: string;
}

/** A rule, Markdown, and the path of the object that it is about, empty for the root. */
interface Rule {
  readonly path: string;
  readonly words: string;
}

interface Fields {
  readonly rows: Row[];
  readonly rules: Rule[];
}

/** The fields of `schema` and the rules between them. Rules are written with `pen`. */
export function fieldsOf(schema: Json, pen: Pen): Fields {
  const found: Fields = { rows: [], rules: [] };
  open(schema, "", { pen, found, opened: new Set(), isRoot: true });
  return found;
}

interface Visit {
  readonly pen: Pen;
  readonly found: Fields;
  /** Definitions that are open on the way here; opening one of them again would never end. */
  readonly opened: ReadonlySet<string>;
  readonly isRoot: boolean;
}

/** A schema that applies to the same value; not `sure` if only under conditions. */
interface Part {
  readonly schema: JsonObject;
  readonly sure: boolean;
}

/** Adds what stands below the value of `schema` at `path`. */
function open(schema: Json, path: string, visit: Visit): void {
  if (!isObject(schema)) return;
  const opened = new Set(visit.opened);
  const parts = partsOf({ schema, sure: true }, visit.pen, opened, visit.isRoot);
  const below: Visit = { ...visit, opened, isRoot: false };
  addFields(parts, path, below);
  for (const { schema } of parts) addValues(schema, path, below);
  for (const { schema, sure } of parts)
    if (sure)
      for (const words of rules(visit.isRoot ? schema : withoutBareChoice(schema), visit.pen))
        visit.found.rules.push({ path, words });
}

/** `part` and all that applies with it; `follow` says whether its own reference and branches are opened too. */
function partsOf(part: Part, pen: Pen, opened: Set<string>, follow: boolean): Part[] {
  const { schema, sure } = part;
  const found = [part];
  const add = (sub: Json, isSure: boolean, into: boolean): void => {
    if (isObject(sub)) found.push(...partsOf({ schema: sub, sure: isSure }, pen, opened, into));
  };
  const target = follow ? pen.definition(schema) : undefined;
  if (target && !opened.has(target.name)) {
    opened.add(target.name);
    add(target.schema, sure, true);
  }
  for (const sub of branches(schema, "allOf")) add(sub, sure, true);
  for (const keyword of ["anyOf", "oneOf"])
    for (const sub of branches(schema, keyword)) add(sub, false, follow);
  for (const sub of [schema.then, schema.else]) if (sub !== undefined) add(sub, false, follow);
  for (const [, sub] of members(schema, "dependentSchemas")) add(sub, false, follow);
  return found;
}

function addFields(parts: readonly Part[], path: string, visit: Visit): void {
  const sure = parts.filter((part) => part.sure);
  const always = new Set(sure.flatMap(({ schema }) => [...names(schema.required), ...inEachBranch(schema)]));
  const ruled = new Set(parts.flatMap(({ schema }) => [...names(schema.required), ...needed(schema)]));
  const declared = collect(sure);
  const conditional = collect(parts.filter((part) => !part.sure));
  for (const [name, schemas] of new Map([...declared, ...conditional])) {
    const known = declared.get(name);
    const schema = known ? combined("allOf", known) : combined("anyOf", schemas);
    const required = always.has(name) ? "yes" : ruled.has(name) || !known ? "see below" : "no";
    const at = childPath(path, name);
    visit.found.rows.push({ path: at, schema, required });
    open(schema, at, visit);
  }
}

/** Names that every branch of an `anyOf` or `oneOf` requires. */
function inEachBranch(schema: JsonObject): readonly string[] {
  return ["anyOf", "oneOf"].flatMap((keyword) => {
    const [first, ...others] = branches(schema, keyword).map(({ required }) => names(required));
    return first?.filter((name) => others.every((list) => list.includes(name))) ?? [];
  });
}

/** Names that other fields or a writer may need. */
function needed(schema: JsonObject): readonly string[] {
  const writer = schema["x-writer"];
  return [
    ...members(schema, "dependentRequired").flatMap(([, list]) => names(list)),
    ...(isObject(writer) ? names(writer.required) : []),
  ];
}

function collect(parts: readonly Part[]): Map<string, Json[]> {
  const found = new Map<string, Json[]>();
  for (const { schema } of parts)
    for (const [name, sub] of members(schema, "properties"))
      found.set(name, [...(found.get(name) ?? []), sub]);
  return found;
}

function combined(keyword: "allOf" | "anyOf", schemas: readonly Json[]): Json {
  const [only] = schemas;
  return schemas.length === 1 && only !== undefined ? only : { [keyword]: schemas };
}

/** Adds items and the values of maps: a row if there is more to say than their type, and what is below them. */
function addValues(schema: JsonObject, path: string, visit: Visit): void {
  const add = (sub: Json | undefined, at: string, names?: string): void => {
    if (!isObject(sub)) return;
    if (names !== undefined || saysMore(sub, visit.pen))
      visit.found.rows.push({ path: at, schema: sub, ...(names !== undefined && { names }) });
    open(sub, at, visit);
  };
  for (const [i, item] of branches(schema, "prefixItems").entries()) add(item, `${path}[${i}]`);
  add(schema.items, `${path}[]`);
  const anyName = path === "" ? "*" : `${path}.*`;
  for (const [pattern, sub] of members(schema, "patternProperties")) add(sub, anyName, pattern);
  for (const keyword of ["additionalProperties", "unevaluatedProperties"]) add(schema[keyword], anyName);
}

function saysMore(schema: JsonObject, pen: Pen): boolean {
  const { $ref: _type, additionalProperties: _open, ...own } = schema;
  const notes = ["description", "deprecated", "x-requires", "x-stability", "x-since", "x-renamed-from"];
  return notes.some((keyword) => Object.hasOwn(own, keyword)) || constraints(own, pen).length > 0;
}

/** Alternatives that are references or bare types are told by the type of the field. */
function withoutBareChoice(schema: JsonObject): JsonObject {
  const isBare = (branch: JsonObject): boolean =>
    Object.keys(branch).every((keyword) => ["$ref", "type", "title", "description"].includes(keyword));
  return Object.fromEntries(
    Object.entries(schema).filter(
      ([keyword]) => !["anyOf", "oneOf"].includes(keyword) || !branches(schema, keyword).every(isBare),
    ),
  );
}

/** `todos[].status`; a name that does not read well behind a dot stands quoted in brackets. */
function childPath(path: string, name: string): string {
  if (path === "") return name;
  return /^[\w$-]+$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
}
