import type { EventType, Protocol } from "./protocol.js";

/** Returns the candidate and stable event types, which frontends may depend on. Returns none if no event type is experimental. */
export function listCoreEvents({ events }: Protocol): readonly EventType[] {
  const core = events.filter(({ stability }) => stability !== "experimental");
  return core.length === events.length ? [] : core;
}
