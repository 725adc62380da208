/** If this fails, what the hook shows in a browser breaks laws of the kit, in StrictMode and with deferred rendering. */
import path from "node:path";
import { build } from "esbuild";
import { afterAll, describe, expect, it } from "vitest";
import { getCachedFolder } from "../cache.js";
import { openProject } from "../package/project.js";
import { CHROMIUM, launchBrowser } from "../serve/open-page.js";

/** Every twelfth law is tried by default. */
const STEP = process.env.ACCRETE_TEST_ALL === "1" ? 1 : 12;

/** Mounts a component for each consumer of the kit, and compares what stands in the page. */
const PAGE = `
import { createElement, memo, StrictMode, useDeferredValue, version } from "react";
import { createRoot } from "react-dom/client";
import { protocol } from "./generated/frames/v2/index.js";
import { consumerCases } from "./generator/kit/index.ts";
import { useRun } from "./generator/react/index.ts";

const Item = memo(({ block: { id, ...shown } }) => createElement("li", null, JSON.stringify(shown)));
function Timeline({ options }) {
  const { blocks } = useRun("http://127.0.0.1/stream", protocol, options);
  const shown = useDeferredValue(blocks);
  const items = shown.map((block) => createElement(Item, { key: block.id, block }));
  return createElement("ol", { "data-is-current": String(shown === blocks) }, items);
}

function createConsumer() {
  let feed;
  const body = new ReadableStream({ start: (controller) => void (feed = controller) });
  const fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
  const element = document.body.appendChild(document.createElement("main"));
  const root = createRoot(element);
  root.render(createElement(StrictMode, null, createElement(Timeline, { options: { fetch, interval: 0 } })));
  const encoder = new TextEncoder();
  const list = async (keep) => {
    // The feed is read, the store changes, React renders, and renders what was deferred.
    const isCalm = () => feed.desiredSize === 1 && element.firstChild?.dataset.isCurrent === "true";
    for (let calm = 0; calm < 3; calm = isCalm() ? calm + 1 : 0) await new Promise((resolve) => setTimeout(resolve));
    return [...element.querySelectorAll("li")].map((item) => JSON.parse(item.textContent)).filter(keep);
  };
  return {
    push: (event) => feed.enqueue(encoder.encode("data: " + JSON.stringify(event) + "\\n\\n")),
    snapshot: () => list(() => true),
    viewRun: (stream) => list((block) => block.stream === stream),
    drop: () => { root.unmount(); element.remove(); },
  };
}

globalThis.test = async (step) => {
  const broken = [];
  let count = 0;
  const cases = consumerCases({ create: createConsumer }, { protocol, runs: 1 });
  for (const { id, run } of cases.filter((_, index) => index % step === 0)) {
    try { await run(); count++; } catch (error) { broken.push(id + ": " + error.message); }
  }
  return { broken, count, version };
};
`;

/** Returns the bundle of the page with the React below a folder. */
async function bundlePage(react: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: PAGE, resolveDir: "." },
    ...{ bundle: true, platform: "browser", format: "iife", target: "es2023", write: false },
    define: { "process.env.NODE_ENV": '"development"' },
    alias: { react: path.join(react, "react"), "react-dom": path.join(react, "react-dom") },
  });
  return outputFiles[0]?.text ?? "";
}

/** Returns the folder of an earlier React, which is installed where packages are. */
function installReact(major: number): string {
  const folder = getCachedFolder(`react-${major}`, ["package.json"], (draft) => {
    openProject(draft).runSuccessfully(`npm init --yes && npm install react@${major} react-dom@${major}`);
  });
  return path.join(folder, "node_modules");
}

const browser = CHROMIUM === undefined ? undefined : launchBrowser();
afterAll(async () => (await browser)?.close());

describe.skipIf(browser === undefined)("useRun in chromium", { timeout: 600_000 }, () => {
  it.for([19, 18])("keeps the laws of the kit with React %d", async (major, context) => {
    if (major !== 19 && process.env.ACCRETE_TEST_PACKAGES === undefined)
      context.skip(`React ${major} is installed where ACCRETE_TEST_PACKAGES is set`);
    const page = await (await browser)?.newPage();
    const errors: string[] = [];
    page?.on("pageerror", (error) => errors.push(String(error)));
    page?.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    await page?.setContent("<!doctype html><title>React</title>");
    await page?.addScriptTag({
      content: await bundlePage(major === 19 ? path.resolve("node_modules") : installReact(major)),
    });
    const result = await page?.evaluate(`test(${STEP})`);
    expect(result).toMatchObject({ broken: [], version: expect.stringMatching(new RegExp(`^${major}\\.`)) });
    expect((result as { count: number }).count).toBeGreaterThan(30 / STEP);
    expect(errors).toEqual([]);
  });
});
