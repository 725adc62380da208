/** Runs in the thread that `startEmitThread` starts. Answers each request with one file. */
import { parentPort } from "node:worker_threads";
import { emitCatalog } from "./catalog/catalog.js";
import type { EmitRequest } from "./emit-thread.js";
import { emitTypes } from "./typescript/types.js";

const EMITTERS = { types: emitTypes, catalog: emitCatalog };

parentPort?.on("message", async ({ output, protocol, port }: EmitRequest) => {
  port.postMessage(await EMITTERS[output](protocol));
  port.close();
});
