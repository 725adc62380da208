/** Ends the questions of a comparison, so that the comparison ends with what is known. */
import { DEFAULT_LIMITS } from "../../contain/budget.js";

/** The end of the time for questions. */
export interface TimeLimit {
  /** Is called before each question, so that progress can be shown. */
  beginQuestion(): void;
  /** Returns the milliseconds that are left, at least 0. */
  getRemaining(): number;
  /** Returns why no further question is answered. */
  describeEnd(): string;
}

/** A time limit that can be moved to the present. */
export interface EndableTimeLimit extends TimeLimit {
  /** Ends the time now. `reason` says why. */
  end(reason: string): void;
}

/** Starts the time. Without `seconds`, it has no end until `end` is called. */
export function startTimeLimit(
  seconds: number | undefined,
  beginQuestion: () => void = () => {},
): EndableTimeLimit {
  let deadline = seconds === undefined ? Number.POSITIVE_INFINITY : performance.now() + seconds * 1000;
  let reason = `the time limit of ${seconds} s is over`;
  return {
    beginQuestion,
    getRemaining: () => Math.max(0, deadline - performance.now()),
    describeEnd: () => reason,
    end: (why) => {
      deadline = 0;
      reason = why;
    },
  };
}

/** Returns the time for the next question, in milliseconds: what is left, or the time for any question if that is less. */
export function getQuestionTimeout(timeLimit: TimeLimit): number {
  return Math.min(DEFAULT_LIMITS.timeoutMs, timeLimit.getRemaining());
}

/** A time without an end. */
export const UNLIMITED: TimeLimit = startTimeLimit(undefined);
