/** If this fails, the page shows a run in another way than it happened. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FaultPlan } from "../../generator/serve/fault.js";
import { type Run, readEvent } from "../../generator/serve/run.js";
import type { WireFormatName } from "../../generator/serve/wire-formats.js";
import { createLongRun, createLongText } from "./long-runs.js";
import { CHROMIUM, findAccessibilityProblems, launchBrowser, openPage, waitForEnd } from "./open-page.js";
import { findValidators, PROTOCOLS } from "./start.js";

type RunCase = readonly [name: string, file: string, faults: FaultPlan["faults"], format: WireFormatName];

const SHELL_CASE: RunCase = [
  "hecate, with unknown types, gaps and redeliveries",
  "fixtures/hecate/v1/streams/agent-loop-shell.jsonl",
  [
    { fault: "unknown-type" },
    { fault: "drop" },
    { fault: "duplicate" },
    { fault: "cut", at: [4, 9, 15, 22] },
  ],
  "spec",
];

/** Runs with faults, each with at least three connections that break. */
const CASES: readonly RunCase[] = [
  SHELL_CASE,
  [
    "frames, in the wire format of the runtime, with an overlap after each reconnect",
    "fixtures/frames/v1/streams/session.jsonl",
    [
      { fault: "unknown-field" },
      { fault: "overlap" },
      { fault: "http-500" },
      { fault: "cut", at: [4, 9, 15] },
    ],
    "runtime",
  ],
  [
    "evva, without numbers, from the first event after each reconnect",
    "fixtures/evva/v0/streams/cancel-and-resume.jsonl",
    [{ fault: "redeliver" }, { fault: "http-204" }, { fault: "split" }, { fault: "cut", at: [4, 9, 15] }],
    "spec",
  ],
];

describe.skipIf(CHROMIUM === undefined)("the page, if chromium is installed", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it.each(CASES)("%s: shows every event once, in order", async (_, recording, faults, format) => {
    const { page, problems, run, runs } = await openPage(browser, { recording, faults, format });
    await waitForEnd(page);
    const reconnects = await page.locator("[data-state=ended]").getAttribute("data-reconnects");
    expect(Number(reconnects)).toBeGreaterThanOrEqual(3);

    const events = readEvents(runs);
    const { protocol } = findValidators(run);
    const { discriminator } = protocol.envelope;
    const sequence = protocol.stream?.sequence;
    const labels = events.map((event, index) => String(sequence === undefined ? index + 1 : event[sequence]));
    const ranges = await page.locator(".blocks .place").allTextContents();
    const starts = ranges.map((range) => Number(range.split("–")[0]));
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
    expect(starts[0]).toBe(Number(labels[0]));

    const known = new Set(protocol.events.map(({ type }) => type));
    const shown = await page.locator(".unknown pre").allTextContents();
    expect(shown.map((text) => JSON.parse(text))).toEqual(
      events.filter((event) => !known.has(String(event[discriminator]))),
    );
    await page.getByRole("button", { name: "Events", exact: true }).click();
    const raw = page.locator("ol.events > li");
    expect(await raw.evaluateAll((rows) => rows.map((row) => (row as unknown as Row).dataset.event))).toEqual(
      labels,
    );
    expect(await raw.evaluateAll((rows) => rows.map((row) => (row as unknown as Row).dataset.type))).toEqual(
      events.map((event) => event[discriminator]),
    );
    expect(problems).toEqual([]);
  });

  it.each([
    ["light", 1280],
    ["dark", 1280],
    ["light", 320],
    ["dark", 320],
  ] as const)("has no serious accessibility problem, %s, %i pixels", async (colorScheme, width) => {
    const [, recording, faults, format] = SHELL_CASE;
    const viewport = { width, height: 900 };
    const { page } = await openPage(browser, { recording, faults, format, colorScheme, viewport });
    await waitForEnd(page);
    const problems = await findAccessibilityProblems(page);
    await page.locator(".blocks .place").nth(2).click();
    await page.waitForSelector("#inspector pre");
    problems.push(...(await findAccessibilityProblems(page)));
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Events", exact: true }).click();
    await page.getByRole("button", { name: "Catalogue" }).click();
    problems.push(...(await findAccessibilityProblems(page)));
    expect(problems).toEqual([]);
  });

  it("shows texts of events as text", async () => {
    const { page, problems } = await openPage(browser, { recording: "test/cases/replay/hostile.jsonl" });
    await waitForEnd(page);
    expect(await page.locator("body img, main script, main b").count()).toBe(0);
    expect(await page.locator("main").textContent()).toContain("<img src=x onerror=alert(1)>");
    await page.keyboard.press("j");
    await page.waitForSelector("#inspector pre");
    expect(await page.locator("body img, main script, main b").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("keeps the DOM small for 20,000 events and still scrolls to the last one", async () => {
    const recording = [createRun(createLongRun(20_000))];
    const { page } = await openPage(browser, { recording, viewport: { width: 1280, height: 900 } });
    await page.waitForSelector(".outcome", { timeout: 60_000 });
    await expect.poll(() => page.locator(".totals").textContent(), { timeout: 20_000 }).toContain("20,000");
    expect(await page.locator("*").count()).toBeLessThan(5000);
    // The first scroll replaces estimated heights of rows by measured ones, so only the second one reaches the end.
    await page.evaluate('document.querySelector("#run").scrollTop = 1e9');
    await page.waitForTimeout(200);
    await page.evaluate('document.querySelector("#run").scrollTop = 1e9');
    await expect.poll(() => page.locator(".blocks .place").allTextContents()).toContain("19999");
    await page.getByRole("button", { name: "Events", exact: true }).click();
    const first = page.locator("ol.events > li").first();
    expect(await first.getAttribute("aria-setsize")).toBe("20000");
    expect(await page.locator("*").count()).toBeLessThan(5000);
  });

  it("shows all of a text in 5,000 pieces", async () => {
    // Every tenth piece is "- again", and every tenth holds a word in bold.
    const events = createLongText({ pieces: 5000, interval: 1 });
    const { page } = await openPage(browser, { recording: [createRun(events)] });
    await page.waitForSelector(".outcome", { timeout: 60_000 });
    await page.waitForTimeout(500);
    const text = await page.locator(".prose").textContent();
    expect(text?.match(/again/g)?.length).toBe(500);
    expect(await page.locator(".prose strong").count()).toBe(500);
  });
});

interface Fields {
  readonly [name: string]: unknown;
}

interface Row {
  readonly dataset: { readonly [name: string]: string | undefined };
}

/** Returns the events of the first run, each once. */
function readEvents([first]: readonly Run[]): Fields[] {
  const texts = new Set(first?.events.map(({ raw }) => Buffer.from(raw).toString("utf8")));
  return [...texts].map((text) => JSON.parse(text));
}

/** Returns a run of hecate with these events. */
function createRun(events: readonly object[]): Run {
  const protocol = PROTOCOLS.find(({ id }) => id === "hecate/v1");
  if (protocol === undefined) throw new Error("no protocol hecate/v1");
  const read = (event: object) => {
    const result = readEvent(protocol, Buffer.from(JSON.stringify(event)), event as never);
    if (typeof result === "string") throw new Error(result);
    return result;
  };
  return {
    protocol: "hecate/v1",
    key: "run_bench",
    fields: { run_id: "run_bench" },
    events: events.map(read),
  };
}
