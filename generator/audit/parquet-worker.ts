/** Runs in the thread that `startParquetThread` starts. Answers each request with the rows of a file. */
import { on } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { openMemoryDatabase } from "./database.js";
import { readParquetRows } from "./parquet-input.js";
import type { ParquetAnswer, ParquetRequest, ParquetTask } from "./parquet-thread.js";

const task: ParquetTask = workerData;

/**
 * The bytes of rows that are read before they are validated. DuckDB decodes many rows at once, so that a few would leave the main
 * thread without work in between.
 */
const BYTES_AHEAD = 32e6;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

const opening = openMemoryDatabase(task.memory);

/** The end of the last request. DuckDB reads one file at a time, and a request that nobody reads any more ends later than that. */
let last: Promise<void> = Promise.resolve();

parentPort?.on("message", (request: ParquetRequest) => {
  // What the main thread asks for, until it needs no more.
  const demands = on(request.port, "message", { close: ["close"] });
  last = last.then(() => answerRequest(request, demands));
});

async function answerRequest(
  { file, lines, port }: ParquetRequest,
  demands: AsyncIterator<unknown>,
): Promise<void> {
  const answer = (message: ParquetAnswer, transferred: readonly ArrayBuffer[] = []): void =>
    port.postMessage(message, transferred);
  /** The bytes of each answer that was not asked to go on after, oldest first. */
  const ahead: number[] = [];
  try {
    for await (const rows of readParquetRows(await opening, file, task, lines)) {
      while (sum(ahead) > BYTES_AHEAD) {
        if ((await demands.next()).done) return;
        ahead.shift();
      }
      ahead.push(sum(rows.map(({ length }) => length)));
      answer(
        { rows },
        rows.map(({ buffer }) => buffer as ArrayBuffer),
      );
    }
    answer("end");
  } catch (error) {
    answer({ reason: error instanceof Error ? error.message : String(error) });
  }
}
