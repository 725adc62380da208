import { createHash } from "node:crypto";

/** The envelopes of a run as digests, with their places: about 40 bytes each, however long they are. */
export interface RecordedRun {
  readonly lines: number[];
  readonly items: number[];
  digests: Buffer;
}

const SIZE = 16;

/** A run without any. */
export function emptyRun(): RecordedRun {
  return { lines: [], items: [], digests: Buffer.alloc(4 * SIZE) };
}

/** Adds an envelope that stands at that line and item. */
export function addEnvelope(run: RecordedRun, text: string, line: number, item: number): void {
  const at = run.lines.length * SIZE;
  if (at + SIZE > run.digests.length) run.digests = Buffer.concat([run.digests], 2 * run.digests.length);
  digest(text).copy(run.digests, at);
  run.lines.push(line);
  run.items.push(item);
}

/** Whether the envelope of that number is this text. */
export function isEnvelope(run: RecordedRun, number: number, text: string): boolean {
  return digest(text).equals(run.digests.subarray(number * SIZE, (number + 1) * SIZE));
}

/** Half of a SHA-256. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest().subarray(0, SIZE);
}
