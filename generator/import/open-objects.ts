/**
 * Says of each object whether it is open, so that the writer reading of the result accepts what the schema accepts as
 * it stands: the writer reading closes what says nothing.
 */
import { isObject, type Json, type JsonObject, own } from "../json.js";
import { closes } from "../model/close.js";
import type { Schema } from "../model/protocol.js";
import { mapSubschemas, walk } from "../model/walk.js";
import type { Notes } from "./notes.js";
import type { Upgraded } from "./upgrade.js";

type Definitions = Upgraded["$defs"];

/** As in the readings: the whole description of a value, a part of a larger one, or what is read as it stands. */
type Form = "value" | "branch" | "exact";

/** A schema to be opened, and whether it is closed although it does not say so. */
export interface Root {
  readonly schema: JsonObject;
  readonly closed: boolean;
}

const IN_PLACE = ["allOf", "anyOf", "oneOf", "then", "else", "dependentSchemas"];
const EXACT = ["not", "if", "contains", "propertyNames"];
const PART = "Part";

/** Opens `roots`, each the description of a value, and the definitions that they reach. */
export function openObjects(
  roots: readonly Root[],
  $defs: Definitions,
  notes: Notes,
): { readonly schemas: readonly JsonObject[]; readonly $defs: Definitions } {
  const find = finder($defs);
  const closed = new Set<Json>(roots.flatMap((root) => (root.closed ? [root.schema] : [])));
  const parts = partsOf(
    roots.map(({ schema }) => schema),
    $defs,
  );
  const made: { [name: string]: Json } = Object.create(null);

  const refer = (reference: string, form: Form): string => {
    const name = nameOf(reference);
    const target = find(reference);
    const differs = form !== "value" && isObject(target) && isOpen(target);
    const key = differs ? free(`${name}${PART}`, $defs) : name;
    if (!Object.hasOwn(made, key)) {
      made[key] = true;
      made[key] = read(target, differs ? form : "value", parts.has(name));
    }
    return `#/$defs/${key}`;
  };
  const isOpen = (schema: JsonObject): boolean =>
    !closed.has(schema) && closes(schema, find) && !sealed(schema, find);
  const read = (schema: Json, form: Form, isPart = false): Json => {
    if (!isObject(schema)) return schema;
    const lone = Object.keys(schema).every((name) => name === "$ref");
    const next = mapSubschemas(schema, (sub, keyword) => read(sub, formOf(keyword, form)));
    if (typeof next.$ref === "string")
      next.$ref = refer(next.$ref, lone || form !== "value" ? form : "branch");
    if (form !== "value") return next;
    if (isOpen(schema)) {
      notes.add("an object that takes any further field says so now (additionalProperties: true)");
      return { ...next, additionalProperties: true };
    }
    if (isPart || !closesByItself(schema, find)) return next;
    const { additionalProperties: _closed, ...rest } = next;
    return rest;
  };
  const opened = roots.map(({ schema }) => read(schema, "value") as JsonObject);
  return { schemas: opened, $defs: made };
}

/** Whether every object that `schema` accepts has declared fields alone, whoever closes it. */
export function isSealed(schema: Json, $defs: Definitions): boolean {
  return sealed(schema, finder($defs));
}

function finder($defs: Definitions): (reference: string) => Schema {
  return (reference) => (own($defs, nameOf(reference)) ?? true) as Schema;
}

function nameOf(reference: string): string {
  return reference.slice("#/$defs/".length);
}

function formOf(keyword: string, form: Form): Form {
  if (form === "exact" || EXACT.includes(keyword)) return "exact";
  return IN_PLACE.includes(keyword) ? "branch" : "value";
}

function free(name: string, taken: Definitions): string {
  return Object.hasOwn(taken, name) ? free(`${name}_`, taken) : name;
}

/** Whether `additionalProperties: false` may go because the writer reading puts it there again. */
function closesByItself(schema: JsonObject, find: (reference: string) => Schema): boolean {
  if (schema.additionalProperties !== false) return false;
  const { additionalProperties: _closed, ...rest } = schema;
  const plain = [...IN_PLACE, ...EXACT, "$ref", "patternProperties"].every(
    (each) => !Object.hasOwn(rest, each),
  );
  return plain && isObject(rest.properties) && closes(rest, find);
}

/** Names of the definitions that are part of a larger description somewhere. */
function partsOf(schemas: readonly Json[], $defs: Definitions): Set<string> {
  const parts = new Set<string>();
  const look = (schema: Json): void =>
    walk(schema, (node, _pointer, keyword) => {
      const inside = keyword !== undefined && [...IN_PLACE, ...EXACT].includes(keyword);
      if (typeof node.$ref === "string" && (inside || Object.keys(node).length > 1))
        parts.add(nameOf(node.$ref));
    });
  for (const schema of [...schemas, ...Object.values($defs)]) look(schema);
  return parts;
}

function sealed(schema: Json, find: (reference: string) => Schema, seen: readonly Json[] = []): boolean {
  if (!isObject(schema)) return schema === false;
  if (seen.includes(schema)) return false;
  const below = (sub: Json): boolean => sealed(sub, find, [...seen, schema]);
  if (schema.type !== undefined && ![schema.type].flat().includes("object")) return true;
  if (schema.additionalProperties === false || schema.unevaluatedProperties === false) return true;
  const values = schema.const !== undefined ? [schema.const] : schema.enum;
  if (Array.isArray(values)) return !values.some(isObject);
  if (typeof schema.$ref === "string" && below(find(schema.$ref))) return true;
  if (Array.isArray(schema.allOf) && schema.allOf.some(below)) return true;
  return [schema.anyOf, schema.oneOf].some((list) => Array.isArray(list) && list.every(below));
}
