/** Runs in a worker thread. Validates its share of the streams and posts the result. */
import { parentPort, workerData } from "node:worker_threads";
import { loadProtocols } from "../load/load-protocols.js";
import { createValidators } from "../validators/protocol-validators.js";
import { runPart, type WorkerMessage, type WorkerTask } from "./threads.js";

const task: WorkerTask = workerData;
const { protocols } = await loadProtocols(task.schemas, task.protocol === undefined ? [] : [task.protocol], {
  examples: false,
});
const emptyStdin = (async function* () {})();
const answer = await runPart(task, protocols.map(createValidators), {
  stdin: emptyStdin,
  reportProgress: () => {},
  reportIds: (ids) => parentPort?.postMessage({ ids } satisfies WorkerMessage),
});
parentPort?.postMessage(answer);
