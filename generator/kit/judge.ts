import { streamChecker } from "../conform/stream-checker.js";
import type { Breach } from "../conform/stream-rule.js";
import type { Protocol } from "../protocol/protocol.js";
import { createTracker } from "../stream/tracker.js";

/** Breaches of the stream rules by `events`, as far as they are errors. */
export function breachesOf(model: Protocol, events: readonly object[]): readonly Breach[] {
  const judge = openJudge(model);
  const found = events.flatMap((event) => judge.take(event));
  return [...found, ...judge.end()];
}

/** Says which stream rules an event breaks, as far as they are errors. */
export interface Judge {
  take(event: object): readonly Breach[];
  end(): readonly Breach[];
}

/** A judge of streams that have not begun. */
export function openJudge(model: Protocol): Judge {
  const checker = streamChecker(model, { profile: "writer" });
  const tracker = createTracker(model.stream);
  const errors = (breaches: readonly Breach[]): readonly Breach[] =>
    breaches.filter(({ severity }) => severity === "error");
  let mark = 0;
  return {
    take: (event) => errors(checker.check(event, tracker.place(event), mark++)),
    end: () => errors(checker.end()),
  };
}
