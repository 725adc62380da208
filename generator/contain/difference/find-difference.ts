/**
 * Finds out which values a schema accepts and another one refuses. A structural comparison guesses the cases; the engine
 * proves that each value of a case is refused, and that every refused value belongs to a case.
 */
import { createObject, getMembers, isObject, type Json, type JsonObject } from "../../json.js";
import { formatReference, getDefinitionName } from "../../schema/reference.js";
import { mapReferences } from "../../schema/walk.js";
import type { Containment } from "../contain.js";
import { createCaseSchema, type DifferenceCase } from "./difference-case.js";
import { findDifferenceCases } from "./find-cases.js";

/** Decides whether the schema `b` accepts every value that `a` accepts. */
export type DecideSubset = (a: Json, b: Json) => Promise<Containment>;

/** The values that one schema accepts and another one refuses. */
export interface Difference {
  /** Together the cases have exactly these values, among those that the first schema accepts. No case is superfluous. */
  readonly cases: readonly DifferenceCase[];
  /** Accepts exactly these values. */
  readonly schema: Json;
}

/** The prefix of the names of the definitions of the second schema. */
const PREFIX_OF_B = "other.";

/**
 * Returns the difference `a and not b` of two schemas of JSON Schema 2020-12 whose references lead to their `$defs`. Returns
 * undefined if `b` accepts everything that `a` accepts, or if the engine does not prove a description of the difference.
 */
export async function findDifference(
  a: Json,
  b: Json,
  decideSubset: DecideSubset,
): Promise<Difference | undefined> {
  const isSubset = async (small: Json, large: Json): Promise<boolean> =>
    (await decideSubset(small, large)).verdict === "contained";
  const isEmpty = (schema: Json): Promise<boolean> => isSubset(schema, false);
  const { ofA, ofB, $defs } = separateDefinitions(a, b);
  const limitA = (...schemas: readonly Json[]): JsonObject => ({ allOf: [ofA, ...schemas], $defs });
  const createDifference = (cases: readonly DifferenceCase[]): Difference => ({
    cases,
    schema: limitA({ anyOf: cases.map(createSchema) }),
  });
  if (await isEmpty(limitA(ofB)))
    return (await isEmpty(a))
      ? undefined
      : createDifference([{ guards: [], steps: [], condition: { kind: "anything" } }]);
  const sound: DifferenceCase[] = [];
  for (const each of findDifferenceCases(a, b))
    if (await isEmpty(limitA(createSchema(each), ofB))) sound.push(each);
  const isComplete = (cases: readonly DifferenceCase[]): Promise<boolean> =>
    isSubset(limitA(...cases.map((each) => ({ not: createSchema(each) }))), b);
  if (sound.length === 0 || !(await isComplete(sound))) return undefined;
  let needed: readonly DifferenceCase[] = sound;
  for (const each of sound.toSorted(compareByWords)) {
    const others = needed.filter((other) => other !== each);
    if (others.length > 0 && (await isComplete(others))) needed = others;
  }
  return createDifference(needed);
}

/** Returns the schema of a case, whose references lead to the definitions of the second schema. */
function createSchema(each: DifferenceCase): Json {
  return addPrefix(createCaseSchema(each));
}

function addPrefix(schema: Json): Json {
  return mapReferences(schema, (reference) => formatReference(PREFIX_OF_B + getDefinitionName(reference)));
}

/** Returns both schemas without definitions, and the definitions of both under names that differ. */
function separateDefinitions(
  a: Json,
  b: Json,
): { readonly ofA: Json; readonly ofB: Json; readonly $defs: JsonObject } {
  const { $defs: definitionsOfA, ...ofA } = isObject(a) ? a : { allOf: [a] };
  const { $defs: definitionsOfB, ...ofB } = isObject(b) ? b : { allOf: [b] };
  const renamed = Object.entries(getMembers(definitionsOfB)).map(
    ([name, schema]) => [PREFIX_OF_B + name, addPrefix(schema)] as const,
  );
  return { ofA, ofB: addPrefix(ofB), $defs: { ...getMembers(definitionsOfA), ...createObject(renamed) } };
}

/** Orders cases that are hard to put into words before others, so that they are left out if they are not needed. */
function compareByWords(a: DifferenceCase, b: DifferenceCase): number {
  return Number(b.condition.kind === "refused") - Number(a.condition.kind === "refused");
}
