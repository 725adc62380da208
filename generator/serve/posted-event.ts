/** Checks events that callers add to a run, and reports mistakes at their place in the body of the request. */
import { createStreamChecker } from "../conform/stream-checker.js";
import { joinPointer } from "../json.js";
import { createTracker } from "../stream/tracker.js";
import type { Validators } from "../validators/protocol-validators.js";
import { findPayloadPath } from "./edit-run-events.js";
import type { Delivery } from "./log.js";
import { HttpError } from "./problem.js";
import { createBodyError } from "./read-body.js";
import { parseRunEvent, type RunEvent } from "./run.js";

/** The place of each payload field in the body of a request, as a JSON pointer. */
export type FieldPlaces = ReadonlyMap<string, string>;

/**
 * Throws if a writer may not send an event now: because its schema refuses it, or because a stream rule forbids it
 * after `earlier`.
 */
export function checkPostedEvent(
  validators: Validators,
  earlier: readonly RunEvent[],
  event: RunEvent,
  places: FieldPlaces,
): void {
  const value = parseRunEvent(event);
  const result = validators.decodeEvent(value, { profile: "writer" });
  if (result.kind === "invalid") {
    const payload = joinPointer("", ...(findPayloadPath(validators.protocol, event.type) ?? []));
    throw createBodyError(
      result.issues.map(({ pointer, message }) => ({
        pointer: findBodyPointer(pointer, payload, places),
        message,
      })),
    );
  }
  const message = findRuleBreak(validators, earlier, event);
  if (message !== undefined)
    throw new HttpError("state-conflict", `The run does not allow ${event.type} now: ${message}`);
}

/** Returns the place in the body for a place in the event; the whole body for what the body does not hold. */
function findBodyPointer(pointer: string, payload: string, places: FieldPlaces): string {
  const rest = pointer.startsWith(`${payload}/`) ? pointer.slice(payload.length) : "";
  const [, name = "", ...tokens] = rest.split("/");
  const place = places.get(name.replaceAll("~1", "/").replaceAll("~0", "~"));
  return place === undefined ? "" : [place, ...tokens].join("/");
}

/** Returns the message of the first stream rule that `event` breaks after `earlier`. */
function findRuleBreak(
  { protocol }: Validators,
  earlier: readonly RunEvent[],
  event: RunEvent,
): string | undefined {
  const checker = createStreamChecker(protocol, { profile: "writer" });
  const tracker = createTracker(protocol.stream);
  const events = [...earlier, event].map(parseRunEvent);
  const findings = events.flatMap((value, index) => checker.check(value, tracker.place(value), index));
  return findings.find(({ severity, index }) => severity === "error" && index === earlier.length)?.message;
}

/** Returns the events that were delivered, each once. */
export function listDeliveredEvents(deliveries: readonly Delivery[]): RunEvent[] {
  return deliveries.filter(({ isRepeated }) => !isRepeated).map(({ event }) => event);
}
