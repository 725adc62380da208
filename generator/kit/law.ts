import type { Hook } from "./adapter.js";
import type { KitProtocol } from "./kit-protocol.js";
import type { Steps } from "./steps.js";
import type { Trial } from "./trial.js";

/** A property that every consumer of a protocol must have. */
export interface Law {
  /** Kebab-case, never used again for anything else. */
  readonly id: string;
  /** The law in words, one sentence. */
  readonly law: string;
  /** The optional adapter method that the law needs. */
  readonly hook?: Hook;
  /** The part of a contract that the law is about. The law is skipped for protocols without it. */
  readonly needs?: Need;
  /** Returns another reason why the law does not apply to a protocol; undefined if it applies. */
  skipReason?(protocol: KitProtocol): string | undefined;
  /** The number of interleaved streams on which the law is checked; 1 by default. */
  readonly streams?: number;
  /** True if the streams have no terminal events. By default there are streams with and without them. */
  readonly excludesTerminalEvents?: true;
  /** Whether these streams may contain gaps; true by default. */
  readonly gaps?: boolean;
  /** Whether all other laws depend on this one. */
  readonly basic?: boolean;
  /** What its streams cover: every event type (the default), or also streams without each optional field. */
  readonly covers?: "types" | "fields";
  /** Whether one run is enough. */
  readonly once?: boolean;
  /** Whether the streams that cover the contract are enough. */
  readonly coveringOnly?: boolean;
  /** Whether the law is about the events themselves, so that it cannot be checked on consumers that receive copies. */
  readonly needsOriginals?: boolean;
  /** Whether the check waits some time, so that it returns a promise for every consumer. */
  readonly waits?: boolean;
  /** Fails through `trial` if the law is broken. */
  check(trial: Trial): Steps<void>;
}

/** The parts of contracts that laws need, and why a law is skipped for a protocol without it. */
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
  { needs, skipReason }: Pick<Law, "needs" | "skipReason">,
  protocol: KitProtocol,
): string | undefined {
  if (needs !== undefined && !hasPart(protocol, needs)) return NEEDS[needs];
  return skipReason?.(protocol);
}

function hasPart({ stream, rules }: KitProtocol, part: Need): boolean {
  if (part === "ids") return stream?.id !== undefined;
  if (part === "numbers") return stream?.sequence !== undefined;
  if (part === "times") return stream?.time !== undefined;
  return (rules?.[part] ?? []).length > 0;
}
