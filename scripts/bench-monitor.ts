/**
 * Measures `accrete monitor` on a topic of Kafka, in turns with a consumer that only parses: events per second of time and of
 * processor time, and the memory with many open streams. Needs Java and Maven.
 *
 *     npm run bench:monitor -- [--events 400000] [--streams 100000] [--rounds 3]
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Admin, Producer } from "@platformatic/kafka";
import { startKafka } from "../test/monitor/brokers/start-broker.js";
import { getCommand } from "../test/package/build.js";
import { generateCorpus } from "./corpus/corpus.js";

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "400000" },
    streams: { type: "string", default: "100000" },
    rounds: { type: "string", default: "3" },
  },
});
const PARTITIONS = 16;

const kafka = await startKafka();
if (kafka === undefined) process.exit(1);
const bootstrapBrokers = [kafka.address];
const folder = mkdtempSync(path.join(tmpdir(), "accrete-bench-"));

/** Creates a topic with these lines. Those of a stream are in one partition. */
async function send(topic: string, lines: Iterable<string>): Promise<number> {
  const admin = new Admin({ clientId: "bench", bootstrapBrokers });
  await admin.createTopics({ topics: [topic], partitions: PARTITIONS, replicas: 1 });
  await admin.close();
  const producer = new Producer({ clientId: "bench", bootstrapBrokers });
  let messages: { topic: string; key: Buffer; value: Buffer }[] = [];
  let count = 0;
  const flush = async (): Promise<void> => {
    if (messages.length > 0) await producer.send({ messages });
    messages = [];
  };
  for (const line of lines) {
    const [, run = ""] = /"run_id":"([^"]*)"/.exec(line) ?? [];
    messages.push({ topic, key: Buffer.from(run), value: Buffer.from(line) });
    if (++count % 2000 === 0) await flush();
  }
  await flush();
  await producer.close();
  return count;
}

function* take(lines: Iterable<string>, count: number): Generator<string> {
  let taken = 0;
  for (const line of lines) {
    if (taken++ === count) return;
    yield line;
  }
}

/** Yields the first event of many runs. */
function* beginRuns(count: number): Generator<string> {
  const [first = ""] = take(generateCorpus(1), 1);
  for (let run = 0; run < count; run++) {
    const end = run.toString().padStart(6, "0");
    yield first.replace(/"((?:run|evt)_\w{20})\w{6}"/g, `"$1${end}"`);
  }
}

/** Parses each message, and prints the number of messages now and then. */
const PARSER = `
import { Consumer } from "@platformatic/kafka";
const [broker, topic, group] = process.argv.slice(2);
const consumer = new Consumer({ clientId: "parser", groupId: group, bootstrapBrokers: [broker], autocommit: false });
const stream = await consumer.consume({ topics: [topic], mode: "earliest" });
let count = 0;
setInterval(() => console.log(count), 100);
stream.on("data", ({ value }) => { JSON.parse(value.toString()); count++; });
`;

/** A point in time at which some events were checked. */
interface Progress {
  readonly at: number;
  readonly cpu: number;
  readonly count: number;
}

/** The seconds of processor time that a process has used. */
function readCpu({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/.*\) /, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Waits until all events were checked. Returns the rates between the first fifth of the events and the last one. */
async function watch(
  child: ChildProcess,
  total: number,
  readCount: () => Promise<number>,
): Promise<{ readonly perSecond: number; readonly perCpuSecond: number }> {
  const seen: Progress[] = [];
  for (let count = 0; count < total; await pause(100)) {
    count = await readCount();
    seen.push({ at: performance.now() / 1000, cpu: readCpu(child), count });
    if (child.exitCode !== null) throw new Error(`exit code ${child.exitCode}`);
  }
  const begin = seen.find(({ count }) => count >= total / 5) as Progress;
  const end = seen.at(-1) as Progress;
  const events = end.count - begin.count;
  return { perSecond: events / (end.at - begin.at), perCpuSecond: events / (end.cpu - begin.cpu) };
}

async function stop(child: ChildProcess): Promise<void> {
  const closed = once(child, "close");
  child.kill("SIGTERM");
  await closed;
}

let groups = 0;

function startMonitor(topic: string): {
  readonly child: ChildProcess;
  readonly metrics: () => Promise<string>;
} {
  const group = `monitor-${groups++}`;
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  const argv = [
    "monitor",
    "--kafka",
    `kafka://${kafka?.address}/${topic}?group=${group}`,
    "--profile",
    "writer",
  ];
  const state = ["--state", path.join(folder, group), "--listen", String(port), "--protocol", "hecate/v1"];
  const child = spawn(process.execPath, [getCommand(), ...argv, ...state], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const metrics = (): Promise<string> =>
    fetch(`http://127.0.0.1:${port}/metrics`).then(
      (response) => response.text(),
      () => "",
    );
  return { child, metrics };
}

function sumSamples(text: string, name: string): number {
  const samples = text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, "gm"));
  return [...samples].reduce((sum, [, value]) => sum + Number(value), 0);
}

try {
  const total = await send("events", take(generateCorpus(1), Number(values.events)));
  const rows: object[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    const argv = ["--input-type=module", "-e", PARSER, "-", kafka.address, "events", `parser-${round}`];
    const parser = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"] });
    let parsed = 0;
    parser.stdout?.on("data", (text) => {
      parsed = Number(String(text).trim().split("\n").at(-1));
    });
    rows.push({ what: "parses only", ...(await watch(parser, total, async () => parsed)) });
    await stop(parser);
    const { child, metrics } = startMonitor("events");
    const count = async (): Promise<number> => sumSamples(await metrics(), "accrete_events_total");
    rows.push({ what: "monitor", ...(await watch(child, total, count)) });
    await stop(child);
  }
  console.table(rows);
  const streams = await send("open", beginRuns(Number(values.streams)));
  const { child, metrics } = startMonitor("open");
  await watch(child, streams, async () => sumSamples(await metrics(), "accrete_events_total"));
  await pause(5000);
  const open = sumSamples(await metrics(), "accrete_open_streams");
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  const megabytes = (name: string): string =>
    (Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024).toFixed(0);
  console.log(`${open} open streams: ${megabytes("VmRSS")} MB resident, ${megabytes("VmHWM")} MB at most`);
  await stop(child);
} finally {
  await kafka.stop();
  rmSync(folder, { recursive: true });
}
