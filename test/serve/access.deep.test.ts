/** If this fails, a page of a foreign site that a developer visits reads recordings, or answers an approval. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { CHROMIUM } from "./open-page.js";
import { loadRuns, parseBody, sendRequest, startServer } from "./start.js";

const RUNS = await loadRuns("fixtures/hecate/v1/streams/approval-denied.jsonl");
const APPROVAL = "appr_01KQPR1EYKNZX3TNMPBEM7P3SZ";

/** Serves an empty page on a port of this machine, and returns the port. */
async function startSite(): Promise<number> {
  const site = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<!doctype html><title>A page</title>");
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  onTestFinished(() => void site.close());
  return (site.address() as AddressInfo).port;
}

describe.skipIf(CHROMIUM === undefined)("a server of recordings, in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    const names = ["foreign.example", "rebound.example"];
    const rules = names.map((name) => `MAP ${name} 127.0.0.1`).join(",");
    browser = await chromium.launch({
      executablePath: CHROMIUM ?? "",
      args: ["--no-sandbox", `--host-resolver-rules=${rules}`],
    });
  });
  afterAll(() => browser.close());

  async function open(address: string): Promise<Page> {
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    await page.goto(address);
    return page;
  }

  async function start() {
    const server = await startServer({ runs: RUNS, isInteractive: true });
    const { data } = parseBody(await sendRequest(`${server.url}/runs`));
    const { paths, decisions } = data[0];
    const countEvents = async (): Promise<number> =>
      parseBody(await sendRequest(server.url + paths.events)).data.length;
    return {
      ...server,
      eventsPath: paths.events,
      approvalPath: `${decisions[0].path}/${APPROVAL}`,
      countEvents,
    };
  }

  /** What a page gets from the server: the text of the answer, or the reason why it gets none. */
  const read = (page: Page, address: string): Promise<string> =>
    page.evaluate(async (url) => {
      try {
        return await (await fetch(url, { credentials: "include" })).text();
      } catch (error) {
        return String(error);
      }
    }, address);

  /** Sends a decision in the ways that need no permission of the server, as plain text and by a form, and as JSON. */
  async function decide(page: Page, address: string): Promise<void> {
    await page.evaluate(async (url) => {
      const body = '{"decision":"approved"}';
      const headers = { "content-type": "application/json" };
      await fetch(url, { method: "POST", mode: "no-cors", body }).catch(() => {});
      await fetch(url, { method: "POST", headers, body }).catch(() => {});
    }, address);
    const field = `<input name='{"decision":"approved","x":"' value='"}'>`;
    await page.setContent(
      `<iframe name="hidden"></iframe><form method="POST" action="${address}" target="hidden" enctype="text/plain">${field}</form>`,
    );
    const answer = page.waitForResponse((response) => response.request().method() === "POST");
    await page.locator("form").evaluate((form) => (form as unknown as { submit(): void }).submit());
    await answer;
  }

  it("shows a foreign page nothing, and takes no decision from it", async () => {
    const { url, eventsPath, approvalPath, countEvents } = await start();
    const before = await countEvents();
    const page = await open(`http://foreign.example:${await startSite()}/`);
    expect(await read(page, url + eventsPath)).toContain("TypeError");
    await decide(page, url + approvalPath);
    expect(await countEvents()).toBe(before);
  });

  it("shows a page nothing whose name was rebound to this machine, and takes no decision from it", async () => {
    const { url, port, eventsPath, approvalPath, countEvents } = await start();
    const before = await countEvents();
    const page = await open(`http://rebound.example:${port}/`);
    const text = await read(page, eventsPath);
    expect(text).not.toContain('"sequence"');
    expect(text).toContain("rebound.example");
    await decide(page, approvalPath);
    expect(await countEvents()).toBe(before);
    expect(url).toContain("127.0.0.1");
  });

  it("serves the frontend of a developer on another port of localhost", async () => {
    const { url, eventsPath, approvalPath, countEvents } = await start();
    const before = await countEvents();
    const page = await open(`http://localhost:${await startSite()}/`);
    expect(await read(page, url + eventsPath)).toContain('"sequence"');
    await decide(page, url + approvalPath);
    expect(await countEvents()).toBeGreaterThan(before);
  });
});
