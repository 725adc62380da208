/** Reads Parquet files on a thread of its own, while the main thread validates their events. */
import { on } from "node:events";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { Input, LineRange } from "../ingest/place.js";
import { UnreadableInput } from "../ingest/read-input.js";
import { startThread } from "../thread.js";
import { importDuckdb } from "./database.js";
import type { ParquetForm } from "./parquet-input.js";

/** The data of the thread. */
export interface ParquetTask extends ParquetForm {
  /** The bytes that DuckDB may hold in memory. */
  readonly memory: number;
}

/** The message that the thread receives for each file. For every piece that is read from `port`, it expects a message there. */
export interface ParquetRequest {
  readonly file: string;
  readonly lines: readonly LineRange[];
  readonly port: MessagePort;
}

/** Pieces of the rows, the reason why there are no more, or the end of the file. */
export type ParquetAnswer = { readonly rows: readonly Uint8Array[] } | { readonly reason: string } | "end";

/** A thread that reads Parquet files. */
export interface ParquetThread {
  /** Turns the file of an input into its rows. */
  openInput(input: Input): Input;
  close(): Promise<unknown>;
}

/**
 * Starts a thread that reads Parquet files.
 * @throws UsageError if DuckDB is not installed.
 */
export async function startParquetThread(task: ParquetTask): Promise<ParquetThread> {
  // The thread loads DuckDB at the same time.
  const worker = startThread("parquet-worker", import.meta.url, task);
  const failure = new AbortController();
  worker.once("error", (error) => failure.abort(error));
  await importDuckdb("read Parquet files").catch(async (error) => {
    await worker.terminate();
    throw error;
  });
  return {
    openInput: ({ index, name, file = name }) => {
      const open = async function* (
        lines: readonly LineRange[] = [{ first: 1, last: Infinity }],
      ): AsyncGenerator<Uint8Array> {
        const { port1, port2 } = new MessageChannel();
        worker.postMessage({ file, lines, port: port2 } satisfies ParquetRequest, [port2]);
        try {
          for await (const [answer] of on(port1, "message", { signal: failure.signal })) {
            if (answer === "end") return;
            if ("reason" in answer) throw new UnreadableInput(answer.reason);
            port1.postMessage("next");
            yield* answer.rows;
          }
        } finally {
          port1.close();
        }
      };
      return { index, name, format: "lines", open };
    },
    close: () => worker.terminate(),
  };
}
