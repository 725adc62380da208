/** Decides one inclusion over streams: contained, refuted by a stream, or undecided with a reason. */
import type { Comparable } from "../../conform/comparable.js";
import type { Watch } from "../../conform/stream-rule.js";
import { restrictPlan } from "../../conform/watch-plan.js";
import { canonical, type JsonObject } from "../../json.js";
import { findUnprovenDrop } from "./dropped-letters.js";
import { type Letter, makeLetters } from "./make-letters.js";
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
 * Asks about one watch of the larger side. What the watch and its versions alone allow is more than what all rules of the
 * smaller side allow: if the watch accepts that, nothing else has to be looked at.
 */
async function askWatch(sides: StreamSides, watch: Watch, budget: StreamBudget): Promise<StreamAnswer> {
  const classes = alphabetOf(sides, watch, "complete");
  const asked = watch.comparable ? [watch.comparable, ...versionsOf(sides, watch.comparable)] : [];
  const plans = {
    small: sides.smallPlan,
    large: restrictPlan(sides.largePlan, (each) => each === watch),
  };
  if (asked.length > 0 && (await isContainedAlone(sides, watch, { asked, plans, budget })))
    return { verdict: "contained" };
  const complete = makeLetters(sides, classes, asked, comparables(sides));
  const named = makeLetters(sides, alphabetOf(sides, watch, "named"), asked, asked);
  const ranks = [...new Set(complete.letters.map(({ rank }) => rank))].sort((a, b) => b - a);
  const top = ranks[0] ?? 0;
  for (const rank of ranks) {
    // Most breaks show with the types that the rule names; only where they do not are the others looked at.
    const isNarrower = named.letters.length < complete.letters.length;
    const alphabets = isNarrower ? [named, complete] : [complete];
    for (const { letters } of alphabets) {
      const result = searchWitness(sides, plans, { letters, rank, budget });
      if ("events" in result) return { verdict: "broken", witness: { ...result, rank } };
      if (result.found === "bound" && letters === complete.letters)
        return { verdict: "undecided", reason: result.bound, rank };
    }
  }
  if (watch.comparable === undefined)
    return {
      verdict: "undecided",
      reason: `nothing is known about how ${watch.rules.map(({ id }) => id).join(", ")} reads events`,
      rank: top,
    };
  const unproven = await findUnprovenDrop(sides, complete.dropped);
  if (unproven === undefined) return { verdict: "contained" };
  return { verdict: "undecided", reason: unproven, rank: sides.types.get(classes[0]?.[0] ?? "") ?? top };
}

interface WitnessSearch {
  readonly letters: readonly Letter[];
  /** How stable event types are at least. */
  readonly rank: number;
  readonly budget: StreamBudget;
}

function searchWitness(
  sides: StreamSides,
  plans: SearchPlans,
  { letters, rank, budget }: WitnessSearch,
): Pick<StreamWitness, "events" | "rule"> | Exclude<SearchResult, { found: "stream" }> {
  let events: JsonObject[] | undefined;
  const stable = letters.filter((letter) => letter.rank >= rank);
  const result = searchStreams(sides, plans, stable, { limits: SEARCH_LIMITS, budget }, (word) => {
    events = confirmStream(sides, word);
    return events !== undefined;
  });
  if (result.found !== "stream") return result;
  return { events: events ?? [], rule: result.rule };
}

interface Alone {
  /** The watch and its other versions. */
  readonly asked: readonly Comparable[];
  readonly plans: SearchPlans;
  readonly budget: StreamBudget;
}

async function isContainedAlone(
  sides: StreamSides,
  watch: Watch,
  { asked, plans, budget }: Alone,
): Promise<boolean> {
  const kept = new Set(asked.map(({ madeOf }) => canonical(madeOf)));
  const small = restrictPlan(sides.smallPlan, (each) => kept.has(identityOf(each, sides.small)));
  const alone = { ...sides, smallPlan: small, largePlan: plans.large };
  const { letters, dropped } = makeLetters(alone, alphabetOf(alone, watch, "complete"), asked, asked);
  const bounds = { limits: LIMITS_ALONE, budget };
  const { found } = searchStreams(alone, { small, large: plans.large }, letters, bounds, () => true);
  return found === "nothing" && (await findUnprovenDrop(sides, dropped)) === undefined;
}
