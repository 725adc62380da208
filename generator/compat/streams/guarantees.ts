/** Counts the guarantees that a contract states in prose. */
import type { Protocol } from "../../protocol/protocol.js";

/** How many sentences the guarantees of a contract have. */
export function countGuarantees({ guarantees }: Protocol): number {
  return guarantees.reduce((sum, text) => sum + sentencesIn(text), 0);
}

/** A text without an end mark is one sentence; an empty one is none. */
function sentencesIn(text: string): number {
  if (text.trim() === "") return 0;
  return Math.max(1, text.match(/[.!?](?=\s+["“(]?\p{Lu}|\s*$)/gu)?.length ?? 0);
}
