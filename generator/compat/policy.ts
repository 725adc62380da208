/** Turns what rules state into verdicts: the only place where effect, proof and stability meet. */
import type { Severity } from "../finding.js";
import type { Stability } from "../protocol/protocol.js";
import { type Change, isBreak, isProven } from "./change.js";
import { mostStable } from "./side.js";

/** What a change is: a finding of some severity, or an addition that nobody needs to hear of. */
export type Verdict = Severity | "addition";

/** The verdict on a change. */
export function verdictOn(change: Change): Verdict {
  const stability = highestStability(change);
  // Between major versions, and for experimental contracts, a break is a change to know and no error.
  if (isBreak(change.proof)) return change.otherMajor || stability === "experimental" ? "note" : "error";
  switch (change.rule.effect) {
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
export function isWaivable(change: Change): boolean {
  if (!isBreak(change.proof)) return false;
  return highestStability(change) === "candidate" || !isProven(change.proof);
}

/** The stability of the most stable place that a change concerns. */
export function highestStability({ occurrences }: Change): Stability {
  return mostStable(occurrences.map(({ stability }) => stability));
}
