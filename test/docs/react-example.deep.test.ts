/** If this fails, the React example in docs/examples does not build, or does not show a run as the reference view does. */
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contract, metadata, view } from "../../generated/hecate/v1/index.js";
import { createReader } from "../../generator/stream/index.js";
import { type Block, createView } from "../../generator/view/index.js";
import { CHROMIUM, launchBrowser } from "../serve/open-page.js";
import { injectFaults, loadRuns, parseBody, readLines, sendRequest, startServer } from "../serve/start.js";
import { linkPackages, openPackages } from "./installed.js";

const RUN = "fixtures/hecate/v1/streams/agent-loop-shell.jsonl";

let folder: string;
const files = new Map<string, string | Uint8Array>();
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "react-example-")));
  const packages = openPackages(folder);
  linkPackages(packages, ["accrete-client"], path.join(folder, "projects"));
  const example = path.join(folder, "projects/example");
  symlinkSync(path.resolve("docs/examples/react"), example);
  const built = await build({
    root: example,
    base: "/example/",
    configFile: false,
    logLevel: "silent",
    resolve: { preserveSymlinks: true },
    build: { write: false },
  });
  for (const { output } of [built].flat() as {
    output: { fileName: string; code?: string; source?: string }[];
  }[])
    for (const { fileName, code, source } of output) files.set(`/example/${fileName}`, code ?? source ?? "");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the blocks that the view shows after all events. */
function collectExpectedBlocks(): Block[] {
  const [reader, timeline] = [createReader(contract), createView({ ...contract, metadata, view })];
  const blocks = new Map<number, Block>();
  for (const line of readLines(RUN))
    for (const block of timeline.take(reader.read(JSON.parse(line)))) blocks.set(block.id, block);
  return [...blocks.values()];
}

describe("the React example", () => {
  it("builds from the exports of the package", () => {
    expect([...files.keys()].filter((name) => name.endsWith(".js"))).toHaveLength(1);
    expect(files.has("/example/index.html")).toBe(true);
  });

  it.skipIf(CHROMIUM === undefined)(
    "shows a run once, through faults, if chromium is installed",
    async () => {
      const faults = { seed: 3, faults: [{ fault: "duplicate" }, { fault: "cut", at: [6, 15] }] as const };
      const runs = (await loadRuns(RUN)).map((run) => injectFaults(run, faults).run);
      const { url } = await startServer({ runs, faults, limits: { retry: 5 } });
      const [run] = parseBody(await sendRequest(`${url}/runs`)).data;
      const browser = await launchBrowser();
      try {
        const page = await browser.newPage();
        const errors: string[] = [];
        page.on("pageerror", (error) => errors.push(String(error)));
        await page.route("**/example/**", (route) => {
          const name = new URL(route.request().url()).pathname;
          const contentType = name.endsWith(".js") ? "text/javascript" : "text/html";
          return route.fulfill({ body: String(files.get(name) ?? ""), contentType });
        });
        await page.goto(`${url}/example/index.html?stream=${encodeURIComponent(run.paths.stream)}`);
        await page.waitForSelector("[data-connection=ended]", { timeout: 30_000 });
        const shown = await page.locator("li").evaluateAll((items) =>
          items.map((item) => {
            const { dataset, textContent } = item as unknown as {
              dataset: { kind: string };
              textContent: string;
            };
            return { kind: dataset.kind, text: textContent };
          }),
        );
        const expected = collectExpectedBlocks();
        expect(shown.map(({ kind }) => kind)).toEqual(expected.map(({ kind }) => kind));
        for (const [index, block] of expected.entries())
          if (block.kind === "text") expect(shown[index]?.text).toBe(block.text);
        expect(errors).toEqual([]);
      } finally {
        await browser.close();
      }
    },
  );
});
