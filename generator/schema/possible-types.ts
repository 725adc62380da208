import { getJsonType, type Json } from "../json.js";
import {
  CONJUNCTION,
  createSpotWithoutPlace,
  describeSchema,
  listStatements,
  omitAllFacets,
} from "./describe.js";
import { EVERY_TYPE } from "./json-schema.js";
import { addIntegers, collectClosedLists } from "./merge.js";
import type { Definitions } from "./reference.js";

const TYPE_COVERAGE = {
  ...omitAllFacets({ reason: "it says nothing about types", result: "wider" }),
  types: "used",
  values: "used",
  references: "used",
  composition: "used",
  alternatives: "used",
} as const;

/**
 * Returns the JSON types of the values that `schema` allows readers. `number` comes only together with `integer`. The result
 * has every type of an allowed value. It may also have types of which no value is allowed.
 */
export function derivePossibleTypes(
  schema: Json,
  definitions: Definitions,
  ancestors: ReadonlySet<Json> = new Set(),
): ReadonlySet<string> {
  const description = describeSchema(createSpotWithoutPlace(schema), definitions, TYPE_COVERAGE, CONJUNCTION);
  if (description.isNever) return new Set();
  // A schema that is one of its own alternatives does not limit the types.
  if (ancestors.has(schema)) return EVERY_TYPE;
  const schemaAndAncestors = new Set([...ancestors, schema]);
  const alternatives = [...listStatements(description, "anyOf"), ...listStatements(description, "oneOf")];
  const limits = [
    ...listStatements(description, "type").map(({ value }) => [value].flat().map(String)),
    ...collectClosedLists(description).map(({ value }) => [value].flat().map((each) => getJsonType(each))),
    ...alternatives.map(({ value }) =>
      [value].flat().flatMap((branch) => [...derivePossibleTypes(branch, definitions, schemaAndAncestors)]),
    ),
  ];
  return limits.map((types) => new Set(addIntegers(types))).reduce(intersectTypes, EVERY_TYPE);
}

/** Returns the types that both sets hold, in the order of the first. */
export function intersectTypes(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...a].filter((type) => b.has(type)));
}
