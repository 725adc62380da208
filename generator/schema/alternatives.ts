/** Splits a schema into its alternatives, for outputs whose types have unions. */
import { isObject, type Json } from "../json.js";
import {
  CONJUNCTION,
  createNodeWithoutPlace,
  describeSchema,
  listStatements,
  omitAllFacets,
} from "./describe.js";
import { filterKeywords } from "./keywords.js";
import { derivePossibleTypes } from "./possible-types.js";
import type { Definitions } from "./reference.js";

const COVERAGE = {
  ...omitAllFacets({ omitted: "it does not describe an alternative", result: "wider" }),
  types: "used",
  values: "used",
  properties: "used",
  items: "used",
  otherProperties: "used",
  references: "used",
  composition: "used",
} as const;

const STRUCTURE = [
  "type",
  "const",
  "enum",
  "x-extensible-enum",
  "properties",
  "items",
  "additionalProperties",
] as const;

/** Keywords beside alternatives that say something about the value itself, apart from its type. */
const VALUE_KEYWORDS = filterKeywords(({ facet }, name) => facet !== "annotations" && name !== "type");

/**
 * Returns schemas of which every value of `schema` matches one: its `anyOf` or `oneOf`, each with what the schema says beside
 * it. Returns undefined if there are no alternatives, or if they only require fields or limit values.
 */
export function splitAlternatives(schema: Json, definitions: Definitions): readonly Json[] | undefined {
  if (!isObject(schema)) return undefined;
  const { anyOf, oneOf, ...rest } = schema;
  if ((anyOf === undefined) === (oneOf === undefined)) return undefined;
  const branches = [anyOf ?? oneOf ?? []].flat() as Json[];
  if (branches.length < 2 || !branches.some((branch) => hasStructure(branch, definitions))) return undefined;
  const types = derivePossibleTypes(rest, definitions);
  const isAnnotated = Object.keys(rest).every((keyword) => !VALUE_KEYWORDS.has(keyword));
  return branches.map((branch) => {
    const says =
      isAnnotated && [...derivePossibleTypes(branch, definitions)].every((type) => types.has(type));
    return says ? branch : { allOf: [rest, branch] };
  });
}

function hasStructure(branch: Json, definitions: Definitions): boolean {
  const described = describeSchema(createNodeWithoutPlace(branch), definitions, COVERAGE, CONJUNCTION);
  return STRUCTURE.some((keyword) => listStatements(described, keyword).length > 0);
}
