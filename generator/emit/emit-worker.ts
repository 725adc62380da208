/** Runs in the thread that `startEmitThread` starts. Answers each request on its port. */
import { parentPort, workerData } from "node:worker_threads";
import { openCache } from "../cache/cache.js";
import type { CacheSettings } from "../cache/entries.js";
import type { OutputFile, Protocol } from "../protocol/protocol.js";
import { emitCatalog } from "./catalog/catalog.js";
import type { EmitAnswer, EmitRequest } from "./emit-thread.js";
import { loadTsMorph } from "./typescript/type-libraries.js";
import { emitTypes } from "./typescript/types.js";

const settings: CacheSettings | undefined = workerData;
let notes: string[] = [];
const cache = settings && openCache(settings, (sentence) => notes.push(sentence));
const protocols = new Map<string, Protocol>();

async function emit({ task, protocol }: EmitRequest): Promise<readonly OutputFile[] | undefined> {
  if (protocol) protocols.set(protocol.id, protocol);
  if (task === "save pieces") {
    cache?.savePieces();
    return undefined;
  }
  const target = protocols.get(task.id);
  if (target === undefined) return undefined;
  return task.output === "types"
    ? [await emitTypes(target, cache)]
    : emitCatalog(target, task.recordings, cache);
}

parentPort?.on("message", async (request: EmitRequest) => {
  const files = await emit(request);
  request.port.postMessage({ notes, ...(files && { files }) } satisfies EmitAnswer);
  notes = [];
  request.port.close();
});

// Most runs need the library, and the main thread is still reading schemas.
loadTsMorph();
parentPort?.postMessage("ready");
