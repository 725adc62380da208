import { InvalidArgumentError, Option } from "commander";
import { type EndableTimeLimit, startTimeLimit } from "../compat/proof/time-limit.js";
import type { Io } from "../io.js";
import { runInterruptibly } from "./interruptible.js";
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
  return runInterruptibly(io, "what is not compared yet is reported as undecided", (stop) => {
    stop.addEventListener("abort", () => timeLimit.end("the command was interrupted"));
    return run(timeLimit);
  });
}
