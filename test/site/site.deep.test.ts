/** If this fails, a reader cannot open the site from a disk, search it, or read it with assistive technology or on a phone. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { loadSchemas } from "../../generator/load/load.js";
import { emitSite } from "../../generator/site/site.js";
import { createSharedFolder, writeFiles } from "../folders.js";
import { CHROMIUM, launchBrowser } from "../serve/open-page.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");
const folder = createSharedFolder();

describe.skipIf(CHROMIUM === undefined)("the site, opened from a disk", () => {
  let browser: Browser;
  beforeAll(async () => {
    const { protocols } = await loadSchemas("schemas");
    const changelog = "# Changes\n\n## 1.1\n\n- **Breaking.** x\n";
    const files = emitSite(protocols.map((protocol) => ({ protocol, changelog })));
    writeFiles(folder, Object.fromEntries(files.map((file) => [file.path, file.content])));
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  async function open(file: string, options = {}): Promise<{ page: Page; problems: string[] }> {
    const page = await browser.newPage(options);
    onTestFinished(() => page.close());
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    await page.goto(pathToFileURL(path.join(folder, file)).href);
    return { page, problems };
  }

  it.each(["index.html", "hecate/v1/index.html", "hecate/v1/types/run.created.html"])(
    "finds an event type from %s",
    async (file) => {
      const { page, problems } = await open(file);
      await page.fill("#search", "shell output");
      await page.waitForSelector("#found a");
      expect(await page.locator("#found a").first().textContent()).toBe("tool.shell.output_chunk");
      await page.press("#search", "Enter");
      await page.waitForFunction("document.title === 'tool.shell.output_chunk'");
      await page.fill("#search", "<b>nothing</b>");
      await page.waitForSelector("#found li");
      expect(await page.textContent("#found")).toBe("Nothing has these words.");
      expect(problems).toEqual([]);
    },
  );

  const PAGES = [
    [
      "index.html",
      "hecate/v1/index.html",
      "hecate/v1/changes.html",
      "frames/v2/index.html",
      "evva/v0/index.html",
    ],
    ["hecate/v1/types/tool.shell.output_chunk.html", "hecate/v1/types/actor.html"],
  ].flat();
  it.each(PAGES)("has nothing that axe finds in %s, in both colours and on a phone", async (file) => {
    for (const colorScheme of ["light", "dark"])
      for (const viewport of [
        { width: 1280, height: 900 },
        { width: 360, height: 740 },
      ]) {
        const { page, problems } = await open(file, { colorScheme, viewport, bypassCSP: true });
        // axe itself requests files, which a page from a disk may not.
        expect(problems).toEqual([]);
        await page.evaluate(axe);
        const { violations } = (await page.evaluate("axe.run()")) as { violations: { id: string }[] };
        expect([colorScheme, viewport.width, violations.map(({ id }) => id)]).toEqual([
          colorScheme,
          viewport.width,
          [],
        ]);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(
          viewport.width,
        );
      }
  });
});
