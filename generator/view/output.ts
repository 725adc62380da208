import type { Output } from "./block.js";

/** How many characters of a channel are kept at least when there are more: its end tells most. */
export const OUTPUT_KEPT = 64 * 1024;

/** Adds a piece to the last output if it is of the same channel, or begins another. Costs no more than the piece. */
export function addOutput(output: Output[], channel: string, piece: string): void {
  const last = output.at(-1);
  const target = last?.channel === channel ? last : { channel, text: "", dropped: 0 };
  if (target !== last) output.push(target);
  target.text += piece;
  if (target.text.length > 2 * OUTPUT_KEPT) {
    const cut = target.text.length - OUTPUT_KEPT;
    target.text = target.text.slice(cut).toWellFormed();
    target.dropped += cut;
  }
  if (output.length > CHANGES) output.splice(0, output.length - CHANGES);
}

/** How often the channel may change before the beginning is left out. */
const CHANGES = 200;
