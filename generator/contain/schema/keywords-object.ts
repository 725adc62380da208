/** The keywords about objects. */
import { isObject, type Json, type JsonObject } from "../../json.js";
import { type Formula, type Formulas, type KeySet, onlyKey } from "../formula.js";
import { unicodeSource } from "../regex/pattern-syntax.js";
import { compileSize, type KeywordCompilers, type KeywordContext } from "./keyword-compiler.js";

const on = "object" as const;

/** The set of the keys that a pattern matches. */
function keysMatching(source: string): KeySet {
  return { names: [], patterns: [unicodeSource(source)], complement: false };
}

/** Every property in `keys` satisfies `value`. */
export function each(f: Formulas, keys: KeySet, value: Formula): Formula {
  return value === f.anything ? f.anything : f.literal({ on, is: "each", keys, value });
}

/** The keys that `properties` and `patternProperties` of a schema declare. */
export function declaredKeys({ schema: { properties, patternProperties } }: KeywordContext): KeySet {
  return {
    names: isObject(properties) ? Object.keys(properties).sort() : [],
    patterns: isObject(patternProperties) ? Object.keys(patternProperties).map(unicodeSource).sort() : [],
    complement: false,
  };
}

function has(f: Formulas, key: string): Formula {
  return f.literal({ on, is: "has", key });
}

/** The schema, or the list of required keys, holds for every object that has the key. */
function compileDependency(key: string, value: Json, at: KeywordContext): Formula {
  const { formulas: f } = at;
  if (Array.isArray(value))
    return f.and(...value.map((other) => f.or(f.not(has(f, key)), has(f, other as string))));
  const schema = at.child(value);
  return f.or(f.except(on), f.not(has(f, key)), schema);
}

function compileDependencies(dependencies: JsonObject, at: KeywordContext): Formula {
  const all = Object.entries(dependencies);
  return at.formulas.and(...all.map(([key, value]) => compileDependency(key, value, at)));
}

/** The compilers of the keywords about objects. */
export const OBJECT_KEYWORDS: KeywordCompilers = {
  properties: (properties: JsonObject, at) =>
    at.formulas.and(
      ...Object.entries(properties).map(([key, child]) => each(at.formulas, onlyKey(key), at.child(child))),
    ),
  patternProperties: (properties: JsonObject, at) =>
    at.formulas.and(
      ...Object.entries(properties).map(([source, child]) =>
        each(at.formulas, keysMatching(source), at.child(child)),
      ),
    ),
  additionalProperties: (rest: Json, at) =>
    each(at.formulas, { ...declaredKeys(at), complement: true }, at.child(rest)),
  propertyNames: (schema: Json, at) => {
    const names = at.child(schema);
    return names === at.formulas.anything ? names : at.formulas.literal({ on, is: "names", value: names });
  },
  required: (keys: readonly string[], { formulas }) => formulas.and(...keys.map((key) => has(formulas, key))),
  minProperties: compileSize(on, "atLeast"),
  maxProperties: compileSize(on, "atMost"),
  dependentRequired: compileDependencies,
  dependentSchemas: compileDependencies,
  dependencies: compileDependencies,
};
