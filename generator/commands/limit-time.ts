import { InvalidArgumentError, Option } from "commander";
import { type EndableTimeLimit, startTimeLimit } from "../compat/proof/time-limit.js";
import type { Io } from "../io.js";
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
  const progress = createProgress(io);
  const timeLimit = startTimeLimit(typeof seconds === "number" ? seconds : undefined, progress.count);
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

/** The line of a terminal that says how many questions a comparison has begun. */
interface Progress {
  /** Counts a question. */
  count(): void;
  /** Removes the line. */
  clear(): void;
}

function createProgress({ showsProgress, stderr }: Pick<Io, "showsProgress" | "stderr">): Progress {
  const begin = performance.now();
  let questions = 0;
  let lastUpdate = begin;
  let isShown = false;
  return {
    count() {
      questions++;
      const now = performance.now();
      if (!showsProgress || now - lastUpdate < UPDATE_INTERVAL_MS) return;
      lastUpdate = now;
      isShown = true;
      const seconds = Math.round((now - begin) / 1000);
      stderr(`\r\u001b[K${formatCount(questions, "question")}, ${seconds} s`);
    },
    clear() {
      if (isShown) stderr("\r\u001b[K");
      isShown = false;
    },
  };
}
