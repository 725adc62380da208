/** A delivery of `accrete-client/stream` has the type of the events of its contract, without casts. */
import { contract, type HecateEvent, protocol, type UnknownEvent } from "../../generated/hecate/v1/index.js";
import { createReader } from "../../generator/stream/index.js";
import type { Equal } from "../types/equal.js";

/** A reducer as a frontend writes it: new and late events are both shown. */
export function reduceDelivery(texts: readonly string[], value: unknown): readonly string[] {
  const delivery = createReader(contract).read(value);
  if (delivery.kind === "new" || delivery.kind === "late") {
    if (!delivery.known) return [...texts, delivery.event.type];
    return reduceEvent(texts, delivery.event);
  }
  return texts;
}

function reduceEvent(texts: readonly string[], event: HecateEvent): readonly string[] {
  switch (event.type) {
    case "user.message":
      return [...texts, event.data.text ?? ""];
    case "assistant.text_delta":
      return [...texts, event.data.delta];
    default:
      return texts;
  }
}

export function narrowDelivery(value: unknown): void {
  const delivery = createReader(protocol).read(value);
  // @ts-expect-error: a value that is invalid has no event
  delivery.event;
  switch (delivery.kind) {
    case "new": {
      const after: number | undefined = delivery.gap?.after;
      if (delivery.known) {
        const exact: Equal<typeof delivery.event, HecateEvent> = true;
        return void [exact, after];
      }
      const exact: Equal<typeof delivery.event, UnknownEvent> = true;
      return void exact;
    }
    case "late": {
      const cursor: number = delivery.cursor;
      // @ts-expect-error: it may be of an unknown type
      const event: HecateEvent = delivery.event;
      return void [cursor, event];
    }
    case "duplicate":
    case "conflict":
      return void delivery.stream.length;
    case "invalid":
      return void delivery.issues.length;
  }
}
