import type { Protocol } from "../protocol/protocol.js";
import { createValidators } from "../validators/protocol-validators.js";
import { createEventChecker, type EventChecker, type EventCheckerOptions } from "./event-checker.js";

/**
 * Creates a checker for the events of a protocol that was loaded from its schemas. It gives the findings of
 * `accrete validate`. Throws if `options.state` was saved with other rules.
 */
export function createStreamChecker(protocol: Protocol, options: EventCheckerOptions): EventChecker {
  return createEventChecker(protocol, createValidators(protocol).decodeEvent, options);
}
