/** If this fails, a person cannot find out from the page what happened in a run. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Protocol } from "../../generator/protocol/protocol.js";
import type { Run } from "../../generator/serve/run.js";
import { createRun, RUN } from "./create-run.js";
import { CHROMIUM, launchBrowser, openPage, waitForEnd } from "./open-page.js";
import { PROTOCOLS, sendRequest } from "./start.js";

const SHELL = "fixtures/hecate/v1/streams/agent-loop-shell.jsonl";
const DENIED = "fixtures/hecate/v1/streams/approval-denied.jsonl";
const VIEWPORT = { width: 1280, height: 900 };

/** The parts of an element of the page that are read here. */
interface HTMLElementLike {
  readonly className: string;
  readonly outerHTML: string;
  getBoundingClientRect(): { readonly width: number; readonly height: number };
}

describe.skipIf(CHROMIUM === undefined)("on the page, if chromium is installed, a person can", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it("find the tool that failed, and copy its event", async () => {
    const { page, url } = await openPage(browser, { recording: createFailingRun(), viewport: VIEWPORT });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: url });
    await waitForEnd(page);
    await page.getByLabel("State").selectOption("failed");
    const failed = page.locator(".tool.bad");
    await expect.poll(() => failed.locator("strong").allTextContents()).toEqual(["shell_exec"]);
    expect(await failed.locator(".chip").textContent()).toBe("failed");
    await failed.locator(".place").click();
    await page.getByRole("button", { name: "Copy event" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await page.evaluate("navigator.clipboard.readText()");
    expect(JSON.parse(String(copied)).type).toBe("tool.invoked");
  });

  it("jump from the failure of a run to its cause, and from there to the beginning of the call", async () => {
    const { page } = await openPage(browser, { recording: createFailingRun(), viewport: VIEWPORT });
    await waitForEnd(page);
    await page.locator(".notice.bad .place").click();
    const inspector = page.locator("#inspector");
    await expect.poll(() => inspector.locator("h2").textContent()).toBe("Run failed");
    await inspector.getByRole("link", { name: "Tool failed" }).click();
    await expect.poll(() => inspector.locator("h2").textContent()).toBe("Tool failed");
    await inspector.getByRole("link", { name: "Tool invoked" }).first().click();
    await expect.poll(() => inspector.locator("h2").textContent()).toBe("Tool invoked");
    expect(await page.locator("li.tool[aria-current]").count()).toBe(1);
  });

  it("answer approvals", async () => {
    const pace = { kind: "at-once" } as const;
    const options = { recording: DENIED, viewport: { width: 1280, height: 6000 }, pace, isInteractive: true };
    const { page } = await openPage(browser, options);
    const chips = page.locator(".approval .chip");
    // The run says in its head, in the list and in the title that it waits, and where.
    const waits = page.getByRole("link", { name: "Waits for a decision", exact: true });
    await waits.waitFor();
    await expect.poll(() => page.title()).toMatch(/^Waits for a decision: /);
    await expect
      .poll(() => page.locator("#runs .facts").first().textContent())
      .toContain("Waits for a decision");
    await waits.click();
    await expect.poll(() => page.locator("#inspector h2").textContent()).toBe("Approval requested");
    await page.keyboard.press("Escape");
    const buttons = page.locator(".approval .actions button");
    expect(await buttons.allTextContents()).toEqual(["Approve", "Reject", "Cancel", "Let it time out"]);
    const [approve, reject] = await Promise.all([0, 1].map((index) => buttons.nth(index).boundingBox()));
    expect((reject?.x ?? 0) - (approve?.x ?? 0) - (approve?.width ?? 0)).toBeGreaterThan(100);
    await page.getByRole("button", { name: "Approve" }).click();
    await expect.poll(() => chips.allTextContents(), { timeout: 9000 }).toEqual(["approved", "waiting"]);
    await page.getByRole("button", { name: "Reject" }).click();
    await waitForEnd(page);
    expect(await waits.count()).toBe(0);
    expect(await page.title()).not.toContain("Waits");
    expect(await chips.allTextContents()).toEqual(["approved", "rejected"]);
    expect(await page.locator(".outcome").textContent()).toBe("Run failed");
  });

  it("see that a rejected call was rejected, and that the run failed", async () => {
    const { page } = await openPage(browser, { recording: DENIED, viewport: { width: 1280, height: 6000 } });
    await waitForEnd(page);
    expect(await page.locator(".tool .chip").allTextContents()).toContain("rejected");
    expect(await page.locator(".outcome").getAttribute("class")).toContain("bad");
    expect(await page.locator("#runs a").first().getAttribute("class")).toBe("bad");
  });

  it("step through a run", async () => {
    const { page } = await openPage(browser, {
      recording: SHELL,
      pace: { kind: "step" },
      viewport: VIEWPORT,
    });
    await page.getByRole("button", { name: "Step" }).click();
    await expect.poll(() => page.locator(".blocks > li").count()).toBe(1);
    await page.locator("#run").focus();
    await page.keyboard.press("s");
    await expect.poll(() => page.locator(".blocks > li").count()).toBe(2);
    await expect
      .poll(() => page.locator("#runs .facts").first().textContent(), { timeout: 9000 })
      .toContain("2 of 30 events");
  });

  it("filter by text, by type and by call", async () => {
    const { page } = await openPage(browser, { recording: SHELL, viewport: VIEWPORT });
    await waitForEnd(page);
    await page.locator("#search").fill("downloading example");
    await expect.poll(() => page.locator(".toolbar [role=status]").textContent()).toBe("1 match");
    await page.locator("#search").fill("");
    await expect.poll(() => page.locator(".blocks > li").count()).toBeGreaterThan(5);
    await page.getByLabel("Event type").selectOption("turn.started");
    await expect
      .poll(() => page.locator(".blocks .name").allTextContents())
      .toEqual(["Turn started", "Turn started"]);
    await page.locator("#search").fill("");
    await page.locator(".tool .place").click();
    await page.getByRole("button", { name: "Only this call" }).click();
    await expect.poll(() => page.locator(".blocks > li").count()).toBe(1);
    await page.getByRole("button", { name: "Events", exact: true }).click();
    await expect.poll(() => page.locator("ol.events > li").count()).toBeGreaterThan(5);
  });

  it("see that nothing matches, and go back", async () => {
    const { page } = await openPage(browser, { recording: SHELL, viewport: VIEWPORT });
    await waitForEnd(page);
    await page.locator("#search").fill("no such text");
    await page.getByText("Nothing matches “no such text”.").waitFor();
    await page.getByRole("button", { name: "Show all events" }).click();
    await expect.poll(() => page.locator(".blocks > li").count()).toBeGreaterThan(5);
    expect(await page.locator("#search").inputValue()).toBe("");
    expect(await page.locator(".empty").isVisible()).toBe(false);
  });

  it("read a run on a phone, whose head takes at most half of the screen, and hit each link", async () => {
    const viewport = { width: 320, height: 640 };
    const options = { recording: DENIED, viewport, isInteractive: true };
    const { page } = await openPage(browser, options);
    await page.getByRole("link", { name: "Waits for a decision", exact: true }).waitFor();
    const toolbar = await page.locator(".toolbar").boundingBox();
    expect((toolbar?.y ?? 640) + (toolbar?.height ?? 0)).toBeLessThan(335);
    expect(await page.locator(".timeline").isVisible()).toBe(false);
    await page.getByRole("button", { name: "Timeline" }).click();
    expect(await page.locator(".timeline").isVisible()).toBe(true);
    const small = await page.locator("a, button, select").evaluateAll((elements) =>
      (elements as unknown as HTMLElementLike[]).flatMap((element) => {
        const { width, height } = element.getBoundingClientRect();
        const isHit = width === 0 || element.className === "skip" || (width >= 24 && height >= 24);
        return isHit ? [] : [`${element.outerHTML.slice(0, 80)} ${width}×${height}`];
      }),
    );
    expect(small).toEqual([]);
  });

  it("open the address of an event, and learns that there is none", async () => {
    const run = "run_01KQPNTT2RZW040CA11XDDDE4M";
    const hash = `/#/hecate%2Fv1/${run}/3`;
    const { page, url } = await openPage(browser, { recording: SHELL, viewport: VIEWPORT, hash });
    await expect.poll(() => page.locator("#inspector h2").textContent()).toBe("User message");
    await expect.poll(() => page.title()).toBe("Run the budget tests and tell me what they say. · accrete");
    await page.goto(`${url}/#/hecate%2Fv1/${run}/999`);
    await expect
      .poll(() => page.locator(".toolbar [role=status]").textContent())
      .toBe("There is no event 999.");
    for (const wrong of ["#/hecate%2Fv1/run_x", "#hecate/v1"]) {
      await page.goto("about:blank");
      await page.goto(`${url}/${wrong}`);
      await expect
        .poll(() => page.locator("h1").textContent())
        .toBe("This server has no run at this address.");
    }
  });

  it("use the keys", async () => {
    const { page } = await openPage(browser, { recording: SHELL, viewport: VIEWPORT });
    await waitForEnd(page);
    const title = page.locator("#inspector h2");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await expect.poll(() => title.textContent()).toBe("Run queued");
    await page.keyboard.press("k");
    await expect.poll(() => title.textContent()).toBe("Run created");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator("#inspector").isVisible()).toBe(false);
    await page.keyboard.press("/");
    await page.keyboard.type("budget jk");
    expect(await page.locator("#search").inputValue()).toBe("budget jk");
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    expect(await page.locator("dialog").isVisible()).toBe(true);
    await page.getByRole("button", { name: "Close" }).click();
    expect(await page.locator("dialog").isVisible()).toBe(false);
  });

  it("choose the theme, which the browser remembers", async () => {
    const { page } = await openPage(browser, { recording: SHELL, viewport: VIEWPORT, colorScheme: "light" });
    const readGround = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await readGround();
    await page.locator("#theme").click();
    await page.locator("#theme").click();
    expect(await page.locator("#theme").textContent()).toBe("Dark");
    const dark = await readGround();
    expect(dark).not.toBe(light);
    await page.reload();
    await expect.poll(readGround).toBe(dark);
  });

  it("use a narrow screen", async () => {
    const viewport = { width: 320, height: 640 };
    const recording = "fixtures/hecate/v1/streams/two-runs.jsonl";
    const { page } = await openPage(browser, { recording, viewport });
    await waitForEnd(page);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    await page.getByRole("button", { name: "Runs" }).click();
    await page.locator("#runs a").nth(1).click();
    await expect.poll(() => page.locator(".notes").textContent()).toContain("run_01KQQ9BT2RKSJ7N1FD64NNDTXK");
    expect(await page.locator("#runs").isVisible()).toBe(false);
    await page.locator(".blocks .place").first().click();
    await expect.poll(() => page.locator("#inspector").isVisible()).toBe(true);
    await page.getByRole("button", { name: "Close" }).click();
    await expect.poll(() => page.locator("#inspector").isVisible()).toBe(false);
  });

  it("see why the connection was interrupted, and that nothing is missing", async () => {
    const faults = [{ fault: "http-500" }, { fault: "cut", at: [5, 9] }] as const;
    const { page } = await openPage(browser, { recording: SHELL, faults, viewport: VIEWPORT });
    await waitForEnd(page);
    const status = await page.locator(".status").textContent();
    expect(status).toContain("the connection broke");
    expect(status).toContain("the server answered 500");
    expect(await page.locator(".totals").textContent()).toContain("Events30");
    expect(await page.locator(".gap").count()).toBe(0);
  });

  it("see findings at their event", async () => {
    const { page } = await openPage(browser, { recording: createFaultyRun(), viewport: VIEWPORT });
    await waitForEnd(page);
    const unknown = page.locator(".unknown .findings li", { hasText: "event-type-unknown" });
    expect(await unknown.textContent()).toContain('did you mean "turn.started"?');
    await page.getByRole("button", { name: /findings?$/ }).click();
    await page.locator(".unknown .place").click();
    expect(await page.locator("#inspector .findings").textContent()).toContain("event-type-unknown");
    await page.locator("#search").fill("");
    const invalid = page.locator(".fault");
    expect(await invalid.locator(".place").textContent()).toBe("3");
    expect(await page.locator(".gap").count()).toBe(0);
  });

  it("see the place of a finding, and a finding that arrives while the list of events is open", async () => {
    const { page } = await openPage(browser, {
      recording: createFaultyRun(),
      pace: { kind: "step" },
      viewport: VIEWPORT,
    });
    // A busy server has not checked the latest events when the page asks. The page must ask again, without another event.
    let answers = 0;
    await page.route("**/findings", (route) =>
      ++answers > 3
        ? route.continue()
        : route.fulfill({ json: { object: "list", data: [], checked: 0, finished: false } }),
    );
    await page.getByRole("button", { name: "Events", exact: true }).click();
    const rows = page.locator("ol.events > li");
    for (const count of [1, 2, 3]) {
      await page.getByRole("button", { name: "Step" }).click();
      await expect.poll(() => rows.count()).toBe(count);
    }
    const finding = rows.nth(2).locator(".findings li");
    await expect.poll(() => finding.textContent(), { timeout: 9000 }).toMatch(/^event-type-unknown \/type /);
    expect(answers).toBeGreaterThan(3);
  });

  it("search while the run goes on, and find matches in the order of the run", async () => {
    const call = { tool_call_id: "call_1", tool_name: "shell_exec" };
    const recording = createRun(
      ["tool.invoked", { ...call, kind: "shell" }],
      ["user.message", { turn_index: 0, text: "It has failed." }],
      ["tool.failed", { ...call, duration_ms: 300, error: "exit status 1" }],
    );
    const { page } = await openPage(browser, { recording, pace: { kind: "step" }, viewport: VIEWPORT });
    const status = page.locator(".toolbar [role=status]");
    await page.locator("#search").fill("failed");
    await expect.poll(() => status.textContent()).toBe("0 matches");
    const stepButton = page.getByRole("button", { name: "Step" });
    await stepButton.click();
    await stepButton.click();
    await expect.poll(() => page.locator(".blocks .place").allTextContents()).toEqual(["1"]);
    // The call has begun before the message, but matches only when it fails.
    await stepButton.click();
    await expect.poll(() => page.locator(".blocks .place").allTextContents()).toEqual(["0–2", "1"]);
    expect(await status.textContent()).toBe("2 matches");
  });

  it("wait for an event of the address that has not happened, and learn at the end that it never did", async () => {
    const hash = `/#/hecate%2Fv1/${RUN}/99`;
    const options = {
      recording: createFailingRun(),
      pace: { kind: "step" },
      viewport: VIEWPORT,
      hash,
    } as const;
    const { page, url } = await openPage(browser, options);
    const status = page.locator(".toolbar [role=status]");
    const stepButton = page.getByRole("button", { name: "Step" });
    await stepButton.click();
    await expect.poll(() => page.locator(".blocks > li").count()).toBe(1);
    expect(await status.textContent()).toBe("");
    await page.goto(`${url}/#/hecate%2Fv1/${RUN}/2`);
    for (let step = 0; step < 2; step++) await stepButton.click();
    await expect.poll(() => page.locator("#inspector h2").textContent()).toBe("Tool invoked");
    await page.goto(`${url}${hash}`);
    for (let step = 0; step < 4; step++) await stepButton.click();
    await expect.poll(() => status.textContent(), { timeout: 9000 }).toBe("There is no event 99.");
  });

  it.each([1280, 768, 320])("open and close the catalogue at %i pixels", async (width) => {
    const { page } = await openPage(browser, { recording: SHELL, viewport: { width, height: 700 } });
    await waitForEnd(page);
    const catalogue = page.locator("#catalogue-panel");
    const opener = page.getByRole("button", { name: "Catalogue" });
    await opener.click();
    await page.locator("#catalogue-search").fill("turn started");
    await expect
      .poll(() => catalogue.locator("[role=status]").textContent())
      .toMatch(/^1 of \d+ event types$/);
    await page.getByRole("button", { name: "Close" }).click();
    expect(await catalogue.isVisible()).toBe(false);
    await opener.click();
    await page.keyboard.press("Escape");
    expect(await catalogue.isVisible()).toBe(false);
    expect(await page.evaluate("document.activeElement.id")).toBe("show-catalogue");
  });

  it("follow the bars of the timeline to their events, and hide and show the reasoning", async () => {
    const { page } = await openPage(browser, { recording: SHELL, viewport: VIEWPORT });
    await waitForEnd(page);
    await page.locator(".timeline rect.good").click();
    await expect.poll(() => page.locator("#inspector h2").textContent()).toBe("Assistant tool call proposed");
    expect(await page.locator(".timeline rect.selected").count()).toBe(1);
    expect(await page.getByRole("button", { name: "Reasoning" }).isVisible()).toBe(false);
    const other = await openPage(browser, { recording: "fixtures/evva/v0/streams/subagent-run.jsonl" });
    await waitForEnd(other.page);
    expect(await other.page.locator(".blocks .thinking").count()).toBe(0);
    await other.page.getByRole("button", { name: "Reasoning" }).click();
    expect(await other.page.locator(".blocks .thinking").count()).toBeGreaterThan(0);
  });

  it("see that the end of a run is missing, but only if its protocol declares ends", async () => {
    const recording = createRun(["run.created", {}], ["user.message", { turn_index: 0, text: "Hello." }]);
    const { page } = await openPage(browser, { recording, viewport: VIEWPORT });
    await waitForEnd(page);
    expect(await page.locator(".outcome").textContent()).toBe("No end recorded");
    expect(await page.locator("#runs .facts").textContent()).toBe("No end recorded · 100 ms · 2 events");
    const protocols = PROTOCOLS.map(removeTerminalRule);
    const other = await openPage(browser, { recording, viewport: VIEWPORT, protocols });
    await waitForEnd(other.page);
    expect(await other.page.locator(".status").textContent()).toBe("Ended");
    expect(await other.page.locator("#runs .facts").textContent()).toBe("100 ms · 2 events");
  });

  it("see that a stream of a task, which nothing ends, is complete", async () => {
    const { page } = await openPage(browser, { recording: "fixtures/frames/v2/streams/task.jsonl" });
    await waitForEnd(page);
    expect(await page.locator(".status").textContent()).toBe("Ended");
  });

  it("read coloured output, and sees where a part of it is missing", async () => {
    const { page } = await openPage(browser, { recording: createFailingRun(), viewport: VIEWPORT });
    await waitForEnd(page);
    expect(await page.locator(".output .ansi-red-fg").textContent()).toBe("red");
    expect(await page.locator(".output").allTextContents()).toEqual(["red plain\n", "after the hole\n"]);
    expect(await page.locator(".missing").textContent()).toBe("10 bytes are missing here");
  });
});

