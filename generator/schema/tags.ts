/** Finds the field that tells the alternatives of a union apart, such as `kind` or `type`. */
import { formatCanonicalJson, type Json } from "../json.js";
import {
  CONJUNCTION,
  createSpotWithoutPlace,
  describeSchema,
  EVERYTHING,
  listStatements,
} from "./describe.js";
import { collectClosedLists, mergeFields } from "./merge.js";
import type { Definitions } from "./reference.js";

/** A field, and its values in each alternative. An alternative accepts only objects that have one of its values. */
export interface Tag {
  readonly property: string;
  readonly values: readonly (readonly (string | number)[])[];
}

/** Returns the first field whose texts or numbers tell all alternatives apart; undefined if there is none. */
export function findTag(alternatives: readonly Json[], definitions: Definitions): Tag | undefined {
  const [first] = alternatives;
  if (first === undefined || alternatives.length < 2) return undefined;
  for (const property of mergeFields(describe(first, definitions)).keys()) {
    const values = alternatives.map((alternative) => readTagValues(alternative, property, definitions));
    const known = values.filter((each) => each !== undefined);
    const texts = known.flat().map(formatCanonicalJson);
    if (known.length === values.length && new Set(texts).size === texts.length)
      return { property, values: known };
  }
  return undefined;
}

/** Returns the texts and numbers of which an alternative requires one in a field; undefined if it accepts anything else. */
function readTagValues(
  alternative: Json,
  property: string,
  definitions: Definitions,
): Tag["values"][number] | undefined {
  const described = describe(alternative, definitions);
  const acceptsObjectsOnly = listStatements(described, "type").some(({ value }) => value === "object");
  const field = mergeFields(described).get(property);
  if (!acceptsObjectsOnly || !field?.isRequired || !field.isCertain) return undefined;
  const lists = field.spots.flatMap(({ schema }) => collectClosedLists(describe(schema, definitions)));
  const [values] = lists.flatMap(({ value }) => (Array.isArray(value) ? [value as readonly Json[]] : []));
  return values?.every((each) => typeof each === "string" || typeof each === "number") ? values : undefined;
}

function describe(schema: Json, definitions: Definitions) {
  return describeSchema(createSpotWithoutPlace(schema), definitions, EVERYTHING, CONJUNCTION);
}
