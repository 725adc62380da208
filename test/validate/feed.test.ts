/** If this fails, `accrete validate --url` loses events of a live feed, or does not end. */

import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it, onTestFinished } from "vitest";
import { type Outcome, runAccrete } from "../commands/run-in-process.js";

const LINES = readFileSync("fixtures/hecate/v1/streams/resume.jsonl", "utf8").trimEnd().split("\n");
const formatFrame = (line: string, index: number): string => `id: ${index}\ndata: ${line}\n\n`;

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** Starts a server that gives these answers in turn and repeats the last one. Records the cursor of each request. */
async function startServer(...answers: readonly Answer[]) {
  const cursors: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    cursors.push(request.headers["last-event-id"]?.toString());
    answers[Math.min(cursors.length, answers.length) - 1]?.(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`, cursors };
}

/** Returns an answer that sends the text of a feed. It then ends the connection, unless `end` is false. */
const sendFeed =
  (text: string, end = true): Answer =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`retry: 1\n\n${text}`);
    if (end) response.end();
  };
const sendStatus =
  (code: number): Answer =>
  (response) =>
    void response.writeHead(code).end();
/** Returns an answer that sends a part of a feed and breaks the connection. */
const breakAfter =
  (text: string): Answer =>
  (response, request) => {
    sendFeed(text, false)(response, request);
    setTimeout(() => response.destroy(), 50);
  };

async function followFeed(url: string, ...more: string[]): Promise<Outcome> {
  const outcome = await runAccrete(["validate", "--url", url, "--protocol", "hecate/v1", ...more]);
  return {
    ...outcome,
    stdout: outcome.stdout.replaceAll(url, "URL"),
    stderr: outcome.stderr.replaceAll(url, "URL"),
  };
}

it("follows a feed over several connections to its end", async () => {
  const half = LINES.slice(0, 9).map(formatFrame).join("");
  const rest = LINES.slice(8).map((line, index) => formatFrame(line, index + 8));
  const { url, cursors } = await startServer(
    breakAfter(`${half}id: 9\ndata: ${LINES[9]?.slice(0, 40)}`),
    sendFeed(rest.join("")),
    sendStatus(204),
  );
  const outcome = await followFeed(url, "--profile", "writer", "--format", "json");
  expect(cursors).toEqual([undefined, "8", String(LINES.length - 1)]);
  const { summary, findings } = JSON.parse(outcome.stdout);
  // The server sends one event twice. Such a redelivery is a note under the writer profile.
  expect(
    findings.map(({ rule, severity }: { rule: string; severity: string }) => `${severity} ${rule}`),
  ).toEqual(["note event-repeated"]);
  expect(summary).toMatchObject({ events: LINES.length + 1, invalid: 0, errors: 0 });
});

it("reports an invalid event with its line and column", async () => {
  const { url } = await startServer(
    sendFeed(formatFrame(LINES[0] ?? "", 0)),
    sendFeed(`data: {}\n\n`),
    sendStatus(204),
  );
  const { stdout, exitCode } = await followFeed(url);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^URL:8:7: error event-invalid the event must have the field \w+ \(required\)\n/);
});

it.each([
  ["run.finished", LINES.findIndex((line) => line.includes('"run.finished"')) + 1],
  ["4", 4],
])("stops after %s, although the feed continues", async (until, events) => {
  const { url } = await startServer(sendFeed(LINES.map(formatFrame).join(""), false));
  const { stdout, exitCode } = await followFeed(url, "--until", until);
  expect([exitCode, stdout]).toEqual([0, `${events} events, 0 invalid\n`]);
});

it.each([
  [
    "run.finnished",
    /note: --until waits for "run.finnished", .* hecate\/v1; did you mean "run.finished"\?\n$/,
  ],
  ["9", /^$/],
  ["run.finished", /^$/],
])("notes if --until names an undeclared event type: %s", async (until, stderr) => {
  const { url } = await startServer(sendFeed(formatFrame(LINES[0] ?? "", 0)), sendStatus(204));
  expect(await followFeed(url, "--until", until)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(stderr),
  });
});

it("stops after --timeout, and reports an error if the event of --until did not come", async () => {
  const { url } = await startServer(sendFeed(formatFrame(LINES[0] ?? "", 0), false));
  expect(await followFeed(url, "--timeout", "1")).toMatchObject({
    exitCode: 0,
    stdout: "1 event, 0 invalid\n",
  });
  expect(await followFeed(url, "--timeout", "1", "--until", "run.failed")).toMatchObject({
    exitCode: 1,
    stdout: "URL: error feed-incomplete The feed did not bring run.failed within 1 s.\n1 event, 0 invalid\n",
  });
});

it("ends after several connections without a new event", async () => {
  const { url, cursors } = await startServer(
    sendFeed(formatFrame(LINES[0] ?? "", 0)),
    sendFeed(": nothing new\n\n"),
  );
  expect(await followFeed(url)).toMatchObject({ exitCode: 0, stdout: "1 event, 0 invalid\n" });
  expect(cursors).toEqual([undefined, "0", "0", "0"]);
});

it("reads a JSON list if the server sends no feed", async () => {
  const { url } = await startServer((response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(`{"object":"list","data":[${LINES.join(",")}]}`);
  });
  const expected = { exitCode: 0, stdout: `${LINES.length} events, 0 invalid\n` };
  expect(await followFeed(url)).toMatchObject(expected);
  expect(await followFeed(url, "--until", "4")).toMatchObject(expected);
});

const ALL = LINES.map(formatFrame).join("");
it.each<[string, Answer[], string[], number]>([
  ["a server that fails at first", [sendStatus(500), sendStatus(503), sendFeed(ALL), sendStatus(204)], [], 4],
  [
    "a server that fails in between",
    [sendFeed(ALL), sendStatus(500), sendStatus(502), sendStatus(204)],
    [],
    4,
  ],
  [
    "a connection that is cut before it answers",
    [(response) => void response.destroy(), sendFeed(ALL), sendStatus(204)],
    [],
    3,
  ],
  [
    "a server that fails often, until --timeout",
    [
      sendFeed(formatFrame(LINES[0] ?? "", 0)),
      ...Array.from({ length: 6 }, () => sendStatus(500)),
      sendFeed(ALL),
      sendStatus(204),
    ],
    ["--timeout", "20"],
    9,
  ],
])("requests %s again", async (_, answers, more, requests) => {
  const { url, cursors } = await startServer(...answers);
  const outcome = await followFeed(url, ...more);
  expect(outcome).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(" 0 invalid\n") });
  expect(cursors).toHaveLength(requests);
});

it.each<[string, Answer[], string[], string, number | undefined]>([
  ["a wrong address", [sendStatus(404)], [], "answers 404 Not Found", 1],
  ["a wrong address before --timeout", [sendStatus(403)], ["--timeout", "9"], "answers 403 Forbidden", 1],
  [
    "a server that keeps failing",
    [sendFeed(formatFrame(LINES[0] ?? "", 0)), sendStatus(500)],
    [],
    "answers 500 Internal Server Error",
    5,
  ],
  [
    "a server that fails until --timeout",
    [sendStatus(500)],
    ["--timeout", "2"],
    "answers 500 Internal Server Error",
    undefined,
  ],
])("gives up on %s", async (_, answers, more, message, requests) => {
  const { url, cursors } = await startServer(...answers);
  const outcome = await followFeed(url, "--until", "run.finished", ...more);
  expect(outcome).toMatchObject({ exitCode: 2, stderr: `accrete: URL ${message}\n` });
  if (requests !== undefined) expect(cursors).toHaveLength(requests);
});

it("ends at --timeout although memory is collected while it waits", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const { url } = await startServer(sendStatus(500));
  const timer = setInterval(collect, 50);
  const outcome = await followFeed(url, "--timeout", "1");
  clearInterval(timer);
  expect(outcome).toMatchObject({ exitCode: 2, stderr: "accrete: URL answers 500 Internal Server Error\n" });
}, 20_000);

it("reports that it cannot connect", async () => {
  expect((await followFeed("http://127.0.0.1:9/x")).stderr).toMatch(/^accrete: cannot read URL: \w.+\n$/);
});

it.each([
  [
    ["--url", "ftp://x"],
    "accrete: ftp://x is not the address of a feed; an address begins with http:// or https://.\n",
  ],
  [["--url", "http://x", "file"], "accrete: --url cannot be combined with files or --compare.\n"],
  [["file", "--until", "3"], "accrete: --until and --timeout need --url.\n"],
  [[], "accrete: Name what to read: files, folders, - or --url.\n"],
])("refuses %j", async (args, stderr) => {
  expect(await runAccrete(["validate", ...args])).toEqual({ exitCode: 2, stdout: "", stderr });
});
