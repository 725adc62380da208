/** Splits a schema into its alternatives, for outputs whose types have unions. */
import { isObject, type Json } from "../json.js";
import {
  CONJUNCTION,
  createSpotWithoutPlace,
  describeSchema,
  listStatements,
  omitAllFacets,
} from "./describe.js";
import { filterKeywords } from "./keywords.js";
import { derivePossibleTypes } from "./possible-types.js";
import type { Definitions } from "./reference.js";

const COVERAGE = {
  ...omitAllFacets({ reason: "it does not describe an alternative", result: "wider" }),
  types: "used",
  values: "used",
  properties: "used",
  items: "used",
  otherProperties: "used",
  references: "used",
  composition: "used",
} as const;

/** Keywords that describe a value, in contrast to keywords that only require fields or limit values. */
const STRUCTURE_KEYWORDS = [
  "type",
  "const",
  "enum",
  "x-extensible-enum",
  "properties",
  "items",
  "additionalProperties",
] as const;

/** Keywords beside alternatives that describe the value, apart from its type. */
const VALUE_KEYWORDS = filterKeywords(({ facet }, name) => facet !== "annotations" && name !== "type");

/**
 * Returns the alternatives of `schema` by `anyOf` or `oneOf`, each together with the keywords beside them. Returns undefined
 * if the schema has neither or both of these keywords, or if the alternatives only require fields or limit values.
 */
export function splitAlternatives(schema: Json, definitions: Definitions): readonly Json[] | undefined {
  if (!isObject(schema)) return undefined;
  const { anyOf, oneOf, ...rest } = schema;
  if (anyOf !== undefined && oneOf !== undefined) return undefined;
  const branches = [anyOf ?? oneOf ?? []].flat();
  if (branches.length < 2 || !branches.some((branch) => hasStructure(branch, definitions))) return undefined;
  const types = derivePossibleTypes(rest, definitions);
  const hasOnlyTypes = Object.keys(rest).every((keyword) => !VALUE_KEYWORDS.has(keyword));
  return branches.map((branch) => {
    // A branch needs no keywords from beside it if these only state types that the branch implies.
    const impliesRest =
      hasOnlyTypes && [...derivePossibleTypes(branch, definitions)].every((type) => types.has(type));
    return impliesRest ? branch : { allOf: [rest, branch] };
  });
}

function hasStructure(branch: Json, definitions: Definitions): boolean {
  const described = describeSchema(createSpotWithoutPlace(branch), definitions, COVERAGE, CONJUNCTION);
  return STRUCTURE_KEYWORDS.some((keyword) => listStatements(described, keyword).length > 0);
}
