import { accrete, type Outcome } from "../cli/run-in-process.js";

/** The address of `accrete serve` if nobody says otherwise, as the pages write it. */
export const ADDRESS = "127.0.0.1:4780";

/** A server that serves until it is told to stop, at a free port. */
export interface Server {
  /** Where it really is. */
  readonly address: string;
  /** What it said, as if it had the usual address. */
  readonly printed: Outcome;
  stop(): Promise<void>;
}

/** Starts `accrete serve ARGV`, which is run in this process. */
export async function startServer(argv: readonly string[]): Promise<Server> {
  const port = argv.includes("--port") ? [] : ["--port", "0"];
  let stdout = "";
  let stderr = "";
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let listens = (): void => {};
  const listening = new Promise<undefined>((resolve) => {
    listens = () => resolve(undefined);
  });
  const outcome = accrete(["serve", ...argv.filter((word) => word !== "&"), ...port], "", {
    stdout: (text) => void (stdout += text),
    stderr: (text) => void (stderr += text),
    stopAsked: () => {
      listens();
      return ended;
    },
  });
  const failed = await Promise.race([outcome, listening]);
  const address = /http:\/\/([\d.:]+)/.exec(stdout)?.[1];
  if (failed || address === undefined) throw new Error(`accrete serve: ${failed?.stderr}${stderr}${stdout}`);
  const stop = async (): Promise<void> => {
    end();
    await outcome;
  };
  return { address, printed: { exitCode: 0, stdout: stdout.replace(address, ADDRESS), stderr }, stop };
}
