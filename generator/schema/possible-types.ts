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

/** JSON types. `number` comes only together with `integer`. */
type Types = ReadonlySet<string>;

/** What a schema says about types. */
interface TypeLimits {
  /** The types that its own statements allow. */
  readonly own: Types;
  /** The alternatives of each `anyOf` and `oneOf`. A value matches one of each. */
  readonly alternatives: readonly (readonly Json[])[];
}

/** The results of `derivePossibleTypes`. */
const resultsByDefinitions = new WeakMap<Definitions, Map<Json, Types>>();

/**
 * Returns the JSON types of the values that `schema` allows readers. `number` comes only together with `integer`. The result
 * has every type of an allowed value. It may also have types of which no value is allowed.
 */
export function derivePossibleTypes(schema: Json, definitions: Definitions): Types {
  const results = resultsByDefinitions.get(definitions) ?? new Map<Json, Types>();
  resultsByDefinitions.set(definitions, results);
  const known = results.get(schema);
  if (known) return known;
  const limits = collectLimits(schema, definitions, results);
  for (const each of limits.keys()) results.set(each, EVERY_TYPE);
  // Alternatives are visited before the schemas that have them, so one round is enough unless schemas are their own alternatives.
  const order = [...limits].reverse();
  const visit = ([each, { own, alternatives }]: readonly [Json, TypeLimits]): boolean => {
    const types = alternatives
      .map((branches) => new Set(branches.flatMap((branch) => [...(results.get(branch) ?? EVERY_TYPE)])))
      .reduce(intersectTypes, own);
    const isNarrower = types.size < (results.get(each) ?? EVERY_TYPE).size;
    results.set(each, types);
    return isNarrower;
  };
  while (order.map(visit).includes(true));
  return results.get(schema) ?? EVERY_TYPE;
}

/** Returns the limits of a schema and of all alternatives below it that have no result yet, the schema first. */
function collectLimits(
  schema: Json,
  definitions: Definitions,
  results: ReadonlyMap<Json, Types>,
): Map<Json, TypeLimits> {
  const limits = new Map<Json, TypeLimits>();
  const add = (each: Json): void => {
    if (limits.has(each) || results.has(each)) return;
    const found = readLimits(each, definitions);
    limits.set(each, found);
    for (const branch of found.alternatives.flat()) add(branch);
  };
  add(schema);
  return limits;
}

function readLimits(schema: Json, definitions: Definitions): TypeLimits {
  const description = describeSchema(createSpotWithoutPlace(schema), definitions, TYPE_COVERAGE, CONJUNCTION);
  if (description.isNever) return { own: new Set(), alternatives: [] };
  const stated = [
    ...listStatements(description, "type").map(({ value }) => [value].flat().map(String)),
    ...collectClosedLists(description).map(({ value }) => [value].flat().map((each) => getJsonType(each))),
  ];
  const statements = [...listStatements(description, "anyOf"), ...listStatements(description, "oneOf")];
  return {
    own: stated.map((types) => new Set(addIntegers(types))).reduce<Types>(intersectTypes, EVERY_TYPE),
    alternatives: statements.map(({ value }) => [value].flat()),
  };
}

/** Returns the types that both sets hold, in the order of the first. */
export function intersectTypes(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...a].filter((type) => b.has(type)));
}
