import { isObject, type Json, type JsonObject } from "../../generator/json.js";
import { FORMATS } from "../../generator/schema/formats.js";

/** The constructors of a validation library for the keywords that the schemas of hecate/v1 use. `T` is one of its schemas. */
export interface Library<T> {
  any(): T;
  literal(value: string | number | boolean | null): T;
  string(patterns: readonly RegExp[], minLength: number): T;
  number(integer: boolean, minimum: number | undefined, maximum: number | undefined): T;
  boolean(): T;
  array(items: T, minItems: number): T;
  /** Accepts undeclared fields. `rules` check the whole object. */
  object(fields: readonly (readonly [name: string, type: T, required: boolean])[], rules: readonly Rule[]): T;
  union(options: readonly T[]): T;
}

/** A rule that an object keeps. */
export type Rule = (value: { readonly [name: string]: unknown }) => boolean;

/** Translates `schema` for `library`. Throws on an unknown keyword, so that none is ignored silently. */
export function translateSchema<T>(schema: Json, library: Library<T>): T {
  if (!isObject(schema)) return library.any();
  const unknown = Object.keys(schema).filter((keyword) => !KNOWN.has(keyword));
  if (unknown.length > 0) throw new Error(`the benchmark's peers do not support ${unknown.join(", ")}`);
  const { type, minimum, maximum } = schema as { type?: Json; minimum?: number; maximum?: number };
  if (schema.const !== undefined) return library.literal(schema.const as string);
  if (Array.isArray(schema.enum)) return library.union(schema.enum.map((value) => library.literal(value)));
  if (Array.isArray(type))
    return library.union(type.map((one) => translateSchema({ ...schema, type: one }, library)));
  switch (type) {
    case "string":
      return library.string(readPatterns(schema), Number(schema.minLength ?? 0));
    case "integer":
    case "number":
      return library.number(type === "integer", minimum, maximum);
    case "boolean":
      return library.boolean();
    case "null":
      return library.literal(null);
    case "array":
      return library.array(translateSchema(schema.items ?? true, library), Number(schema.minItems ?? 0));
    case "object":
      return library.object(readFields(schema, library), readRules(schema));
    case undefined:
      return library.any();
    default:
      throw new Error(`the benchmark's peers do not support the type ${JSON.stringify(type)}`);
  }
}

const KNOWN = new Set(
  (
    "$schema type const enum pattern format minLength minimum maximum items minItems properties required " +
    "anyOf if then additionalProperties"
  ).split(" "),
);

function readPatterns({ pattern, format }: JsonObject): RegExp[] {
  const test = typeof format === "string" ? FORMATS.get(format)?.pattern : undefined;
  return [...(typeof pattern === "string" ? [new RegExp(pattern, "u")] : []), ...(test ? [test] : [])];
}

function readFields<T>({ properties, required }: JsonObject, library: Library<T>) {
  const names = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {}).map(
    ([name, field]) => [name, translateSchema(field, library), names.includes(name)] as const,
  );
}

/** Returns the rules of `anyOf` with required fields and of `if` with constant fields. hecate/v1 has no other conditions. */
function readRules({ anyOf, if: condition, then: consequence }: JsonObject): Rule[] {
  const createRule = (schema: Json | undefined): Rule => {
    const { required = [], properties = {} } = (schema ?? {}) as JsonObject;
    const constants = Object.entries(properties as JsonObject).filter(([, field]) => isObject(field));
    return (value) =>
      (required as string[]).every((name) => value[name] !== undefined) &&
      constants.every(
        ([name, field]) => value[name] === undefined || value[name] === (field as JsonObject).const,
      );
  };
  const options = Array.isArray(anyOf) ? anyOf.map(createRule) : [];
  return [
    ...(options.length > 0 ? [(value: Parameters<Rule>[0]) => options.some((option) => option(value))] : []),
    ...(condition === undefined
      ? []
      : [(value: Parameters<Rule>[0]) => !createRule(condition)(value) || createRule(consequence)(value)]),
  ];
}
