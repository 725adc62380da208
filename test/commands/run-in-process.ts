/** Runs the command line in the test process. */
import { run } from "../../generator/commands/program.js";
import { describeFailure } from "../../generator/failure.js";
import type { Io } from "../../generator/io.js";

/** The results of a command line. */
export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line as cli.ts does, with `stdin` as standard input. */
export async function runAccrete(
  argv: readonly string[],
  stdin: string | Uint8Array = "",
  io: Partial<Io> = {},
): Promise<Outcome> {
  const out: string[] = [];
  const err: string[] = [];
  const all: Io = {
    stdout: (text) => void out.push(text),
    stderr: (text) => void err.push(text),
    stdin: (async function* () {
      yield Buffer.from(stdin);
    })(),
    colors: false,
    showsProgress: false,
    environment: process.env,
    pid: process.pid,
    isRunning: () => true,
    killGroup: (leader) => void process.kill(-leader, "SIGKILL"),
    waitForStopSignal: async () => undefined,
    ...io,
  };
  let exitCode: number;
  try {
    exitCode = await run(argv, all);
  } catch (error) {
    const failure = describeFailure(error);
    err.push(failure.text);
    exitCode = failure.exitCode;
  }
  return { exitCode, stdout: out.join(""), stderr: err.join("") };
}
