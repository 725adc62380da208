/** If this fails, the page shows a run in another way than it happened. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FaultPlan } from "../../generator/serve/fault.js";
import { readSite } from "../../generator/serve/page-site.js";
import type { Run } from "../../generator/serve/run.js";
import type { WireFormatName } from "../../generator/serve/wire-formats.js";
import {
  findReader,
  injectFaults,
  loadRuns,
  PROTOCOLS,
  parseBody,
  sendRequest,
  startServer,
} from "./start.js";

const program = (process.env.PATH ?? "")
  .split(path.delimiter)
  .flatMap((folder) =>
    ["chromium", "chromium-browser", "google-chrome"].map((name) => path.join(folder, name)),
  )
  .find(existsSync);

/** Runs with faults, each with at least three connections that break. */
const CASES: readonly (readonly [name: string, file: string, plan: FaultPlan, format: WireFormatName])[] = [
  [
    "hecate, with unknown types, gaps and redeliveries",
    "fixtures/hecate/v1/streams/agent-loop-shell.jsonl",
    createPlan(
      { fault: "unknown-type" },
      { fault: "drop" },
      { fault: "duplicate" },
      { fault: "cut", at: [4, 9, 15, 22] },
    ),
    "spec",
  ],
  [
    "frames, in the wire format of the runtime, with an overlap after each reconnect",
    "fixtures/frames/v1/streams/session.jsonl",
    createPlan(
      { fault: "unknown-field" },
      { fault: "overlap" },
      { fault: "http-500" },
      { fault: "cut", at: [4, 9, 15] },
    ),
    "runtime",
  ],
  [
    "evva, without numbers, from the first event after each reconnect",
    "fixtures/evva/v0/streams/cancel-and-resume.jsonl",
    createPlan(
      { fault: "redeliver" },
      { fault: "http-204" },
      { fault: "split" },
      { fault: "cut", at: [4, 9, 15] },
    ),
    "spec",
  ],
];

function createPlan(...faults: FaultPlan["faults"]): FaultPlan {
  return { seed: 3, faults };
}

