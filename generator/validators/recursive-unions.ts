/**
 * Marks the unions of recursive definitions whose alternatives a field tells apart. A validator that tried every alternative
 * at every level would need a time that is multiplied with each level of a value.
 */
import { getMembers, isObject, type Json, type JsonObject } from "../json.js";
import type { Schema } from "../schema/json-schema.js";
import type { Reading } from "../schema/readings.js";
import { createDefinitions, type Definitions, getDefinitionName } from "../schema/reference.js";
import { findTag, type Tag } from "../schema/tags.js";
import { collectDefinitionsBelow, listReferences, mapSubschemas } from "../schema/walk.js";

/** The keyword beside `anyOf` or `oneOf` that says how a field tells the alternatives apart. Its value is a `Tag`. */
export const TAG = "x-accrete-tag";

/** Returns a reading whose recursive unions have the keyword `TAG`, if there is such a field. */
export function markRecursiveUnions({ schema, $defs }: Reading): Reading {
  const names = Object.keys($defs);
  if (names.length === 0) return { schema, $defs };
  const definitions = createDefinitions($defs);
  const mark = (node: Json, around: string): Json => {
    if (!isObject(node)) return node;
    const marked = mapSubschemas(node, (sub) => mark(sub, around));
    for (const keyword of ["anyOf", "oneOf"] as const) {
      const alternatives = node[keyword];
      if (!Array.isArray(alternatives) || !isRecursive(alternatives, around, definitions)) continue;
      const tag = findTag(alternatives, definitions);
      // Two unions beside each other would need two marks.
      if (tag && !(Object.hasOwn(node, "anyOf") && Object.hasOwn(node, "oneOf")))
        marked[TAG] = tag as unknown as JsonObject;
    }
    return marked;
  };
  return {
    schema,
    $defs: Object.fromEntries(names.map((name) => [name, mark($defs[name] ?? true, name) as Schema])),
  };
}

/** Returns whether an alternative leads back to the definition that has the union. */
function isRecursive(alternatives: readonly Json[], around: string, definitions: Definitions): boolean {
  return alternatives
    .flatMap((alternative) => listReferences(alternative))
    .map(getDefinitionName)
    .some((name) => name === around || collectDefinitionsBelow(name, definitions).has(around));
}

/** Returns the mark of a schema; undefined if it has none. */
export function readTag(schema: JsonObject): Tag | undefined {
  const { property, values } = getMembers(schema[TAG]);
  return typeof property === "string" && Array.isArray(values) ? { property, values } : undefined;
}
