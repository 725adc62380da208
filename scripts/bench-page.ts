/**
 * Measures the page of `accrete serve` in Chromium: a run of 20,000 events, and one text that arrives in 5,000 pieces.
 *
 *   npm run bench:page -- [--events 20000] [--pieces 5000]
 *
 * Prints the time until the first block is painted and until the run has ended, the longest task, the number of nodes, and
 * the frames per second while the text grows. On a machine that also does other work, only the processor time of tasks
 * says something about the page.
 */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { chromium, type Page } from "playwright-core";
import { loadSchemas } from "../generator/load/load.js";
import { readSite } from "../generator/serve/page-site.js";
import type { Pace } from "../generator/serve/play.js";
import { type Run, readEvent } from "../generator/serve/run.js";
import { createEventServer } from "../generator/serve/server.js";
import { createLongRun, createLongText } from "../test/serve/long-runs.js";

/** Runs in the page before its scripts. */
const OBSERVE = `
globalThis.observed = { firstPaint: 0, ended: 0, longestTask: 0, frames: 0, seconds: 1 };
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) observed.longestTask = Math.max(observed.longestTask, duration);
}).observe({ type: "longtask", buffered: true });
let firstFrame;
requestAnimationFrame(function count(now) {
  if (!observed.ended && document.querySelector(".blocks > li")) {
    observed.firstPaint ||= performance.now();
    firstFrame ??= now;
    observed.frames++;
    observed.seconds = Math.max(0.001, (now - firstFrame) / 1000);
    if (document.querySelector(".outcome")) observed.ended = performance.now();
  }
  requestAnimationFrame(count);
});
`;

const { values } = parseArgs({
  options: { events: { type: "string", default: "20000" }, pieces: { type: "string", default: "5000" } },
});
const protocols = (await loadSchemas("schemas")).protocols.filter(({ id }) => id === "hecate/v1");
const [protocol] = protocols;
if (protocol === undefined) throw new Error("no protocol hecate/v1");
const site = await readSite(protocols, "generated");
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
await measure("many events", createLongRun(Number(values.events)), { kind: "at-once" });
// 5,000 pieces in 10 seconds.
await measure("a long text", createLongText({ pieces: Number(values.pieces), interval: 2 }), {
  kind: "speed",
  speed: 1,
});
await browser.close();

/** The measurements of the page. */
interface PageMeasurements {
  readonly firstPaint: number;
  readonly ended: number;
  readonly longestTask: number;
  readonly frames: number;
  readonly seconds: number;
}

async function measure(name: string, events: readonly object[], pace: Pace): Promise<void> {
  const run: Run = {
    protocol: "hecate/v1",
    key: "run_bench",
    fields: { run_id: "run_bench" },
    events: events.map(read),
  };
  const server = createEventServer({
    protocols,
    runs: [run],
    format: "spec",
    pace,
    site,
    access: { host: "127.0.0.1" },
  });
  server.http.listen(0, "127.0.0.1");
  await once(server.http, "listening");
  const { port } = server.http.address() as AddressInfo;
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.addInitScript(OBSERVE);
  await browser.startTracing(page, { categories: ["toplevel"] });
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.waitForSelector(".outcome", { timeout: 120_000 });
  const observed = (await page.evaluate("observed")) as PageMeasurements;
  const nodes = await page.evaluate("document.querySelectorAll('*').length");
  const tasks = listTasks(await browser.stopTracing());
  const round = (ms: number): string => `${Math.round(ms)} ms`;
  console.log(
    `${name}: ${events.length} events; first block after ${round(observed.firstPaint)}, ended after ${round(observed.ended)}, ` +
      `longest task ${round(observed.longestTask)} (${round(Math.max(...tasks))} of processor time), ${nodes} nodes, ${Math.round(observed.frames / observed.seconds)} frames a second`,
  );
  console.log(`  scrolling through it: longest task ${round(await scroll(page))}`);
  await page.close();
  await server.close();
}

/** An event of a trace that Chromium writes. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** The processor time in microseconds. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Returns the processor times of the tasks of the page's main thread, in milliseconds. */
function listTasks(trace: Buffer): number[] {
  const { traceEvents }: { traceEvents: readonly TraceEvent[] } = JSON.parse(trace.toString("utf8"));
  const formatThread = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
  const names = traceEvents.filter(
    ({ name, args }) => name === "thread_name" && args.name === "CrRendererMain",
  );
  const mainThreads = new Set(names.map(formatThread));
  const tasks = traceEvents.filter(({ name }) => name.endsWith("RunTask"));
  return tasks.filter((task) => mainThreads.has(formatThread(task))).map(({ tdur = 0 }) => tdur / 1000);
}

function read(event: object) {
  const result = readEvent(
    protocol as NonNullable<typeof protocol>,
    Buffer.from(JSON.stringify(event)),
    event as never,
  );
  if (typeof result === "string") throw new Error(result);
  return result;
}

/** Scrolls to the end in many steps, switches to the raw events and searches. Returns the longest task. */
async function scroll(page: Page): Promise<number> {
  await page.evaluate("observed.longestTask = 0");
  for (let step = 1; step <= 20; step++) {
    await page.evaluate(
      `{ const run = document.querySelector("#run"); run.scrollTop = run.scrollHeight * ${step / 20}; }`,
    );
    await page.waitForTimeout(30);
  }
  await page.getByRole("button", { name: "Events", exact: true }).click();
  await page.locator("#search").fill("tool");
  await page.waitForTimeout(1000);
  return ((await page.evaluate("observed")) as PageMeasurements).longestTask;
}
