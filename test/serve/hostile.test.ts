/** If this fails, one client can stop the server, or read files that are not served. */
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Limits } from "../../generator/serve/limits.js";
import type { Run } from "../../generator/serve/run.js";
import { deep, quick } from "../depth.js";
import { loadRuns, parseFrames, sendRequest, startServer } from "./start.js";

const RUNS = await loadRuns("fixtures/hecate/v1/streams/agent-loop-shell.jsonl");
const PATH = "/hecate/v1/tasks/task_01KQPNTT1GTJ3AC5ZEVH35HMX1/runs/run_01KQPNTT2RZW040CA11XDDDE4M";

function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
    onTestFinished(() => void socket.destroy());
    socket.on("error", reject);
  });
}

/** Sends bytes as they are and reads until the server closes the connection. */
async function sendBytes(
  port: number,
  bytes: string | Buffer,
): Promise<{ readonly status: number; readonly text: string }> {
  const socket = await openSocket(port);
  const parts: Buffer[] = [];
  socket.on("data", (part) => parts.push(part));
  socket.on("error", () => undefined);
  const closed = new Promise<void>((resolve) => void socket.on("close", () => resolve()));
  socket.write(bytes);
  await closed;
  const text = Buffer.concat(parts).toString("utf8");
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text };
}

const formatGet = (target: string, ...headers: string[]): string =>
  `GET ${target} HTTP/1.1\r\n${["Host: localhost", "Connection: close", ...headers].join("\r\n")}\r\n\r\n`;

