/** If this fails, a user who interrupts `accrete validate` does not learn what it found until then. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect, it } from "vitest";
import { getCommand } from "../package/build.js";

const root = path.join(import.meta.dirname, "..", "..");
const EVENTS = readFileSync(path.join(root, "fixtures/hecate/v1/streams/approval-denied.jsonl"), "utf8");
const INVALID = '{"type":"turn.started"}\n';

function start(...argv: string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [getCommand(), "validate", "--protocol", "hecate/v1", ...argv], {
    cwd: root,
  });
}

/** Sends a signal once stdout holds `text`, and returns everything that the process printed, and its exit code. */
async function interruptAfter(
  child: ChildProcessWithoutNullStreams,
  text: string,
  signal: NodeJS.Signals,
): Promise<{ readonly stdout: string; readonly stderr: string; readonly exitCode: unknown }> {
  let [stdout, stderr] = ["", ""];
  child.stderr.on("data", (piece) => (stderr += piece));
  child.stdout.on("data", (piece) => {
    const isNew = !stdout.includes(text);
    stdout += piece;
    if (isNew && stdout.includes(text)) child.kill(signal);
  });
  const [exitCode] = await once(child, "close");
  return { stdout, stderr, exitCode };
}

it.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("standard input that stays open ends at %s with the results until then", async (signal, code) => {
  const child = start("-");
  child.stdin.write(EVENTS + INVALID);
  const { stdout, stderr, exitCode } = await interruptAfter(child, "error", signal);
  const count = EVENTS.trim().split("\n").length + 1;
  expect(stdout).toMatch(new RegExp(`\n${count} events, 1 invalid\n$`));
  expect(stderr).toContain("interrupted: these are the results until now\n");
  expect(exitCode).toBe(code);
});

it("the JSON of an interrupted run is whole", async () => {
  const child = start("-", "--format", "json");
  child.stdin.write(EVENTS + INVALID);
  // Nothing is printed before the end, so the process is given the time to read.
  const timer = setInterval(() => child.kill("SIGINT"), 3000);
  const { stdout } = await interruptAfter(child, "never", "SIGINT");
  clearInterval(timer);
  expect(JSON.parse(stdout)).toMatchObject({ summary: { invalid: 1 } });
});

it("a live feed ends at SIGINT, and says when it prints no further findings", async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let index = 0; index < 5; index++) response.write(`id: ${index}\ndata: ${INVALID}\n`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const child = start("--url", `http://127.0.0.1:${port}/`, "--limit", "1", "--until", "9");
  const { stdout, stderr, exitCode } = await interruptAfter(child, "error", "SIGINT");
  server.closeAllConnections();
  server.close();
  expect(stdout).toContain("5 events, 5 invalid\n");
  expect(stdout).not.toContain("feed-incomplete");
  expect(stderr).toContain("Further findings are counted and not printed; --limit 0 prints all.\n");
  expect(exitCode).toBe(130);
});
