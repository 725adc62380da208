import { accrete } from "../cli/run-in-process.js";
import type { Printed } from "./shell.js";

/** The address of `accrete serve` if nobody says otherwise, as the pages write it. */
export const ADDRESS = "127.0.0.1:4780";

/** A server that serves until it is told to stop, at a free port. */
export interface Server {
  /** Where it really is. */
  readonly address: string;
  /** What it said, as if it had the usual address. */
  readonly printed: Printed;
  stop(): Promise<void>;
}

/** Starts `accrete serve ARGV`, which is run in this process. */
export async function startServer(argv: readonly string[]): Promise<Server> {
  const port = argv.includes("--port") ? [] : ["--port", "0"];
  let said = "";
  const say = (text: string): void => {
    said += text;
  };
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let listens = (): void => {};
  const listening = new Promise<undefined>((resolve) => {
    listens = () => resolve(undefined);
  });
  const outcome = accrete(["serve", ...argv.filter((word) => word !== "&"), ...port], "", {
    stdout: say,
    stderr: say,
    stopAsked: () => {
      listens();
      return ended;
    },
  });
  const failed = await Promise.race([outcome, listening]);
  const address = /http:\/\/([\d.:]+)/.exec(said)?.[1];
  if (failed || address === undefined) throw new Error(`accrete serve: ${said}${failed?.stderr}`);
  const stop = async (): Promise<void> => {
    end();
    await outcome;
  };
  return { address, printed: { exitCode: 0, said: said.replace(address, ADDRESS) }, stop };
}
