/** Describes the family of an object: its schema, with the references, branches and conditions that may declare its fields. */
import { isObject, type JsonObject } from "../json.js";
import {
  createSpot,
  type Description,
  type DescriptionOf,
  describeSchema,
  type EdgePolicy,
  FAMILY,
  listStatements,
  omitAllFacets,
  type Spot,
} from "./describe.js";
import type { Definitions } from "./reference.js";

const FIELD_COVERAGE = {
  ...omitAllFacets({ reason: "it says nothing about which fields there are", result: "unchanged" }),
  properties: "used",
  otherProperties: "used",
  references: "used",
  composition: "used",
  alternatives: "used",
  conditions: "used",
} as const;

/** The description of the family of an object, as far as it concerns fields. */
type ObjectFamily = Description<typeof FIELD_COVERAGE>;

/** Describes the family of `schema`. `if` and `not` belong to it, unless `edgePolicy` skips them. */
export function describeFamily(
  schema: JsonObject,
  definitions: Definitions,
  at: Pick<Spot, "file" | "pointer">,
  edgePolicy: EdgePolicy = FAMILY,
): ObjectFamily {
  return describeSchema(createSpot(schema, at), definitions, FIELD_COVERAGE, edgePolicy);
}

/** Returns the names of all fields that the family declares in any branch or reference. */
export function collectDeclaredFields(family: DescriptionOf<"properties">): ReadonlySet<string> {
  return new Set(
    listStatements(family, "properties").flatMap(({ value }) => (isObject(value) ? Object.keys(value) : [])),
  );
}

/** Returns the patterns of names by which the family declares fields. */
export function collectDeclaredPatterns(family: DescriptionOf<"otherProperties">): readonly string[] {
  return listStatements(family, "patternProperties").flatMap(({ value }) => Object.keys(value ?? {}));
}

/** Returns whether the family allows fields that it does not declare by name. */
export function acceptsOtherFields(family: DescriptionOf<"otherProperties">): boolean {
  return (["additionalProperties", "unevaluatedProperties", "patternProperties"] as const).some((keyword) =>
    listStatements(family, keyword).some(({ value }) => value !== false),
  );
}
