/**
 * A schema in the reading of a writer with one branch of each choice taken. The result is a guess that validators check;
 * a wrong one is made again with the next random numbers.
 */
import type { Json, JsonObject } from "../json.js";
import { type Random, seededRandom } from "../random.js";
import {
  AUTHOR_KEYWORDS,
  type Description,
  describeSchema,
  nodeWithoutPlace,
  type Omitted,
  omitKeywords,
  statements,
  type Through,
} from "../schema/describe.js";
import type { Schema } from "../schema/json-schema.js";
import { fieldsOf, knownValues, requiredOf, typesOf } from "../schema/merge.js";
import type { Definitions } from "../schema/reference.js";

const VALIDATED: Omitted = { omitted: "validators refuse a sample that breaks it", result: "wider" };

/** Samples are made of these facets; validators check the others. */
export const SAMPLED = {
  types: "used",
  values: "used",
  bounds: "used",
  texts: "used",
  properties: "used",
  otherProperties: "used",
  items: "used",
  references: "used",
  composition: "used",
  alternatives: "used",
  conditions: "used",
  writer: "used",
  contains: VALIDATED,
  except: {
    ...AUTHOR_KEYWORDS,
    ...omitKeywords(
      VALIDATED,
      "uniqueItems",
      "minContains",
      "maxContains",
      "unevaluatedItems",
      "minProperties",
    ),
    ...omitKeywords(
      VALIDATED,
      "maxProperties",
      "patternProperties",
      "unevaluatedProperties",
      "propertyNames",
      "not",
    ),
    ...omitKeywords(VALIDATED, "dependentRequired", "dependentSchemas"),
  },
  annotations: { omitted: "it does not limit values", result: "unchanged" },
} as const;

/** The demands on one value. */
export interface Demands {
  readonly description: Description<typeof SAMPLED>;
  /** The types that it may have; undefined if nothing limits them. */
  readonly types: readonly string[] | undefined;
  /** Allowed values; undefined if no list limits them. */
  readonly values: readonly Json[] | undefined;
  /** The schemas of each declared field. */
  readonly properties: ReadonlyMap<string, readonly Schema[]>;
  readonly required: ReadonlySet<string>;
  /** The schemas of each item. */
  readonly items: readonly Schema[];
}

/** Reads the demands on a value to which all `schemas` apply; `random` makes the choices. */
export type ReadDemands = (schemas: readonly Schema[], random: Random) => Demands;

/** Returns a reader that remembers the demands without a choice for each list of schemas: pass the same list again. */
export function demandsReader(definitions: Definitions): ReadDemands {
  const known = new WeakMap<readonly Schema[], Demands>();
  return (schemas, random) => {
    const before = known.get(schemas);
    if (before) return before;
    const choices = randomChoices(random);
    const nodes = schemas.map(nodeWithoutPlace);
    const demands = demandsOf(describeSchema(nodes, definitions, SAMPLED, choices.through));
    if (!choices.wereMade()) known.set(schemas, demands);
    return demands;
  };
}

/** Returns the demands of `schemas` with choices that are the same each time. */
export function firstDemands(schemas: readonly Schema[], definitions: Definitions): Demands {
  return demandsReader(definitions)(schemas, seededRandom(1));
}

function demandsOf(description: Demands["description"]): Demands {
  const types = typesOf(description);
  const fields = [...fieldsOf(description)];
  return {
    description,
    types: types.stated ? [...types.set] : undefined,
    values: knownValues(description),
    properties: new Map(
      fields.map(([name, { spots }]) => [name, spots.map(({ schema }) => schema as Schema)] as const),
    ),
    required: new Set(requiredOf(description).keys()),
    items: statements(description, "items").map(({ value }) => value as Schema),
  };
}

/** Takes one branch of each `anyOf` and `oneOf`, and decides whether each `if` holds. */
function randomChoices(random: Random): { through: Through; wereMade: () => boolean } {
  const conditions = new Map<JsonObject, boolean>();
  let made = false;
  const holds = (schema: JsonObject): boolean => {
    made = true;
    const result = conditions.get(schema) ?? random.chance(0.5);
    conditions.set(schema, result);
    return result;
  };
  const through: Through = (edge, { schema }, count) => {
    if (edge === "not" || edge === "dependentSchemas") return "skip";
    if (edge === "anyOf" || edge === "oneOf") {
      made = true;
      return random.below(count);
    }
    if (edge !== "if" && edge !== "then" && edge !== "else") return "certain";
    const isTaken = Object.hasOwn(schema, "if") && holds(schema) === (edge !== "else");
    return isTaken ? "certain" : "skip";
  };
  return { through, wereMade: () => made };
}
