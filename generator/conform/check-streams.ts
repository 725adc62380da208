import type { Protocol } from "../protocol/protocol.js";
import type { Profile } from "../schema/readings.js";
import { createTracker } from "../stream/tracker.js";
import { createStreamChecker, type StreamFinding } from "./stream-checker.js";

/** Returns the findings of the stream rules about whole streams, whose events are in the order of their arrival. */
export function checkStreams(
  protocol: Protocol,
  profile: Profile,
  events: readonly object[],
): readonly StreamFinding[] {
  const checker = createStreamChecker(protocol, { profile });
  const tracker = createTracker(protocol.stream);
  const findings = events.flatMap((event, index) => checker.check(event, tracker.place(event), index));
  return [...findings, ...checker.end()];
}
