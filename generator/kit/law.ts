import type { StreamRules } from "../protocol/stream-rules.js";
import type { Hook } from "./adapter.js";
import type { KitProtocol } from "./kit-protocol.js";
import type { Trial } from "./trial.js";

/** Something that every consumer of a protocol has to get right. */
export interface Law {
  /** Kebab-case, never used again for anything else. */
  readonly id: string;
  /** The law in words, one sentence. */
  readonly law: string;
  /** The hook that it needs. */
  readonly hook?: Hook;
  /** Why the law does not apply to a protocol; undefined if it applies. */
  absent?(protocol: KitProtocol): string | undefined;
  /** The streams on which it is checked: how many at once (1 by default), with terminal events or not, with gap markers or not. */
  readonly streams?: number;
  readonly ended?: boolean;
  readonly gaps?: boolean;
  /** It applies to any stream, and all other laws rest on it. */
  readonly basic?: boolean;
  /** Once is enough. */
  readonly once?: boolean;
  /** Fails through `trial` if the law is broken. */
  check(trial: Trial): void;
}

/** Why a law about ids does not apply. */
export function needsIds({ stream }: KitProtocol): string | undefined {
  return stream?.id === undefined ? "events of this protocol have no ids" : undefined;
}

/** Why a law about sequence numbers does not apply. */
export function needsNumbers({ stream }: KitProtocol): string | undefined {
  return stream?.sequence === undefined ? "events of this protocol have no numbers" : undefined;
}

/** Why a law about rules of this kind does not apply. */
export function needsRules(kind: keyof typeof WITHOUT): (protocol: KitProtocol) => string | undefined {
  return ({ rules }) => ((rules?.[kind] ?? []).length === 0 ? WITHOUT[kind] : undefined);
}

const WITHOUT = {
  lifecycles: "nothing in this protocol has an id and a life of its own",
  texts: "no text of this protocol comes in pieces",
  gaps: "this protocol has no gap markers",
} as const satisfies { readonly [kind in keyof StreamRules]: string };
