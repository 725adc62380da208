/** A line on a terminal that shows the progress of a command. */
import type { Io } from "./io.js";

interface ProgressLine {
  /** Returns the milliseconds since the line was created if an update is due; undefined otherwise, or without a terminal. */
  tick(): number | undefined;
  /** Shows a text in place of the one before. */
  show(text: string): void;
  /** Removes the line. The next update is due at once. */
  clear(): void;
}

/** Creates a line that is updated after `intervalMs` for the first time. Nothing is written if stderr is not a terminal. */
export function createProgressLine(
  { showsProgress, stderr }: Pick<Io, "showsProgress" | "stderr">,
  intervalMs: number,
): ProgressLine {
  const begin = performance.now();
  let lastUpdate = begin;
  let isShown = false;
  return {
    tick() {
      const now = performance.now();
      if (!showsProgress || now - lastUpdate < intervalMs) return undefined;
      lastUpdate = now;
      return now - begin;
    },
    show(text) {
      isShown = true;
      stderr(`\r\u001b[K${text}`);
    },
    clear() {
      if (!isShown) return;
      stderr("\r\u001b[K");
      isShown = false;
      lastUpdate = begin;
    },
  };
}
