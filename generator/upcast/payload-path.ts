import { joinPointer } from "../json.js";
import { findPayloadCarrier } from "../protocol/message-layout.js";
import type { EventType, Protocol } from "../protocol/protocol.js";

/** Returns the pointer to the payload: "" if its fields are beside those of the envelope. */
export function findPayloadPath({ envelope }: Protocol, event: EventType): string {
  const carrier = findPayloadCarrier(envelope, event);
  return carrier === undefined ? "" : joinPointer("", carrier);
}
