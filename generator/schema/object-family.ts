/** Everything that may say something of the fields of one object: the schema, its references, branches and conditions. */
import type { JsonObject } from "../json.js";
import {
  type Describes,
  type Description,
  describeSchema,
  FAMILY,
  nodeAt,
  type SchemaNode,
  statements,
  type Through,
} from "./describe.js";
import { fieldsOf } from "./merge.js";
import type { Definitions } from "./reference.js";

const ABOUT_VALUES = {
  omitted: "it says nothing about which fields there are",
  result: "unchanged",
} as const;

const FIELDS = {
  properties: "used",
  otherProperties: "used",
  references: "used",
  composition: "used",
  alternatives: "used",
  conditions: "used",
  types: ABOUT_VALUES,
  values: ABOUT_VALUES,
  bounds: ABOUT_VALUES,
  texts: ABOUT_VALUES,
  items: ABOUT_VALUES,
  contains: ABOUT_VALUES,
  writer: ABOUT_VALUES,
  annotations: ABOUT_VALUES,
} as const;

/** What the family of an object says of its fields. */
type ObjectFamily = Description<typeof FIELDS>;

/** Describes the family of `schema`. `if` and `not` belong to it, unless `through` leaves them out. */
export function describeFamily(
  schema: JsonObject,
  definitions: Definitions,
  at: Pick<SchemaNode, "file" | "pointer">,
  through: Through = FAMILY,
): ObjectFamily {
  return describeSchema(nodeAt(schema, at), definitions, FIELDS, through);
}

/** Returns the names of all fields that the family declares, in whatever branch or reference. */
export function declaredFields(family: Describes<"properties">): ReadonlySet<string> {
  return new Set(fieldsOf(family).keys());
}

/** Returns the patterns of names by which the family declares fields. */
export function declaredPatterns(family: Describes<"otherProperties">): readonly string[] {
  return statements(family, "patternProperties").flatMap(({ value }) => Object.keys(value ?? {}));
}

/** Returns whether the family takes fields that it does not declare by name. */
export function takesOtherFields(family: Describes<"otherProperties">): boolean {
  return (["additionalProperties", "unevaluatedProperties", "patternProperties"] as const).some((keyword) =>
    statements(family, keyword).some(({ value }) => value !== false),
  );
}
