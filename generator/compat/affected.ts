/** Says who is affected by a break, and how: only what a witness shows. */
import type { Affected } from "./change.js";
import type { Fact, Rule } from "./rule.js";

/** Returns who is affected by a fact. Where a name is withdrawn, readers lose what the witness holds under it. */
export function affectedBy({ effect }: Rule, { proof }: Fact): readonly Affected[] {
  if (!proof) return [];
  return effect === "withdraws" && proof.left !== undefined ? ["data-loss", ...proof.affects] : proof.affects;
}

/** Returns a sentence for everyone who is affected; `against` names the baseline. */
export function affectedSentences(affects: readonly Affected[], against = "the baseline"): string[] {
  return affects.map((who) => SENTENCES[who](against));
}

const SENTENCES: { readonly [who in Affected]: (against: string) => string } = {
  "data-loss": (against) => `Readers built against ${against} no longer receive it.`,
  "current-readers": (against) => `Current readers reject events that ${against} allows.`,
  senders: (against) => `Senders built against ${against} violate the contract.`,
  "baseline-readers": (against) => `Readers built against ${against} reject events that can be sent now.`,
};
