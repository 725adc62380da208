/** Decides one inclusion over streams: contained, refuted by a stream, or undecided with a reason. */

import { type Plan, type PlannedChecker, restrictPlan } from "../../conform/check-plan.js";
import type { Comparable } from "../../conform/comparable.js";
import { canonical, type JsonObject } from "../../json.js";
import { type EventSample, type EventSamples, makeEventSamples } from "./make-event-samples.js";
import { findPossibleOmission } from "./omitted-events.js";
import { findRelevantTypes, findVersions } from "./relevant-types.js";
import {
  type SearchLimits,
  type SearchPlans,
  type SearchResult,
  type StreamBudget,
  searchStreams,
} from "./search-streams.js";
import { identifyChecker, listComparables, listDifferingCheckers, type StreamSides } from "./stream-sides.js";
import { confirmStream } from "./verify-witness.js";

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

/** The limits of a search with all rules of the smaller side. */
const SEARCH_LIMITS: SearchLimits = { states: 5_000, depth: 14, tries: 60_000 };

/** The limits of a search that uses only the versions of one rule. */
const LIMITS_ALONE: SearchLimits = { states: 2_000, depth: 14, tries: 40_000 };

/** The number of streams that are tried to find one with fewer events than the first one. */
const TRIES_FOR_SHORTER = 10_000;

/** The number of streams that are tried for one pair of contracts. */
export const STREAM_TRIES = 400_000;

/** Decides one inclusion. Each rule that only the larger side has is compared alone with all rules of the smaller side. */
export async function decideStreams(sides: StreamSides, budget: StreamBudget): Promise<StreamAnswer> {
  let best: StreamWitness | undefined;
  let undecided: Extract<StreamAnswer, { verdict: "undecided" }> | undefined;
  for (const checker of listDifferingCheckers(sides)) {
    const answer = await decideChecker(sides, checker, budget);
    if (answer.verdict === "broken" && (best === undefined || isBetter(answer.witness, best)))
      best = answer.witness;
    if (answer.verdict === "undecided" && (undecided === undefined || answer.rank > undecided.rank))
      undecided = answer;
  }
  if (best !== undefined && (undecided === undefined || undecided.rank <= best.rank))
    return { verdict: "broken", witness: best };
  return undecided ?? (best ? { verdict: "broken", witness: best } : { verdict: "contained" });
}

/** Returns whether a stream has more stable events than another one, or equally stable and fewer events. */
function isBetter(one: StreamWitness, other: StreamWitness): boolean {
  return one.rank !== other.rank ? one.rank > other.rank : one.events.length < other.events.length;
}

/**
 * Decides the inclusion for one checker of the larger side, with the most stable event types first. The versions of the checker
 * alone allow more streams than all rules of the smaller side do: if the checker accepts all of these, no other search is
 * needed.
 */
async function decideChecker(
  sides: StreamSides,
  checker: PlannedChecker,
  budget: StreamBudget,
): Promise<StreamAnswer> {
  const { comparable } = checker;
  const asked = comparable ? [comparable, ...findVersions(sides, comparable)] : [];
  const classes = findRelevantTypes(sides, checker, "complete");
  const all = listComparables(sides);
  const complete = makeEventSamples(sides, classes, asked, all);
  const named = makeEventSamples(sides, findRelevantTypes(sides, checker, "named"), asked, asked);
  const plans = { small: sides.smallPlan, large: restrictPlan(sides.largePlan, (each) => each === checker) };
  const alone = comparable ? createAloneQuestion(sides, checker, asked, plans.large) : undefined;
  const ranks = [...new Set(complete.eventSamples.map(({ rank }) => rank))].sort((a, b) => b - a);
  const widest = ranks.at(-1);
  for (const rank of ranks) {
    if (alone?.isContained(rank, budget)) {
      if (rank === widest && (await findPossibleOmission(sides, alone.omitted)) === undefined)
        return { verdict: "contained" };
      continue;
    }
    const samples = { named: named.eventSamples, complete: complete.eventSamples };
    const answer = searchAtRank(sides, plans, samples, { rank, budget });
    if (answer) return answer;
  }
  const rank = sides.types.get(classes[0]?.[0] ?? "") ?? ranks[0] ?? 0;
  if (comparable === undefined) {
    const rules = checker.findings.map(({ id }) => id).join(", ");
    return { verdict: "undecided", reason: `nothing is known about how ${rules} reads events`, rank };
  }
  const reason = await findPossibleOmission(sides, complete.omitted);
  return reason === undefined ? { verdict: "contained" } : { verdict: "undecided", reason, rank };
}

