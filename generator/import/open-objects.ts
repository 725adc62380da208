/**
 * States for each object whether writers may add fields to it. The writer reading closes every object that states
 * nothing. Objects that list their fields stay so, and a later optional field is an addition. Maps and objects of any
 * content state that they are open. With `--open`, all objects do, and writers may send what the original accepts.
 * Readers accept further fields in either case.
 */
import { isObject, type Json, type JsonObject, own } from "../json.js";
import { closes } from "../schema/close-objects.js";
import type { Definition, Schema } from "../schema/json-schema.js";
import { EXACT, IN_PLACE } from "../schema/keywords.js";
import type { Form } from "../schema/readings.js";
import { type Definitions, type FindSchema, findIn, referenceTo, targetName } from "../schema/reference.js";
import { mapSubschemas, walk } from "../schema/walk.js";
import { isSealed, listsItsFields } from "./closed-objects.js";
import type { Notes } from "./notes.js";

/** A schema to be opened. */
interface Root {
  readonly schema: JsonObject;
  /** Whether the original refuses other fields, although this schema does not state it any more. */
  readonly isClosed: boolean;
  /** Whether it has a declared field elsewhere, such as the event type in the envelope. */
  readonly hasOtherFields: boolean;
}

/** Which objects are opened. */
export interface Opening {
  /** Whether every object that the original leaves open stays open for writers. */
  readonly all: boolean;
  readonly notes: Notes;
}

/** What the name of a copy of a definition ends with, if the copy is part of a larger description. */
const PART = "Part";

const OPENED = "an object that accepts any other field now states it (additionalProperties: true)";
const KEPT_OPEN =
  "an object that does not list its fields stays open for writers (additionalProperties: true)";
const CLOSED =
  "an object that lists its fields is closed for writers: they may send no other fields, and readers accept them; with --open, writers may send them, too";

/** Schemas that state for each object whether writers may add fields to it. */
interface Opened {
  readonly schemas: readonly JsonObject[];
  readonly definitions: Definitions;
  /** Whether writers may send less than the schemas accepted. */
  readonly narrower: boolean;
}

/** Opens `roots`, each the description of a value, and the definitions that they refer to. */
export function openObjects(
  roots: readonly Root[],
  definitions: Definitions,
  { all, notes }: Opening,
): Opened {
  const find = findIn(definitions);
  const closed = new Set<Json>(roots.flatMap((root) => (root.isClosed ? [root.schema] : [])));
  const incomplete = new Set<Json>(roots.flatMap((root) => (root.hasOtherFields ? [root.schema] : [])));
  const parts = partsOf([
    ...roots.map(({ schema }) => schema),
    ...Object.values(definitions).map(({ schema }) => schema),
  ]);
  let narrower = false;
  const made: { [name: string]: Definition } = Object.create(null);

  const refer = (name: string, form: Form): string => {
    const target = own(definitions, name) ?? { schema: true, at: NOWHERE };
    const differs = form !== "value" && isObject(target.schema) && isOpened(target.schema);
    const key = differs ? freeName(`${name}${PART}`, definitions) : name;
    if (!Object.hasOwn(made, key)) {
      made[key] = { ...target, schema: true };
      const schema = read(target.schema, differs ? form : "value", parts.has(name)) as Schema;
      made[key] = { ...target, schema };
    }
    return referenceTo(key);
  };
  const isLeftOpen = (schema: JsonObject): boolean =>
    !closed.has(schema) && closes(schema, find) && !isSealed(schema, definitions);
  const isOpened = (schema: JsonObject): boolean =>
    isLeftOpen(schema) &&
    (all || !listsItsFields(incomplete.has(schema) ? [schema, OTHER_FIELD] : [schema], definitions));
  const read = (schema: Json, form: Form, isPart = false): Json => {
    if (!isObject(schema)) return schema;
    const isReference = Object.keys(schema).every((name) => name === "$ref");
    const next = mapSubschemas(schema, (sub, keyword) => read(sub, formOf(keyword, form)));
    const target = targetName(schema);
    if (target !== undefined) next.$ref = refer(target, isReference || form !== "value" ? form : "branch");
    if (form !== "value") return next;
    if (isOpened(schema)) {
      notes.add(all ? OPENED : KEPT_OPEN);
      return { ...next, additionalProperties: true };
    }
    if (isLeftOpen(schema)) {
      narrower = true;
      notes.add(CLOSED);
    }
    if (isPart || !isClosedAgain(schema, find)) return next;
    const { additionalProperties: _closed, ...rest } = next;
    return rest;
  };
  const schemas = roots.map(({ schema }) => read(schema, "value") as JsonObject);
  return { schemas, definitions: made, narrower };
}

/** A schema that declares one field more. */
const OTHER_FIELD = { properties: { "": true } };

const NOWHERE = { file: "", pointer: "" };

function formOf(keyword: string, form: Form): Form {
  if (form === "exact" || EXACT.has(keyword)) return "exact";
  return IN_PLACE.has(keyword) ? "branch" : "value";
}

function freeName(name: string, taken: Definitions): string {
  return Object.hasOwn(taken, name) ? freeName(`${name}_`, taken) : name;
}

/** Whether `additionalProperties: false` can be left out because the writer reading adds it again. */
function isClosedAgain(schema: JsonObject, find: FindSchema): boolean {
  if (schema.additionalProperties !== false) return false;
  const { additionalProperties: _closed, ...rest } = schema;
  const plain = [...IN_PLACE, ...EXACT, "$ref", "patternProperties"].every(
    (each) => !Object.hasOwn(rest, each),
  );
  return plain && isObject(rest.properties) && closes(rest, find);
}

/** Returns the names of the definitions that are part of a larger description somewhere. */
function partsOf(schemas: readonly Json[]): Set<string> {
  const parts = new Set<string>();
  for (const schema of schemas)
    walk(schema, (node, _pointer, keyword) => {
      const name = targetName(node);
      const isInside = keyword !== undefined && (IN_PLACE.has(keyword) || EXACT.has(keyword));
      if (name !== undefined && (isInside || Object.keys(node).length > 1)) parts.add(name);
    });
  return parts;
}
