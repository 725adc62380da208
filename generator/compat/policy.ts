/** Turns what rules state into verdicts: the only place where effect, proof and stability meet. */
import type { Severity } from "../finding.js";
import type { Stability } from "../model/protocol.js";
import type { Fact, Rule } from "./rule.js";
import { mostStable } from "./side.js";

/** What a fact is: a finding of some severity, or an addition that nobody needs to hear of. */
export type Verdict = Severity | "addition";

/** The verdict on a fact. */
export function verdictOn({ effect }: Rule, fact: Fact): Verdict {
  const stability = strictest(fact);
  if (fact.proof && fact.proof.hurts.length > 0)
    // Between major versions, and for experimental contracts, a break is a fact to know and no fault.
    return fact.otherMajor || stability === "experimental"
      ? "note"
      : effect === "promises"
        ? "warning"
        : "error";
  switch (effect) {
    case "adds":
      return "addition";
    case "guards":
      return "error";
    case "promises":
      return stability === "experimental" ? "note" : "warning";
    case "annotates":
    case "withdraws":
    case "narrows":
    case "widens":
    case "changes":
      return "note";
  }
}

/** Rules whose findings a waiver lifts at every stability: they say that nothing is known. */
export const ALWAYS_WAIVABLE: ReadonlySet<string> = new Set(["stream-undecided"]);

/** Whether a reviewed exception can lift the verdict: breaks of candidate contracts, and what could not be decided about streams. */
export function waivable({ proof, ...fact }: Fact): boolean {
  if (proof === undefined || proof.hurts.length === 0) return false;
  return strictest(fact) === "candidate" || ALWAYS_WAIVABLE.has(fact.kind);
}

/** The stability of the most stable place that a fact concerns. */
export function strictest({ occurrences }: Fact): Stability {
  return mostStable(occurrences.map(({ stability }) => stability));
}
