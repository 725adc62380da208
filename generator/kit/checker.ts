/** `accrete-kit/checker`: checks the events of a protocol and their streams, in tests, services and jobs. */
import { createEventChecker, type EventChecker, type EventCheckerOptions } from "../conform/event-checker.js";
import { createModel, type KitProtocol } from "./kit-protocol.js";

export type {
  EventChecker,
  EventCheckerOptions,
  EventFinding,
  PushOptions,
} from "../conform/event-checker.js";
export type { KitProtocol } from "./kit-protocol.js";

/**
 * Creates a checker for the events of `protocol`, the object that every generated module exports. It gives the findings of
 * `accrete validate`. Throws if `options.state` was saved with other rules.
 */
export function createStreamChecker(protocol: KitProtocol, options: EventCheckerOptions): EventChecker {
  return createEventChecker(createModel(protocol), protocol.decodeEvent, options);
}
