/**
 * The two readings of a schema (DESIGN: the idea the tool stands on), as plain JSON Schema 2020-12 without annotations.
 *
 * Law: what the writer reading accepts, the reader reading accepts. It holds because the readings differ only where a
 * larger subschema makes a larger schema; under `not` and `if`, in `contains` and in `propertyNames`, where that is not
 * so, both read the schema as it stands.
 */
import { isObject, type Json, type JsonObject, own } from "../json.js";
import { closes, closeWith, describesObjects } from "./close-objects.js";
import type { Schema } from "./json-schema.js";
import { EXACT, IN_PLACE, keywordsOf, keywordsWhere } from "./keywords.js";
import { type Definitions, definitionNameOf, referenceTo } from "./reference.js";
import { mapSubschemas, someSchema } from "./walk.js";

/** `reader`: what a tolerant consumer accepts. `writer`: what a well-behaved emitter may produce. */
export type Profile = "reader" | "writer";

export const PROFILES: readonly Profile[] = ["reader", "writer"];

/**
 * How a schema is used: as the whole description of a value (an object is closed for writers), as a branch of a
 * larger description (left open, the whole is closed around it), or exactly as it stands.
 */
export type Form = "value" | "branch" | "exact";

/** A schema under a profile: self-contained, with the definitions that it needs below `$defs`. */
export interface Reading {
  readonly schema: Schema;
  readonly $defs: { readonly [name: string]: Schema };
}

/** Reads `schema` under `profile`. References are followed into `definitions`; the result refers to its own `$defs`. */
export function readAs(
  profile: Profile,
  schema: Schema,
  definitions: Definitions,
  form: Form = "value",
): Reading {
  const $defs: { [name: string]: Schema } = {};
  const reader = makeReader(profile, schema, definitions, $defs);
  return { schema: reader(schema, form) as Schema, $defs };
}

/** Returns a reading as one JSON Schema document. */
export function document({ schema, $defs }: Reading): Schema {
  return typeof schema === "boolean" || Object.keys($defs).length === 0 ? schema : { ...schema, $defs };
}

function makeReader(
  profile: Profile,
  root: Schema,
  definitions: Definitions,
  $defs: { [name: string]: Schema },
) {
  let evaluated: boolean | undefined;
  // Readers ignore x-writer: what it evaluates must stay invisible to schemas that both profiles read.
  const isEvaluated = (): boolean => {
    evaluated ??= [root, ...Object.values(definitions).map(({ schema }) => schema)].some(asksForEvaluated);
    return evaluated;
  };
  const read = (schema: Json, form: Form): Json => {
    if (!isObject(schema)) return schema;
    const plain = mapSubschemas(withoutAnnotations(schema), (sub, keyword) =>
      read(sub, formOf(keyword, form)),
    );
    const lone = form === "value" && !describesObjects(schema);
    if (typeof plain.$ref === "string")
      plain.$ref = refer(plain.$ref, form === "value" && !lone ? "branch" : form);
    const once = withoutLoneIf(withoutRepeatedType(plain));
    if (form === "exact") return omit(once, "x-writer", "x-extensible-enum");
    return profile === "reader" ? opened(once) : written(once, form);
  };
  // The definition itself: its reading may still be in the making.
  const find = (reference: string): Schema => own(definitions, nameOf(reference))?.schema ?? true;
  const refer = (reference: string, form: Form): string => {
    const name = nameOf(reference);
    const target = find(reference);
    // Readers do not close objects, so a branch is the same as a value to them.
    const key = form === "value" || (form === "branch" && profile === "reader") ? name : `${name}.${form}`;
    if (!Object.hasOwn($defs, key)) {
      $defs[key] = true;
      $defs[key] = read(target, form) as Schema;
    }
    return referenceTo(key);
  };
  const written = (plain: { [key: string]: Json }, form: Form): Json => {
    const { "x-writer": writer, "x-extensible-enum": known, ...rest } = plain;
    const extra: Json[] = [];
    if (known !== undefined) extra.push({ enum: nullable(rest.type, known as readonly Json[]) });
    if (writer !== undefined)
      extra.push(evaluates(writer) && isEvaluated() ? { not: { not: writer } } : writer);
    const schema = extra.reduce(conjoin, rest);
    return form === "value" && closes(schema, find) ? closeWith(schema, find) : schema;
  };
  return read;
}

