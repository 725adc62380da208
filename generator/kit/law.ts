import type { StreamRules } from "../protocol/stream-rules.js";
import type { Hook } from "./adapter.js";
import type { KitProtocol } from "./kit-protocol.js";
import type { Trial } from "./trial.js";

/** A property that every consumer of a protocol must have. */
export interface Law {
  /** Kebab-case, never used again for anything else. */
  readonly id: string;
  /** The law in words, one sentence. */
  readonly law: string;
  /** The optional adapter method that the law needs. */
  readonly hook?: Hook;
  /** Returns why the law does not apply to a protocol; undefined if it applies. */
  skipReason?(protocol: KitProtocol): string | undefined;
  /** The number of interleaved streams on which the law is checked; 1 by default. */
  readonly streams?: number;
  /** Whether these streams have their terminal events; both by default. */
  readonly ended?: boolean;
  /** Whether these streams may contain gaps; true by default. */
  readonly gaps?: boolean;
  /** All other laws depend on this one. */
  readonly basic?: boolean;
  /** One stream is enough. */
  readonly once?: boolean;
  /** Fails through `trial` if the law is broken. */
  check(trial: Trial): void;
}

/** Returns why a law about ids does not apply. */
export function missingIds({ stream }: KitProtocol): string | undefined {
  return stream?.id === undefined ? "events of this protocol have no ids" : undefined;
}

/** Returns why a law about sequence numbers does not apply. */
export function missingNumbers({ stream }: KitProtocol): string | undefined {
  return stream?.sequence === undefined ? "events of this protocol have no numbers" : undefined;
}

const WITHOUT_RULE = {
  lifecycles: "nothing in this protocol has an id, a start and an end",
  texts: "no text of this protocol comes in pieces",
  gaps: "this protocol has no gap markers",
} as const satisfies { readonly [member in keyof StreamRules]: string };

/** Returns why a law about things that a stream rule declares does not apply. */
export function missingRules({ rules }: KitProtocol, member: keyof typeof WITHOUT_RULE): string | undefined {
  return (rules?.[member] ?? []).length === 0 ? WITHOUT_RULE[member] : undefined;
}
