/** If this fails, pages of foreign sites read recordings or post approvals, or a developer's own frontend cannot. */
import { request } from "node:http";
import { describe, expect, it } from "vitest";
import type { AccessOptions } from "../../generator/serve/access.js";
import { runAccrete } from "../commands/run-in-process.js";
import { loadRuns, startServer } from "./start.js";

const RUNS = await loadRuns("fixtures/hecate/v1/streams/agent-loop-shell.jsonl");

interface Reply {
  readonly status: number | undefined;
  readonly allowedOrigin: string | undefined;
  readonly credentials: string | undefined;
  readonly body: string;
}

/** Sends a request with exactly these headers. */
function send(url: string, method: string, headers: { readonly [name: string]: string }): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, async (answer) => {
      const pieces: Buffer[] = [];
      for await (const piece of answer) pieces.push(piece as Buffer);
      resolve({
        status: answer.statusCode,
        allowedOrigin: answer.headers["access-control-allow-origin"]?.toString(),
        credentials: answer.headers["access-control-allow-credentials"]?.toString(),
        body: Buffer.concat(pieces).toString(),
      });
    });
    sent.on("error", reject);
    sent.end();
  });
}

/** A request, and the origin that may read the answer: none for programs and for pages that may not. */
interface Case {
  readonly name: string;
  readonly access?: Partial<AccessOptions>;
  readonly host?: string;
  readonly origin?: string;
  readonly status: number;
  readonly readBy?: string;
  readonly hasCredentials?: boolean;
}

const CASES: readonly Case[] = [
  { name: "a program", status: 200 },
  { name: "a program that says localhost", host: "localhost:4780", status: 200 },
  { name: "a program that uses IPv6", host: "[::1]:4780", status: 200 },
  ...["http://localhost:5173", "http://127.0.0.1:3000", "https://localhost", "http://[::1]:8080"].map(
    (origin) => ({
      ...{ name: `the page of ${origin}`, origin, status: 200, readBy: origin, hasCredentials: true },
    }),
  ),
  ...[
    "https://evil.example",
    "http://localhost.evil.example",
    "http://evil.example:4780",
    "http://127.0.0.1.evil.example",
    "https://user@localhost.evil.example",
    "null",
    "file://",
    "chrome-extension://abc",
    "nonsense",
  ].map((origin) => ({ name: `the page of ${origin}`, origin, status: 403 })),
  ...[
    "evil.example",
    "evil.example:4780",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "10.0.0.7",
    "0.0.0.0",
  ].map((host) => ({ name: `a page that calls the server ${host}`, host, status: 421 })),
  {
    name: "a rebound name with its own origin",
    host: "evil.example",
    origin: "http://evil.example",
    status: 421,
  },
  {
    ...{ name: "a permitted origin", origin: "https://app.example", status: 200 },
    ...{
      access: { allowedOrigins: ["https://app.example"] },
      readBy: "https://app.example",
      hasCredentials: true,
    },
  },
  {
    ...{ name: "another port of a permitted origin", origin: "https://app.example:8443", status: 403 },
    access: { allowedOrigins: ["https://app.example"] },
  },
  {
    ...{ name: "any origin", origin: "https://evil.example", status: 200, readBy: "*" },
    access: { allowedOrigins: ["*"] },
  },
  { name: "a permitted name", host: "Box.local:80", status: 200, access: { allowedHosts: ["box.local"] } },
  {
    ...{ name: "the own page of a permitted name", host: "box.local:81", origin: "http://box.local:81" },
    ...{
      access: { allowedHosts: ["box.local"] },
      status: 200,
      readBy: "http://box.local:81",
      hasCredentials: true,
    },
  },
  {
    name: "an address of a server for others",
    host: "10.0.0.7:4780",
    status: 200,
    access: { host: "0.0.0.0" },
  },
  { name: "a name of a server for others", host: "evil.example", status: 421, access: { host: "0.0.0.0" } },
  {
    name: "the name on which a server listens",
    host: "box.lan:4780",
    status: 200,
    access: { host: "box.lan" },
  },
];

describe.each(CASES)("$name", ({ access, host, origin, status, readBy, hasCredentials = false }) => {
  const headers = { ...(host !== undefined && { host }), ...(origin !== undefined && { origin }) };
  const wanted = {
    allowedOrigin: readBy,
    credentials: hasCredentials ? "true" : undefined,
  };

  it.each([
    ["GET", "/runs", 200],
    ["HEAD", "/hecate/v1/events/stream", 200],
    ["GET", "/nothing", 404],
    ["OPTIONS", "/runs", 204],
    ["POST", "/step", 200],
  ] as const)("%s %s", async (method, path, answered) => {
    const { url } = await startServer({
      runs: RUNS,
      ...(path === "/step" && { pace: { kind: "step" } }),
      access: { host: "127.0.0.1", ...access },
    });
    const reply = await send(url + path, method, headers);
    expect(reply).toMatchObject({ ...wanted, status: status === 200 ? answered : status });
    if (status === 200 || method === "HEAD") return;
    expect(JSON.parse(reply.body)).toMatchObject({
      code: status === 403 ? "origin-refused" : "host-refused",
    });
    expect(reply.body).not.toContain("run_id");
  });
});

it("releases no event for a foreign page", async () => {
  const { url } = await startServer({ runs: RUNS, pace: { kind: "step" } });
  const countEvents = async (): Promise<number> =>
    JSON.parse((await send(`${url}/hecate/v1/events`, "GET", {})).body).data.length;
  expect((await send(`${url}/step?count=5`, "POST", { origin: "https://evil.example" })).status).toBe(403);
  expect(await countEvents()).toBe(0);
  await send(`${url}/step?count=5`, "POST", {});
  expect(await countEvents()).toBe(5);
});

it.each([
  ["--allow-host", "box.local:80", /without a port/],
  ["--allow-host", "http://box.local", /without a port/],
  ["--allow-origin", "app.example", /without a path/],
  ["--allow-origin", "https://app.example/page", /without a path/],
])("refuses %s %s", async (option, value, message) => {
  const { exitCode, stderr } = await runAccrete(["serve", option, value]);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
});
