/**
 * Merges the schemas of a value, in the writer reading, with one branch of each choice taken. A sample that is made from
 * the result may be invalid. Then it is made again with other random numbers.
 */
import type { Json, JsonObject } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import { createRandom, type Random } from "../random.js";
import {
  AUTHOR_KEYWORDS,
  createSpotWithoutPlace,
  type Description,
  describeSchema,
  type EdgePolicy,
  EVERYTHING,
  listStatements,
  type Omission,
  omitKeywords,
} from "../schema/describe.js";
import { readSubschema, type Schema } from "../schema/json-schema.js";
import { collectKnownValues, collectRequired, deriveTypes, mergeFields } from "../schema/merge.js";
import type { Definitions } from "../schema/reference.js";
import { memoizeByObject } from "./memoize.js";

const LEFT_TO_VALIDATORS: Omission = {
  reason: "validators reject a sample that breaks it",
  result: "wider",
};

/** The facets of schemas that samples are made from. Validators check the others. */
export const SAMPLED_FACETS = {
  ...EVERYTHING,
  contains: LEFT_TO_VALIDATORS,
  except: {
    ...AUTHOR_KEYWORDS,
    ...omitKeywords(
      LEFT_TO_VALIDATORS,
      "uniqueItems",
      "minContains",
      "maxContains",
      "unevaluatedItems",
      "minProperties",
      "maxProperties",
      "patternProperties",
      "unevaluatedProperties",
      "propertyNames",
      "not",
      "dependentRequired",
      "dependentSchemas",
    ),
  },
  annotations: { reason: "it does not limit values", result: "unchanged" },
} as const;

/** The requirements of all schemas that apply to one value. */
export interface MergedSchema {
  readonly description: Description<typeof SAMPLED_FACETS>;
  /** The types that the value may have; undefined if nothing limits them. */
  readonly types: readonly string[] | undefined;
  /** The allowed values; undefined if no list limits them. */
  readonly values: readonly Json[] | undefined;
  /** The schemas of each declared field. */
  readonly properties: ReadonlyMap<string, readonly Schema[]>;
  readonly required: ReadonlySet<string>;
  /** The schemas of each item. */
  readonly items: readonly Schema[];
}

/** Merges the schemas that apply to one value; `random` makes the choices. */
export type MergeSchemas = (schemas: readonly Schema[], random: Random) => MergedSchema;

/** What is known after some choices: the result, or how the next choice is made and what follows each outcome. */
interface ChoiceNode {
  merged?: MergedSchema;
  choose?: Choose;
  readonly next: Map<number, ChoiceNode>;
}

/** Makes one choice: the index of a branch, or 1 if a condition holds and 0 otherwise. */
type Choose = (random: Random) => number;

/** Creates a merger that caches its results by the identity of the list of schemas and by the choices that were made. */
export function createSchemaMerger(definitions: Definitions): MergeSchemas {
  const getRoot = memoizeByObject((_schemas: readonly Schema[]): ChoiceNode => ({ next: new Map() }));
  return (schemas, random) => {
    const made: number[] = [];
    let node: ChoiceNode | undefined = getRoot(schemas);
    while (node?.choose !== undefined) {
      const outcome: number = node.choose(random);
      made.push(outcome);
      node = node.next.get(outcome);
    }
    if (node?.merged !== undefined) return node.merged;
    const choices = createRandomChoices(random, made);
    const nodes = schemas.map(createSpotWithoutPlace);
    const description = describeSchema(nodes, definitions, SAMPLED_FACETS, choices.edgePolicy);
    const last = choices.taken.reduce((parent: ChoiceNode, { choose, outcome }) => {
      parent.choose = choose;
      const child: ChoiceNode = parent.next.get(outcome) ?? { next: new Map() };
      parent.next.set(outcome, child);
      return child;
    }, getRoot(schemas));
    last.merged = mergeDescription(description);
    return last.merged;
  };
}

/** Returns the result for choices that are the same each time. */
export function mergeWithFixedChoices(schemas: readonly Schema[], definitions: Definitions): MergedSchema {
  return createSchemaMerger(definitions)(schemas, createRandom(1));
}

/** A payload field of an event type. */
interface PayloadField {
  readonly type: string;
  readonly field: string;
  readonly merged: MergedSchema;
  /** True if writers always send the field, whatever the values of other fields are. */
  readonly isRequired: boolean;
}

/** Follows edges to the schemas that certainly apply to what writers send. */
const CERTAIN: EdgePolicy = (edge) =>
  edge === "$ref" || edge === "allOf" || edge === "x-writer" ? "certain" : "skip";

/** Lists the payload fields of all event types. Their schemas are merged with choices that are the same each time. */
export const listPayloadFields = memoizeByObject(
  ({ events, definitions }: Protocol): readonly PayloadField[] =>
    events.flatMap(({ type, payload }) => {
      const { properties } = mergeWithFixedChoices([payload], definitions);
      const certain = describeSchema([createSpotWithoutPlace(payload)], definitions, SAMPLED_FACETS, CERTAIN);
      const required = collectRequired(certain);
      return [...properties].map(([field, schemas]) => ({
        type,
        field,
        merged: mergeWithFixedChoices(schemas, definitions),
        isRequired: required.has(field),
      }));
    }),
);

function mergeDescription(description: MergedSchema["description"]): MergedSchema {
  const types = deriveTypes(description);
  const fields = [...mergeFields(description)];
  return {
    description,
    types: types.isStated ? [...types.set] : undefined,
    values: collectKnownValues(description),
    properties: new Map(
      fields.map(([name, { spots }]) => [name, spots.map(({ schema }) => readSubschema(schema))] as const),
    ),
    required: new Set(collectRequired(description).keys()),
    items: listStatements(description, "items").map(({ value }) => readSubschema(value)),
  };
}

/** The probability that an `if` holds. Several conditions may be about one field, and its other values have to stay frequent. */
const CONDITION_CHANCE = 0.15;

/**
 * Creates a policy that chooses at random: one branch of each `anyOf` and `oneOf`, and whether each `if` holds. The first
 * choices have the outcomes `made`. `taken` lists all choices in their order.
 */
function createRandomChoices(random: Random, made: readonly number[]) {
  const conditions = new Map<JsonObject, number>();
  const taken: { readonly choose: Choose; readonly outcome: number }[] = [];
  const take = (choose: Choose): number => {
    const outcome = made[taken.length] ?? choose(random);
    taken.push({ choose, outcome });
    return outcome;
  };
  const edgePolicy: EdgePolicy = (edge, { schema }, count) => {
    if (edge === "not" || edge === "dependentSchemas") return "skip";
    if (edge === "anyOf" || edge === "oneOf") return take((each) => each.below(count));
    if (edge !== "if" && edge !== "then" && edge !== "else") return "certain";
    if (!Object.hasOwn(schema, "if")) return "skip";
    const holds = conditions.get(schema) ?? take((each) => Number(each.chance(CONDITION_CHANCE)));
    conditions.set(schema, holds);
    return (holds === 1) === (edge !== "else") ? "certain" : "skip";
  };
  return { edgePolicy, taken };
}
