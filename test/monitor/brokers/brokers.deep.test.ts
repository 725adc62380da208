/**
 * If this fails, `accrete monitor` loses events or findings of Kafka or NATS when it is killed, or when partitions move to
 * another monitor. `ACCRETE_TEST_BROKERS=1000000` sets the number of events.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { Admin, Producer } from "@platformatic/kafka";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createStreamChecker } from "../../../generator/conform/protocol-checker.js";
import { groupBy } from "../../../generator/group-by.js";
import type { Protocol } from "../../../generator/protocol/protocol.js";
import { createRandom } from "../../../generator/random.js";
import { writeFaultyArchive } from "../../../scripts/corpus/faulty-archive.js";
import { reportFindings } from "../../audit/archive.js";
import { validators } from "../../conform/check-stream.js";
import { getCommand } from "../../package/build.js";
import { startKafka, startNats } from "./start-broker.js";

const EVENTS = Number(process.env.ACCRETE_TEST_BROKERS ?? 20_000);
const PARTITIONS = 8;
const [KILLS, RUNS_PER_FAULT] = process.env.ACCRETE_TEST_BROKERS === undefined ? [2, 2] : [10, 20];
/** The runs whose events take turns. */
const RUNS_AT_ONCE = 40;

const protocol = (validators.get("hecate/v1") as { protocol: Protocol }).protocol;
const kafka = await startKafka();
const nats = await startNats();

let folder: string;
/** The lines of the archive as bytes, because some are not UTF-8. */
let lines: readonly Buffer[];
let expected: readonly string[];
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "accrete-brokers-"));
  writeFaultyArchive({
    folder,
    events: EVENTS,
    files: 1,
    seed: 43,
    runsPerFault: RUNS_PER_FAULT,
    isInOrder: true,
  });
  const file = path.join(folder, "000.jsonl");
  const archived = splitLines(readFileSync(file));
  lines = interleave(archived);
  const findings = await reportFindings("audit", file, "--protocol", "hecate/v1", "--profile", "writer");
  expected = distinct(
    findings.map(({ rule, message, at }) => describeFinding(rule, message, archived[at.line - 1])),
  );
  expect(expected.length).toBeGreaterThan(10);
});
afterAll(async () => {
  await Promise.all([kafka?.stop(), nats?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

const LF = 0x0a;

function splitLines(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(LF, start);
    found.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return found;
}

function readRun(line: Buffer): string {
  return /"run_id":"([^"]*)"/.exec(line.toString("latin1"))?.[1] ?? "";
}

/** Lets the events of some runs at a time take turns. */
function interleave(archived: readonly Buffer[]): Buffer[] {
  const random = createRandom(7);
  const runs = [...groupBy(archived, readRun).values()];
  const open: Buffer[][] = [];
  const mixed: Buffer[] = [];
  while (mixed.length < archived.length) {
    while (open.length < RUNS_AT_ONCE && runs.length > 0) open.push((runs.shift() as Buffer[]).reverse());
    const at = random.between(0, open.length - 1);
    mixed.push((open[at] as Buffer[]).pop() as Buffer);
    if (open[at]?.length === 0) open.splice(at, 1);
  }
  return mixed;
}

/** Describes a finding without the place of its line, and without the digits of a number that JavaScript cannot hold. */
const describeFinding = (rule: string, message: string, line: Buffer | undefined): string =>
  `${rule}: ${message.replace(/\(byte \d+: |sequence is 9007.*$/, "")} in ${line?.toString("latin1")}`;

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)].sort();

/** A process, and what it writes to the standard error. */
interface Monitor {
  readonly process: ChildProcess;
  readErrors(): string;
}

/** The monitors of a test, which share the folder of their states. */
interface Monitors {
  start(): Monitor;
  /** Returns what was found: in the output of all processes, and at the end of the streams in all states. */
  collect(find: (input: string, number: number) => Buffer | undefined): string[];
  /** Returns the positions of all inputs. */
  readPositions(): number[];
}