/** Returns the definition that a reference names: under a profile, a form may follow the name. */
function nameOf(reference: string): string {
  return definitionNameOf(reference).replace(/\.(branch|exact)$/, "");
}

/** Returns whether `schema` may mark fields or items as evaluated. */
function evaluates(schema: Json): boolean {
  return isObject(schema) && Object.keys(schema).some((keyword) => EVALUATING.has(keyword));
}

const EVALUATING = keywordsWhere(
  ({ holds }, name) => name === "$ref" || (holds !== undefined && name !== "not" && name !== "propertyNames"),
);

/** Returns whether a schema below `schema` asks which fields or items others have evaluated, other than to refuse fields. */
function asksForEvaluated(schema: Json): boolean {
  return someSchema(
    schema,
    ({ unevaluatedProperties: rest, unevaluatedItems: items }) =>
      isObject(rest) || isObject(items) || items === false,
  );
}

function formOf(keyword: string, form: Form): Form {
  if (form === "exact" || EXACT.has(keyword)) return "exact";
  return IN_PLACE.has(keyword) ? "branch" : "value";
}

function withoutAnnotations(schema: JsonObject): JsonObject {
  const plain: { [key: string]: Json } = {};
  for (const name of Object.keys(schema)) {
    const keyword = keywordsOf().get(name);
    if (keyword !== undefined && keyword.facet !== "annotations" && name !== "$defs")
      plain[name] = schema[name] as Json;
  }
  return plain;
}

/** Removes a `type` that a closed list of scalar values already implies, so that one fault gives one error. */
function withoutRepeatedType(plain: { [key: string]: Json }): { [key: string]: Json } {
  const values = plain.const === undefined ? listOf(plain.enum) : [plain.const];
  const types = [plain.type].flat();
  const implied =
    values.length > 0 && values.every((value) => types.includes(value === null ? "null" : typeof value));
  if (!implied || values.some((value) => typeof value === "object" && value !== null)) return plain;
  const { type: _type, ...rest } = plain;
  return rest;
}

/** Replaces an `if` that decides nothing by an `anyOf` that evaluates the same fields: Ajv ignores such an `if`. */
function withoutLoneIf(plain: { [key: string]: Json }): { [key: string]: Json } {
  if (plain.if === undefined || !saysNothing(plain.then) || !saysNothing(plain.else)) return plain;
  const { if: condition, then: _then, else: _else, ...rest } = plain;
  return conjoin(rest, { anyOf: [condition, true] });
}

function saysNothing(schema: Json | undefined): boolean {
  return schema === undefined || schema === true || (isObject(schema) && Object.keys(schema).length === 0);
}

/** Removes what only closes, which a tolerant reader ignores: undeclared fields pass, and so does a value that fits two alternatives. */
function opened(plain: { [key: string]: Json }): Json {
  const closing = ["additionalProperties", "unevaluatedProperties"].filter((name) => plain[name] === false);
  const open = omit(plain, "x-writer", "x-extensible-enum", ...closing);
  if (open.oneOf === undefined) return open;
  const { oneOf, ...rest } = open;
  return conjoin(rest, { anyOf: oneOf as Json });
}

/** Returns one schema that says what `a` and `b` say: side by side if no keyword depends on both, otherwise under `allOf`. */
function conjoin(a: { [key: string]: Json }, b: Json): { [key: string]: Json } {
  if (!isObject(b)) return b === true ? a : { ...a, allOf: [...listOf(a.allOf), b] };
  const shares = Object.keys(b).some((key) => Object.hasOwn(a, key));
  const dependsOnOthers = [...Object.keys(a), ...Object.keys(b)].some((key) => READ_SIBLINGS.has(key));
  return shares || dependsOnOthers ? { ...a, allOf: [...listOf(a.allOf), b] } : { ...a, ...b };
}

const READ_SIBLINGS = keywordsWhere(({ readsSiblings }) => readsSiblings === true);

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the known values of an open enum; null is one of them where the type allows it. */
function nullable(type: Json | undefined, known: readonly Json[]): readonly Json[] {
  return Array.isArray(type) && type.includes("null") && !known.includes(null) ? [...known, null] : known;
}

function omit(schema: JsonObject, ...keys: readonly string[]): { [key: string]: Json } {
  const rest: { [key: string]: Json } = {};
  for (const key of Object.keys(schema)) if (!keys.includes(key)) rest[key] = schema[key] as Json;
  return rest;
}
