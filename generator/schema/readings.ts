/**
 * The two readings of a schema, as plain JSON Schema 2020-12 without annotations.
 *
 * The reader reading accepts every value that the writer reading accepts. This holds because the readings differ only below
 * monotone keywords, where a subschema that accepts more makes a schema that accepts more. Both leave the subschemas of
 * `not`, `if`, `contains` and `propertyNames` unchanged.
 */
import { getOwn, isObject, type Json, type JsonObject } from "../json.js";
import { canBeClosed, closeObject, describesObjects } from "./close-objects.js";
import type { Schema } from "./json-schema.js";
import { EXACT_KEYWORDS, filterKeywords, getKeywords, IN_PLACE_KEYWORDS } from "./keywords.js";
import { type Definitions, formatReference, getDefinitionName } from "./reference.js";
import { hasSchemaWith, mapSubschemas } from "./walk.js";

/** `reader`: what a tolerant consumer accepts. `writer`: what a well-behaved emitter may produce. */
export type Profile = "reader" | "writer";

/** All profiles. */
export const PROFILES: readonly Profile[] = ["reader", "writer"];

/**
 * How a schema is used:
 *  - `value`: the schema describes a value completely. Writers may not add fields to an object.
 *  - `branch`: the schema is a part of such a description, such as an alternative. It stays open, because the complete
 *    description is closed around it.
 *  - `exact`: the schema stays unchanged, because it is below `not`, `if`, `contains` or `propertyNames`.
 */
export type Form = "value" | "branch" | "exact";

/** A schema under a profile: self-contained, with the definitions that it needs below `$defs`. */
export interface Reading {
  readonly schema: Schema;
  readonly $defs: { readonly [name: string]: Schema };
}

/**
 * Returns the reading of `schema` under `profile`. The references of `schema` lead into `definitions`, and those of the result
 * into its `$defs`.
 */
export function readAs(
  profile: Profile,
  schema: Schema,
  definitions: Definitions,
  form: Form = "value",
): Reading {
  const $defs: { [name: string]: Schema } = {};
  const rewrite = createRewriter(profile, schema, definitions, $defs);
  return { schema: rewrite(schema, form) as Schema, $defs };
}

/** Returns a reading as one JSON Schema document. */
export function buildDocument({ schema, $defs }: Reading): Schema {
  return typeof schema === "boolean" || Object.keys($defs).length === 0 ? schema : { ...schema, $defs };
}

function createRewriter(
  profile: Profile,
  root: Schema,
  definitions: Definitions,
  $defs: { [name: string]: Schema },
) {
  let isEvaluationUsed: boolean | undefined;
  /** Returns whether one of the schemas uses evaluated fields or items. */
  const dependsOnEvaluation = (): boolean => {
    isEvaluationUsed ??= [root, ...Object.values(definitions).map(({ schema }) => schema)].some(
      usesEvaluation,
    );
    return isEvaluationUsed;
  };
  const rewrite = (schema: Json, form: Form): Json => {
    if (!isObject(schema)) return schema;
    const plain = mapSubschemas(removeAnnotations(schema), (sub, keyword) =>
      rewrite(sub, getSubschemaForm(keyword, form)),
    );
    if (typeof plain.$ref === "string") {
      // A schema that itself describes objects is closed here, around the definition.
      const isClosedHere = form === "value" && describesObjects(schema);
      plain.$ref = addDefinition(plain.$ref, isClosedHere ? "branch" : form);
    }
    const simplified = replaceIfWithoutBranches(removeImpliedType(plain));
    if (form === "exact") return omitKeys(simplified, "x-writer", "x-extensible-enum");
    return profile === "reader" ? openForReaders(simplified) : closeForWriters(simplified, form);
  };
  /** Returns the definition as it is written, because its reading may not be complete yet. */
  const findOriginal = (reference: string): Schema =>
    getOwn(definitions, stripForm(reference))?.schema ?? true;
  /** Adds the definition in this form to `$defs`. Returns a reference to it. */
  const addDefinition = (reference: string, form: Form): string => {
    const name = stripForm(reference);
    const target = findOriginal(reference);
    // Readers do not close objects, so a branch is the same as a value to them.
    const key = form === "value" || (form === "branch" && profile === "reader") ? name : `${name}.${form}`;
    if (!Object.hasOwn($defs, key)) {
      $defs[key] = true;
      $defs[key] = rewrite(target, form) as Schema;
    }
    return formatReference(key);
  };
  const closeForWriters = (plain: { [key: string]: Json }, form: Form): Json => {
    const { "x-writer": writer, "x-extensible-enum": known, ...rest } = plain;
    const conditions: Json[] = [];
    if (known !== undefined) conditions.push({ enum: addNullIfAllowed(rest.type, known as readonly Json[]) });
    if (writer !== undefined) {
      // Readers ignore x-writer, so the fields that it evaluates must not count for unevaluatedProperties. A double `not`
      // accepts the same values, and evaluates nothing.
      const isHidden = canEvaluate(writer) && dependsOnEvaluation();
      conditions.push(isHidden ? { not: { not: writer } } : writer);
    }
    const schema = conditions.reduce(conjoin, rest);
    return form === "value" && canBeClosed(schema, findOriginal) ? closeObject(schema, findOriginal) : schema;
  };
  return rewrite;
}

