import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { accrete, type Outcome } from "./run-in-process.js";

const LINES = readFileSync("fixtures/hecate/v1/streams/resume.jsonl", "utf8").trimEnd().split("\n");
const frame = (line: string, index: number): string => `id: ${index}\ndata: ${line}\n\n`;

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A server that gives one answer after the other, the last one again and again; and the cursors that it was asked with. */
async function serve(...answers: readonly Answer[]) {
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

const feed =
  (text: string, end = true): Answer =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`retry: 1\n\n${text}`);
    if (end) response.end();
  };
const status =
  (code: number): Answer =>
  (response) =>
    void response.writeHead(code).end();
/** Sends a part of a frame and cuts the connection. */
const cut =
  (text: string): Answer =>
  (response, request) => {
    feed(text, false)(response, request);
    setTimeout(() => response.destroy(), 50);
  };

async function follow(url: string, ...more: string[]): Promise<Outcome> {
  const got = await accrete(["validate", "--url", url, "--protocol", "hecate/v1", ...more]);
  return { ...got, stdout: got.stdout.replaceAll(url, "URL"), stderr: got.stderr.replaceAll(url, "URL") };
}

it("follows a feed over several connections to its end", async () => {
  const half = LINES.slice(0, 9).map(frame).join("");
  const rest = LINES.slice(8).map((line, index) => frame(line, index + 8));
  const { url, cursors } = await serve(
    cut(`${half}id: 9\ndata: ${LINES[9]?.slice(0, 40)}`),
    feed(rest.join("")),
    status(204),
  );
  const got = await follow(url, "--profile", "writer", "--format", "json");
  expect(cursors).toEqual([undefined, "8", String(LINES.length - 1)]);
  const { summary, findings } = JSON.parse(got.stdout);
  // What is sent twice is a redelivery, a note for golden streams and nothing for readers.
  expect(
    findings.map(({ rule, severity }: { rule: string; severity: string }) => `${severity} ${rule}`),
  ).toEqual(["note event-repeated"]);
  expect(summary).toMatchObject({ events: LINES.length + 1, invalid: 0, errors: 0 });
});

it("finds what a feed does wrong, at its place", async () => {
  const { url } = await serve(feed(frame(LINES[0] ?? "", 0)), feed(`data: {}\n\n`), status(204));
  const { stdout, exitCode } = await follow(url);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^URL:8:7: error event-invalid the event must have the field \w+ \(required\)\n/);
});

it.each([
  ["run.finished", LINES.findIndex((line) => line.includes('"run.finished"')) + 1],
  ["4", 4],
])("stops after %s, though the feed goes on", async (until, events) => {
  const { url } = await serve(feed(LINES.map(frame).join(""), false));
  const { stdout, exitCode } = await follow(url, "--until", until);
  expect([exitCode, stdout]).toEqual([0, `${events} events, 0 invalid\n`]);
});

it.each([
  [
    "run.finnished",
    /note: --until waits for "run.finnished", .* hecate\/v1; did you mean "run.finished"\?\n$/,
  ],
  ["9", /^$/],
  ["run.finished", /^$/],
])("says that nobody declares what is waited for: %s", async (until, says) => {
  const { url } = await serve(feed(frame(LINES[0] ?? "", 0)), status(204));
  expect(await follow(url, "--until", until)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(says),
  });
});

it("stops after a time, and says so where it waited for something", async () => {
  const { url } = await serve(feed(frame(LINES[0] ?? "", 0), false));
  expect(await follow(url, "--timeout", "1")).toMatchObject({ exitCode: 0, stdout: "1 event, 0 invalid\n" });
  expect(await follow(url, "--timeout", "1", "--until", "run.failed")).toMatchObject({
    exitCode: 1,
    stdout: "URL: error feed-incomplete The feed did not bring run.failed within 1 s.\n1 event, 0 invalid\n",
  });
});

