/**
 * Says of each object whether writers may add fields to it. The writer reading closes every object that says nothing:
 * so are objects that list their fields, and a later optional field is an addition. Maps and objects of any content say
 * that they are open; where all objects are to stay open, so do the others, and writers may send what the schema
 * accepts as it stands. Readers accept further fields in either case.
 */
import { isObject, type Json, type JsonObject } from "../json.js";
import { closes } from "../schema/close-objects.js";
import { EXACT, IN_PLACE } from "../schema/keywords.js";
import { definitionNameOf, type FindSchema, findAmong, referenceTo } from "../schema/reference.js";
import { mapSubschemas, walk } from "../schema/walk.js";
import { listsItsFields } from "./declared-fields.js";
import type { Notes } from "./notes.js";
import type { Upgraded } from "./upgrade.js";

type Definitions = Upgraded["$defs"];

/** As in the readings: the whole description of a value, a part of a larger one, or what is read as it stands. */
type Form = "value" | "branch" | "exact";

/** A schema to be opened. */
interface Root {
  readonly schema: JsonObject;
  /** Whether it is closed although it does not say so. */
  readonly closed: boolean;
  /** Whether it has a declared field that stands elsewhere, such as the event type. */
  readonly hasOthers: boolean;
}

/** How objects are opened. */
export interface Opening {
  /** Whether every object that the original leaves open stays open for writers. */
  readonly all: boolean;
  readonly notes: Notes;
}

const PART = "Part";

const OPENED = "an object that accepts any other field now states it (additionalProperties: true)";
const KEPT_OPEN =
  "an object that does not list its fields stays open for writers (additionalProperties: true)";
const CLOSED =
  "an object that lists its fields is closed for writers: they may send no other fields, and readers accept them; with --open, writers may send them, too";

/** Schemas that say of each object whether writers may add fields to it. */
interface Opened {
  readonly schemas: readonly JsonObject[];
  readonly $defs: Definitions;
  /** Whether writers may send less than the schemas accept as they stand. */
  readonly narrower: boolean;
}

/** Opens `roots`, each the description of a value, and the definitions that they reach. */
export function openObjects(roots: readonly Root[], $defs: Definitions, { all, notes }: Opening): Opened {
  const find = findAmong($defs);
  const closed = new Set<Json>(roots.flatMap((root) => (root.closed ? [root.schema] : [])));
  const others = new Set<Json>(roots.flatMap((root) => (root.hasOthers ? [root.schema] : [])));
  const parts = partsOf(
    roots.map(({ schema }) => schema),
    $defs,
  );
  let narrower = false;
  const made: { [name: string]: Json } = Object.create(null);

  const refer = (reference: string, form: Form): string => {
    const name = definitionNameOf(reference);
    const target = find(reference);
    const differs = form !== "value" && isObject(target) && isOpen(target);
    const key = differs ? free(`${name}${PART}`, $defs) : name;
    if (!Object.hasOwn(made, key)) {
      made[key] = true;
      made[key] = read(target, differs ? form : "value", parts.has(name));
    }
    return referenceTo(key);
  };
  const leavesOpen = (schema: JsonObject): boolean =>
    !closed.has(schema) && closes(schema, find) && !sealed(schema, find);
  const lists = (schema: JsonObject): boolean => {
    const whole = others.has(schema) ? { allOf: [schema, { properties: { "": true } }] } : schema;
    return listsItsFields(whole, find);
  };
  const isOpen = (schema: JsonObject): boolean => leavesOpen(schema) && (all || !lists(schema));
  const read = (schema: Json, form: Form, isPart = false): Json => {
    if (!isObject(schema)) return schema;
    const lone = Object.keys(schema).every((name) => name === "$ref");
    const next = mapSubschemas(schema, (sub, keyword) => read(sub, formOf(keyword, form)));
    if (typeof next.$ref === "string")
      next.$ref = refer(next.$ref, lone || form !== "value" ? form : "branch");
    if (form !== "value") return next;
    if (isOpen(schema)) {
      notes.add(all ? OPENED : KEPT_OPEN);
      return { ...next, additionalProperties: true };
    }
    if (leavesOpen(schema)) {
      narrower = true;
      notes.add(CLOSED);
    }
    if (isPart || !closesByItself(schema, find)) return next;
    const { additionalProperties: _closed, ...rest } = next;
    return rest;
  };
  const opened = roots.map(({ schema }) => read(schema, "value") as JsonObject);
  return { schemas: opened, $defs: made, narrower };
}

/** Whether every object that `schema` accepts has declared fields only, closed by the schema or by the writer reading. */
export function isSealed(schema: Json, $defs: Definitions): boolean {
  return sealed(schema, findAmong($defs));
}

function formOf(keyword: string, form: Form): Form {
  if (form === "exact" || EXACT.has(keyword)) return "exact";
  return IN_PLACE.has(keyword) ? "branch" : "value";
}

function free(name: string, taken: Definitions): string {
  return Object.hasOwn(taken, name) ? free(`${name}_`, taken) : name;
}

/** Whether `additionalProperties: false` may go because the writer reading puts it there again. */
function closesByItself(schema: JsonObject, find: FindSchema): boolean {
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
      const inside = keyword !== undefined && (IN_PLACE.has(keyword) || EXACT.has(keyword));
      if (typeof node.$ref === "string" && (inside || Object.keys(node).length > 1))
        parts.add(definitionNameOf(node.$ref));
    });
  for (const schema of [...schemas, ...Object.values($defs)]) look(schema);
  return parts;
}

function sealed(schema: Json, find: FindSchema, seen: readonly Json[] = []): boolean {
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
