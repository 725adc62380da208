/** If this fails, tests cannot start this server in their set-up, or it runs on after its parent process has ended. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { type StartServerOptions, startServer } from "../../generator/serve/index.js";

const SHELL = "fixtures/hecate/v1/streams/agent-loop-shell.jsonl";

async function start(options: StartServerOptions): Promise<string> {
  const { url, stop } = await startServer(options);
  onTestFinished(stop);
  return url;
}

const readJson = async (url: string): Promise<ReturnType<typeof JSON.parse>> => (await fetch(url)).json();

describe("startServer", () => {
  it.each<[string, options: StartServerOptions, runs: number, released: number]>([
    ["one recording", { recordings: [SHELL] }, 1, 30],
    ["steps", { recordings: [SHELL], step: true }, 1, 0],
    ["events at their recorded speed", { recordings: [SHELL], speed: 1 }, 1, 0],
    ["a fault", { recordings: [SHELL], faults: "drop", seed: 3 }, 1, 26],
    [
      "a run that waits",
      { recordings: ["fixtures/hecate/v1/streams/approval-denied.jsonl"], interactive: true },
      1,
      9,
    ],
  ])("serves %s", async (_, options, runs, released) => {
    const { data } = await readJson(`${await start(options)}/runs`);
    expect([data.length, data[0].released]).toEqual([runs, released]);
  });

  it("serves the fixtures at a free port by default, and can be stopped twice", async () => {
    const { url, stop } = await startServer();
    expect((await readJson(`${url}/runs`)).data.length).toBeGreaterThan(9);
    await stop();
    await stop();
    await expect(fetch(url)).rejects.toThrow();
  });

  it("wraps events as the runtime does", async () => {
    const url = await start({ recordings: [SHELL], wireFormat: "runtime" });
    const { data } = await readJson(`${url}/runs`);
    expect(await readJson(url + data[0].paths.events)).toMatchObject({ object: "run_events" });
  });

  it.each<[string, options: StartServerOptions, message: RegExp]>([
    ["a missing recording", { recordings: ["none.jsonl"] }, /none\.jsonl: there is no such file/],
    [
      "a recording of no events",
      { recordings: ["package.json"] },
      /package\.json:1:1: error event-unservable/,
    ],
    ["a misspelt fault", { recordings: [SHELL], faults: "ct" }, /did you mean "cut"/],
    [
      "an address of another machine",
      { recordings: [SHELL], host: "192.0.2.1" },
      /not an address of this machine/,
    ],
  ])("rejects %s with a message", async (_, options, message) => {
    await expect(startServer(options)).rejects.toThrow(message);
  });
});

it("a server that npx started ends with its parent process", async () => {
  const command = `node --import tsx generator/cli.ts serve ${SHELL} --port 0 & wait`;
  const parent = spawn("bash", ["-c", command], { env: { ...process.env, npm_command: "exec" } });
  const [text] = (await once(parent.stdout, "data")) as [Buffer];
  const url = /http:\S+/.exec(text.toString("utf8"))?.[0] ?? "";
  expect((await fetch(`${url}/health`)).status).toBe(200);
  parent.kill("SIGKILL");
  await expect
    .poll(
      () =>
        fetch(`${url}/health`).then(
          () => "answers",
          () => "ended",
        ),
      { timeout: 10_000 },
    )
    .toBe("ended");
});
