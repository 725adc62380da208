import { describeFailure } from "../failure.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { watchFolders } from "./watch-folders.js";

/** Clears a terminal and what was scrolled out of it. */
const CLEAR_SCREEN = "\u001b[2J\u001b[3J\u001b[H";

/**
 * Calls `run` now and after each burst of changes below `folders`, until the user stops the command. Only the first run may
 * throw; the errors of others are printed.
 */
export async function repeatOnChanges(
  folders: readonly string[],
  io: Io,
  run: () => Promise<unknown>,
): Promise<ExitCode> {
  let isStopped = false;
  const stop = io.waitForStopSignal().then(() => {
    isStopped = true;
  });
  for (let runs = 0; !isStopped; runs++) {
    // Watches before it reads, so that no change is missed.
    const watched = watchFolders(folders);
    try {
      if (io.columns !== undefined) io.stdout(CLEAR_SCREEN);
      await run();
    } catch (error) {
      if (runs === 0) watched.close();
      if (runs === 0) throw error;
      io.stderr(describeFailure(error).text);
    }
    io.stderr(`watching ${folders.join(" and ")}; Ctrl-C ends\n`);
    await Promise.race([watched.changed, stop]);
    watched.close();
  }
  return EXIT.ok;
}
