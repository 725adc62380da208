import { InvalidArgumentError, Option } from "commander";
import { type EndableTimeLimit, startTimeLimit } from "../compat/proof/time-limit.js";
import type { Io } from "../io.js";
import { createProgressLine } from "../progress-line.js";
import { formatCount } from "../text.js";
import { runInterruptibly } from "./interruptible.js";
import type { RawOptions } from "./options.js";

/** How long a comparison runs until its progress is shown, and the time between two updates. */
const UPDATE_INTERVAL_MS = 1000;

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
 * Calls `run` with the time limit of the options, and with an `io` that removes the line about the progress before anything is
 * printed. A first SIGINT or SIGTERM ends the time, so that `run` reports what is known so far; a second one ends the process.
 * Returns the exit code of `run`, or that of an interrupted process.
 */
export async function limitTime(
  { timeLimit: seconds }: RawOptions,
  io: Io,
  run: (timeLimit: EndableTimeLimit, io: Io) => Promise<number>,
): Promise<number> {
  const progress = createProgressLine(io, UPDATE_INTERVAL_MS);
  let questions = 0;
  const countQuestion = (): void => {
    questions++;
    const elapsed = progress.tick();
    if (elapsed === undefined) return;
    progress.show(`${formatCount(questions, "question")}, ${Math.round(elapsed / 1000)} s`);
  };
  const timeLimit = startTimeLimit(typeof seconds === "number" ? seconds : undefined, countQuestion);
  const printer: Io = {
    ...io,
    stdout: (text) => {
      progress.clear();
      io.stdout(text);
    },
    stderr: (text) => {
      progress.clear();
      io.stderr(text);
    },
  };
  return runInterruptibly(printer, "what is not compared yet is reported as undecided", async (stop) => {
    stop.addEventListener("abort", () => timeLimit.end("the command was interrupted"));
    const exitCode = await run(timeLimit, printer);
    progress.clear();
    return exitCode;
  });
}