describe.skipIf(program === undefined)("the page, if chromium is installed", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: program ?? "", args: ["--no-sandbox"] });
  });
  afterAll(() => browser.close());

  it.each(CASES)("%s: shows every event once, in order", async (_, file, faults, format) => {
    const { page, problems, run, runs } = await openPage(browser, file, faults, format);
    await page.waitForSelector("[data-state=ended]", { timeout: 50_000 });
    const state = page.locator("[data-state=ended]");
    expect(Number(await state.getAttribute("data-reconnects"))).toBeGreaterThanOrEqual(3);

    const events = readEvents(runs);
    const { discriminator } = findReader(run).protocol.envelope;
    const sequence = findReader(run).protocol.stream?.sequence;
    const places = events.map((event, index) => String(sequence === undefined ? index + 1 : event[sequence]));
    const raw = page.locator(".events > li");
    expect(await readAttributes(raw, "data-event")).toEqual(places);
    expect(await readAttributes(raw, "data-type")).toEqual(events.map((event) => event[discriminator]));

    const blocks = (await readAttributes(page.locator(".timeline > li"), "data-events"))
      .filter((text) => text !== "")
      .map((text) => text.split(" ").map(Number));
    expect(blocks.flat().sort((a, b) => a - b)).toEqual(places.map(Number));
    expect(blocks.flatMap((block) => block.slice(0, 1))).toEqual(
      sortNumbers(blocks.flatMap((block) => block.slice(0, 1))),
    );
    for (const block of blocks) expect(block).toEqual(sortNumbers(block));

    const known = new Set(findReader(run).protocol.events.map(({ type }) => type));
    const shown = await page.locator(".unknown pre").allTextContents();
    expect(shown.map((text) => JSON.parse(text))).toEqual(
      events.filter((event) => !known.has(String(event[discriminator]))),
    );
    expect(problems).toEqual([]);
  });

  it.each(["light", "dark"] as const)("has no serious accessibility problem, %s", async (colorScheme) => {
    const [[, file, faults, format]] = CASES as [(typeof CASES)[number]];
    const { page } = await openPage(browser, file, faults, format, colorScheme);
    await page.waitForSelector("[data-state=ended]", { timeout: 50_000 });
    const first = await findAccessibilityProblems(page);
    await page.getByRole("button", { name: "Raw events" }).click();
    await page.locator(".events summary").first().click();
    expect([...first, ...(await findAccessibilityProblems(page))]).toEqual([]);
  });

  it("can be used with the keyboard: the runs, the raw events, the search", async () => {
    const { page } = await openPage(
      browser,
      "fixtures/hecate/v1/streams/two-runs.jsonl",
      createPlan(),
      "spec",
    );
    await page.waitForSelector("[data-state=ended]");
    await page.locator("#runs a").nth(1).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("h1").textContent()).toBe("run_01KQQ9BT2RKSJ7N1FD64NNDTXK");
    await page.keyboard.press("/");
    await page.keyboard.type("budget warning");
    await expect.poll(() => page.locator("aside li code").allTextContents()).toEqual(["cost.budget_warning"]);
    await page.getByRole("button", { name: "Raw events" }).focus();
    await page.keyboard.press("Enter");
    expect(await page.locator(".events").isVisible()).toBe(true);
  });

  it("hides reasoning until the toggle is pressed", async () => {
    const { page } = await openPage(
      browser,
      "fixtures/evva/v0/streams/subagent-run.jsonl",
      createPlan(),
      "spec",
    );
    await page.waitForSelector("[data-state=ended]");
    const reasoning = page.locator(".timeline > .thinking").first();
    expect(await reasoning.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Reasoning" }).click();
    expect(await reasoning.isVisible()).toBe(true);
  });

  it("shows texts of events as text", async () => {
    const { page, problems } = await openPage(
      browser,
      "test/cases/replay/hostile.jsonl",
      createPlan(),
      "spec",
    );
    await page.waitForSelector("[data-state=ended]");
    expect(await page.locator("main img, main script, main b").count()).toBe(0);
    expect(await page.locator("main").textContent()).toContain("<img src=x onerror=alert(1)>");
    expect(problems).toEqual([]);
  });
});

interface Fields {
  readonly [name: string]: unknown;
}

/** Returns the events of the first run, each once. */
function readEvents([first]: readonly Run[]): Fields[] {
  const texts = new Set(first?.events.map(({ raw }) => Buffer.from(raw).toString("utf8")));
  return [...texts].map((text) => JSON.parse(text));
}

/** Opens the page on the first run of a recording. Also returns problems that the browser reports besides the faults. */
async function openPage(
  browser: Browser,
  file: string,
  faults: FaultPlan,
  format: WireFormatName,
  colorScheme: "light" | "dark" = "light",
) {
  const runs = (await loadRuns(file)).map((run) => injectFaults(run, faults).run);
  const { url } = await startServer({ runs, faults, format, site: await readSite(PROTOCOLS, "generated") });
  const [run] = parseBody(await sendRequest(`${url}/runs`)).data;
  const page = await browser.newPage({ colorScheme });
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    // The browser reports connections that a fault breaks.
    const isInjected =
      [run.paths.stream, run.paths.events].some((at) => message.location().url.includes(at)) &&
      message.text().startsWith("Failed to load");
    if (["error", "warning"].includes(message.type()) && !isInjected) problems.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith("data:")) problems.push(request.url());
  });
  await page.addInitScript({
    content: readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8"),
  });
  await page.goto(url);
  return { page, problems, run, runs };
}

/** Returns the serious problems that axe finds. */
async function findAccessibilityProblems(page: Page): Promise<string[]> {
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
    return (await axe.run()).violations;
  });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

function readAttributes(all: ReturnType<Page["locator"]>, name: string): Promise<string[]> {
  return all.evaluateAll(
    (items, key) => items.map((item) => (item as unknown as Attributed).getAttribute(key) ?? ""),
    name,
  );
}

interface Attributed {
  getAttribute(name: string): string | null;
}

function sortNumbers(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}
