/**
 * Answers questions that depend on each other. A question that is asked again while it is being answered counts as empty,
 * because a smallest value never contains itself. An answer "empty" that was found under such an assumption is
 * provisional. It is proven if the question that was assumed empty is empty, and forgotten if that question has a value.
 */
import { createUnknownOutcome, EMPTY, type Outcome } from "./outcome.js";

/** An outcome that holds only if the active questions from depth `lowestDepth` on are empty. */
interface ProvisionalOutcome {
  readonly outcome: Outcome;
  readonly lowestDepth: number;
}

const NO_DEPENDENCY = Number.POSITIVE_INFINITY;

/** Remembers the outcomes of questions, which may ask each other in circles. */
export class Fixpoint {
  private readonly outcomes = new Map<string, Outcome>();
  /** The depth of each active question: of each question that is being answered. */
  private readonly activeDepths = new Map<string, number>();
  private readonly provisionalOutcomes = new Map<string, ProvisionalOutcome>();
  /** The keys of `provisionalOutcomes`, oldest first. */
  private readonly trail: string[] = [];
  /** The least depth of a question that was assumed empty since the innermost active question began. */
  private lowestDepth = NO_DEPENDENCY;

  constructor(private readonly maxDepth: number) {}

  /** Returns the outcome of a question, computed at most once. While it is being computed, it counts as empty. */
  solveOnce(key: string, compute: () => Outcome): Outcome {
    const knownOutcome = this.outcomes.get(key);
    if (knownOutcome) return knownOutcome;
    const provisional = this.provisionalOutcomes.get(key);
    if (provisional) return this.assume(provisional.lowestDepth, provisional.outcome);
    const activeDepth = this.activeDepths.get(key);
    if (activeDepth !== undefined) return this.assume(activeDepth, EMPTY);
    if (this.activeDepths.size > this.maxDepth) return createUnknownOutcome("values nested too deep");
    return this.computeOutcome(key, compute);
  }

  /** Returns an outcome that depends on the active question at a depth. */
  private assume(depth: number, outcome: Outcome): Outcome {
    this.lowestDepth = Math.min(this.lowestDepth, depth);
    return outcome;
  }

  private computeOutcome(key: string, compute: () => Outcome): Outcome {
    const depth = this.activeDepths.size;
    const outerLowestDepth = this.lowestDepth;
    const trailStart = this.trail.length;
    this.lowestDepth = NO_DEPENDENCY;
    this.activeDepths.set(key, depth);
    const outcome = compute();
    this.activeDepths.delete(key);
    const lowestDepth = this.lowestDepth < depth ? this.lowestDepth : NO_DEPENDENCY;
    this.lowestDepth = Math.min(outerLowestDepth, lowestDepth);
    this.remember(key, outcome, lowestDepth, trailStart);
    return outcome;
  }

  private remember(key: string, outcome: Outcome, lowestDepth: number, trailStart: number): void {
    const isEmpty = outcome.kind === "empty";
    if (isEmpty && lowestDepth !== NO_DEPENDENCY) {
      this.provisionalOutcomes.set(key, { outcome, lowestDepth });
      this.trail.push(key);
      this.moveDependencies(lowestDepth, trailStart);
      return;
    }
    // The provisional outcomes since the question began are proven if it is empty, and forgotten otherwise.
    for (const name of this.trail.splice(trailStart)) {
      const dependent = this.provisionalOutcomes.get(name);
      this.provisionalOutcomes.delete(name);
      if (dependent && isEmpty) this.outcomes.set(name, dependent.outcome);
    }
    if (outcome.kind !== "unknown" || lowestDepth === NO_DEPENDENCY) this.outcomes.set(key, outcome);
  }

  /** Makes the outcomes that depended on an answered question depend on the questions that it depends on. */
  private moveDependencies(lowestDepth: number, trailStart: number): void {
    for (const name of this.trail.slice(trailStart)) {
      const dependent = this.provisionalOutcomes.get(name);
      if (dependent && dependent.lowestDepth > lowestDepth)
        this.provisionalOutcomes.set(name, { ...dependent, lowestDepth });
    }
  }
}
