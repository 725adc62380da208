/**
 * Collects the fields of a schema as rows, and the rules between them. The fields of nested objects have rows of their own,
 * by their path (`todos[].status`). A reference that composes an object (at the root, in `allOf`) is replaced by the fields
 * of its definition. A reference that is the whole type of a field becomes a link.
 */
import { getOwn, isObject, type Json, type JsonObject } from "../../json.js";
import { BRANCHES, listStatements } from "../../schema/describe.js";
import { collectRequired, mergeFields } from "../../schema/merge.js";
import { listConstraints } from "./constraints.js";
import { type CatalogDescription, listBranches, listMembers, listNames, type Renderer } from "./renderer.js";
import { type Clause, listFieldRules } from "./rules.js";

/** A row of the field table. */
export interface FieldRow {
  readonly path: string;
  readonly schema: Json;
  /** "yes" if the object that contains the field requires it; absent for items and the values of maps. */
  readonly required?: "yes" | "no" | "see below";
  /** The pattern of the field names that the row describes. */
  readonly names?: string;
}

/** A rule between fields, and the path of the object that holds them; empty for the root. */
interface FieldRule {
  readonly path: string;
  readonly clause: Clause;
}

/** The rows and rules of a schema. */
interface Fields {
  readonly rows: FieldRow[];
  readonly rules: FieldRule[];
}

/** Returns the fields of `schema` and the rules between them. Rules are written with `renderer`. */
export function collectFields(schema: Json, renderer: Renderer): Fields {
  const fields: Fields = { rows: [], rules: [] };
  addFieldsAndRules(schema, "", { renderer, fields, opened: new Set(), isRoot: true });
  return fields;
}

/** The state of the traversal at one schema. */
interface Visit {
  readonly renderer: Renderer;
  readonly fields: Fields;
  /** The definitions that are being opened. They are not opened again, so that recursion ends. */
  readonly opened: ReadonlySet<string>;
  readonly isRoot: boolean;
}

/** Adds the fields and rules below the value of `schema` at `path`. */
function addFieldsAndRules(schema: Json, path: string, visit: Visit): void {
  const { renderer, fields, isRoot } = visit;
  const openedSchemas = new Set(visit.opened);
  const description = renderer.describe(schema, (edge, part, count) => {
    if (edge !== "$ref") return BRANCHES(edge, part, count);
    const name = renderer.findDefinition(part.schema)?.name;
    const isComposed = isRoot || (part.isCertain && part.schema !== schema);
    if (name === undefined || openedSchemas.has(name) || !isComposed) return "skip";
    openedSchemas.add(name);
    return "certain";
  });
  const nestedVisit: Visit = { ...visit, opened: openedSchemas, isRoot: false };
  addFields(description, path, nestedVisit);
  for (const part of description.parts) addValues(part.schema, path, nestedVisit);
  for (const part of description.parts.filter(({ isCertain }) => isCertain)) {
    const partSchema = isRoot ? part.schema : dropBareAlternatives(part.schema);
    for (const clause of listFieldRules(partSchema, renderer)) fields.rules.push({ path, clause });
  }
}

function addFields(described: CatalogDescription, path: string, visit: Visit): void {
  const requiredFields = collectRequired(described);
  const certainParts = described.parts.filter((part) => part.isCertain);
  const requiredInBranches = new Set(certainParts.flatMap(({ schema }) => listRequiredInEachBranch(schema)));
  const requiredByRules = new Set(described.parts.flatMap(({ schema }) => listRequiredByRules(schema)));
  for (const [name, field] of mergeFields(described)) {
    const declarations = listDeclarations(described, name, field.isCertain);
    const [declaration = true, ...others] = declarations;
    const schema =
      others.length === 0 ? declaration : { [field.isCertain ? "allOf" : "anyOf"]: declarations };
    const fieldPath = formatChildPath(path, name);
    let isRequired: FieldRow["required"] = "no";
    if (requiredFields.has(name) || requiredByRules.has(name) || !field.isCertain) isRequired = "see below";
    if (field.isRequired || requiredInBranches.has(name)) isRequired = "yes";
    visit.fields.rows.push({ path: fieldPath, schema, required: isRequired });
    addFieldsAndRules(schema, fieldPath, visit);
  }
}

/** Lists the schemas that declare a field. If `onlyCertain`, lists only those that certainly apply. */
function listDeclarations(described: CatalogDescription, name: string, onlyCertain: boolean): Json[] {
  return listStatements(described, "properties").flatMap(({ value, isCertain }) => {
    const schema = isObject(value) && (isCertain || !onlyCertain) ? getOwn(value, name) : undefined;
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
  const addValue = (subschema: Json | undefined, valuePath: string, names?: string): void => {
    if (!isObject(subschema)) return;
    if (names !== undefined || hasMoreThanType(subschema, visit.renderer))
      visit.fields.rows.push({ path: valuePath, schema: subschema, ...(names !== undefined && { names }) });
    addFieldsAndRules(subschema, valuePath, visit);
  };
  for (const [i, item] of listBranches(schema, "prefixItems").entries()) addValue(item, `${path}[${i}]`);
  addValue(schema.items, `${path}[]`);
  const memberPath = path === "" ? "*" : `${path}.*`;
  for (const [pattern, subschema] of listMembers(schema, "patternProperties"))
    addValue(subschema, memberPath, pattern);
  for (const keyword of ["additionalProperties", "unevaluatedProperties"])
    addValue(schema[keyword], memberPath);
}

/** The annotations that the column "Meaning" shows. */
const MEANING_KEYWORDS = [
  "description",
  "deprecated",
  "x-known-values",
  "x-sensitive",
  "x-replaces",
  "x-requires",
  "x-stability",
  "x-since",
  "x-renamed-from",
];

/** Returns whether a schema has a meaning or constraints beside its type. */
function hasMoreThanType(schema: JsonObject, renderer: Renderer): boolean {
  const { $ref: _type, additionalProperties: _values, ...rest } = schema;
  return (
    MEANING_KEYWORDS.some((keyword) => Object.hasOwn(rest, keyword)) ||
    listConstraints(rest, renderer).length > 0
  );
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
