import type { Json } from "../json.js";
import type { Adapter } from "./adapter.js";
import type { KitProtocol } from "./kit-protocol.js";
import { remembered } from "./remembered.js";
import { quietly, showAfter } from "./show.js";
import { sameView } from "./view.js";

/** What is known of the consumers that one adapter makes. */
export interface Known {
  /** What a fresh one showed after a stream. Only for consumers that are stable. */
  readonly shown: WeakMap<readonly object[], Json>;
  readonly stable: WeakMap<readonly object[], boolean>;
  /** They keep something of each other. */
  leaky: boolean;
}

/** What is known of the consumers of an adapter, remembered from law to law. */
export const knownOf = remembered(
  (_adapter: Adapter): Known => ({ shown: new WeakMap(), stable: new WeakMap(), leaky: false }),
);

/**
 * Whether a consumer takes the plain stream, twice with the same result, and leaves nothing behind. If not, it breaks one
 * of the basic laws, and nothing can be said of the others.
 */
export function isStable(adapter: Adapter, protocol: KitProtocol, events: readonly object[]): boolean {
  const known = knownOf(adapter);
  if (known.leaky) return false;
  const stable = known.stable.get(events) ?? proves(adapter, protocol, events);
  known.stable.set(events, stable);
  return stable;
}

function proves(adapter: Adapter, protocol: KitProtocol, events: readonly object[]): boolean {
  const glance = (fed: readonly object[]) => quietly(() => showAfter(adapter, protocol, fed));
  const [empty, one, two, after] = [glance([]), glance(events), glance(events), glance([])];
  if (empty === undefined || one === undefined || two === undefined || after === undefined) return false;
  const known = knownOf(adapter);
  if (!sameView(empty, after)) known.leaky = true;
  known.shown.set(events, two);
  return sameView(one, two) && sameView(empty, after);
}
