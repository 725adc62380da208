/** Says which messages a change breaks: the difference of two versions of a message, as a phrase and as a schema. */
import { describeCases } from "../../contain/difference/describe-cases.js";
import type { DifferenceCase } from "../../contain/difference/difference-case.js";
import type { DecideSubset, Difference } from "../../contain/difference/find-difference.js";
import { type Json, joinPointer } from "../../json.js";
import { areNestedPaths, type BrokenMessages, type Direction, type ProvenChange } from "../change.js";
import { createMessageSchemas, isEventPair, type SubjectPair } from "./inclusion-checks.js";
import { DIRECTIONS, listPlacedPairs, type ProofContext } from "./prove-changes.js";
import { getQuestionTimeout, type TimeLimit } from "./time-limit.js";

/** The greatest number of subjects whose versions are compared in this way. */
const MAX_SUBJECTS = 60;
/** The greatest number of subjects of a change that is described. */
const MAX_SUBJECTS_OF_CHANGE = 8;
/** The greatest length of both schemas of a message, as text. Questions about larger ones take seconds. */
const MAX_LENGTH = 300_000;
/** The steps for one question. */
const MAX_STEPS = 60_000;

/**
 * Adds the messages that break to each change that has a witness and no waiver. A change stays as it is if no description
 * of these messages is proven.
 */
export async function describeBreaks(
  context: ProofContext,
  changes: readonly ProvenChange[],
): Promise<ProvenChange[]> {
  const findDifferenceOf = createDifferenceSearch(context);
  const describeChange = async (change: ProvenChange): Promise<ProvenChange> => {
    const broken: { [direction in Direction]?: BrokenMessages } = {};
    for (const direction of DIRECTIONS) {
      const messages = await describeMessages(context, change, direction, findDifferenceOf);
      if (messages) broken[direction] = messages;
    }
    return { ...change, proof: { ...change.proof, broken } };
  };
  const described: ProvenChange[] = [];
  for (const change of changes)
    described.push(change.waived === true ? change : await describeChange(change));
  return described;
}

/** Returns the difference of the two versions of a subject; undefined if no description of it is proven. */
type DifferenceSearch = (pair: SubjectPair, direction: Direction) => Promise<Difference | undefined>;

function createDifferenceSearch({ checks }: ProofContext): DifferenceSearch {
  const known = new Map<string, Promise<Difference | undefined>>();
  return (pair, direction) => {
    const key = `${direction} ${pair.before.type} ${pair.after.type}`;
    const difference =
      known.get(key) ??
      (known.size < MAX_SUBJECTS * DIRECTIONS.length
        ? searchDifference(...createMessageSchemas(checks, pair, direction), checks.cache.timeLimit)
        : Promise.resolve(undefined));
    known.set(key, difference);
    return difference;
  };
}

async function searchDifference(
  small: Json,
  large: Json,
  timeLimit: TimeLimit,
): Promise<Difference | undefined> {
  if (JSON.stringify([small, large]).length > MAX_LENGTH) return undefined;
  const [{ checkContainment }, { findDifference }] = await Promise.all([
    import("../../contain/contain.js"),
    import("../../contain/difference/find-difference.js"),
  ]);
  const decideSubset: DecideSubset = (a, b) =>
    checkContainment(a, b, { maxSteps: MAX_STEPS, timeoutMs: getQuestionTimeout(timeLimit) });
  return findDifference(small, large, decideSubset);
}

/** Describes the messages that a change breaks in one direction. They are the same in all of its subjects. */
async function describeMessages(
  context: ProofContext,
  change: ProvenChange,
  direction: Direction,
  findDifferenceOf: DifferenceSearch,
): Promise<BrokenMessages | undefined> {
  if (change.proof[direction] === undefined) return undefined;
  const placedPairs = listPlacedPairs(context, change);
  if (placedPairs.length > MAX_SUBJECTS_OF_CHANGE) return undefined;
  const phrases = new Set<string | undefined>();
  const schemas: Json[] = [];
  for (const { place, pair } of placedPairs) {
    const difference = await findDifferenceOf(pair, direction);
    if (!difference) return undefined;
    const cases = selectCases(change, direction, place.path, difference.cases);
    // The change breaks nothing in this subject.
    if (cases.length === 0) continue;
    const noun = isEventPair(pair) ? "event" : "value";
    phrases.add(describeCases(cases, direction === "forward" ? `new ${noun}` : noun));
    schemas.push(difference.schema);
  }
  const [schema] = schemas;
  if (schema === undefined) return undefined;
  const [phrase] = phrases;
  return { schemas, ...(phrases.size === 1 && phrase !== undefined && { phrase }) };
}

/** Returns the cases at the place of a change, and of its keywords or its field if there are any of these. */
function selectCases(
  { claim, name }: ProvenChange,
  direction: Direction,
  path: string,
  cases: readonly DifferenceCase[],
): readonly DifferenceCase[] {
  const condition = claim[direction];
  const atPlace = cases.filter((each) => areNestedPaths(getPath(each), path));
  const field = condition?.kind === "present" || condition?.kind === "absent" ? condition.field : name;
  const keywords = condition?.kind === "outside" ? (condition.keywords ?? []) : [];
  const ofChange = atPlace.filter(({ condition: found }) =>
    "field" in found ? found.field === field : listKeywords(found).some((each) => keywords.includes(each)),
  );
  return ofChange.length > 0 ? ofChange : atPlace;
}

/** Returns the keywords that refuse the values of a case. */
function listKeywords(condition: DifferenceCase["condition"]): readonly string[] {
  switch (condition.kind) {
    case "fraction":
      return ["type"];
    case "types":
    case "values":
    case "other values":
      return ["type", "enum", "const"];
    case "refused":
      return Object.keys(condition.schema);
    default:
      return [];
  }
}

/** Returns the path of the value that a case is about, as paths of places are written. */
function getPath({ steps, condition }: DifferenceCase): string {
  const path = steps.reduce((parent, step) => {
    if (step.kind === "field") return joinPointer(parent, step.name);
    return joinPointer(parent, step.kind === "tuple item" ? step.index : "*");
  }, "");
  return "field" in condition ? joinPointer(path, condition.field) : path;
}
