/**
 * Emits types.ts on a thread of its own. Its libraries take as long to load as a small protocol takes to generate, and
 * that time passes while the main thread reads schemas and writes validators.
 */
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import type { OutputFile, Protocol } from "../../protocol/protocol.js";

/** What the thread is sent for each protocol; it answers on `port`. */
export interface TypesRequest {
  readonly protocol: Protocol;
  readonly port: MessagePort;
}

/** A thread that emits types. */
export interface TypesThread {
  /** Does what `emitTypes` of types.ts does. Rejects if the thread fails or was closed. */
  emitTypes(protocol: Protocol): Promise<OutputFile>;
  close(): Promise<unknown>;
}

/** Starts a thread that loads the libraries at once. Returns undefined where there is one processor only. */
export function startTypesThread(): TypesThread | undefined {
  if (availableParallelism() < 2) return undefined;
  const worker = startWorker();
  const failed = once(worker, "exit").then(() => {
    throw new Error("The thread that emits types ended without an answer");
  });
  // Whoever waits for an answer hears of the failure; if nobody does, it is of no interest.
  failed.catch(() => {});
  return {
    emitTypes: async (protocol) => {
      const { port1, port2 } = new MessageChannel();
      const answer = once(port1, "message");
      worker.postMessage({ protocol, port: port2 } satisfies TypesRequest, [port2]);
      const [file] = await Promise.race([answer, failed]);
      return file as OutputFile;
    },
    close: () => worker.terminate(),
  };
}

/** Starts the worker. Where this file is not compiled, the worker is not either, and has to load what reads it. */
function startWorker(): Worker {
  if (!import.meta.url.endsWith(".ts")) return new Worker(new URL("types-worker.js", import.meta.url));
  const file = JSON.stringify(new URL("types-worker.ts", import.meta.url).href);
  const start = `import("tsx/esm/api").then(({ register }) => (register(), import(${file})));`;
  return new Worker(start, { eval: true, execArgv: [] });
}
