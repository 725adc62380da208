/** The keywords about objects. */
import type { Json } from "../../json.js";
import type { Formula, Formulas, KeySet } from "../formula.js";
import { unicodeSource } from "../regex/pattern-syntax.js";
import { count, type KeywordCompiler, type KeywordContext, map, strings } from "./keyword-compiler.js";

const on = "object" as const;

/** The set of one key. */
function onlyKey(key: string): KeySet {
  return { names: [key], patterns: [], complement: false };
}

/** The set of the keys that a pattern matches. */
function keysMatching(source: string): KeySet {
  return { names: [], patterns: [unicodeSource(source)], complement: false };
}

/** Every property in `keys` satisfies `value`. */
export function each(f: Formulas, keys: KeySet, value: Formula): Formula {
  return value === f.anything ? f.anything : f.literal({ on, is: "each", keys, value });
}

/** The keys that `properties` and `patternProperties` of a schema declare. */
export function declaredKeys({ schema }: KeywordContext): KeySet {
  const names = schema.properties === undefined ? [] : map(schema.properties, "properties");
  const patterns =
    schema.patternProperties === undefined ? [] : map(schema.patternProperties, "patternProperties");
  return {
    names: names.map(([name]) => name).sort(),
    patterns: patterns.map(([source]) => unicodeSource(source)).sort(),
    complement: false,
  };
}

function size(keyword: string, is: "atLeast" | "atMost"): KeywordCompiler {
  return (value, { formulas }) => formulas.literal({ on, is, count: count(value, keyword) });
}

function has(f: Formulas, key: string): Formula {
  return f.literal({ on, is: "has", key });
}

function dependsOnKeys(f: Formulas, key: string, keys: readonly string[]): Formula {
  return f.and(...keys.map((other) => f.or(f.not(has(f, key)), has(f, other))));
}

/** The schema holds for every object that has the key, and is not asked about other values. */
function whenKey(f: Formulas, key: string, schema: Formula): Formula {
  return f.or(f.except(on), f.not(has(f, key)), schema);
}

function dependency(key: string, value: Json, at: KeywordContext): Formula {
  if (Array.isArray(value)) return dependsOnKeys(at.formulas, key, strings(value, "dependencies"));
  return whenKey(at.formulas, key, at.child(value));
}

/** The keyword compilers of this file. */
export const OBJECT_KEYWORDS: { readonly [keyword: string]: KeywordCompiler } = {
  properties: (value, at) =>
    at.formulas.and(
      ...map(value, "properties").map(([key, child]) => each(at.formulas, onlyKey(key), at.child(child))),
    ),
  patternProperties: (value, at) =>
    at.formulas.and(
      ...map(value, "patternProperties").map(([source, child]) =>
        each(at.formulas, keysMatching(source), at.child(child)),
      ),
    ),
  additionalProperties: (value, at) =>
    each(at.formulas, { ...declaredKeys(at), complement: true }, at.child(value)),
  propertyNames: (value, at) => {
    const names = at.child(value);
    return names === at.formulas.anything ? names : at.formulas.literal({ on, is: "names", value: names });
  },
  required: (value, { formulas }) =>
    formulas.and(...strings(value, "required").map((key) => has(formulas, key))),
  minProperties: size("minProperties", "atLeast"),
  maxProperties: size("maxProperties", "atMost"),
  dependentRequired: (value, { formulas }) =>
    formulas.and(
      ...map(value, "dependentRequired").map(([key, keys]) =>
        dependsOnKeys(formulas, key, strings(keys, "dependentRequired")),
      ),
    ),
  dependentSchemas: (value, at) =>
    at.formulas.and(
      ...map(value, "dependentSchemas").map(([key, child]) => whenKey(at.formulas, key, at.child(child))),
    ),
  dependencies: (value, at) =>
    at.formulas.and(...map(value, "dependencies").map(([key, child]) => dependency(key, child, at))),
};
