/**
 * Measures what a consumer in another process costs the kit. Consumers of one design (test/kit/consumers/reducer.ts, and
 * test/kit-process in other languages) keep the same laws with the same seed and runs: in this process, and as adapters
 * that `accrete kit --command` starts. Fails if a row takes more than 3 times the processor time of the first.
 *
 *     npm run bench:kit -- [--runs 20] [--rounds 1]
 *
 * Each row runs in a Node process of its own. The rows take turns, and the best round of each counts. The time begins when
 * the kit is loaded; it contains the start of the adapter, not its compilation. The processor time is that of the kit and
 * of the adapter. That of the adapter is read from /proc, so the script runs on Linux only. A language whose tools are
 * missing is left out.
 */
import { fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { EXIT, type Io } from "../generator/io.js";
import type { KitProtocol } from "../generator/kit/kit-protocol.js";
import { createAdapterAccess } from "../generator/kit-process/adapter-access.js";
import { connectAdapter } from "../generator/kit-process/remote-adapter.js";
import { runLaws } from "../generator/kit-process/run-laws.js";
import { withTemporaryFolder, writeFiles } from "../test/folders.js";
import { reducerAdapter } from "../test/kit/consumers/reducer.js";
import { addOlderRelease } from "../test/kit/planted.js";
import { buildGoConsumers } from "../test/kit-process/build-go.js";
import { buildRustConsumers } from "../test/kit-process/build-rust.js";
import { describeProtocol, writePythonAdapter } from "../test/kit-process/plant-python.js";
import { buildAdapter } from "../test/kit-process/serve-adapter.js";

const { values: options } = parseArgs({
  options: {
    runs: { type: "string", default: "20" },
    rounds: { type: "string", default: "1" },
    // Set by this script for its own processes: the command of an adapter; empty for the consumer in the process.
    command: { type: "string" },
  },
});

/** The greatest processor time, as a multiple of that of the consumer in the process. */
const MAX_RATIO = 3;

/** The milliseconds after which an adapter is silent. */
const TIMEOUT = 60_000;

/** The cost of one row. Times are in seconds. */
interface Cost {
  readonly wall: number;
  /** The processor time of the kit, and of the consumer if it is in the same process. */
  readonly kit: number;
  /** The processor time of the adapter; 0 without one. */
  readonly adapter: number;
  /** The ids of the laws that were checked. */
  readonly laws: readonly string[];
}

/** A consumer, and the command that starts its adapter. */
interface Row {
  readonly name: string;
  readonly command: string;
}

const protocol: KitProtocol = addOlderRelease();

/** The clock ticks in a second, of which /proc counts the processor time. */
const TICKS = 100;

/** Returns the processor time of a process in seconds; 0 if the process has ended. */
function readProcessorTime(pid: number): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 0;
  // The name of the program is in parentheses and may hold spaces. The 12th and 13th field after it are user and system time.
  const fields = readFileSync(file, "latin1").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** Returns an adapter of the consumer in this process. As for a remote one, laws about original events are not checked. */
function createLocalAdapter() {
  return { ...reducerAdapter(protocol), receivesCopies: true, close: () => {} };
}

/** Starts the adapter of a command. `addTime` is called with its processor time when it ends. */
function startAdapter(command: string, addTime: (seconds: number) => void) {
  const io: Io = {
    stdout: () => {},
    stderr: (text) => void process.stderr.write(text),
    stdin: (async function* () {})(),
    colors: false,
    showsProgress: false,
    pid: process.pid,
    isRunning: () => true,
    killGroup(leader) {
      addTime(readProcessorTime(leader));
      process.kill(-leader, "SIGKILL");
    },
    waitForStopSignal: async () => undefined,
  };
  return connectAdapter(createAdapterAccess({ command }, TIMEOUT, io), protocol);
}

/** Checks all laws on the consumer in this process, or on that of a command. Throws if one is not kept. */
async function measureLaws(command: string): Promise<Cost> {
  let adapterTime = 0;
  const addTime = (seconds: number): void => {
    adapterTime += seconds;
  };
  const usage = process.cpuUsage();
  const start = performance.now();
  const adapter = command === "" ? createLocalAdapter() : await startAdapter(command, addTime);
  const runs = Number(options.runs);
  const { results } = await runLaws(adapter, { protocol, seed: 1, runs, repeatCommand: () => "" });
  adapter.close();
  const wall = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(usage);
  const broken = results.filter(({ outcome }) => outcome !== "kept" && outcome !== "skipped");
  for (const { id, reason } of broken) throw new Error(`${id}: ${reason}`);
  const laws = results.filter(({ outcome }) => outcome === "kept").map(({ id }) => id);
  return { wall, kit: (user + system) / 1e6, adapter: adapterTime, laws };
}

/** Measures a row in a process of its own. */
async function measureRow({ name, command }: Row): Promise<Cost> {
  const args = ["--command", command, "--runs", options.runs];
  const child = fork(import.meta.filename, args, { execArgv: process.execArgv });
  const [cost] = await Promise.race([once(child, "message"), once(child, "exit")]);
  if (typeof cost !== "object") throw new Error(`${name} could not be measured`);
  return cost as Cost;
}

/** Returns the row with the least processor time in several rounds, for each row. */
async function measureRows(rows: readonly Row[]): Promise<Cost[]> {
  const best: Cost[] = [];
  for (let round = 0; round < Number(options.rounds); round++)
    for (const [index, row] of rows.entries()) {
      const cost = await measureRow(row);
      const known = best[index];
      if (known === undefined || addTimes(cost) < addTimes(known)) best[index] = cost;
    }
  return best;
}

function addTimes({ kit, adapter }: Cost): number {
  return kit + adapter;
}

function isInstalled(program: string, parameter: string): boolean {
  const { error, status } = spawnSync(program, [parameter]);
  if (error === undefined && status === 0) return true;
  console.warn(`${program} is absent: its language is not measured`);
  return false;
}

/** Writes and compiles the adapters of all languages whose tools are there. */
async function prepareRows(folder: string): Promise<Row[]> {
  const file = path.join(folder, "protocol.json");
  writeFiles(folder, { "protocol.json": JSON.stringify(describeProtocol(protocol)) });
  const rows: Row[] = [
    { name: "JavaScript, in the process", command: "" },
    { name: "JavaScript", command: `exec ${await buildAdapter(folder, { in: "reducer" })}` },
  ];
  if (isInstalled("go", "version"))
    rows.push({ name: "Go", command: `PROTOCOL="${file}" exec "${buildGoConsumers(folder).reducer}"` });
  if (isInstalled("cargo", "--version"))
    rows.push({
      name: "Rust",
      command: `PROTOCOL="${file}" exec "${buildRustConsumers("release").reducer}"`,
    });
  if (isInstalled("python3", "--version"))
    rows.push({ name: "Python", command: writePythonAdapter(folder, "reducer", protocol) });
  return rows;
}

/** Prints the costs and their ratios to the first row. Returns the names of the rows that cost too much. */
function printCosts(rows: readonly Row[], costs: readonly Cost[]): string[] {
  const [first] = costs as [Cost];
  console.log("| consumer | laws | × processor time | seconds | of these, the kit | × wall | seconds |");
  console.log("|---|---:|---:|---:|---:|---:|---:|");
  for (const [index, cost] of costs.entries()) {
    const { kit, wall, laws } = cost;
    const ratio = (addTimes(cost) / addTimes(first)).toFixed(2);
    const wallRatio = (wall / first.wall).toFixed(2);
    const seconds = `${addTimes(cost).toFixed(1)} | ${kit.toFixed(1)} | ${wallRatio} | ${wall.toFixed(1)}`;
    console.log(`| ${rows[index]?.name} | ${laws.length} | ${ratio} | ${seconds} |`);
  }
  const isSlow = (cost: Cost): boolean => addTimes(cost) > MAX_RATIO * addTimes(first);
  return rows.filter((_, index) => isSlow(costs[index] as Cost)).map(({ name }) => name);
}

async function compareLanguages(folder: string): Promise<void> {
  const rows = await prepareRows(folder);
  const costs = await measureRows(rows);
  const slow = printCosts(rows, costs);
  const differing = rows.filter((_, index) => String(costs[index]?.laws) !== String(costs[0]?.laws));
  if (differing.length > 0)
    console.error(`Other laws are checked for ${differing.map(({ name }) => name).join(", ")}.`);
  if (slow.length > 0) console.error(`More than ${MAX_RATIO} times the processor time: ${slow.join(", ")}.`);
  if (differing.length + slow.length > 0) process.exitCode = EXIT.findings;
}

if (process.platform !== "linux")
  throw new Error("The processor time of adapters is measured on Linux only.");
if (options.command === undefined) await withTemporaryFolder(compareLanguages);
else {
  const cost = await measureLaws(options.command);
  process.send?.(cost);
}
