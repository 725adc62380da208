/** Decides one inclusion over streams: contained, refuted by a stream, or undecided with a reason. */

import { type PlannedChecker, restrictPlan } from "../../conform/check-plan.js";
import type { Comparable } from "../../conform/comparable.js";
import type { JsonObject } from "../../json.js";
import {
  type EventSample,
  type EventSamples,
  MAX_COMBINATIONS,
  makeEventSamples,
} from "./make-event-samples.js";
import { findPossibleOmission } from "./omitted-events.js";
import { findRelevantTypes, findVersions, type TypeClass } from "./relevant-types.js";
import { type SearchLimits, type SearchResult, type StreamBudget, searchStreams } from "./search-streams.js";
import {
  identifyChecker,
  identifyComparable,
  listComparables,
  listDifferingCheckers,
  type StreamSides,
} from "./stream-sides.js";
import { confirmStream, findRefusingCheckers } from "./verify-witness.js";

/** A stream that the smaller side allows and the larger one refuses. */
export interface StreamWitness {
  readonly events: readonly JsonObject[];
  /** The stream rule that refuses it. */
  readonly rule: string;
  /** The stability rank of its least stable event. */
  readonly rank: number;
}

/** The answer about one inclusion. */
export type StreamAnswer =
  | { readonly verdict: "contained" }
  | { readonly verdict: "broken"; readonly witness: StreamWitness }
  | { readonly verdict: "undecided"; readonly reason: string; readonly rank: number };

/**
 * The greatest number of combinations of values in other fields that are tried at first. If they do not decide the
 * question, MAX_COMBINATIONS are tried.
 */
const FEW_COMBINATIONS = 16;

/** The limits of one search. */
const SEARCH_LIMITS: SearchLimits = { states: 5_000, depth: 14, tries: 60_000 };

/** The greatest number of streams that are tried for one pair of contracts. */
export const STREAM_TRIES = 400_000;

/** Decides one inclusion. Each rule that only the larger side has is compared alone with the rules of the smaller side. */
export async function decideStreams(sides: StreamSides, budget: StreamBudget): Promise<StreamAnswer> {
  let best: StreamWitness | undefined;
  let undecided: Extract<StreamAnswer, { verdict: "undecided" }> | undefined;
  for (const checker of listDifferingCheckers(sides)) {
    const answer = await decideChecker(sides, checker, { budget, best });
    if (answer.verdict === "broken") best = answer.witness;
    if (answer.verdict === "undecided" && (undecided === undefined || answer.rank > undecided.rank))
      undecided = answer;
  }
  if (best !== undefined && (undecided === undefined || undecided.rank <= best.rank))
    return { verdict: "broken", witness: best };
  return undecided ?? { verdict: "contained" };
}

/** The part of a search that all checkers of one inclusion share. */
interface SharedSearch {
  readonly budget: StreamBudget;
  /** The best witness so far. Only a stream with more stable events, or with equally stable and fewer events, is better. */
  readonly best: StreamWitness | undefined;
}

/**
 * Decides the inclusion for one checker of the larger side, with the most stable event types first. At first, the smaller
 * side has only the versions of this checker, so that it allows more streams than it really does. If the checker accepts
 * all of these streams, no other rule matters. If the checker refuses a stream that other rules of the smaller side refuse,
 * too, these rules are added and the search begins again. Returns "contained" also if there is no better witness.
 */
async function decideChecker(
  sides: StreamSides,
  checker: PlannedChecker,
  shared: SharedSearch,
): Promise<StreamAnswer> {
  const ruleVersions = checker.comparable
    ? [checker.comparable, ...findVersions(sides, checker.comparable)]
    : [];
  const versions = new Set(ruleVersions.map(identifyComparable));
  const includedCheckers = new Set(
    sides.smallPlan.checkers.filter((each) => versions.has(identifyChecker(each, sides.small))),
  );
  const search = (maxOthers: number) =>
    searchRanks(
      createQuestion({ allSides: sides, checker, ruleVersions, maxOthers }, includedCheckers),
      shared,
    );
  const first = await search(FEW_COMBINATIONS);
  return first.isTruncated ? (await search(MAX_COMBINATIONS)).answer : first.answer;
}

