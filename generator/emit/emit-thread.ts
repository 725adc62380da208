/**
 * Emits types.ts and the catalogue on a thread of its own, while the main thread reads schemas and writes validators.
 * The libraries of types alone take as long to load as a small protocol takes to generate.
 */
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { Cache } from "../cache/cache.js";
import type { OutputFile, Protocol } from "../protocol/protocol.js";
import { startThread } from "../thread.js";
import type { Recordings } from "./catalog/recordings.js";
import type { EmitThread, SeparateOutput } from "./emitter.js";

/** A message to the thread, which answers on `port`: emit an output of a protocol, or save the pieces of the cache. */
export interface EmitRequest {
  readonly task:
    | { readonly output: SeparateOutput; readonly id: string; readonly recordings: Recordings }
    | "save pieces";
  /** The protocol with the id of the task, and of the next tasks. */
  readonly protocol?: Protocol;
  readonly port: MessagePort;
}

/** The answer to a request. */
export interface EmitAnswer {
  /** The files of the output; absent if none was asked for. */
  readonly files?: readonly OutputFile[];
  /** Sentences about entries of the cache that were ignored. */
  readonly notes: readonly string[];
}

/** A thread that emits, and that somebody has to close. */
export interface ClosableEmitThread extends EmitThread {
  /** Writes the pieces that the thread added to the cache. */
  savePieces(): Promise<void>;
  close(): Promise<unknown>;
}

/** Starts a thread that loads the libraries at once. It opens the cache itself. Returns undefined where there is one processor only. */
export function startEmitThread(cache: Cache | undefined): ClosableEmitThread | undefined {
  if (availableParallelism() < 2) return undefined;
  const worker = startThread("emit-worker", import.meta.url, cache?.settings);
  const failure = once(worker, "exit").then(() => {
    throw new Error("The thread that emits types and the catalogue ended without an answer");
  });
  // A failure matters only to a caller that waits for an answer.
  failure.catch(() => {});
  let isReady = false;
  worker.once("message", () => {
    isReady = true;
  });
  const sentProtocols = new WeakSet<Protocol>();
  const ask = async (task: EmitRequest["task"], protocol?: Protocol): Promise<EmitAnswer> => {
    const { port1, port2 } = new MessageChannel();
    const answer = once(port1, "message");
    const isNew = protocol !== undefined && !sentProtocols.has(protocol);
    if (isNew) sentProtocols.add(protocol);
    const request: EmitRequest = { task, port: port2, ...(isNew && { protocol }) };
    worker.postMessage(request, [port2]);
    try {
      const [received]: readonly EmitAnswer[] = await Promise.race([answer, failure]);
      for (const sentence of received?.notes ?? []) cache?.note(sentence);
      return received ?? { notes: [] };
    } finally {
      // An open port would keep the process alive.
      port1.close();
    }
  };
  return {
    emitSeparately: async (output, protocol, recordings) => {
      const { files } = await ask({ output, id: protocol.id, recordings }, protocol);
      if (files === undefined) throw new Error(`The thread did not emit ${output}`);
      return files;
    },
    isReady: () => isReady,
    savePieces: async () => void (await ask("save pieces")),
    close: () => worker.terminate(),
  };
}
