import { checkStreams } from "../conform/check-streams.js";
import { createStreamChecker, type StreamFinding } from "../conform/stream-checker.js";
import type { Protocol } from "../protocol/protocol.js";
import { createTracker } from "../stream/tracker.js";

/** Returns the errors that the stream rules report for `events`. */
export function findStreamErrors(model: Protocol, events: readonly object[]): readonly StreamFinding[] {
  return checkStreams(model, "writer", events).filter(({ severity }) => severity === "error");
}

/** Checks streams event by event. */
export interface ErrorChecker {
  /** Returns the errors that the stream rules report for the next event. */
  check(event: object): readonly StreamFinding[];
  /** Returns the errors that the stream rules report because no event follows. */
  end(): readonly StreamFinding[];
}

/** Creates a checker of streams that have not started. */
export function createErrorChecker(model: Protocol): ErrorChecker {
  const checker = createStreamChecker(model, { profile: "writer" });
  const tracker = createTracker(model.stream);
  const keepErrors = (findings: readonly StreamFinding[]): readonly StreamFinding[] =>
    findings.filter(({ severity }) => severity === "error");
  let index = 0;
  return {
    check: (event) => keepErrors(checker.check(event, tracker.place(event), index++)),
    end: () => keepErrors(checker.end()),
  };
}
