/** Decides one inclusion over streams: contained, refuted by a stream, or undecided with a reason. */
import type { Comparable } from "../../conform/comparable.js";
import type { Watch } from "../../conform/stream-rule.js";
import { type Plan, restrictPlan } from "../../conform/watch-plan.js";
import { canonical, type JsonObject } from "../../json.js";
import { findUnprovenDrop } from "./dropped-letters.js";
import { type Letter, type Letters, makeLetters } from "./make-letters.js";
import {
  type SearchLimits,
  type SearchPlans,
  type SearchResult,
  type StreamBudget,
  searchStreams,
} from "./search-streams.js";
import { alphabetOf, versionsOf } from "./stream-alphabet.js";
import { comparables, differingWatches, identityOf, type StreamSides } from "./stream-sides.js";
import { confirmStream } from "./verify-witness.js";

/** A stream that the smaller side allows and the larger one refuses. */
export interface StreamWitness {
  readonly events: readonly JsonObject[];
  /** The stream rule that refuses it. */
  readonly rule: string;
  /** How stable its least stable event is. */
  readonly rank: number;
}

/** The answer about one inclusion. */
export type StreamAnswer =
  | { readonly verdict: "contained" }
  | { readonly verdict: "broken"; readonly witness: StreamWitness }
  | { readonly verdict: "undecided"; readonly reason: string; readonly rank: number };

/** How many states one search looks at, how many events a stream has, and how many streams are tried. */
export const SEARCH_LIMITS: SearchLimits = { states: 5_000, depth: 14, tries: 60_000 };

/** The same where only the versions of one rule are looked at. */
const LIMITS_ALONE: SearchLimits = { states: 2_000, depth: 14, tries: 40_000 };

/** How many streams are tried for one with fewer events than one that was found. */
const TRIES_FOR_SHORTER = 10_000;

/** How many streams are tried for one pair of contracts. */
export const STREAM_TRIES = 400_000;

/** The answer about one inclusion: each rule that only the larger side has is asked about alone, against all rules of the smaller one. */
export async function decideStreams(sides: StreamSides, budget: StreamBudget): Promise<StreamAnswer> {
  let best: StreamWitness | undefined;
  let undecided: Extract<StreamAnswer, { verdict: "undecided" }> | undefined;
  for (const watch of differingWatches(sides)) {
    const answer = await askWatch(sides, watch, budget);
    if (answer.verdict === "broken" && (best === undefined || isBetter(answer.witness, best)))
      best = answer.witness;
    if (answer.verdict === "undecided" && (undecided === undefined || answer.rank > undecided.rank))
      undecided = answer;
  }
  if (best !== undefined && (undecided === undefined || undecided.rank <= best.rank))
    return { verdict: "broken", witness: best };
  return undecided ?? (best ? { verdict: "broken", witness: best } : { verdict: "contained" });
}

/** More stable events first, then fewer of them. */
function isBetter(one: StreamWitness, other: StreamWitness): boolean {
  return one.rank !== other.rank ? one.rank > other.rank : one.events.length < other.events.length;
}

/**
 * Asks about one watch of the larger side, with the most stable event types first. What the watch and its versions alone
 * allow is more than what all rules of the smaller side allow: if the watch accepts that, nothing else has to be searched.
 */
async function askWatch(sides: StreamSides, watch: Watch, budget: StreamBudget): Promise<StreamAnswer> {
  const { comparable } = watch;
  const asked = comparable ? [comparable, ...versionsOf(sides, comparable)] : [];
  const classes = alphabetOf(sides, watch, "complete");
  const all = comparables(sides);
  const complete = makeLetters(sides, classes, asked, all);
  const named = makeLetters(sides, alphabetOf(sides, watch, "named"), asked, asked);
  const plans = { small: sides.smallPlan, large: restrictPlan(sides.largePlan, (each) => each === watch) };
  const alone = comparable ? openAlone(sides, watch, asked, plans.large) : undefined;
  const ranks = [...new Set(complete.letters.map(({ rank }) => rank))].sort((a, b) => b - a);
  const widest = ranks.at(-1);
  for (const rank of ranks) {
    if (alone?.isContained(rank, budget)) {
      if (rank === widest && (await findUnprovenDrop(sides, alone.dropped)) === undefined)
        return { verdict: "contained" };
      continue;
    }
    // Most breaks show with the types that the rule names; only where they do not are the others looked at.
    for (const { letters } of [named, complete]) {
      const result = searchWitness(sides, plans, { letters, rank, budget, limits: SEARCH_LIMITS });
      if ("events" in result) {
        const limits = { ...SEARCH_LIMITS, depth: result.events.length - 1, tries: TRIES_FOR_SHORTER };
        const isNamed = letters === named.letters && limits.depth > 0;
        const other =
          isNamed && searchWitness(sides, plans, { letters: complete.letters, rank, budget, limits });
        return { verdict: "broken", witness: { ...(other && "events" in other ? other : result), rank } };
      }
      if (result.found === "bound" && letters === complete.letters)
        return { verdict: "undecided", reason: result.bound, rank };
    }
  }
  const rank = sides.types.get(classes[0]?.[0] ?? "") ?? ranks[0] ?? 0;
  if (comparable === undefined) {
    const rules = watch.rules.map(({ id }) => id).join(", ");
    return { verdict: "undecided", reason: `nothing is known about how ${rules} reads events`, rank };
  }
  const reason = await findUnprovenDrop(sides, complete.dropped);
  return reason === undefined ? { verdict: "contained" } : { verdict: "undecided", reason, rank };
}

interface WitnessSearch {
  readonly letters: readonly Letter[];
  /** How stable event types are at least. */
  readonly rank: number;
  readonly budget: StreamBudget;
  readonly limits: SearchLimits;
}

function searchWitness(
  sides: StreamSides,
  plans: SearchPlans,
  { letters, rank, budget, limits }: WitnessSearch,
): Pick<StreamWitness, "events" | "rule"> | Exclude<SearchResult, { found: "stream" }> {
  let events: JsonObject[] | undefined;
  const stable = letters.filter((letter) => letter.rank >= rank);
  const result = searchStreams(sides, plans, stable, { limits, budget }, (word) => {
    events = confirmStream(sides, word);
    return events !== undefined;
  });
  if (result.found !== "stream") return result;
  return { events: events ?? [], rule: result.rule };
}

/** The question where the smaller side has only the versions of the rule that is asked about. */
interface Alone {
  readonly dropped: Letters["dropped"];
  /** Whether the watch accepts every stream of event types that are at least so stable. */
  isContained(rank: number, budget: StreamBudget): boolean;
}

function openAlone(sides: StreamSides, watch: Watch, asked: readonly Comparable[], large: Plan): Alone {
  const kept = new Set(asked.map(({ madeOf }) => canonical(madeOf)));
  const small = restrictPlan(sides.smallPlan, (each) => kept.has(identityOf(each, sides.small)));
  const alone = { ...sides, smallPlan: small, largePlan: large };
  const { letters, dropped } = makeLetters(alone, alphabetOf(alone, watch, "complete"), asked, asked);
  return {
    dropped,
    isContained(rank, budget) {
      const stable = letters.filter((letter) => letter.rank >= rank);
      const bounds = { limits: LIMITS_ALONE, budget };
      return searchStreams(alone, { small, large }, stable, bounds, () => true).found === "nothing";
    },
  };
}
