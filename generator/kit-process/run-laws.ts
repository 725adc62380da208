import { type Adapter, ConsumerUnavailable } from "../kit/adapter.js";
import { describeShown } from "../kit/claims.js";
import { createCases, type KitOptions } from "../kit/consumer-cases.js";
import { DescribedFailure } from "../kit/describe-failure.js";
import { runSteps } from "../kit/steps.js";
import { getErrorMessage } from "../text.js";

/** The result of one law. */
export interface LawResult {
  readonly id: string;
  /** The law in words. */
  readonly law: string;
  /**
   * `skipped`: the law does not apply, or depends on one that is known to be broken. `unchecked`: it depends on one that is
   * broken, or the consumer cannot be tested any longer.
   */
  readonly outcome: "kept" | "broken" | "known-broken" | "skipped" | "unchecked";
  /** The reason of every outcome but `kept`. */
  readonly reason?: string;
  /** The failure of a broken law without the stream, and the events of the smallest stream that shows it. */
  readonly failure?: { readonly summary: string; readonly stream: readonly object[] };
}

/** Options of a run of the laws. */
interface LawRunOptions extends KitOptions {
  /** The only law to check. */
  readonly law?: string | undefined;
  /** Returns the command that checks one law again. */
  repeatCommand(law: string): string;
}

/** The results of all laws that were to be checked. */
export interface LawRunResult {
  readonly results: readonly LawResult[];
  /** What the consumer shows, and about what nothing was tested. Absent if one law was checked, or not to the end. */
  readonly shown?: string;
  /** The reason why the consumer could not be tested to the end. */
  readonly end?: ConsumerUnavailable;
}

/** Checks the laws one after the other. If the consumer cannot be tested any longer, the laws that follow are not checked. */
export async function runLaws(adapter: Adapter, { law, ...options }: LawRunOptions): Promise<LawRunResult> {
  const results: LawResult[] = [];
  let end: ConsumerUnavailable | undefined;
  for (const each of createCases(adapter, options)) {
    if (law !== undefined && each.id !== law) continue;
    const result = end ?? (await runCase(each));
    if (!(result instanceof ConsumerUnavailable)) {
      results.push(result);
      continue;
    }
    end = result;
    results.push(describeCase(each, "unchecked", end.message));
  }
  if (end !== undefined) return { results, end };
  return law === undefined
    ? { results, shown: await runSteps(describeShown(adapter, options)) }
    : { results };
}

type Case = ReturnType<typeof createCases>[number];

async function runCase(each: Case): Promise<LawResult | ConsumerUnavailable> {
  if (each.skipped !== undefined) return describeCase(each, "skipped", each.skipped);
  try {
    const unchecked = await runSteps(each.check());
    if (unchecked === undefined) return describeCase(each, "kept");
    if (each.knownBroken !== undefined) return describeCase(each, "known-broken", each.knownBroken);
    return describeCase(each, unchecked.isExpected ? "skipped" : "unchecked", unchecked.reason);
  } catch (error) {
    if (error instanceof ConsumerUnavailable) return error;
    const broken = describeCase(each, "broken", getErrorMessage(error));
    if (!(error instanceof DescribedFailure)) return broken;
    return { ...broken, failure: { summary: error.summary, stream: error.fixture } };
  }
}

function describeCase({ id, law }: Case, outcome: LawResult["outcome"], reason?: string): LawResult {
  return { id, law, outcome, ...(reason !== undefined && { reason }) };
}
