/**
 * Answers questions that depend on each other. A question that is asked again while it is being answered counts as empty,
 * because a smallest value never contains itself. An "empty" that was found under such an assumption depends on it: it is proven
 * together with the question that was assumed empty, and forgotten if that question turns out to have a value.
 */
import { EMPTY, type Outcome, unknown } from "./outcome.js";

/** An outcome that holds only if the open questions from depth `lowest` on are empty. */
interface Provisional {
  readonly outcome: Outcome;
  readonly lowest: number;
}

const NO_DEPENDENCY = Number.POSITIVE_INFINITY;

/** Remembers the outcomes of questions, which may ask each other in circles. */
export class Fixpoint {
  private readonly outcomes = new Map<string, Outcome>();
  /** The questions that are being answered, with their depth. */
  private readonly open = new Map<string, number>();
  private readonly provisional = new Map<string, Provisional>();
  /** The keys of `provisional`, oldest first. */
  private readonly trail: string[] = [];
  /** The least depth of a question that was assumed empty since the innermost open one began. */
  private lowest = NO_DEPENDENCY;

  constructor(private readonly maxDepth: number) {}

  /** Returns the outcome of a question, computed at most once. While it is being computed, it counts as empty. */
  solveOnce(key: string, compute: () => Outcome): Outcome {
    const known = this.outcomes.get(key);
    if (known) return known;
    const conditional = this.provisional.get(key);
    if (conditional) return this.assume(conditional.lowest, conditional.outcome);
    const openDepth = this.open.get(key);
    if (openDepth !== undefined) return this.assume(openDepth, EMPTY);
    if (this.open.size > this.maxDepth) return unknown("values nested too deep");
    return this.computeOutcome(key, compute);
  }

  private assume(depth: number, outcome: Outcome): Outcome {
    this.lowest = Math.min(this.lowest, depth);
    return outcome;
  }

  private computeOutcome(key: string, compute: () => Outcome): Outcome {
    const depth = this.open.size;
    const outer = this.lowest;
    const trailStart = this.trail.length;
    this.lowest = NO_DEPENDENCY;
    this.open.set(key, depth);
    const outcome = compute();
    this.open.delete(key);
    const lowest = this.lowest < depth ? this.lowest : NO_DEPENDENCY;
    this.lowest = Math.min(outer, lowest);
    this.remember(key, outcome, lowest, trailStart);
    return outcome;
  }

  private remember(key: string, outcome: Outcome, lowest: number, trailStart: number): void {
    const isEmpty = outcome.is === "empty";
    if (isEmpty && lowest !== NO_DEPENDENCY) {
      this.provisional.set(key, { outcome, lowest });
      this.trail.push(key);
      this.moveDependencies(lowest, trailStart);
      return;
    }
    for (const name of this.trail.splice(trailStart)) {
      const dependent = this.provisional.get(name);
      this.provisional.delete(name);
      if (dependent && isEmpty) this.outcomes.set(name, dependent.outcome);
    }
    if (outcome.is !== "unknown" || lowest === NO_DEPENDENCY) this.outcomes.set(key, outcome);
  }

  /** Makes the outcomes that depended on a closed question depend on the questions that it depends on. */
  private moveDependencies(lowest: number, trailStart: number): void {
    for (const name of this.trail.slice(trailStart)) {
      const dependent = this.provisional.get(name);
      if (dependent && dependent.lowest > lowest) this.provisional.set(name, { ...dependent, lowest });
    }
  }
}
