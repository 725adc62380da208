/** Compiles the keywords about objects. */
import { isObject, type Json, type JsonObject } from "../../json.js";
import { createSingleKeySet, type Formula, type Formulas, type KeySet } from "../formula.js";
import { requireUnicodeSource } from "../regex/pattern-syntax.js";
import { createSizeCompiler, type KeywordCompilers, type KeywordContext } from "./keyword-compiler.js";

const type = "object" as const;

/** Returns the set of the keys that a pattern matches. */
function createPatternKeySet(source: string): KeySet {
  return { names: [], patterns: [requireUnicodeSource(source)], complement: false };
}

/** Returns the formula that every property in `keys` satisfies `value`. */
export function constrainProperties(f: Formulas, keys: KeySet, value: Formula): Formula {
  return value === f.anything ? f.anything : f.literal({ type, kind: "each", keys, value });
}

/** Returns the keys that `properties` and `patternProperties` of a schema declare. */
export function collectDeclaredKeys({ schema: { properties, patternProperties } }: KeywordContext): KeySet {
  return {
    names: isObject(properties) ? Object.keys(properties).sort() : [],
    patterns: isObject(patternProperties)
      ? Object.keys(patternProperties).map(requireUnicodeSource).sort()
      : [],
    complement: false,
  };
}

/** Returns the formula that an object has the key. */
function requireKey(f: Formulas, key: string): Formula {
  return f.literal({ type, kind: "has", key });
}

/** Returns the formula that every object with the key satisfies the schema, or has all keys of the list. */
function compileDependency(key: string, value: Json, context: KeywordContext): Formula {
  const { formulas: f } = context;
  if (Array.isArray(value))
    return f.and(...value.map((other) => f.or(f.not(requireKey(f, key)), requireKey(f, other))));
  const schema = context.compileChild(value);
  return f.or(f.except(type), f.not(requireKey(f, key)), schema);
}

function compileDependencies(dependencies: JsonObject, context: KeywordContext): Formula {
  const all = Object.entries(dependencies);
  return context.formulas.and(...all.map(([key, value]) => compileDependency(key, value, context)));
}

/** The compilers of the keywords about objects. */
export const OBJECT_KEYWORDS: KeywordCompilers = {
  properties: (properties: JsonObject, context) =>
    context.formulas.and(
      ...Object.entries(properties).map(([key, child]) =>
        constrainProperties(context.formulas, createSingleKeySet(key), context.compileChild(child)),
      ),
    ),
  patternProperties: (properties: JsonObject, context) =>
    context.formulas.and(
      ...Object.entries(properties).map(([source, child]) =>
        constrainProperties(context.formulas, createPatternKeySet(source), context.compileChild(child)),
      ),
    ),
  additionalProperties: (schema: Json, context) =>
    constrainProperties(
      context.formulas,
      { ...collectDeclaredKeys(context), complement: true },
      context.compileChild(schema),
    ),
  propertyNames: (schema: Json, context) => {
    const names = context.compileChild(schema);
    return names === context.formulas.anything
      ? names
      : context.formulas.literal({ type, kind: "names", value: names });
  },
  required: (keys: readonly string[], { formulas }) =>
    formulas.and(...keys.map((key) => requireKey(formulas, key))),
  minProperties: createSizeCompiler(type, "atLeast"),
  maxProperties: createSizeCompiler(type, "atMost"),
  dependentRequired: compileDependencies,
  dependentSchemas: compileDependencies,
  dependencies: compileDependencies,
};
