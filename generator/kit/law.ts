import type { Hook } from "./adapter.js";
import type { KitProtocol } from "./kit-protocol.js";
import type { Steps } from "./steps.js";
import type { Trial } from "./trial.js";

/** A property that every consumer of a protocol must have. */
export interface Law {
  /** The id in kebab-case. It is never reused for another law. */
  readonly id: string;
  /** The law in words, one sentence. */
  readonly law: string;
  /** The optional adapter method that the law needs. */
  readonly hook?: Hook;
  /** The part of a contract that the law is about. The law is skipped for protocols without it. */
  readonly needs?: Need;
  /** Returns another reason why the law does not apply to a protocol; undefined if it applies. */
  findSkipReason?(protocol: KitProtocol): string | undefined;
  /** The number of interleaved streams on which the law is checked; 1 by default. */
  readonly streams?: number;
  /** True if the streams have no terminal events. By default there are streams with and without them. */
  readonly excludesTerminalEvents?: true;
  /** True (the default) if the streams may contain gaps. */
  readonly allowsGaps?: boolean;
  /** True if all other laws depend on this one. */
  readonly isBasic?: boolean;
  /** "types" (the default) if the streams cover every event type; "fields" if they also omit each optional field and have extreme values. */
  readonly covers?: "types" | "fields";
  /** True if one run is enough. */
  readonly needsOneRun?: boolean;
  /** The laws without which this one says nothing new. If the consumer breaks one of them, this law is not checked. */
  readonly dependsOn?: readonly string[];
  /** True if the law makes its own streams, so that it needs one sample without events, and none that is smaller. */
  readonly makesStreams?: boolean;
  /** True if its events have the values that they need to be shown, where a consumer shows the calls of one kind alone. */
  readonly fitsConsumer?: true;
  /** True if the streams that cover the contract are enough, so that no random ones are needed. */
  readonly coveringOnly?: boolean;
  /** True if the law is about what a consumer claims to show. */
  readonly needsClaims?: boolean;
  /** True if the law cannot be checked on consumers that receive copies of the events. */
  readonly needsOriginals?: boolean;
  /** True if the check waits some time, so that it returns a promise for every consumer. */
  readonly waits?: boolean;
  /** Fails through `trial` if the law is broken. */
  check(trial: Trial): Steps<void>;
}

/** The parts of contracts that laws need, each with the reason why a law is skipped for a protocol without it. */
const NEEDS = {
  ids: "events of this protocol have no ids",
  numbers: "events of this protocol have no numbers",
  lifecycles: "nothing in this protocol has an id, a start and an end",
  texts: "this protocol declares no texts with an id that come in pieces and then as a whole",
  times: "events of this protocol have no times",
  rising: "this protocol declares no cumulative figures",
  gaps: "this protocol has no gap markers",
} as const;

type Need = keyof typeof NEEDS;

/** Returns why a law does not apply to a protocol; undefined if it applies. */
export function explainSkip(
  { needs, findSkipReason }: Pick<Law, "needs" | "findSkipReason">,
  protocol: KitProtocol,
): string | undefined {
  if (needs !== undefined && !hasPart(protocol, needs)) return NEEDS[needs];
  return findSkipReason?.(protocol);
}

function hasPart({ stream, rules }: KitProtocol, part: Need): boolean {
  if (part === "ids") return stream?.id !== undefined;
  if (part === "numbers") return stream?.sequence !== undefined;
  if (part === "times") return stream?.time !== undefined;
  return (rules?.[part] ?? []).length > 0;
}
