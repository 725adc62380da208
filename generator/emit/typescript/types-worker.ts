/** The thread behind `startTypesThread`: answers each protocol with its types.ts. */
import { parentPort } from "node:worker_threads";
import { emitTypes } from "./types.js";
import type { TypesRequest } from "./types-thread.js";

parentPort?.on("message", async ({ protocol, port }: TypesRequest) => {
  port.postMessage(await emitTypes(protocol));
  port.close();
});
