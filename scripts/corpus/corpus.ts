import { type CorpusRandom, createCorpusRandom } from "./random.js";
import { generateRun } from "./run.js";
import { formatTimestamp, type Run, type Step, type Task } from "./step.js";

/** A run with the event that it will write next. */
interface OpenRun {
  readonly run: Run;
  readonly steps: Generator<Step>;
  next: Step | undefined;
  at: number;
}

/** The number of runs that write at the same time. It also limits the memory. */
const OPEN_RUNS = 12;
const START = Date.UTC(2026, 4, 3, 10);

/**
 * Generates lines of hecate/v1 events without end: runs interleaved by the server's clock, valid for writers, without
 * violations of stream rules. They depend on the seed only.
 */
export function* generateCorpus(seed: number): Generator<string> {
  const random = createCorpusRandom(seed);
  const open = Array.from({ length: OPEN_RUNS }, () => beginRun(random, START + random.between(0, 5000)));
  for (;;) {
    const slot = findEarliest(open);
    const { run, next, at } = open[slot] as OpenRun;
    if (next === undefined) open[slot] = replaceRun(random, open[slot] as OpenRun);
    else {
      yield formatLine(run, next, at);
      advance(open[slot] as OpenRun);
    }
  }
}

function findEarliest(open: readonly OpenRun[]): number {
  let best = 0;
  for (let i = 1; i < open.length; i++) if ((open[i] as OpenRun).at < (open[best] as OpenRun).at) best = i;
  return best;
}

function beginRun(random: CorpusRandom, now: number, prior?: Run): OpenRun {
  const task = prior?.task ?? createTask(random, now);
  const from = prior && { id: prior.id, sequence: prior.sequence - 1, cost: task.cost };
  const model = random.pick(["claude-sonnet-4-5", "gpt-5-mini"]);
  const counters = {
    now,
    sequence: 0,
    lastId: `evt_${random.ulid(now)}`,
    turn: 0,
    cost: 0,
    isRejected: false,
  };
  const run: Run = { random, task, id: `run_${random.ulid(now)}`, prior: from, model, ...counters };
  const open: OpenRun = { run, steps: generateRun(run), next: undefined, at: now };
  advance(open);
  return open;
}

function createTask(random: CorpusRandom, now: number): Task {
  const session = random.chance(0.7) ? `chat_${random.ulid(now)}` : undefined;
  const budget = random.between(20, 200) * 1000;
  return { id: `task_${random.ulid(now)}`, session, budget, cost: 0, input: 0, output: 0 };
}

/** Returns the run that takes the place of a finished one: sometimes a continuation of it. */
function replaceRun(random: CorpusRandom, { run }: OpenRun): OpenRun {
  const now = run.now + random.between(100, 20_000);
  return beginRun(random, now, random.chance(0.15) && run.task.cost < run.task.budget ? run : undefined);
}

function advance(open: OpenRun): void {
  const { done, value } = open.steps.next();
  open.next = done ? undefined : (value as Step);
  open.at = open.run.now + (open.next?.[2] ?? 0);
}

function formatLine(run: Run, [type, data]: Step, at: number): string {
  run.now = at;
  run.lastId = `evt_${run.random.ulid(at)}`;
  const { task } = run;
  return JSON.stringify({
    schema_version: "1",
    event_id: run.lastId,
    run_id: run.id,
    task_id: task.id,
    session_id: task.session,
    sequence: run.sequence++,
    occurred_at: formatTimestamp(at),
    type,
    data,
  });
}
