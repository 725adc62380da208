/** Reads from types and lists of values which values payload fields may have. Other keywords are ignored. */
import { areEqual, getJsonType, getOwn, isObject, type Json } from "../../json.js";
import { findNearest } from "../../nearest.js";
import type { Protocol } from "../../protocol/protocol.js";
import { BRANCHES, CONJUNCTION, listStatements } from "../../schema/describe.js";
import { readListedValues } from "../../schema/listed-values.js";
import { describeFamily } from "../../schema/object-family.js";
import { derivePossibleTypes } from "../../schema/possible-types.js";
import type { Definitions } from "../../schema/reference.js";
import { walk } from "../../schema/walk.js";

const NO_PLACE = { file: "", pointer: "" };

/** Returns each schema that the payload of an event type has for a field, in any branch or reference. */
export function listFieldSchemas({ events, definitions }: Protocol, type: string, field: string): Json[] {
  const event = events.find((each) => each.type === type);
  if (event === undefined) return [];
  const family = describeFamily(event.payload, definitions, event.at);
  return listStatements(family, "properties").flatMap(({ value }) =>
    isObject(value) ? (getOwn(value, field) ?? []) : [],
  );
}

/** Returns a question about the declared field that an undeclared one probably means; undefined if none is near. */
export function suggestField(name: string, payload: Json): string | undefined {
  const names = new Set<string>();
  walk(payload, ({ properties }) => {
    for (const each of Object.keys(isObject(properties) ? properties : {})) names.add(each);
  });
  const near = findNearest(name, [...names]);
  return near === undefined ? undefined : `Did you mean ${JSON.stringify(near)}?`;
}

/** Returns whether writers may send a value. It may be true for values that other keywords refuse. */
export function acceptsValue(
  schema: Json,
  value: Json,
  definitions: Definitions,
  ancestors: readonly Json[] = [],
): boolean {
  if (!derivePossibleTypes(schema, definitions).has(getJsonType(value))) return false;
  if (!isObject(schema) || ancestors.includes(schema)) return true;
  const acceptsOne = (branches: Json | undefined): boolean =>
    !Array.isArray(branches) ||
    branches.some((branch) => acceptsValue(branch, value, definitions, [...ancestors, schema]));
  return describeFamily(schema, definitions, NO_PLACE, CONJUNCTION).parts.every(
    ({ schema: part }) =>
      acceptsOne(part.anyOf) &&
      acceptsOne(part.oneOf) &&
      readListedValues(part).every(({ values }) => values.some((each) => areEqual(each, value))),
  );
}

/** Returns the texts that a schema lists in any branch or reference. */
export function listTexts(schema: Json, definitions: Definitions): string[] {
  if (!isObject(schema)) return [];
  const { parts } = describeFamily(schema, definitions, NO_PLACE, BRANCHES);
  return parts
    .flatMap(({ schema: part }) => readListedValues(part).flatMap(({ values }) => values))
    .filter((value) => typeof value === "string");
}