it("gives up when connections bring nothing any more", async () => {
  const { url, cursors } = await serve(feed(frame(LINES[0] ?? "", 0)), feed(": nothing new\n\n"));
  expect(await follow(url)).toMatchObject({ exitCode: 0, stdout: "1 event, 0 invalid\n" });
  expect(cursors).toEqual([undefined, "0", "0", "0"]);
});

it("reads a list where there is no feed", async () => {
  const { url } = await serve((response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(`{"object":"list","data":[${LINES.join(",")}]}`);
  });
  expect(await follow(url)).toMatchObject({ exitCode: 0, stdout: `${LINES.length} events, 0 invalid\n` });
});

const ALL = LINES.map(frame).join("");
it.each<[string, Answer[], string[], number]>([
  ["a server that fails at first", [status(500), status(503), feed(ALL), status(204)], [], 4],
  ["a server that fails in between", [feed(ALL), status(500), status(502), status(204)], [], 4],
  [
    "a connection that is cut before it answers",
    [(response) => void response.destroy(), feed(ALL), status(204)],
    [],
    3,
  ],
  [
    "one that fails often, while there is time",
    [feed(frame(LINES[0] ?? "", 0)), ...Array.from({ length: 6 }, () => status(500)), feed(ALL), status(204)],
    ["--timeout", "20"],
    9,
  ],
])("asks %s again", async (_, answers, more, asked) => {
  const { url, cursors } = await serve(...answers);
  const got = await follow(url, ...more);
  expect(got).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(" 0 invalid\n") });
  expect(cursors).toHaveLength(asked);
});

it.each<[string, Answer[], string[], string, number | undefined]>([
  ["an address that is wrong", [status(404)], [], "answers 404 Not Found", 1],
  [
    "one that is wrong, although there is time",
    [status(403)],
    ["--timeout", "9"],
    "answers 403 Forbidden",
    1,
  ],
  [
    "a server that goes on failing",
    [feed(frame(LINES[0] ?? "", 0)), status(500)],
    [],
    "answers 500 Internal Server Error",
    5,
  ],
  [
    "one that fails as long as there is time",
    [status(500)],
    ["--timeout", "2"],
    "answers 500 Internal Server Error",
    undefined,
  ],
])("gives up on %s", async (_, answers, more, says, asked) => {
  const { url, cursors } = await serve(...answers);
  const got = await follow(url, "--until", "run.finished", ...more);
  expect(got).toMatchObject({ exitCode: 2, stderr: `accrete: URL ${says}\n` });
  if (asked !== undefined) expect(cursors).toHaveLength(asked);
});

it("says why a feed cannot be read", async () => {
  const { url } = await serve(status(404));
  expect(await follow(url)).toMatchObject({ exitCode: 2, stderr: "accrete: URL answers 404 Not Found\n" });
  const broken = await serve(feed(frame(LINES[0] ?? "", 0)), status(503));
  expect(await follow(broken.url)).toMatchObject({
    exitCode: 2,
    stderr: "accrete: URL answers 503 Service Unavailable\n",
  });
  const closed = await serve(status(200));
  expect(await follow(closed.url.replace(/:\d+/, ":1"))).toMatchObject({ exitCode: 2 });
  expect((await follow("http://127.0.0.1:9/x")).stderr).toMatch(/^accrete: cannot read URL: \w.+\n$/);
});

it.each([
  [
    ["--url", "ftp://x"],
    "accrete: ftp://x is not the address of a feed; it begins with http:// or https://.\n",
  ],
  [["--url", "http://x", "file"], "accrete: --url takes the place of files.\n"],
  [["file", "--until", "3"], "accrete: --until and --timeout belong to --url.\n"],
  [[], "accrete: Name what to read: files, folders, - or --url.\n"],
])("refuses %j", async (args, stderr) => {
  expect(await accrete(["validate", ...args])).toEqual({ exitCode: 2, stdout: "", stderr });
});