function createMonitors(name: string, ...source: readonly string[]): Monitors {
  const place = mkdtempSync(path.join(folder, name));
  const outputs: string[] = [];
  const state = path.join(place, "state.json");
  const readStates = () =>
    readdirSync(place)
      .filter((each) => each.startsWith("state.json") && !each.endsWith(".new"))
      .map((each) => JSON.parse(readFileSync(path.join(place, each), "utf8")));
  return {
    start() {
      const output = path.join(place, `output-${outputs.length}`);
      outputs.push(output);
      const argv = ["monitor", ...source, "--state", state, "--protocol", "hecate/v1", "--profile", "writer"];
      const errors = `${output}-errors`;
      const stdio = ["ignore" as const, openSync(output, "w"), openSync(errors, "w")];
      return {
        process: spawn(process.execPath, [getCommand(), ...argv], { stdio }),
        readErrors: () => readFileSync(errors, "utf8"),
      };
    },
    readPositions: () =>
      readStates().flatMap(({ positions }) =>
        positions.map(([, { offset }]: [string, { offset: number }]) => offset),
      ),
    collect(find) {
      const printed = outputs.flatMap((output) =>
        readFileSync(output, "utf8")
          // The last line of a process that was killed may be cut.
          .replace(/[^\n]*$/, "")
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => JSON.parse(line))
          .map(({ rule, message, at }) => describeFinding(rule, message, find(at.file, at.line))),
      );
      const atEnd = readStates().flatMap(({ positions, checkers }) => {
        const checker = createStreamChecker(protocol, { profile: "writer", state: checkers["hecate/v1"] });
        const names = positions.map(([input]: [string]) => input);
        return checker
          .end()
          .map(({ index, rule, message }) =>
            describeFinding(rule, message, find(names[Math.floor(index / 2 ** 40)], index % 2 ** 40)),
          );
      });
      return distinct([...printed, ...atEnd]);
    },
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

async function end(monitor: Monitor, signal: NodeJS.Signals): Promise<void> {
  const closed = once(monitor.process, "close");
  monitor.process.kill(signal);
  await closed;
}

/** Waits until `isTrue`, unless the monitor ends before. */
async function waitUntil({ process, readErrors }: Monitor, isTrue: () => boolean): Promise<void> {
  while (!isTrue()) {
    expect([process.exitCode, readErrors()]).toEqual([null, expect.anything()]);
    await pause(100);
  }
}

/** Starts a monitor, and returns the answers of `/ready` until it is ready. */
async function collectStatuses(monitors: Monitors): Promise<number[]> {
  const monitor = monitors.start();
  const findUrl = (): string | undefined => /http:\S+/.exec(monitor.readErrors())?.[0];
  await waitUntil(monitor, () => findUrl() !== undefined);
  const statuses: number[] = [];
  while (statuses.at(-1) !== 200) {
    statuses.push((await fetch(`${findUrl()}/ready`)).status);
    await pause(50);
  }
  await end(monitor, "SIGTERM");
  return statuses;
}

describe.runIf(kafka)("Kafka", () => {
  const bootstrapBrokers = [kafka?.address ?? ""];

  it("is ready when the monitor has joined its group", async () => {
    const admin = new Admin({ clientId: "test", bootstrapBrokers });
    await admin.createTopics({ topics: ["quiet"], partitions: 1, replicas: 1 });
    await admin.close();
    const address = `kafka://${kafka?.address}/quiet?group=ready`;
    const monitors = createMonitors("ready", "--kafka", address, "--listen", "0");
    expect((await collectStatuses(monitors)).at(-1)).toBe(200);
  });

  it(
    "gives the findings of audit, though monitors are killed and partitions move",
    async () => {
      const random = createRandom(1);
      const admin = new Admin({ clientId: "test", bootstrapBrokers });
      await admin.createTopics({ topics: ["events"], partitions: PARTITIONS, replicas: 1 });
      await admin.close();
      const producer = new Producer({ clientId: "test", bootstrapBrokers });
      const sent: Buffer[][] = Array.from({ length: PARTITIONS }, () => []);
      const send = async (part: readonly Buffer[]): Promise<void> => {
        const messages = part.map((value) => {
          const partition = Number.parseInt(readRun(value).slice(-6), 36) % PARTITIONS;
          sent[partition]?.push(value);
          return { topic: "events", partition, value };
        });
        for (let at = 0; at < messages.length; at += 2000)
          await producer.send({ messages: messages.slice(at, at + 2000) });
      };
      const monitors = createMonitors("kafka", "--kafka", `kafka://${kafka?.address}/events?group=test`);
      // A second monitor comes and goes, so that partitions move twice.
      const steps = Array.from({ length: KILLS + 2 }, (_, index) => index);
      let monitor = monitors.start();
      for (const step of steps) {
        const before = sum(monitors.readPositions());
        const share = Math.ceil(lines.length / steps.length);
        await send(lines.slice(step * share, (step + 1) * share));
        await waitUntil(monitor, () => sum(monitors.readPositions()) > before + random.between(1, share / 2));
        if (step === 1) {
          const second = monitors.start();
          await pause(6000);
          await end(second, "SIGTERM");
        } else if (step < steps.length - 1) {
          await end(monitor, "SIGKILL");
          monitor = monitors.start();
        }
      }
      await producer.close();
      await waitUntil(monitor, () => sum(monitors.readPositions()) === lines.length);
      await end(monitor, "SIGTERM");
      const find = (input: string, number: number): Buffer | undefined =>
        sent[Number(/^kafka:events\/(\d+)$/.exec(input)?.[1])]?.[number - 1];
      expect(monitors.collect(find)).toEqual(expected);
    },
    30 * 60_000,
  );
});

describe.runIf(nats)("NATS JetStream", () => {
  it("is ready when there is a consumer", async () => {
    const connection = await connect({ servers: nats?.address ?? "" });
    await (await jetstreamManager(connection)).streams.add({ name: "QUIET", subjects: ["quiet.>"] });
    await connection.close();
    const address = `nats://${nats?.address}/QUIET`;
    expect((await collectStatuses(createMonitors("quiet", "--nats", address, "--listen", "0"))).at(-1)).toBe(
      200,
    );
  });

  it(
    "gives the findings of audit, though the monitor is killed",
    async () => {
      const connection = await connect({ servers: nats?.address ?? "" });
      await (await jetstreamManager(connection)).streams.add({ name: "EVENTS", subjects: ["events.>"] });
      const client = jetstream(connection);
      const monitors = createMonitors("nats", "--nats", `nats://${nats?.address}/EVENTS`);
      let monitor = monitors.start();
      for (let step = 0; step <= KILLS; step++) {
        const share = Math.ceil(lines.length / (KILLS + 1));
        const part = lines.slice(step * share, (step + 1) * share);
        for (let at = 0; at < part.length; at += 500)
          await Promise.all(
            part.slice(at, at + 500).map((line) => client.publish(`events.${readRun(line)}`, line)),
          );
        await waitUntil(monitor, () => sum(monitors.readPositions()) > step * share + share / 2);
        if (step === KILLS) break;
        await end(monitor, "SIGKILL");
        monitor = monitors.start();
      }
      await connection.close();
      await waitUntil(monitor, () => sum(monitors.readPositions()) === lines.length + 1);
      await end(monitor, "SIGTERM");
      expect(monitors.collect((_, number) => lines[number - 1])).toEqual(expected);
    },
    30 * 60_000,
  );
});
