import type { Protocol } from "../protocol/protocol.js";

/** Returns whether every event has a number, so that numbers show which events are missing. */
export function requiresNumbers({ stream, envelope }: Protocol): boolean {
  const { required } = envelope.schema;
  return stream?.sequence !== undefined && Array.isArray(required) && required.includes(stream.sequence);
}
