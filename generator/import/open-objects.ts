/**
 * Adds `additionalProperties: true` to objects to which writers may add fields, since the writer reading closes every
 * other object. Objects that list their fields are closed for writers, so that a later optional field is an addition. Maps
 * and objects of any content stay open. With `--open`, every object that the original leaves open stays open. Readers
 * accept undeclared fields in either case.
 */
import { getOwn, isObject, type Json, type JsonObject } from "../json.js";
import { canBeClosed, describesObjects } from "../schema/close-objects.js";
import type { Definition, Schema } from "../schema/json-schema.js";
import { EXACT_KEYWORDS, IN_PLACE_KEYWORDS } from "../schema/keywords.js";
import { type Form, getSubschemaForm } from "../schema/readings.js";
import {
  createFindSchema,
  type Definitions,
  type FindSchema,
  formatReference,
  getTargetName,
} from "../schema/reference.js";
import { mapSubschemas, walk } from "../schema/walk.js";
import { collectPartialSchemas, declaresItsFields, isSealed } from "./closed-objects.js";
import type { ImportNotes } from "./notes.js";

/** A schema in which objects are opened. */
interface RootSchema {
  readonly schema: JsonObject;
  /** True if the original rejects undeclared fields, although this schema no longer states it. */
  readonly isClosed: boolean;
  /** True if the object has a declared field that this schema lacks, such as the event type in the envelope. */
  readonly hasOtherFields: boolean;
}

/** The options of `openObjects`. */
export interface OpeningOptions {
  /** True if every object that the original leaves open stays open for writers. */
  readonly opensAll: boolean;
  readonly notes: ImportNotes;
}

/** The suffix of the name of a copy of a definition. The copy applies together with other schemas of the same value. */
const PART_SUFFIX = "Part";

const OPENED_NOTE = "an object that accepts any other field now states it (additionalProperties: true)";
const KEPT_OPEN_NOTE =
  "an object that does not list its fields stays open for writers (additionalProperties: true)";
const CLOSED_NOTE =
  "an object that lists its fields is closed for writers: they may send no other fields, and readers accept them; with --open, writers may send them, too";

/** The result of `openObjects`. */
interface OpeningResult {
  readonly schemas: readonly JsonObject[];
  readonly definitions: Definitions;
  /** True if writers may send less than the schemas accepted. */
  readonly isNarrower: boolean;
}

/** Opens objects in `roots` and in the definitions that they refer to. */
export function openObjects(
  roots: readonly RootSchema[],
  definitions: Definitions,
  { opensAll, notes }: OpeningOptions,
): OpeningResult {
  const findSchema = createFindSchema(definitions);
  const closedRoots = new Set<Json>(roots.flatMap((root) => (root.isClosed ? [root.schema] : [])));
  const incompleteRoots = new Set<Json>(roots.flatMap((root) => (root.hasOtherFields ? [root.schema] : [])));
  const allSchemas = [...roots, ...Object.values(definitions)].map(({ schema }) => schema);
  const partNames = collectPartNames(allSchemas);
  const partialSchemas = collectPartialSchemas(allSchemas, definitions);
  let isNarrower = false;
  const openedDefinitions: { [name: string]: Definition } = Object.create(null);

  const openDefinition = (name: string, form: Form): string => {
    const target = getOwn(definitions, name) ?? { schema: true, at: NO_LOCATION };
    const differs = form !== "value" && isObject(target.schema) && isOpened(target.schema);
    const key = differs ? findFreeName(`${name}${PART_SUFFIX}`, definitions) : name;
    if (!Object.hasOwn(openedDefinitions, key)) {
      openedDefinitions[key] = { ...target, schema: true };
      const schema = openSchema(target.schema, differs ? form : "value", partNames.has(name)) as Schema;
      openedDefinitions[key] = { ...target, schema };
    }
    return formatReference(key);
  };
  const isLeftOpen = (schema: JsonObject): boolean =>
    !closedRoots.has(schema) && canBeClosed(schema, findSchema) && !isSealed(schema, definitions);
  const isOpened = (schema: JsonObject): boolean =>
    isLeftOpen(schema) &&
    (opensAll ||
      partialSchemas.has(schema) ||
      !declaresItsFields(incompleteRoots.has(schema) ? [schema, ONE_DECLARED_FIELD] : [schema], definitions));
  const openSchema = (schema: Json, form: Form, isPart = false): Json => {
    if (!isObject(schema)) return schema;
    const openedSchema = mapSubschemas(schema, (sub, keyword) =>
      openSchema(sub, getSubschemaForm(keyword, form)),
    );
    const target = getTargetName(schema);
    // The writer reading closes a schema that itself describes objects around the definition, as `readAs` does.
    const isClosedHere = form === "value" && describesObjects(schema);
    if (target !== undefined) openedSchema.$ref = openDefinition(target, isClosedHere ? "branch" : form);
    if (form !== "value") return openedSchema;
    if (isOpened(schema)) {
      notes.add(opensAll ? OPENED_NOTE : KEPT_OPEN_NOTE);
      return { ...openedSchema, additionalProperties: true };
    }
    if (isLeftOpen(schema)) {
      isNarrower = true;
      notes.add(CLOSED_NOTE);
    }
    if (isPart || !isClosedByWriterReading(schema, findSchema)) return openedSchema;
    const { additionalProperties: _closed, ...rest } = openedSchema;
    return rest;
  };
  const schemas = roots.map(({ schema }) => openSchema(schema, "value") as JsonObject);
  return { schemas, definitions: openedDefinitions, isNarrower };
}

/** A schema that declares one field. */
const ONE_DECLARED_FIELD = { properties: { "": true } };

const NO_LOCATION = { file: "", pointer: "" };

function findFreeName(name: string, taken: Definitions): string {
  return Object.hasOwn(taken, name) ? findFreeName(`${name}_`, taken) : name;
}

/** Returns whether `additionalProperties: false` can be left out because the writer reading adds it again. */
function isClosedByWriterReading(schema: JsonObject, findSchema: FindSchema): boolean {
  if (schema.additionalProperties !== false) return false;
  const { additionalProperties: _closed, ...rest } = schema;
  const isPlain = [...IN_PLACE_KEYWORDS, ...EXACT_KEYWORDS, "$ref", "patternProperties"].every(
    (each) => !Object.hasOwn(rest, each),
  );
  return isPlain && isObject(rest.properties) && canBeClosed(rest, findSchema);
}

/** Collects the names of the definitions that some schema applies together with other schemas of the same value. */
function collectPartNames(schemas: readonly Json[]): Set<string> {
  const parts = new Set<string>();
  for (const schema of schemas)
    walk(schema, (node, _pointer, keyword) => {
      const name = getTargetName(node);
      const isInside =
        keyword !== undefined && (IN_PLACE_KEYWORDS.has(keyword) || EXACT_KEYWORDS.has(keyword));
      if (name !== undefined && (isInside || Object.keys(node).length > 1)) parts.add(name);
    });
  return parts;
}
