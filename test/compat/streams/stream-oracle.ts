/** Checks events and streams with the validators and stream checkers only, without the code of compat. */
import { createStreamChecker } from "../../../generator/conform/stream-checker.js";
import type { JsonObject } from "../../../generator/json.js";
import type { Protocol } from "../../../generator/protocol/protocol.js";
import type { Profile } from "../../../generator/schema/readings.js";
import { createTracker } from "../../../generator/stream/tracker.js";
import { createValidators, type Validators } from "../../../generator/validators/protocol-validators.js";

const validators = new WeakMap<readonly object[], Validators>();

/** Returns whether every event of a stream is valid. Readers accept unknown event types. */
export function areEventsValid(protocol: Protocol, profile: Profile, events: readonly JsonObject[]): boolean {
  const known = validators.get(protocol.events) ?? createValidators(protocol);
  validators.set(protocol.events, known);
  return events.every((event) => {
    const { kind } = known.decodeEvent(event, { profile });
    return kind === "known" || (kind === "unknown" && profile === "reader");
  });
}

/** Returns the rule of the first error in a complete stream. */
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
