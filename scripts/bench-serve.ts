/**
 * Streams one run to many SSE clients in a second process; each checks that it gets every event in order. Then again,
 * with one more client that never reads.
 *
 *   npm run bench:serve -- [--clients 200] [--events 500]
 *
 * 200 clients × 500 events are 100,000 deliveries; `--events 100000` sends that many to each client.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { get } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { parseArgs } from "node:util";
import { loadSchemas } from "../generator/load/load.js";
import type { Run } from "../generator/serve/run.js";
import { createEventServer } from "../generator/serve/server.js";
import { createSseParser } from "../generator/stream/index.js";

const { values } = parseArgs({
  options: {
    clients: { type: "string", default: "200" },
    events: { type: "string", default: "500" },
    url: { type: "string" },
  },
});
const [clients, events] = [Number(values.clients), Number(values.events)];
const PATH = "/hecate/v1/tasks/task_bench/runs/run_bench/stream";
if (values.url !== undefined) await readAll(values.url);
else for (const stuck of [0, 1]) await measure(stuck);

/** In the parent process: serves, and prints what it cost. */
async function measure(stuck: number): Promise<void> {
  const { protocols } = await loadSchemas("schemas");
  const pace = { kind: "at-once" } as const;
  const server = createEventServer({
    protocols,
    runs: [createRun()],
    format: "spec",
    pace,
    access: { host: "127.0.0.1" },
  });
  server.http.listen(0, "127.0.0.1");
  await once(server.http, "listening");
  const { port } = server.http.address() as AddressInfo;
  const silent = Array.from({ length: stuck }, () => connect(port, "127.0.0.1"));
  for (const socket of silent) {
    socket.pause();
    socket.write(`GET ${PATH} HTTP/1.1\r\nHost: a\r\n\r\n`);
  }
  let peakMemory = 0;
  const sampling = setInterval(() => {
    peakMemory = Math.max(peakMemory, process.memoryUsage().rss);
  }, 20);
  const memoryBefore = process.memoryUsage().rss;
  const cpu = process.cpuUsage();
  const args = [
    "--url",
    `http://127.0.0.1:${port}${PATH}`,
    "--clients",
    `${clients}`,
    "--events",
    `${events}`,
  ];
  const child = fork(import.meta.filename, args, { execArgv: process.execArgv });
  const ended = once(child, "exit");
  const [result] = (await once(child, "message")) as [Result];
  const [code] = await ended;
  clearInterval(sampling);
  const { user, system } = process.cpuUsage(cpu);
  for (const socket of silent) socket.destroy();
  await server.close();
  // Other processes of the machine lengthen the wall time, but not the processor time.
  const formatMegabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
  console.log(
    `${clients} clients${stuck > 0 ? " and one that never reads" : ""}: ${result.received} of ${clients * events} events, ` +
      `${result.wrong} out of order, ${formatMegabytes(result.bytes)} in ${Math.round(result.ms)} ms; ` +
      `the server took ${Math.round((user + system) / 1_000)} ms of a processor and memory of ${formatMegabytes(memoryBefore)} before, ${formatMegabytes(Math.max(peakMemory, memoryBefore))} at most`,
  );
  if (code !== 0) process.exitCode = 1;
}

/** The events and bytes that all clients together received. */
interface Result {
  readonly received: number;
  readonly wrong: number;
  readonly bytes: number;
  readonly ms: number;
}

/** In the child process: runs all clients. */
async function readAll(url: string): Promise<void> {
  const start = performance.now();
  const all = await Promise.all(Array.from({ length: clients }, () => readOne(url)));
  const sum = (name: "received" | "wrong" | "bytes"): number =>
    all.reduce((total, one) => total + one[name], 0);
  const [received, wrong, bytes] = [sum("received"), sum("wrong"), sum("bytes")];
  process.send?.({ received, wrong, bytes, ms: performance.now() - start });
  process.exitCode = received === clients * events && wrong === 0 ? 0 : 1;
  process.disconnect?.();
}

function readOne(url: string): Promise<Omit<Result, "ms">> {
  return new Promise((resolve, reject) => {
    const parser = createSseParser();
    let [received, wrong, bytes] = [0, 0, 0];
    const request = get(url, { agent: false }, (response) => {
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        for (const { id } of parser.push(chunk)) if (Number(id) !== received++) wrong++;
      });
      response.on("end", () => resolve({ received, wrong, bytes }));
      response.on("error", reject);
    });
    request.on("error", reject);
  });
}

function createRun(): Run {
  const all = Array.from({ length: events }, (_, sequence) => ({
    raw: Buffer.from(
      JSON.stringify({
        schema_version: "1",
        event_id: `evt_${String(sequence).padStart(26, "0")}`,
        run_id: "run_bench",
        task_id: "task_bench",
        sequence,
        occurred_at: "2026-05-03T10:23:51.000Z",
        type: "tool.shell.output_chunk",
        data: {
          tool_call_id: "call_1",
          stream: "stdout",
          data: `line ${sequence} of the output ✅\n`,
          byte_offset: 0,
        },
      }),
    ),
    type: "tool.shell.output_chunk",
    sequence,
    id: `evt_${String(sequence).padStart(26, "0")}`,
  }));
  return {
    protocol: "hecate/v1",
    key: "run_bench",
    fields: { task_id: "task_bench", run_id: "run_bench" },
    events: all,
  };
}