it("the server lists findings as JSON", async () => {
  const { startServer } = await import("./start.js");
  const { url } = await startServer({ runs: createFaultyRun() });
  const path = `/hecate/v1/tasks/-/runs/${RUN}/findings`;
  await expect
    .poll(async () => JSON.parse((await sendRequest(url + path)).body.toString("utf8")))
    .toMatchObject({ object: "list", checked: 6, finished: true });
  const { data } = JSON.parse((await sendRequest(url + path)).body.toString("utf8"));
  expect(data).toContainEqual(
    expect.objectContaining({ event: 2, rule: "event-type-unknown", pointer: "/type" }),
  );
  expect(data).toContainEqual(expect.objectContaining({ event: 3, rule: "event-invalid" }));
});

/** Returns a protocol that does not declare which events end runs. */
function removeTerminalRule(protocol: Protocol): Protocol {
  if (protocol.stream === undefined) return protocol;
  const { terminal: _, ...rules } = protocol.stream.rules ?? {};
  return { ...protocol, stream: { ...protocol.stream, rules } };
}

/** A run in which a tool fails. Its output has colours and a hole. */
function createFailingRun(): Run[] {
  const call = { tool_call_id: "call_1", tool_name: "shell_exec" };
  const output = { tool_call_id: "call_1", stream: "stdout" };
  return createRun(
    ["run.created", {}],
    ["user.message", { turn_index: 0, text: "Run the tests." }],
    ["tool.invoked", { ...call, kind: "shell" }],
    ["tool.shell.output_chunk", { ...output, byte_offset: 0, data: "\u001b[31mred\u001b[0m plain\n" }],
    ["tool.shell.output_chunk", { ...output, byte_offset: 29, data: "after the hole\n" }],
    ["tool.failed", { ...call, duration_ms: 300, error: "exit status 1" }],
    ["run.failed", { code: "tool_failed", message: "The tool failed.", retriable: false }],
  );
}

/** A run with an unknown type, and with an event that is not valid. */
function createFaultyRun(): Run[] {
  return createRun(
    ["run.created", {}],
    ["run.started", { worker_id: "worker-1" }],
    ["turn.startd", { turn_index: 0 }],
    ["user.message", "not an object"],
    ["turn.started", { turn_index: 0, model: "claude-sonnet-4-5", input_tokens_estimate: 1 }],
    ["run.failed", { code: "x", message: "y", retriable: false }],
  );
}
