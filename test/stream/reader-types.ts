/** The reader of `accrete/stream` knows the events of the protocol that it is given. */
import { type HecateEvent, protocol, type UnknownEvent } from "../../generated/hecate/v1/index.js";
import { createReader } from "../../generator/stream/index.js";
import type { Equal } from "../types/equal.js";

export function checkDeliveryTypes(value: unknown): void {
  const delivery = createReader(protocol).read(value);
  switch (delivery.kind) {
    case "event": {
      const exact: Equal<typeof delivery.event, HecateEvent> = true;
      const after: number | undefined = delivery.gap?.after;
      return void [exact, after];
    }
    case "unknown": {
      const exact: Equal<typeof delivery.event, UnknownEvent> = true;
      return void exact;
    }
    case "late":
      return void delivery.cursor.toFixed();
    case "duplicate":
    case "conflict":
      return void delivery.stream.length;
    case "invalid":
      return void delivery.issues.length;
  }
}
