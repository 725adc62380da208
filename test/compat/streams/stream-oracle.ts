/** Decides by the real validators and checkers alone, without anything that compat knows about streams. */
import { createStreamChecker } from "../../../generator/conform/stream-checker.js";
import type { JsonObject } from "../../../generator/json.js";
import type { Protocol } from "../../../generator/protocol/protocol.js";
import type { Profile } from "../../../generator/schema/readings.js";
import { createTracker } from "../../../generator/stream/tracker.js";
import { protocolValidators, type Validators } from "../../../generator/validators/protocol-validators.js";

const validators = new WeakMap<readonly object[], Validators>();

/** Whether every event of a stream is valid alone; event types that readers do not know pass. */
export function areEventsValid(protocol: Protocol, profile: Profile, events: readonly JsonObject[]): boolean {
  const known = validators.get(protocol.events) ?? protocolValidators(protocol);
  validators.set(protocol.events, known);
  return events.every((event) => {
    const { kind } = known.decodeEvent(event, { profile });
    return kind === "known" || (kind === "unknown" && profile === "reader");
  });
}

/** The first error that the checker of a contract finds in a complete stream. */
export function findFirstError(
  protocol: Protocol,
  profile: Profile,
  events: readonly JsonObject[],
): string | undefined {
  const checker = createStreamChecker(protocol, { profile });
  const tracker = createTracker(protocol.stream);
  const found = events.flatMap((event, mark) => [...checker.check(event, tracker.place(event), mark)]);
  return [...found, ...checker.end()].find(({ severity }) => severity === "error")?.rule;
}
