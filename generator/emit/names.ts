import { eventName } from "../model/names.js";
import type { Protocol } from "../model/protocol.js";

/** The name of the union of all events of a protocol: `HecateEvent`. */
export function unionName({ name }: Protocol): string {
  return eventName(name);
}
