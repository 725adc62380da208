/**
 * Emits types.ts on a thread of its own. Its libraries take as long to load as a small protocol takes to generate, and
 * that time passes while the main thread reads schemas and writes validators.
 */
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { OutputFile, Protocol } from "../../protocol/protocol.js";
import { startThread } from "../../thread.js";

/** What the thread is sent for each protocol; it answers on `port`. */
export interface TypesRequest {
  readonly protocol: Protocol;
  readonly port: MessagePort;
}

/** A thread that emits types. */
interface TypesThread {
  /** Does what `emitTypes` of types.ts does. Rejects if the thread fails or was closed. */
  emitTypes(protocol: Protocol): Promise<OutputFile>;
  close(): Promise<unknown>;
}

/** Starts a thread that loads the libraries at once. Returns undefined where there is one processor only. */
export function startTypesThread(): TypesThread | undefined {
  if (availableParallelism() < 2) return undefined;
  const worker = startThread("types-worker", import.meta.url);
  const failed = once(worker, "exit").then(() => {
    throw new Error("The thread that emits types ended without an answer");
  });
  // A failure matters only to a caller that waits for an answer.
  failed.catch(() => {});
  return {
    emitTypes: async (protocol) => {
      const { port1, port2 } = new MessageChannel();
      const answer = once(port1, "message");
      worker.postMessage({ protocol, port: port2 } satisfies TypesRequest, [port2]);
      try {
        const [file] = await Promise.race([answer, failed]);
        return file as OutputFile;
      } finally {
        // An open port would keep the process alive.
        port1.close();
      }
    },
    close: () => worker.terminate(),
  };
}
