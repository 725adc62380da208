/** Turns what rules state into verdicts: the only place where effect, proof and stability meet. */
import type { Severity } from "../finding.js";
import type { Stability } from "../protocol/protocol.js";
import { isBreak, isProven } from "./change.js";
import type { Fact, Rule } from "./rules/rule.js";
import { mostStable } from "./side.js";

/** What a fact is: a finding of some severity, or an addition that nobody needs to hear of. */
export type Verdict = Severity | "addition";

/** The verdict on a fact. */
export function verdictOn({ effect }: Rule, fact: Fact): Verdict {
  const stability = strictest(fact);
  // Between major versions, and for experimental contracts, a break is a fact to know and no error.
  if (isBreak(fact.proof)) return fact.otherMajor || stability === "experimental" ? "note" : "error";
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
    case "reinterprets":
      return "note";
  }
}

/**
 * Whether a reviewed exception can lift the verdict: on breaks of candidate contracts, and on what could not be decided
 * and has no witness, whatever the stability.
 */
export function isWaivable(fact: Fact): boolean {
  if (!isBreak(fact.proof)) return false;
  return strictest(fact) === "candidate" || !isProven(fact.proof);
}

/** The stability of the most stable place that a fact concerns. */
export function strictest({ occurrences }: Fact): Stability {
  return mostStable(occurrences.map(({ stability }) => stability));
}
