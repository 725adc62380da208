/**
 * Limits with a defined outcome. Every search of this folder pays for its steps here, so that the same question
 * always stops at the same place; the wall clock is only the last resort.
 */

/** The search has used up a limit; the answer is "undecided". */
export class Exhausted extends Error {
  constructor(readonly reason: string) {
    super(reason);
  }
}

/** The schema holds something that this engine does not read; the answer is "undecided". */
export { Unsupported } from "../schema/dialects.js";

/** How much work one question may cost. */
export interface Limits {
  /** Steps of the search, a microsecond or two each: branches, constraints, automaton transitions. */
  readonly maxSteps: number;
  /** States of one automaton of a pattern. */
  readonly maxNodes: number;
  /** Nesting of the schemas; the search recurses over it. */
  readonly maxDepth: number;
  /** Objects, arrays and scalars in one schema. */
  readonly maxValues: number;
  /** Schemas that the two validators are asked to compile; they cannot be interrupted. */
  readonly maxJudged: number;
  /**
   * The last resort, in milliseconds of the wall clock. The steps of any question are paid within a second of computing;
   * that a busy machine needs longer for them must not change a verdict.
   */
  readonly timeoutMs: number;
}

/** The limits that hold unless the caller names others. */
export const DEFAULT_LIMITS: Limits = {
  maxSteps: 250_000,
  maxNodes: 10_000,
  maxDepth: 300,
  maxValues: 60_000,
  maxJudged: 4_000,
  timeoutMs: 30_000,
};

/** A purse of steps. `spend` throws `Exhausted` once a limit is reached. */
export class Budget {
  private steps = 0;

  constructor(
    readonly limits: Limits,
    private readonly clock = { deadline: performance.now() + limits.timeoutMs },
  ) {}

  /** A purse of `maxSteps` of its own, with the same deadline: what it pays is not missing here. */
  apart(maxSteps: number): Budget {
    return new Budget({ ...this.limits, maxSteps }, this.clock);
  }

  /** Awaits work that is bounded by another limit; the time that it takes moves the deadline. */
  async besides<T>(work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await work();
    } finally {
      this.clock.deadline += performance.now() - start;
    }
  }

  /** Steps paid so far. */
  get spent(): number {
    return this.steps;
  }

  /** Pays `count` steps, or throws `Exhausted`. */
  spend(count = 1): void {
    const before = this.steps;
    this.steps += count;
    if (this.steps > this.limits.maxSteps) throw new Exhausted(`more than ${this.limits.maxSteps} steps`);
    if (before >> 8 !== this.steps >> 8 && performance.now() > this.clock.deadline)
      throw new Exhausted(`longer than ${this.limits.timeoutMs} ms`);
  }
}
