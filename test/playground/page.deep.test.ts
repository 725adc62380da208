/** If this fails, the page of the playground shows no verdict, a wrong one, or cannot be used by everybody. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { buildPlayground } from "../../scripts/build-playground.mjs";
import { compareTexts } from "../../scripts/playground/compare-texts.js";
import { EXAMPLES } from "../../scripts/playground/examples.js";
import { createSharedFolder } from "../folders.js";
import { CHROMIUM, launchBrowser } from "../serve/open-page.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");
const folder = createSharedFolder();
const file = path.join(folder, "index.html");

describe.skipIf(CHROMIUM === undefined)("the playground, opened from a file", () => {
  let browser: Browser;
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, await buildPlayground());
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  async function open(hash = "", options = {}): Promise<{ page: Page; problems: string[] }> {
    const page = await browser.newPage(options);
    onTestFinished(() => page.close());
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    page.on("request", (request) => {
      if (!/^(file|blob|data):/.test(request.url())) problems.push(request.url());
    });
    await page.goto(pathToFileURL(file).href + hash);
    await page.waitForSelector(".verdict");
    return { page, problems };
  }

  /** Fills both sides, and waits for the verdict on them. */
  async function compare(page: Page, before: string, after: string): Promise<string> {
    await page.evaluate("document.querySelector('#result').replaceChildren()");
    // Only one event, so that no verdict on one new side and one old side comes in between.
    await page.locator("#before").evaluate((field, text) => Object.assign(field, { value: text }), before);
    await page.fill("#after", after);
    await page.waitForSelector(".verdict");
    return (await page.textContent("#result")) ?? "";
  }

  it("shows for each example what the same functions say in Node", async () => {
    const { page, problems } = await open();
    for (const { before, after } of EXAMPLES) {
      const { findings, additions } = await compareTexts(before, after);
      const text = await compare(page, before, after);
      for (const { message, hint = "", breaks = [] } of findings)
        for (const part of [message, hint, ...breaks]) expect(text).toContain(part);
      for (const { message } of additions) expect(text).toContain(message);
      expect(await page.locator("article").count()).toBe(findings.length);
      const isBreak = findings.some(({ severity }) => severity === "error");
      expect(text).toMatch(isBreak ? /^No: \d/ : /^Yes: /);
      const events = findings.flatMap(({ witness, opposite }) => [witness, opposite]);
      expect(await page.locator("dd pre").count()).toBe(events.filter((each) => each !== undefined).length);
    }
    expect(problems).toEqual([]);
  });

  it("reads patterns with properties of characters, whose tables are packed", async () => {
    const { page, problems } = await open();
    const build = (pattern: string) =>
      JSON.stringify({ type: "object", properties: { id: { type: "string", pattern } } });
    for (const [before, after] of [
      ["^\\p{Lu}+$", "^[\\p{Lu}]{1,}$"],
      ["^\\p{Script=Greek}$", "^\\p{L}$"],
      ["^[\\p{L}\\p{N}_]+$", "^\\p{ID_Continue}+$"],
    ].map((pair) => pair.map((pattern) => build(pattern ?? ""))) as [string, string][]) {
      const { findings } = await compareTexts(before, after);
      const text = await compare(page, before, after);
      for (const { message } of findings) expect(text).toContain(message);
      expect(await page.locator("article").count()).toBe(findings.length);
    }
    expect(problems).toEqual([]);
  });

  it("keeps the question in a link, and says what is wrong with a text", async () => {
    const { page } = await open();
    const text = await compare(page, EXAMPLES[0]?.before ?? "", '{"type":');
    expect(text).toMatch(/^These schemas cannot be compared.*new\.json:1:9/);
    await page.waitForFunction("location.hash.length > 1");
    const other = await open(new URL(page.url()).hash);
    expect(await other.page.inputValue("#after")).toBe('{"type":');
    const broken = await open("#!!!");
    expect(await broken.page.inputValue("#before")).toBe(EXAMPLES[0]?.before);
  });

  it("shows text of schemas as text", async () => {
    const { page, problems } = await open();
    const build = (name: string) =>
      JSON.stringify({ type: "object", properties: { [name]: { type: "string" } }, required: [name] });
    await compare(page, build("<img src=x onerror=alert(1)>"), build("</script><b>x</b>"));
    expect(await page.locator("#result img, #result b").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it.each(["light", "dark"] as const)(
    "has nothing that axe finds, in %s colours and on a phone",
    async (colorScheme) => {
      for (const viewport of [
        { width: 1280, height: 900 },
        { width: 360, height: 740 },
      ]) {
        const { page } = await open("", { colorScheme, viewport });
        await page.locator("details summary").first().click();
        await page.evaluate(axe);
        const { violations } = (await page.evaluate("axe.run()")) as { violations: { id: string }[] };
        expect(violations.map(({ id }) => id)).toEqual([]);
        const width = await page.evaluate("document.documentElement.scrollWidth");
        expect(width).toBeLessThanOrEqual(viewport.width);
        if (process.env.ACCRETE_TEST_PICTURES)
          await page.screenshot({
            path: path.join(
              process.env.ACCRETE_TEST_PICTURES,
              `playground-${colorScheme}-${viewport.width}.png`,
            ),
            fullPage: true,
          });
      }
    },
  );
});
