import type { EventType, Protocol } from "./protocol.js";

/** Returns the event types that frontends may depend on, the candidate and stable ones. Empty if all are, or none is. */
export function listCoreEvents({ events }: Protocol): readonly EventType[] {
  const core = events.filter(({ stability }) => stability !== "experimental");
  return core.length === events.length ? [] : core;
}
