/** Opens the page of the server in Chromium. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { onTestFinished } from "vitest";
import type { Protocol } from "../../generator/protocol/protocol.js";
import type { FaultPlan } from "../../generator/serve/fault.js";
import { readSite } from "../../generator/serve/page-site.js";
import type { Run } from "../../generator/serve/run.js";
import type { ServeOptions } from "../../generator/serve/server.js";
import { injectFaults, loadRuns, PROTOCOLS, parseBody, sendRequest, startServer } from "./start.js";

/** The path of Chromium; undefined if it is not installed. */
export const CHROMIUM = (process.env.PATH ?? "")
  .split(path.delimiter)
  .flatMap((folder) =>
    ["chromium", "chromium-browser", "google-chrome"].map((name) => path.join(folder, name)),
  )
  .find(existsSync);
if (CHROMIUM === undefined) console.warn("skipped: tests in a browser, because chromium is not installed");

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM ?? "", args: ["--no-sandbox"] });
}

/** Options for opening a page. */
interface PageOptions extends Partial<Pick<ServeOptions, "format" | "pace" | "isInteractive">> {
  /** A recording, or the runs to serve. */
  readonly recording: string | readonly Run[];
  readonly faults?: FaultPlan["faults"];
  readonly colorScheme?: "light" | "dark";
  readonly viewport?: { readonly width: number; readonly height: number };
  /** The protocols of the server; those of this repository by default. */
  readonly protocols?: readonly Protocol[];
  /** The address after `#`. */
  readonly hash?: string;
}

/** Opens the page on a recording. Also returns problems that the browser reports besides the faults. */
export async function openPage(browser: Browser, options: PageOptions) {
  const { recording, faults = [], hash = "", protocols = PROTOCOLS, ...others } = options;
  const { format = "spec", pace = { kind: "at-once" }, isInteractive = false } = others;
  const { colorScheme = "light", viewport = { width: 1280, height: 6000 } } = others;
  const plan: FaultPlan = { seed: 3, faults };
  const recorded = typeof recording === "string" ? await loadRuns(recording) : recording;
  const runs = recorded.map((run) => injectFaults(run, plan, isInteractive).run);
  const site = await getSite(protocols);
  const served = { protocols, runs, faults: plan, format, pace, isInteractive, site, limits: { retry: 20 } };
  const { url } = await startServer(served);
  const { data } = parseBody(await sendRequest(`${url}/runs`));
  const page = await browser.newPage({ colorScheme, viewport });
  onTestFinished(() => page.close());
  const problems = collectProblems(page, url, data[0].paths);
  await page.goto(url + hash);
  return { page, problems, run: data[0], runs, url };
}

const sites = new Map<readonly Protocol[], ReturnType<typeof readSite>>();

/** Returns the files of the page. They are compiled once for each list of protocols. */
function getSite(protocols: readonly Protocol[]): ReturnType<typeof readSite> {
  const site = sites.get(protocols) ?? readSite(protocols, "generated");
  sites.set(protocols, site);
  return site;
}

function collectProblems(page: Page, url: string, paths: { readonly [name: string]: string }): string[] {
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    // The browser reports connections that a fault breaks.
    const isInjected =
      Object.values(paths).some((at) => message.location().url.includes(at)) &&
      message.text().startsWith("Failed to load");
    if (["error", "warning"].includes(message.type()) && !isInjected) problems.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith("data:")) problems.push(request.url());
  });
  return problems;
}

/** Waits until the run has ended and its findings are shown. */
export async function waitForEnd(page: Page): Promise<void> {
  await page.waitForSelector("[data-state=ended]", { timeout: 50_000 });
  await page.waitForSelector("ol[data-checked]", { timeout: 50_000 });
  // The head is drawn after the list.
  await page.waitForTimeout(400);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");

/** Returns the serious problems that axe finds. */
export async function findAccessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
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
