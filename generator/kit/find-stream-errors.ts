import type { StreamFinding } from "../conform/stream-checker.js";
import { streamChecker } from "../conform/stream-checker.js";
import type { Protocol } from "../protocol/protocol.js";
import { createTracker } from "../stream/tracker.js";

/** StreamFindinges of the stream rules by `events`, as far as they are errors. */
export function findStreamErrors(model: Protocol, events: readonly object[]): readonly StreamFinding[] {
  const judge = createErrorChecker(model);
  const found = events.flatMap((event) => judge.take(event));
  return [...found, ...judge.end()];
}

/** Says which stream rules an event breaks, as far as they are errors. */
export interface ErrorChecker {
  take(event: object): readonly StreamFinding[];
  end(): readonly StreamFinding[];
}

/** A judge of streams that have not begun. */
export function createErrorChecker(model: Protocol): ErrorChecker {
  const checker = streamChecker(model, { profile: "writer" });
  const tracker = createTracker(model.stream);
  const errors = (breaches: readonly StreamFinding[]): readonly StreamFinding[] =>
    breaches.filter(({ severity }) => severity === "error");
  let mark = 0;
  return {
    take: (event) => errors(checker.check(event, tracker.place(event), mark++)),
    end: () => errors(checker.end()),
  };
}
