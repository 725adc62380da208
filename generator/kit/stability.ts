import type { Json } from "../json.js";
import { remembered } from "../sample/remembered.js";
import type { Adapter } from "./adapter.js";
import type { KitProtocol } from "./kit-protocol.js";
import { ignoreBrokenLaw, showAfter } from "./show.js";
import { sameView } from "./view.js";

/** What is known of the consumers that one adapter makes. */
interface Known {
  /** What a fresh one showed after a stream. Only for consumers that break no basic law. */
  readonly shown: WeakMap<readonly object[], Json>;
  /** The basic law that a stream broke, or that it broke none. */
  readonly broken: WeakMap<readonly object[], BasicLaw | "none">;
  /** They keep something of each other. */
  leaky: boolean;
}

/** The laws on which all others rest. */
type BasicLaw = "never-throws" | "deterministic" | "create-anew";

/** What is known of the consumers of an adapter, remembered from law to law. */
export const knownOf = remembered(
  (_adapter: Adapter): Known => ({ shown: new WeakMap(), broken: new WeakMap(), leaky: false }),
);

/**
 * The basic law that a consumer breaks with the plain stream: it does not take it, or not twice with the same result, or
 * leaves something behind. Then the other laws cannot be checked.
 */
export function brokenBasic(
  adapter: Adapter,
  protocol: KitProtocol,
  events: readonly object[],
): BasicLaw | undefined {
  const known = knownOf(adapter);
  if (known.leaky) return "create-anew";
  const broken = known.broken.get(events) ?? tried(adapter, protocol, events);
  known.broken.set(events, broken);
  return broken === "none" ? undefined : broken;
}

function tried(adapter: Adapter, protocol: KitProtocol, events: readonly object[]): BasicLaw | "none" {
  const tryView = (fed: readonly object[]) => ignoreBrokenLaw(() => showAfter(adapter, protocol, fed));
  const [empty, one, two, after] = [tryView([]), tryView(events), tryView(events), tryView([])];
  if (empty === undefined || one === undefined || two === undefined || after === undefined)
    return "never-throws";
  const known = knownOf(adapter);
  known.leaky ||= !sameView(empty, after);
  known.shown.set(events, two);
  return known.leaky ? "create-anew" : sameView(one, two) ? "none" : "deterministic";
}
