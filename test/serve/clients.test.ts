/** If this fails, common clients lose events or repeat them. */
import { execFile, spawnSync } from "node:child_process";
import { get } from "node:http";
import { promisify } from "node:util";
import { EventSource as PackageEventSource } from "eventsource";
import { EventSource as UndiciEventSource } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import type { FaultName } from "../../generator/serve/fault.js";
import { injectFaults, loadRuns, parseFrames, readLines, startServer } from "./start.js";

const SHELL = "fixtures/hecate/v1/streams/agent-loop-shell.jsonl";
const PATH = "/hecate/v1/tasks/task_01KQPNTT1GTJ3AC5ZEVH35HMX1/runs/run_01KQPNTT2RZW040CA11XDDDE4M/events";
const LINES = readLines(SHELL);

/** Reads a run until the server answers that it has ended. Returns the data of each message and the number of connections. */
type Client = (url: string) => Promise<{ readonly data: readonly string[]; readonly connections: number }>;

const curl: Client = async (url) => {
  const data: string[] = [];
  for (let [id, connections] = ["", 0]; ; connections++) {
    const args = [
      "-sN",
      "-w",
      "%{stderr}%{http_code}",
      "-H",
      "Accept: text/event-stream",
      "-H",
      `Last-Event-ID: ${id}`,
      url,
    ];
    // A broken connection ends curl with an error after it has printed what came.
    const { stdout, stderr } = await promisify(execFile)("curl", args).catch((error) => error);
    if (stderr.endsWith("204")) return { data, connections };
    const frames = parseFrames(Buffer.from(stdout));
    data.push(...frames.map((frame) => frame.data));
    id = frames.at(-1)?.id ?? id;
  }
};

const createEventSourceClient =
  (Source: typeof UndiciEventSource | typeof PackageEventSource): Client =>
  (url) =>
    new Promise((resolve) => {
      const source = new Source(url);
      onTestFinished(() => source.close());
      const data: string[] = [];
      let connections = 0;
      source.onopen = () => void connections++;
      source.onmessage = (message: { data: string }) => void data.push(message.data);
      source.onerror = () => {
        if (source.readyState === source.CLOSED) resolve({ data, connections });
      };
    });

const hasCurl = spawnSync("curl", ["--version"]).status === 0;
if (!hasCurl) console.warn("skipped: reading a stream with curl, because curl is not installed");

describe.each<[string, Client, boolean]>([
  [hasCurl ? "curl" : "curl (skipped: not installed)", curl, hasCurl],
  ["undici's EventSource", createEventSourceClient(UndiciEventSource), true],
  ["the eventsource package", createEventSourceClient(PackageEventSource), true],
])("%s", (_, client, isAvailable) => {
  it.skipIf(!isAvailable).each<[string, FaultName[]]>([
    ["cuts", ["cut"]],
    ["cuts, frames in pieces and redeliveries", ["cut", "split", "overlap", "duplicate"]],
  ])("reads a whole run through two %s", async (_, names) => {
    const faults = {
      seed: 4,
      faults: names.map((fault) => (fault === "cut" ? { fault, at: [7, 19] } : { fault })),
    };
    const runs = (await loadRuns(SHELL)).map((run) => injectFaults(run, faults).run);
    const { url } = await startServer({ runs, faults, limits: { retry: 5 } });
    const { data, connections } = await client(url + PATH);
    expect(connections).toBe(3);
    const textsById = new Map(data.map((text) => [JSON.parse(text).event_id, text]));
    expect([...textsById.values()].sort()).toEqual([...LINES].sort());
    expect(data.length > LINES.length).toBe(names.length > 1);
    expect([...new Set(data)]).toEqual(LINES);
  });
});

it("clients have time to read what was sent before a connection breaks", async () => {
  const faults = { seed: 4, faults: [{ fault: "cut", at: [7] }] } as const;
  const { url } = await startServer({ runs: await loadRuns(SHELL), faults });
  let lastByte = 0;
  const broken = await new Promise<number>((resolve) => {
    get(url + PATH, { headers: { accept: "text/event-stream" } }, (response) => {
      response.on("data", () => {
        lastByte = performance.now();
      });
      response.on("error", () => resolve(performance.now()));
    });
  });
  expect(broken - lastByte).toBeGreaterThan(30);
});
