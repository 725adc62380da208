/** Runs `accrete serve` and `accrete monitor` in the test process for the blocks of pages. */
import { runAccrete } from "../commands/run-in-process.js";
import type { CommandResult } from "./shell.js";

/** The address of `accrete serve` by default, as the pages state it. Their monitors listen there, too. */
export const ADDRESS = "127.0.0.1:4780";

/** A server at a free port. */
export interface Server {
  /** The real address. */
  readonly address: string;
  /** Its output, with the default address in place of the real one. */
  readonly output: CommandResult;
  stop(): Promise<void>;
}

/** Starts `accrete serve ARGV` or `accrete monitor ARGV`, which is run in this process. */
export async function startServer(command: "serve" | "monitor", argv: readonly string[]): Promise<Server> {
  const port = argv.includes("--port") || command === "monitor" ? [] : ["--port", "0"];
  const words = argv.filter((word) => word !== "&").map((word) => (word === "4780" ? "0" : word));
  let printed = "";
  const appendOutput = (text: string): void => {
    printed += text;
  };
  let requestStop = (): void => {};
  const ended = new Promise<void>((resolve) => {
    requestStop = resolve;
  });
  let reportListening = (): void => {};
  const listening = new Promise<undefined>((resolve) => {
    reportListening = () => resolve(undefined);
  });
  const outcome = runAccrete([command, ...words, ...port], "", {
    stdout: appendOutput,
    stderr: appendOutput,
    waitForStopSignal: () => {
      reportListening();
      return ended;
    },
  });
  const failed = await Promise.race([outcome, listening]);
  const address = /http:\/\/([\d.:]+)/.exec(printed)?.[1];
  if (failed || address === undefined) throw new Error(`accrete ${command}: ${printed}${failed?.stderr}`);
  const stop = async (): Promise<void> => {
    requestStop();
    await outcome;
  };
  return { address, output: { exitCode: 0, output: printed.replace(address, ADDRESS) }, stop };
}
