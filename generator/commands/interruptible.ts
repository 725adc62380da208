import type { Io } from "../io.js";

/**
 * Calls `run` with a signal that the first SIGINT or SIGTERM aborts, so that `run` can report what is known so far; a second
 * one ends the process. Then prints `notice`, and returns the exit code of a process that was interrupted.
 */
export async function runInterruptibly(
  io: Io,
  notice: string,
  run: (stop: AbortSignal) => Promise<number>,
): Promise<number> {
  const controller = new AbortController();
  let interruptedCode: number | undefined;
  io.onStopSignal?.((exitCode) => {
    interruptedCode = exitCode;
    io.stderr(`interrupted: ${notice}\n`);
    controller.abort();
  });
  const exitCode = await run(controller.signal);
  return interruptedCode ?? exitCode;
}
