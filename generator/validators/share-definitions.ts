/**
 * Turns large definitions into functions of a module. A reference to such a definition becomes a call.
 *
 * Which definitions are shared, and where they are called, depends only on the definition and on the schema that refers
 * to it. So a new event does not change the lines of other events.
 */
import { getOwn, isObject, type Json } from "../json.js";
import type { Schema } from "../schema/json-schema.js";
import { IN_PLACE_KEYWORDS } from "../schema/keywords.js";
import { type Profile, type Reading, readAs } from "../schema/readings.js";
import { type Definitions, formatReference, getTargetName } from "../schema/reference.js";
import { hasSchemaWith, listSubschemas, mapSubschemas, walk } from "../schema/walk.js";
import { markUnions } from "./repeated-definitions.js";

/** The keyword for a call. Its value is the name of the function. */
export const CALL = "x-accrete-call";

/** The minimum number of subschemas of a shared definition. A call in place of fewer saves little. */
const MIN_SUBSCHEMAS = 12;

/** The readings of shared definitions. The keys are the names in `$defs`. */
export type SharedReadings = { readonly [name: string]: Reading };

/** A reading with calls, and the names in `$defs` of the definitions that it calls. */
interface CallingReading {
  readonly reading: Reading;
  readonly calls: readonly string[];
}

/** Returns the name of a shared definition's function. No other name in a module begins with `$`. */
export function nameSharedFunction(name: string): string {
  return `$${name.replaceAll(".", "$")}`;
}

/** Returns the readings under `profile` of the definitions that are large enough for a function of their own. */
export function createSharedReadings(
  profile: Profile,
  definitions: Definitions,
  minSubschemas = MIN_SUBSCHEMAS,
): SharedReadings {
  const readings = Object.keys(definitions).flatMap((definition) =>
    SHARED_FORMS.map((form) => {
      const { schema, $defs } = markUnions(
        readAs(profile, { $ref: formatReference(definition) }, definitions, form),
      );
      // A reading renames a definition if its form changes it, for example to `NAME.branch`.
      const name = isObject(schema) ? (getTargetName(schema) ?? definition) : definition;
      return [name, { schema: $defs[name] ?? true, $defs }] as const;
    }),
  );
  return Object.fromEntries(readings.filter(([, { schema }]) => countSubschemas(schema) >= minSubschemas));
}

const SHARED_FORMS = ["value", "branch"] as const;

/** Keywords whose schemas describe an inner value. What they evaluate does not matter to the keywords beside them. */
const KEYWORDS_OF_INNER_VALUES = new Set([
  "properties",
  "patternProperties",
  "additionalProperties",
  "items",
  "prefixItems",
]);

/**
 * Replaces references to shared definitions with calls. A reference stays if it has other keywords beside it, or if a call
 * would change which fields or items count as evaluated.
 */
export function callSharedDefinitions(reading: Reading, shared: SharedReadings): CallingReading {
  const { schema, $defs } = markUnions(reading);
  const calls = new Set<string>();
  const remaining: { [name: string]: Schema } = {};
  const callable = findSameReadings($defs, shared);
  const usesUnevaluated = [schema, ...Object.values($defs)].some(hasUnevaluatedKeyword);
  const replaceReferences = (node: Json, isInner: boolean): Json => {
    if (!isObject(node)) return node;
    const name = getTargetName(node);
    const target = name === undefined || !callable.has(name) ? undefined : getOwn($defs, name);
    if (name !== undefined && isObject(target) && Object.keys(node).length === 1) {
      const evaluatesAll = target.type === "object" && Object.hasOwn(target, "additionalProperties");
      if (isInner || !usesUnevaluated || evaluatesAll) {
        calls.add(name);
        // The definition evaluates every field. `additionalProperties: true` marks these fields as evaluated for the other
        // keywords that apply to the same value.
        return {
          [CALL]: nameSharedFunction(name),
          ...(!isInner && evaluatesAll && { additionalProperties: true }),
        };
      }
    }
    if (name !== undefined) addDefinition(name);
    return mapSubschemas(node, (sub, keyword) =>
      KEYWORDS_OF_INNER_VALUES.has(keyword) || IN_PLACE_KEYWORDS.has(keyword)
        ? replaceReferences(sub, KEYWORDS_OF_INNER_VALUES.has(keyword))
        : keepUnchanged(sub),
    );
  };
  const addDefinition = (name: string): void => {
    if (Object.hasOwn(remaining, name)) return;
    remaining[name] = true;
    remaining[name] = replaceReferences(getOwn($defs, name) ?? true, false) as Schema;
  };
  const keepUnchanged = (node: Json): Json => {
    walk(node, (below) => {
      const name = getTargetName(below);
      if (name !== undefined) addDefinition(name);
    });
    return node;
  };
  return {
    reading: { schema: replaceReferences(schema, false) as Schema, $defs: remaining },
    calls: [...calls].sort(),
  };
}

/** Returns the names of definitions with the same reading as in `shared`. A reading may depend on the schema around it. */
function findSameReadings($defs: Reading["$defs"], shared: SharedReadings): Set<string> {
  const isSame = ([name, schema]: [string, Schema]): boolean =>
    Object.hasOwn(shared, name) && JSON.stringify(shared[name]?.schema) === JSON.stringify(schema);
  return new Set(Object.entries($defs).flatMap((entry) => (isSame(entry) ? [entry[0]] : [])));
}

function countSubschemas(schema: Json): number {
  return isObject(schema)
    ? listSubschemas(schema).reduce((sum, sub) => sum + countSubschemas(sub.schema), 1)
    : 1;
}

function hasUnevaluatedKeyword(schema: Schema): boolean {
  return hasSchemaWith(
    schema,
    (node) => Object.hasOwn(node, "unevaluatedProperties") || Object.hasOwn(node, "unevaluatedItems"),
  );
}