/** Searches for a witness at each stability rank. `isTruncated` is true if more combinations of values may change the answer. */
async function searchRanks(
  initialQuestion: Question,
  shared: SharedSearch,
): Promise<{ readonly answer: StreamAnswer; readonly isTruncated: boolean }> {
  const { best } = shared;
  const ranks = [...new Set(initialQuestion.allSides.types.values())].sort((a, b) => b - a);
  let question = initialQuestion;
  for (const rank of ranks) {
    if (best !== undefined && (rank < best.rank || (rank === best.rank && best.events.length <= 1))) break;
    const search = searchWitness(question, rank, shared);
    question = search.question;
    const { result } = search;
    if ("events" in result)
      return { answer: { verdict: "broken", witness: { ...result, rank } }, isTruncated: false };
    if (result.found === "limit" && rank !== best?.rank)
      return { answer: { verdict: "undecided", reason: result.reason, rank }, isTruncated: false };
  }
  const answer = await decideWithoutWitness(question, ranks[0] ?? 0, best);
  const isTruncated = question.omitted.some((each) => each.isTruncated === true);
  return { answer, isTruncated: isTruncated && answer.verdict === "undecided" };
}

/** Returns the answer if no stream of the event samples is a witness. */
async function decideWithoutWitness(
  { allSides, checker, classes, omitted }: Question,
  defaultRank: number,
  best: StreamWitness | undefined,
): Promise<StreamAnswer> {
  const [mostStableType] = classes[0] ?? [];
  const rank = (mostStableType === undefined ? undefined : allSides.types.get(mostStableType)) ?? defaultRank;
  if (best !== undefined && rank <= best.rank) return { verdict: "contained" };
  if (checker.comparable === undefined) {
    const rules = checker.findings.map(({ id }) => id).join(", ");
    return { verdict: "undecided", reason: `nothing is known about how ${rules} reads events`, rank };
  }
  const reason = await findPossibleOmission(allSides, omitted);
  return reason === undefined ? { verdict: "contained" } : { verdict: "undecided", reason, rank };
}

/** The parts of a question that do not change while checkers of the smaller side are added. */
interface QuestionParts {
  readonly checker: PlannedChecker;
  /** The checker, and those of the smaller side that check other versions of its rule. */
  readonly ruleVersions: readonly Comparable[];
  /** The sides with all their checkers. */
  readonly allSides: StreamSides;
  /** The greatest number of combinations of values in fields that the question is not about. */
  readonly maxOthers: number;
}

/** The question whether one checker accepts every stream that some checkers of the smaller side accept. */
interface Question extends QuestionParts, EventSamples {
  /** The sides with the checkers of the question. */
  readonly sides: StreamSides;
  readonly classes: readonly TypeClass[];
}

function createQuestion(parts: QuestionParts, included: ReadonlySet<PlannedChecker>): Question {
  const { allSides, checker, ruleVersions, maxOthers } = parts;
  const sides: StreamSides = {
    ...allSides,
    smallPlan: restrictPlan(allSides.smallPlan, (each) => included.has(each)),
    largePlan: restrictPlan(allSides.largePlan, (each) => each === checker),
  };
  const classes = findRelevantTypes(sides, checker, ruleVersions);
  const allCheckers = [...new Set([...ruleVersions, ...listComparables(sides)])];
  const samples = makeEventSamples(sides, classes, { ruleVersions, allCheckers, maxOthers });
  return { ...parts, sides, classes, ...samples };
}

interface WitnessSearch {
  /** The question with the checkers that the search added. */
  readonly question: Question;
  readonly result: Pick<StreamWitness, "events" | "rule"> | Exclude<SearchResult, { found: "stream" }>;
}

/**
 * Searches for a stream of event types that have at least this stability rank, and that is better than the best one so far.
 * If other checkers of the smaller side refuse the stream that was found, they are added and the search begins again.
 */
function searchWitness(
  initialQuestion: Question,
  rank: number,
  { budget, best }: SharedSearch,
): WitnessSearch {
  const depth = rank === best?.rank ? best.events.length - 1 : SEARCH_LIMITS.depth;
  const bounds = { limits: { ...SEARCH_LIMITS, depth }, budget };
  let question = initialQuestion;
  for (;;) {
    const { allSides } = question;
    const includedCheckers = new Set(question.sides.smallPlan.checkers);
    const confirm = (trace: readonly EventSample[]): boolean =>
      findRefusingCheckers(allSides, trace, includedCheckers).length > 0 ||
      confirmStream(allSides, trace) !== undefined;
    const eventSamples = question.eventSamples.filter((eventSample) => eventSample.rank >= rank);
    const result = searchStreams(question.sides, eventSamples, bounds, confirm);
    if (result.found !== "stream") return { question, result };
    const refusingCheckers = findRefusingCheckers(allSides, result.trace, includedCheckers);
    const events = refusingCheckers.length === 0 ? confirmStream(allSides, result.trace) : undefined;
    if (events !== undefined) return { question, result: { events, rule: result.rule } };
    question = createQuestion(question, new Set([...includedCheckers, ...refusingCheckers]));
  }
}
