import { InvalidArgumentError, Option } from "commander";
import { type EndableTimeLimit, startTimeLimit } from "../compat/proof/time-limit.js";
import type { Io } from "../io.js";
import type { RawOptions } from "./options.js";

/** The option `--time-limit`. */
export const timeLimitOption = new Option(
  "--time-limit <seconds>",
  "end after this time; what is not compared by then is reported as undecided",
).argParser(parseSeconds);

function parseSeconds(value: string): number {
  const seconds = Number(value);
  if (!(seconds > 0) || value.trim() === "") throw new InvalidArgumentError("It must be a number above 0.");
  return seconds;
}

/** The exit code of a process that SIGINT ends. */
const INTERRUPTED = 130;

/**
 * Calls `run` with the time limit of the options. A first SIGINT or SIGTERM ends the time, so that `run` reports what is known
 * so far; a second one ends the process. Returns the exit code of `run`, or that of an interrupted process.
 */
export async function limitTime(
  { timeLimit: seconds }: RawOptions,
  io: Io,
  run: (timeLimit: EndableTimeLimit) => Promise<number>,
): Promise<number> {
  const timeLimit = startTimeLimit(typeof seconds === "number" ? seconds : undefined);
  let isInterrupted = false;
  io.onStopSignal?.(() => {
    isInterrupted = true;
    io.stderr("interrupted: what is not compared yet is reported as undecided\n");
    timeLimit.end("the command was interrupted");
  });
  const exitCode = await run(timeLimit);
  return isInterrupted ? INTERRUPTED : exitCode;
}
