/**
 * Validates with several threads: each reads all inputs and validates its share of the streams. Their findings are
 * merged into the order in which one thread finds them. If that cannot be guaranteed, one thread repeats the work.
 */
import type { Worker } from "node:worker_threads";
import type { Finding } from "../finding.js";
import { detectFormat } from "../ingest/input-format.js";
import type { Input } from "../ingest/place.js";
import { readHead } from "../io.js";
import { startThread } from "../thread.js";
import { type Outcome, type RunIo, type RunOptions, runSession } from "./run.js";
import { ShareError } from "./session.js";
import { createSharedIds, type IdBatch } from "./shared-ids.js";
import { addStats } from "./stats.js";
import { addTally, type OrderedFinding, sortFindings } from "./tally.js";

/** The task of a worker, which loads the protocols itself. */
export interface WorkerTask extends Omit<RunOptions, "validators"> {
  readonly schemas: string;
  readonly protocol: string | undefined;
  readonly limit: number;
}

/** The answer of a worker. */
export type WorkerAnswer =
  | { readonly outcome: Outcome; readonly found: readonly OrderedFinding[] }
  | "wrong share";

/** A message of a worker: some of the ids that it read, or its answer. */
export type WorkerMessage = WorkerAnswer | { readonly ids: IdBatch };

/**
 * Returns the merged results of several threads; undefined if one thread has to validate the inputs. This thread calls
 * `load`, while the others load the protocols themselves.
 */
export async function runThreads(
  task: WorkerTask,
  load: () => Promise<RunOptions["validators"]>,
  io: Pick<RunIo, "stdin" | "reportProgress">,
): Promise<{ readonly outcome: Outcome; readonly findings: readonly Finding[] } | undefined> {
  if (!task.inputs.every(canShare)) return undefined;
  const workers = Array.from({ length: task.threads - 1 }, (_, index) =>
    startThread("worker", import.meta.url, { ...task, thread: index + 1 } satisfies WorkerTask),
  );
  const sharedIds = createSharedIds(task.threads);
  const otherAnswers = workers.map((worker, index) =>
    receiveAnswer(worker, (batch) => sharedIds.add(index + 1, batch)),
  );
  const reportIds = (batch: IdBatch): void => sharedIds.add(0, batch);
  const answers = await Promise.all([runOwnPart(task, load, { ...io, reportIds }), ...otherAnswers]).catch(
    async (error) => {
      await Promise.allSettled([...workers.map((worker) => worker.terminate()), ...otherAnswers]);
      throw error;
    },
  );
  const parts = answers.filter((answer) => answer !== "wrong share");
  const [first, ...rest] = parts;
  if (first === undefined || parts.length < answers.length || sharedIds.hasConflict()) return undefined;
  for (const { outcome } of rest) {
    addTally(first.outcome.tally, outcome.tally);
    if (first.outcome.stats && outcome.stats) addStats(first.outcome.stats, outcome.stats);
  }
  return { outcome: first.outcome, findings: sortFindings(parts.flatMap(({ found }) => found)) };
}

/** The number of bytes of a file from which its format is detected. */
const FORMAT_HEAD_BYTES = 131_072;

/** Returns whether threads can share an input: only lines can be assigned without parsing, and only files can be read several times. */
function canShare({ file, isRereadable }: Input): boolean {
  if (file === undefined || !isRereadable) return false;
  try {
    const head = readHead(file, FORMAT_HEAD_BYTES);
    return detectFormat(file, head, head.length < FORMAT_HEAD_BYTES) === "lines";
  } catch {
    // The single thread reports why the file cannot be read.
    return false;
  }
}

/** Validates the share of this thread. Keeps as many findings as may be printed. */
export async function runPart(
  task: WorkerTask,
  validators: RunOptions["validators"],
  io: Pick<RunIo, "stdin" | "reportProgress" | "reportIds">,
): Promise<WorkerAnswer> {
  const found: OrderedFinding[] = [];
  const hasRoom = (): boolean => task.limit === 0 || found.length < task.limit;
  try {
    const outcome = await runSession(
      { ...task, validators },
      {
        ...io,
        hasRoom,
        report: (finding) => {
          if (hasRoom()) found.push(finding);
        },
      },
    );
    return { outcome, found };
  } catch (error) {
    if (error instanceof ShareError) return "wrong share";
    throw error;
  }
}

async function runOwnPart(
  task: WorkerTask,
  load: () => Promise<RunOptions["validators"]>,
  io: Parameters<typeof runPart>[2],
): Promise<WorkerAnswer> {
  return runPart(task, await load(), io);
}

function receiveAnswer(worker: Worker, addIds: (batch: IdBatch) => void): Promise<WorkerAnswer> {
  return new Promise((resolve, reject) => {
    worker.on("message", (message: WorkerMessage) => {
      if (typeof message === "object" && "ids" in message) addIds(message.ids);
      else resolve(message);
    });
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("A thread ended without an answer.")));
  });
}
