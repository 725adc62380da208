/**
 * Emits types.ts and the catalogue on a thread of its own, while the main thread reads schemas and writes validators.
 * The libraries of types alone take as long to load as a small protocol takes to generate.
 */
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { OutputFile, Protocol } from "../protocol/protocol.js";
import { startThread } from "../thread.js";
import type { SeparateOutput } from "./emitter.js";

/** The message that the thread receives for each output. It answers on `port`. */
export interface EmitRequest {
  readonly output: SeparateOutput;
  readonly protocol: Protocol;
  readonly port: MessagePort;
}

/** A thread that emits. */
interface EmitThread {
  /** Emits one output of a protocol. Rejects if the thread fails or was closed. */
  emitSeparately(output: SeparateOutput, protocol: Protocol): Promise<OutputFile>;
  close(): Promise<unknown>;
}

/** Starts a thread that loads the libraries at once. Returns undefined where there is one processor only. */
export function startEmitThread(): EmitThread | undefined {
  if (availableParallelism() < 2) return undefined;
  const worker = startThread("emit-worker", import.meta.url);
  const failure = once(worker, "exit").then(() => {
    throw new Error("The thread that emits types and the catalogue ended without an answer");
  });
  // A failure matters only to a caller that waits for an answer.
  failure.catch(() => {});
  return {
    emitSeparately: async (output, protocol) => {
      const { port1, port2 } = new MessageChannel();
      const answer = once(port1, "message");
      worker.postMessage({ output, protocol, port: port2 } satisfies EmitRequest, [port2]);
      try {
        const [file] = await Promise.race([answer, failure]);
        return file;
      } finally {
        // An open port would keep the process alive.
        port1.close();
      }
    },
    close: () => worker.terminate(),
  };
}