/**
 * Searches streams of event types that have at least this stability rank. Most breaks show with the types that the rule
 * names. The other types are tried if there is no such break, and to find a shorter witness. Returns undefined if there
 * is no witness.
 */
function searchAtRank(
  sides: StreamSides,
  plans: SearchPlans,
  { named, complete }: { readonly [scope in "named" | "complete"]: readonly EventSample[] },
  { rank, budget }: Pick<WitnessSearch, "rank" | "budget">,
): StreamAnswer | undefined {
  const search = (eventSamples: readonly EventSample[], limits: SearchLimits) =>
    searchWitness(sides, plans, { eventSamples, rank, budget, limits });
  const first = search(named, SEARCH_LIMITS);
  if ("events" in first) {
    const depth = first.events.length - 1;
    const shorter = depth > 0 && search(complete, { ...SEARCH_LIMITS, depth, tries: TRIES_FOR_SHORTER });
    const witness = shorter && "events" in shorter ? shorter : first;
    return { verdict: "broken", witness: { ...witness, rank } };
  }
  const result = search(complete, SEARCH_LIMITS);
  if ("events" in result) return { verdict: "broken", witness: { ...result, rank } };
  return result.found === "bound" ? { verdict: "undecided", reason: result.bound, rank } : undefined;
}

interface WitnessSearch {
  readonly eventSamples: readonly EventSample[];
  /** The least stability rank of the event types. */
  readonly rank: number;
  readonly budget: StreamBudget;
  readonly limits: SearchLimits;
}

function searchWitness(
  sides: StreamSides,
  plans: SearchPlans,
  { eventSamples, rank, budget, limits }: WitnessSearch,
): Pick<StreamWitness, "events" | "rule"> | Exclude<SearchResult, { found: "stream" }> {
  let events: JsonObject[] | undefined;
  const stable = eventSamples.filter((eventSample) => eventSample.rank >= rank);
  const result = searchStreams(sides, plans, stable, { limits, budget }, (trace) => {
    events = confirmStream(sides, trace);
    return events !== undefined;
  });
  if (result.found !== "stream") return result;
  return { events: events ?? [], rule: result.rule };
}

/** The question where the smaller side has only the versions of the rule that is asked about. */
interface Alone {
  readonly omitted: EventSamples["omitted"];
  /** Returns whether the checker accepts every stream of event types that are at least so stable. */
  isContained(rank: number, budget: StreamBudget): boolean;
}

function createAloneQuestion(
  sides: StreamSides,
  checker: PlannedChecker,
  asked: readonly Comparable[],
  large: Plan,
): Alone {
  const kept = new Set(asked.map(({ dependsOn }) => canonical(dependsOn)));
  const small = restrictPlan(sides.smallPlan, (each) => kept.has(identifyChecker(each, sides.small)));
  const alone = { ...sides, smallPlan: small, largePlan: large };
  const { eventSamples, omitted } = makeEventSamples(
    alone,
    findRelevantTypes(alone, checker, "complete"),
    asked,
    asked,
  );
  return {
    omitted,
    isContained(rank, budget) {
      const stable = eventSamples.filter((eventSample) => eventSample.rank >= rank);
      const bounds = { limits: LIMITS_ALONE, budget };
      return searchStreams(alone, { small, large }, stable, bounds, () => true).found === "nothing";
    },
  };
}
