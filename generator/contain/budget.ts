/**
 * The limits of a search. Every search of this folder spends its steps from a `Budget`, so that the same question
 * always stops at the same place. The wall clock is only the last resort.
 */
export { UnsupportedSchema } from "../schema/dialects.js";

/** The search has reached a limit; the answer is "undecided". */
export class LimitError extends Error {
  constructor(readonly reason: string) {
    super(reason);
  }
}

/** The amount of work that one question may cost, as greatest numbers. */
export interface Limits {
  /** The steps of the search: branches, constraints, automaton transitions. A step takes a microsecond or two. */
  readonly maxSteps: number;
  /** The states of the automaton of one pattern. */
  readonly maxStates: number;
  /** The nesting of the schemas, over which the search recurses. */
  readonly maxDepth: number;
  /** The objects, arrays and scalars in one schema. */
  readonly maxValues: number;
  /** The schemas that the two validators compile for one question, because compilation cannot be interrupted. */
  readonly maxCompiledSchemas: number;
  /** The schemas that the two validators may apply to one value, because validation cannot be interrupted. */
  readonly maxAppliedSchemas: number;
  /**
   * The last resort, in milliseconds of the wall clock. A search spends all of its steps within a second of computing
   * time, but a busy machine needs longer, which must not change the verdict.
   */
  readonly timeoutMs: number;
}

/** The limits that hold where the caller sets no others. */
export const DEFAULT_LIMITS: Limits = {
  maxSteps: 250_000,
  maxStates: 10_000,
  maxDepth: 300,
  maxValues: 60_000,
  maxCompiledSchemas: 4_000,
  maxAppliedSchemas: 50_000,
  timeoutMs: 30_000,
};

/** A step budget. `spend` throws `LimitError` once a limit is reached. */
export class Budget {
  private steps = 0;

  constructor(
    readonly limits: Limits,
    private readonly clock = { deadline: performance.now() + limits.timeoutMs },
  ) {}

  /** Returns a separate budget of `maxSteps` with the same deadline. Its steps are not spent from this budget. */
  fork(maxSteps: number): Budget {
    return new Budget({ ...this.limits, maxSteps }, this.clock);
  }

  /** Awaits work that another limit bounds, and moves the deadline by the time that the work takes. */
  async withClockPaused<T>(work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await work();
    } finally {
      this.clock.deadline += performance.now() - start;
    }
  }

  /** Returns the number of steps that were spent. */
  get spent(): number {
    return this.steps;
  }

  /** Spends `count` steps. Throws `LimitError` if a limit is reached. */
  spend(count = 1): void {
    const before = this.steps;
    this.steps += count;
    if (this.steps > this.limits.maxSteps) throw new LimitError(`more than ${this.limits.maxSteps} steps`);
    // Reading the clock is slow, so it is read once in 256 steps.
    const isClockDue = before >> 8 !== this.steps >> 8;
    if (isClockDue && performance.now() > this.clock.deadline)
      throw new LimitError(`longer than ${Math.ceil(this.limits.timeoutMs)} ms`);
  }
}
