/** Decides verdicts from the effect of a rule, the proof of a change and the stability of its places. */
import type { Severity } from "../finding.js";
import type { Stability } from "../protocol/protocol.js";
import { type Change, isBreak, isProven } from "./change.js";
import { findMostStable } from "./side.js";

/** The severity of a finding, or "addition" for a change that is listed only on request. */
export type Verdict = Severity | "addition";

/** Returns the verdict on a change. */
export function decideVerdict(change: Change): Verdict {
  const stability = findHighestStability(change);
  // Between major versions, a break is a note. For experimental contracts, it is one if it was found.
  if (isBreak(change.proof)) {
    const isNote = stability === "experimental" && !change.rule.isErrorIfExperimental;
    return change.otherMajor || isNote ? "note" : "error";
  }
  switch (change.rule.effect) {
    case "adds":
      return "addition";
    case "violates-history":
      return "error";
    case "breaks-promise":
      if (stability === "experimental") return "note";
      return stability === "stable" && change.rule.isErrorIfStable ? "error" : "warning";
    case "annotates":
    case "withdraws":
    case "narrows":
    case "widens":
    case "narrows-or-widens":
    case "reinterprets":
      return "note";
  }
}

/**
 * Returns whether a waiver can cover the change: a break of a candidate contract or, at every stability, a change that
 * could not be decided and has no witness.
 */
export function isWaivable(change: Change): boolean {
  if (!isBreak(change.proof)) return false;
  return findHighestStability(change) === "candidate" || !isProven(change.proof);
}

/** Returns the stability of the most stable place of a change. */
export function findHighestStability({ places }: Change): Stability {
  return findMostStable(places.map(({ stability }) => stability));
}