describe("attacks", () => {
  quick.it.each<[string, string | Buffer, status: number, message: RegExp]>([
    ["a path upwards", formatGet("/../../../../etc/passwd"), 404, /nothing at/],
    ["an encoded path upwards", formatGet("/%2e%2e/%2e%2e/etc/passwd"), 404, /nothing at/],
    ["an encoded slash", formatGet("/..%2f..%2fetc%2fpasswd"), 404, /nothing at/],
    ["a back slash", formatGet("/..\\..\\etc\\passwd"), 404, /nothing at/],
    [
      "a path upwards below a run",
      formatGet(`${PATH}/events/../../../../../../../package.json`),
      404,
      /nothing at/,
    ],
    ["a NUL in a path", formatGet("/health%00.json"), 404, /nothing at/],
    ["a file of this project", formatGet("/package.json"), 404, /nothing at/],
    ["overlong UTF-8", formatGet("/%c0%ae%c0%ae/"), 400, /percent/],
    ["half an escape", formatGet("/%e"), 400, /percent/],
    ["a bad escape behind a run", formatGet(`${PATH}/events?after_sequence=%`), 400, /percent/],
    ["a URL of 9,000 bytes", formatGet(`/${"a".repeat(9_000)}`), 414, /URL is longer than 8192/],
    ["a URL of a megabyte", formatGet(`/${"a".repeat(2 ** 20)}`), 414, /URL is longer than 8192/],
    [
      "a header of a megabyte",
      formatGet("/health", `X-Long: ${"a".repeat(2 ** 20)}`),
      431,
      /headers are longer than 32768/,
    ],
    [
      "ten thousand headers",
      formatGet("/health", ...Array.from({ length: 10_000 }, (_, index) => `X-${index}: 1`)),
      431,
      /headers/,
    ],
    [
      "a cursor of a thousand digits",
      formatGet(`${PATH}/events?after_sequence=${"1".repeat(1_000)}`),
      400,
      /after_sequence/,
    ],
    ["a negative Last-Event-ID", formatGet(`${PATH}/stream`, "Last-Event-ID: -2"), 400, /Last-Event-ID/],
    ["no HTTP at all", "\u0016\u0003\u0001 hello\r\n\r\n", 400, /not an HTTP/],
    ["a method of its own", "FETCH / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, /not an HTTP/],
    ["a target without a path", formatGet("health"), 400, /./],
    ["a request for the whole server", formatGet("*"), 400, /./],
    [
      "two lengths",
      `POST /step HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`,
      400,
      /not an HTTP/,
    ],
  ])("refuses %s with a message", async (_, bytes, status, message) => {
    const { url, port } = await startServer({ runs: RUNS });
    const got = await sendBytes(port, bytes);
    expect(got.status).toBe(status);
    expect(got.text.slice(got.text.indexOf("{"))).toMatch(
      /^\{"type":"about:blank","title":".+","status":\d+,"code":"[a-z-]+","detail":".+"\}\n$/,
    );
    expect(got.text).toMatch(message);
    expect(got.text).not.toMatch(/root:|node_modules|generator|\bat .*:\d+/);
    expect((await sendRequest(`${url}/health`)).status).toBe(200);
  });

  quick.it("sends the reason to a client that has not finished its request", async () => {
    const { port } = await startServer({ runs: RUNS });
    const socket = await openSocket(port);
    socket.on("error", () => undefined);
    const closed = new Promise((resolve) => socket.on("close", resolve));
    socket.pause();
    socket.write(formatGet("/health", `X-Long: ${"a".repeat(2 ** 22)}`));
    await new Promise((resolve) => setTimeout(resolve, 150));
    const parts: Buffer[] = [];
    socket.on("data", (part) => parts.push(part)).resume();
    await closed;
    expect(Buffer.concat(parts).toString()).toMatch(/^HTTP\/1.1 431 /);
  });

  quick.it("accepts a target with a host", async () => {
    const { port } = await startServer({ runs: RUNS });
    expect((await sendBytes(port, formatGet("http://anywhere.example/health?x=1"))).status).toBe(200);
  });

  quick.it("returns text of a URL as JSON, never as markup", async () => {
    const { url } = await startServer({ runs: RUNS });
    const got = await sendRequest(`${url}/%3Cscript%3Ealert(1)%3C/script%3E%0d%0aX-Evil:1`);
    expect(got).toMatchObject({
      status: 404,
      headers: { "content-type": "application/problem+json", "x-content-type-options": "nosniff" },
    });
    expect(got.headers["x-evil"]).toBeUndefined();
  });
});

const LONG_RUN: Run = (() => {
  const events = Array.from({ length: 4_000 }, (_, index) => ({
    raw: Buffer.from(`{"session_id":"s","seq":${index},"text":"${"x".repeat(10_000)}"}`),
    type: "t",
    sequence: index,
    id: String(index),
  }));
  return { protocol: "frames/v1", key: "s", fields: { session_id: "s" }, events };
})();

deep.describe("many clients, and clients that do not read", () => {
  it("serves others while a thousand connections are idle", async () => {
    const { url, port } = await startServer({ runs: RUNS });
    const idle: Socket[] = [];
    for (let some = 0; some < 10; some++)
      idle.push(...(await Promise.all(Array.from({ length: 100 }, () => openSocket(port)))));
    expect(idle).toHaveLength(1_000);
    const got = await sendRequest(`${url}${PATH}/stream`);
    expect(parseFrames(got.body)).toHaveLength(30);
    expect(idle.every((socket) => !socket.destroyed)).toBe(true);
  });

  const openUnreadSocket = async (port: number, path: string): Promise<Socket> => {
    const socket = await openSocket(port);
    socket.pause();
    socket.on("error", () => undefined);
    socket.write(formatGet(path));
    return socket;
  };

  it.each(["/frames/v1/sessions/s/stream", "/frames/v1/sessions/s/events?limit=4000"])(
    "a client that never reads %s occupies little memory and delays nobody",
    async (path) => {
      const { url, port } = await startServer({ runs: [LONG_RUN] });
      await sendRequest(`${url}/frames/v1/sessions/s/stream`);
      const before = process.memoryUsage().arrayBuffers;
      const sockets = await Promise.all(Array.from({ length: 20 }, () => openUnreadSocket(port, path)));
      const got = await sendRequest(`${url}/frames/v1/sessions/s/stream`);
      expect(parseFrames(got.body)).toHaveLength(4_000);
      // Each would be 40 MB if what it does not read were held for it; the answer that was read is 40 MB, too.
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(300e6);
      expect(sockets.every((socket) => !socket.destroyed)).toBe(true);
    },
  );

  const createIdleLimits = (idle: number, heartbeat: number): Partial<Limits> => ({ idle, heartbeat });
  it("disconnects a client that never reads, but not one that waits for events", async () => {
    const { url, port, connections } = await startServer({
      runs: [LONG_RUN],
      limits: createIdleLimits(1_000, 100),
    });
    let heard = false;
    const listening = sendRequest(`${url}/frames/v1/events/stream?event_type=checkpoint_failed`).finally(
      () => {
        heard = true;
      },
    );
    await openUnreadSocket(port, "/frames/v1/sessions/s/stream");
    await vi.waitUntil(async () => (await connections()) === 2);
    await vi.waitUntil(async () => (await connections()) === 1, { timeout: 10_000 });
    expect(heard).toBe(false);
    void listening.catch(() => undefined);
  });

  it("closes a connection without a request after the limit", async () => {
    const { port } = await startServer({ runs: RUNS, limits: createIdleLimits(100, 50) });
    const socket = await openSocket(port);
    socket.resume();
    await new Promise((resolve) => socket.on("close", resolve));
  });

  it("ends streams between two events when it stops, and soon even if clients do not read", async () => {
    const { url, port, close } = await startServer({ runs: [LONG_RUN], limits: { heartbeat: 20 } });
    const feed = sendRequest(`${url}/frames/v1/events/stream`);
    await openUnreadSocket(port, "/frames/v1/sessions/s/stream");
    await sendRequest(`${url}/frames/v1/events/stream`, {}, { until: ": heartbeat\n\n" });
    await close();
    const got = await feed;
    expect(got.complete).toBe(true);
    expect(parseFrames(got.body)).toHaveLength(4_000);
    await expect(sendRequest(`${url}/health`)).rejects.toThrow(/ECONNREFUSED/);
  });
});
