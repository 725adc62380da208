/** Runs in the thread that `startEmitThread` starts. Answers each request on its port. */
import { parentPort, workerData } from "node:worker_threads";
import { type CacheSettings, openCache } from "../cache/cache.js";
import { emitCatalog } from "./catalog/catalog.js";
import type { EmitAnswer, EmitRequest } from "./emit-thread.js";
import { emitTypes } from "./typescript/types.js";

const EMITTERS = { types: emitTypes, catalog: emitCatalog };

const settings: CacheSettings | undefined = workerData;
let notes: string[] = [];
const cache = settings && openCache(settings, (sentence) => notes.push(sentence));

parentPort?.on("message", async ({ task, port }: EmitRequest) => {
  if (task === "save pieces") cache?.savePieces();
  const file = task === "save pieces" ? undefined : await EMITTERS[task.output](task.protocol, cache);
  port.postMessage({ notes, ...(file && { file }) } satisfies EmitAnswer);
  notes = [];
  port.close();
});
