import type { Io } from "../io.js";
import { counted } from "../text.js";
import type { Tally } from "./tally.js";

/** How often the line changes, in milliseconds. */
const PAUSE = 200;

/** A line on a terminal that says how far the reading is. Nothing is written where nobody watches. */
export interface Progress {
  /** So many bytes more were read, and so much was found in all. */
  add(tally: Tally, bytes: number): void;
  /** Takes the line away. */
  clear(): void;
}

const UNSEEN: Progress = { add: () => {}, clear: () => {} };

/** Progress of a run that begins now. */
export function progressOf(io: Pick<Io, "watched" | "stderr">): Progress {
  if (!io.watched) return UNSEEN;
  const begin = performance.now();
  let [bytes, shown] = [0, begin];
  return {
    add(tally, more) {
      bytes += more;
      const now = performance.now();
      if (now - shown < PAUSE) return;
      shown = now;
      const speed = (bytes / 1000 / (now - begin)).toFixed(0);
      const parts = [counted(tally.events, "event"), `${speed} MB/s`, counted(tally.findings, "finding")];
      io.stderr(`\r\u001b[K${parts.join(", ")}`);
    },
    clear() {
      if (shown !== begin) io.stderr("\r\u001b[K");
      shown = begin;
    },
  };
}