/**
 * Returns the name of the definition that a reference leads to, without the form that follows it in a reading. Names of
 * definitions contain no dot, because `load` makes TypeScript identifiers of them.
 */
export function stripForm(reference: string): string {
  return getDefinitionName(reference).replace(/\.(branch|exact)$/, "");
}

/** Returns whether `schema` may mark fields or items as evaluated. */
function canEvaluate(schema: Json): boolean {
  return isObject(schema) && Object.keys(schema).some((keyword) => EVALUATING_KEYWORDS.has(keyword));
}

/** Keywords that evaluate fields or items. `not` and `propertyNames` also have subschemas, but evaluate nothing. */
const EVALUATING_KEYWORDS = filterKeywords(
  ({ holds }, name) => name === "$ref" || (holds !== undefined && name !== "not" && name !== "propertyNames"),
);

/**
 * Returns whether a schema uses `unevaluatedItems`, or `unevaluatedProperties` with a schema. `unevaluatedProperties: false`
 * only closes the object, and does not count.
 */
export function usesEvaluation(schema: Json): boolean {
  return hasSchemaWith(
    schema,
    ({ unevaluatedProperties: properties, unevaluatedItems: items }) =>
      isObject(properties) || isObject(items) || items === false,
  );
}

/** Returns the form of a schema below `keyword` of a schema with this form. */
export function getSubschemaForm(keyword: string, form: Form): Form {
  if (form === "exact" || EXACT_KEYWORDS.has(keyword)) return "exact";
  return IN_PLACE_KEYWORDS.has(keyword) ? "branch" : "value";
}

function removeAnnotations(schema: JsonObject): JsonObject {
  const plain: { [key: string]: Json } = {};
  for (const name of Object.keys(schema)) {
    const keyword = getKeywords().get(name);
    if (keyword !== undefined && keyword.facet !== "annotations" && name !== "$defs")
      plain[name] = schema[name] ?? null;
  }
  return plain;
}

/** Removes a `type` that a closed list of scalar values implies, so that a wrong value is reported only once. */
function removeImpliedType(plain: { [key: string]: Json }): { [key: string]: Json } {
  if (plain.const === undefined && plain.enum === undefined) return plain;
  const values = plain.const === undefined ? asList(plain.enum) : [plain.const];
  const types = [plain.type].flat();
  const isImplied =
    values.length > 0 && values.every((value) => types.includes(value === null ? "null" : typeof value));
  if (!isImplied || values.some((value) => typeof value === "object" && value !== null)) return plain;
  const { type: _type, ...rest } = plain;
  return rest;
}

/** Replaces an `if` without effective branches by an `anyOf` that evaluates the same fields, because Ajv ignores such an `if`. */
function replaceIfWithoutBranches(plain: { [key: string]: Json }): { [key: string]: Json } {
  if (plain.if === undefined || !acceptsEverything(plain.then) || !acceptsEverything(plain.else))
    return plain;
  const { if: condition, then: _then, else: _else, ...rest } = plain;
  return conjoin(rest, { anyOf: [condition, true] });
}

function acceptsEverything(schema: Json | undefined): boolean {
  return schema === undefined || schema === true || (isObject(schema) && Object.keys(schema).length === 0);
}

/** Opens a schema for tolerant readers: undeclared fields, unknown values, and values that match two alternatives are accepted. */
function openForReaders(plain: { [key: string]: Json }): Json {
  const closingKeywords = ["additionalProperties", "unevaluatedProperties"].filter(
    (name) => plain[name] === false,
  );
  const open = omitKeys(plain, "x-writer", "x-extensible-enum", ...closingKeywords);
  if (open.oneOf === undefined) return open;
  const { oneOf, ...rest } = open;
  return conjoin(rest, { anyOf: oneOf });
}

/** Returns the conjunction of `a` and `b`. If their keywords depend on each other, `b` is under `allOf`. */
function conjoin(a: { [key: string]: Json }, b: Json): { [key: string]: Json } {
  if (!isObject(b)) return b === true ? a : { ...a, allOf: [...asList(a.allOf), b] };
  const haveCommonKeyword = Object.keys(b).some((key) => Object.hasOwn(a, key));
  const dependOnSiblings = [...Object.keys(a), ...Object.keys(b)].some((key) => SIBLING_READERS.has(key));
  return haveCommonKeyword || dependOnSiblings ? { ...a, allOf: [...asList(a.allOf), b] } : { ...a, ...b };
}

/** Keywords whose meaning depends on the keywords beside them. */
const SIBLING_READERS = filterKeywords(({ readsSiblings }) => readsSiblings === true);

function asList(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the known values of an open enum, with null if the type allows it. */
function addNullIfAllowed(type: Json | undefined, known: readonly Json[]): readonly Json[] {
  return Array.isArray(type) && type.includes("null") && !known.includes(null) ? [...known, null] : known;
}

function omitKeys(schema: JsonObject, ...keys: readonly string[]): { [key: string]: Json } {
  const rest: { [key: string]: Json } = {};
  for (const key of Object.keys(schema)) if (!keys.includes(key)) rest[key] = schema[key] ?? null;
  return rest;
}
