import { eventName } from "../../protocol/names.js";
import type { Protocol } from "../../protocol/protocol.js";

/** The name of the union of all events of a protocol: `OrdersEvent`. */
export function unionName({ name }: Protocol): string {
  return eventName(name);
}
