/** If this fails, `accrete replay` shows events wrongly, or not at all. */
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { FaultName, FaultPlan } from "../../generator/serve/fault.js";
import { type Outcome, runAccrete } from "../commands/run-in-process.js";
import { createTemporaryFolder, createTinySchemas } from "../folders.js";
import { loadRuns, parseBody, sendRequest, startServer } from "../serve/start.js";

const STREAMS = readdirSync("fixtures", { recursive: true, encoding: "utf8" })
  .filter((file) => /streams.*\.jsonl$/.test(file))
  .map((file) => path.join("fixtures", file));
const SHELL = "fixtures/hecate/v1/streams/agent-loop-shell.jsonl";
const LINE = readFileSync(SHELL, "utf8").split("\n")[0] ?? "";

const waitForever = (): Promise<void> => new Promise(() => undefined);
const runReplay = (args: readonly string[]): Promise<Outcome> =>
  runAccrete(["replay", "--width", "72", ...args], "", { waitForStopSignal: waitForever });

describe("accrete replay", () => {
  it.each([
    ["approval-denied", "fixtures/hecate/v1/streams/approval-denied.jsonl"],
    ["hostile", "test/cases/replay/hostile.jsonl"],
  ])("prints %s as in the expected file", async (name, file) => {
    const got = await runReplay([file]);
    expect(got).toMatchObject({ exitCode: 0, stderr: "" });
    await expect(got.stdout).toMatchFileSnapshot(`../cases/replay/${name}.txt`);
  });

  it.each(STREAMS)("shows all of %s", async (file) => {
    const got = await runReplay([file]);
    expect(got).toMatchObject({ exitCode: 0, stderr: "" });
    expect(got.stdout).not.toMatch(/^ *(\d+ +)?[!?] /m);
  });

  it("hides reasoning until it is asked for", async () => {
    const file = "fixtures/evva/v0/streams/subagent-run.jsonl";
    const reasoning = "A subagent can search the logs";
    const hidden = await runReplay([file]);
    expect(hidden.stdout).not.toContain(reasoning);
    expect(hidden.stdout).toContain("~ reasoning is hidden; --reasoning shows it");
    const shown = await runReplay(["--reasoning", file]);
    expect(shown.stdout).toContain(`~ ${reasoning}`);
    expect(shown.stdout).not.toContain("is hidden");
  });

  it("shows only the events of the types that are asked for, with their times", async () => {
    const { stdout } = await runReplay([SHELL, "--only", "run.started,tool.*", "--times"]);
    const lines = stdout.split("\n").map((line) => line.trim());
    expect(lines[1]).toBe("+0.000s 2  · Run started  worker_id=worker-3");
    expect(lines[2]).toMatch(/^\+0\.362s 12 {2}╭ shell_exec · done$/);
    expect(stdout).not.toContain("Run queued");
  });

  it("names the types of --only that no event has, and the type that was probably meant", async () => {
    const { exitCode, stderr } = await runReplay([
      SHELL,
      "--only",
      "tool.complted,run.started,run.failed,git.*",
    ]);
    expect(exitCode).toBe(0);
    expect(stderr.trim().split("\n")).toEqual([
      'accrete: note: no event has the type tool.complted of --only; did you mean "tool.completed"?',
      "accrete: note: no event has the type run.failed of --only.",
      "accrete: note: no event has the type git.* of --only.",
    ]);
  });

  it("prints facts that another program can read, on one line", async () => {
    const { stdout } = await runAccrete(["replay", SHELL], "");
    expect(stdout).toContain(
      'kind=shell  cwd=/tmp/hecate-workspaces/task_shell/run_shell  exit_code=0  duration="743 ms"',
    );
  });

  it.each([
    ["keep", true],
    ["strip", false],
  ])(
    "--ansi %s decides about the colours of output; other sequences are never printed",
    async (mode, isKept) => {
      const { stdout } = await runReplay(["test/cases/replay/hostile.jsonl", "--ansi", mode]);
      expect(stdout.includes("\u001b[31mred\u001b[0m")).toBe(isKept);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with it
      expect(stdout.replace(/\u001b\[[\d;]*m/g, "")).not.toContain("\u001b");
    },
  );

  const createFaultPlan = (...names: readonly FaultName[]): FaultPlan => ({
    seed: 5,
    faults: names.map((fault) => ({ fault })),
  });
  it.each<readonly [file: string, stream: string, plan: FaultPlan, format: "spec" | "runtime"]>([
    [SHELL, "stream", createFaultPlan("cut", "overlap", "http-500"), "spec"],
    [SHELL, "events", createFaultPlan("cut", "redeliver", "split"), "runtime"],
    ["fixtures/frames/v1/streams/session.jsonl", "stream", createFaultPlan("cut", "overlap"), "runtime"],
    ["fixtures/frames/v2/streams/task.jsonl", "stream", createFaultPlan("cut"), "spec"],
    [
      "fixtures/evva/v0/streams/cancel-and-resume.jsonl",
      "stream",
      createFaultPlan("cut", "redeliver"),
      "spec",
    ],
  ])(
    "%s: a live stream (%s) with faults prints the same as the recording",
    async (file, stream, faults, format) => {
      const runs = await loadRuns(file);
      const { url } = await startServer({ runs, faults, format, limits: { retry: 20 } });
      const [run] = parseBody(await sendRequest(`${url}/runs`)).data;
      const live = await runReplay(["--follow", `${url}${run.paths.stream.replace(/stream$/, stream)}`]);
      expect(live).toMatchObject({ exitCode: 0, stderr: "" });
      expect(live.stdout).toBe((await runReplay([file])).stdout);
    },
  );

  it("reads pages to their end", async () => {
    const { url } = await startServer({ runs: await loadRuns(SHELL) });
    const [run] = parseBody(await sendRequest(`${url}/runs`)).data;
    const got = await runReplay([`${url}${run.paths.events}?limit=7`]);
    expect(got.stdout).toBe((await runReplay([SHELL])).stdout);
  });

  it("reads the pages of the feed across runs to their end", async () => {
    const { url } = await startServer({ runs: await loadRuns(SHELL) });
    const got = await runReplay([`${url}/hecate/v1/events`]);
    expect(got).toMatchObject({ exitCode: 0, stdout: (await runReplay([SHELL])).stdout });
  });

  it.each<[string, string, ...string[]]>([
    ["a feed without ids", "text/event-stream", `data: ${LINE}\n\n`],
    ["a page whose connection broke", "application/json", LINE.slice(0, 40), LINE],
  ])("shows %s once", async (_, type, ...answers) => {
    let requests = 0;
    const server = createServer((_request, response) => {
      response.writeHead(200, { "content-type": type, "content-length": answers.at(-1)?.length });
      response.end(answers[requests++] ?? answers.at(-1), () => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const got = await runReplay([`http://127.0.0.1:${(server.address() as AddressInfo).port}/`]);
    expect(got).toMatchObject({ exitCode: 0, stderr: "" });
    expect(got.stdout).toBe((await runAccrete(["replay", "--width", "72", "-"], LINE)).stdout);
    expect(requests).toBe(answers.length);
  });

  it("follows a file that grows, until the user stops it", async () => {
    const lines = readFileSync(SHELL, "utf8");
    const file = path.join(createTemporaryFolder(), "run.jsonl");
    writeFileSync(file, lines.slice(0, 3001));
    let printed = "";
    const waitForStopSignal = async (): Promise<void> => {
      await expect.poll(() => printed).toContain("Run started");
      appendFileSync(file, lines.slice(3001));
      await expect.poll(() => printed).toContain("Run finished");
    };
    const stdout = (text: string): void => {
      printed += text;
    };
    const got = await runAccrete(["replay", "--width", "72", "--follow", file], "", {
      stdout,
      waitForStopSignal,
    });
    expect(got.exitCode).toBe(0);
    expect(printed).toBe((await runReplay([SHELL])).stdout);
  });

  it.each([
    [
      "a server that refuses",
      ["URL/hecate/v1/nothing"],
      2,
      'answers 404 Not Found: There is nothing at "/hecate/v1/nothing"',
    ],
    [
      "a list of runs",
      ["URL/runs"],
      2,
      "/runs is a list of runs; replay takes the events of one: URL/hecate/v1/tasks/task_01KQPNTT1GTJ3AC5ZEVH35HMX1/runs/run_01KQPNTT2RZW040CA11XDDDE4M/events.",
    ],
    ["a file that does not exist", ["nothing.jsonl"], 2, "cannot read nothing.jsonl"],
    ["a width that is too small", ["--width", "3", SHELL], 2, "from 20 to 10000"],
  ])("refuses %s", async (_, args, exitCode, sentence) => {
    const { url } = await startServer({ runs: await loadRuns(SHELL) });
    const got = await runReplay(args.map((arg) => arg.replace("URL", url))).catch(String);
    expect(typeof got === "string" ? { exitCode: 2, stderr: got } : got).toMatchObject({
      exitCode,
      stderr: expect.stringContaining(sentence.replace("URL", url)),
    });
  });

  it("notes that protocols with errors are ignored", async () => {
    const file = path.join(createTemporaryFolder(createTinySchemas()), "tiny/v1/protocol.json");
    const schemas = path.resolve(file, "../../..");
    writeFileSync(file, readFileSync(file, "utf8").replace('"title"', '"titel"'));
    const { stderr } = await runReplay([SHELL, "--schemas", schemas]);
    expect(stderr).toContain(
      `protocols with errors are ignored, the first error is in ${file}; accrete lint`,
    );
  });

  it("shows values that are not events, and exits with 1", async () => {
    const file = path.join(createTemporaryFolder(), "run.jsonl");
    writeFileSync(file, `${readFileSync(SHELL, "utf8").split("\n")[0]}\n{"type":\n[1]\n`);
    const got = await runReplay([file]);
    expect(got.exitCode).toBe(1);
    expect(got.stdout.match(/^.*! .*$/gm)?.map((line) => line.trim())).toEqual([
      "! line 2 is not JSON: value expected",
      "! not an event of any protocol: 1",
    ]);
  });
});
