/** Runs in the thread that `startParquetThread` starts. Answers each request with the rows of a file. */
import { on } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { openMemoryDatabase } from "./database.js";
import { readParquetRows } from "./parquet-input.js";
import type { ParquetAnswer, ParquetRequest, ParquetTask } from "./parquet-thread.js";

const task: ParquetTask = workerData;

/**
 * The number of pieces, of about a megabyte each, that are read before the first one is validated. DuckDB decodes many of
 * them at once, so that a few would leave the main thread without work in between.
 */
const PIECES_AHEAD = 32;

const opening = openMemoryDatabase(task.memory);

parentPort?.on("message", async ({ file, lines, port }: ParquetRequest) => {
  const requests = on(port, "message", { close: ["close"] });
  const answer = (message: ParquetAnswer, transferred: readonly ArrayBuffer[] = []): void =>
    port.postMessage(message, transferred);
  let count = 0;
  try {
    for await (const rows of readParquetRows(await opening, file, task, lines)) {
      if (++count > PIECES_AHEAD && (await requests.next()).done) return;
      answer(
        { rows },
        rows.map(({ buffer }) => buffer as ArrayBuffer),
      );
    }
    answer("end");
  } catch (error) {
    answer({ reason: error instanceof Error ? error.message : String(error) });
  }
});
