/** If this fails, a client that works with this server fails with a real one. */
import { STATUS_CODES } from "node:http";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { WireFormatName } from "../../generator/serve/wire-formats.js";
import { loadRuns, parseBody, parseFrames, readLines, SSE, sendRequest, startServer } from "./start.js";

const SHELL = "fixtures/hecate/v1/streams/agent-loop-shell.jsonl";
const FILES = [
  SHELL,
  "fixtures/hecate/v1/streams/two-runs.jsonl",
  "fixtures/frames/v1/streams/session.jsonl",
  "fixtures/frames/v2/streams/task.jsonl",
  "fixtures/evva/v0/streams/subagent-run.jsonl",
];
const RUNS = await loadRuns(...FILES);
const lines = readLines(SHELL);
const [task, run] = ["task_01KQPNTT1GTJ3AC5ZEVH35HMX1", "run_01KQPNTT2RZW040CA11XDDDE4M"];
const HECATE = `/hecate/v1/tasks/${task}/runs/${run}`;

const LIST = `${HECATE}/events`;

/** Disconnects when the stream has no event to send for now. */
const UNTIL_HEARTBEAT = { until: ": heartbeat\n\n" };
const readType = (line: string): string => JSON.parse(line).type;
const hecateLines = FILES.slice(0, 2).flatMap((file) => readLines(file));

/** The bytes around events, and the names of lists, in each wire format. */
const WIRE: {
  readonly [format in Exclude<WireFormatName, "state">]: {
    head: string;
    tail: string;
    run: string;
    feed: string;
  };
} = {
  spec: { head: "data: ", tail: "", run: "list", feed: "list" },
  runtime: { head: 'data: {"object":"event","data":', tail: "}", run: "run_events", feed: "events" },
};

describe.each(["spec", "runtime"] as const)("wire format %s", (format) => {
  const { head, tail, run: runList, feed: feedList } = WIRE[format];
  const name = format === "runtime" ? "event: event\n" : "";
  const formatFrames = (some: readonly string[], first: number): string =>
    some.map((line, index) => `${name}id: ${first + index}\n${head}${line}${tail}\n\n`).join("");
  const formatPage = (some: readonly string[], next: number, object = runList): string =>
    `{"object":"${object}","data":[${some.join(",")}],"next_after_sequence":${next}}\n`;
  const formatStream = (first: number): string => `retry: 1000\n\n${formatFrames(lines.slice(first), first)}`;
  const firstPage = formatPage(lines.slice(0, 1), 0);

  it.each<[string, path: string, headers: { [name: string]: string }, body: string]>([
    ["a list", LIST, {}, formatPage(lines, 29)],
    ["a list after", `${LIST}?after_sequence=27`, {}, formatPage(lines.slice(28), 29)],
    ["a list after the first", `${LIST}?after_sequence=0`, {}, formatPage(lines.slice(1), 29)],
    ["a short list", `${LIST}?limit=2`, {}, formatPage(lines.slice(0, 2), 1)],
    ["a page", `${LIST}?after_sequence=1&limit=3`, {}, formatPage(lines.slice(2, 5), 4)],
    ["a list after the end", `${LIST}?after_sequence=29`, {}, formatPage([], 29)],
    ["a list from the start", `${LIST}?after_sequence=-1&limit=1`, {}, firstPage],
    ["an empty list", `${LIST}?event_type=run.cancelled`, {}, formatPage([], -1)],
    ["an event type of a newer protocol", `${LIST}?event_type=agent.handed_over`, {}, formatPage([], -1)],
    [
      "a list of two types",
      `${LIST}?event_type=run.created,run.queued`,
      {},
      formatPage(lines.slice(0, 2), 1),
    ],
    ["a list for *", `${LIST}?limit=1`, { accept: "*/*" }, firstPage],
    ["no stream with q=0", `${LIST}?limit=1`, { accept: "text/event-stream;q=0" }, firstPage],
    [
      "a preferred list",
      `${LIST}?limit=1`,
      { accept: "application/json, text/event-stream;q=0.5" },
      firstPage,
    ],
    ["a stream", LIST, SSE, formatStream(0)],
    ["a preferred stream", LIST, { accept: "application/json;q=0.1, Text/Event-Stream" }, formatStream(0)],
    ["a stream after", `${LIST}?after_sequence=26`, SSE, formatStream(27)],
    ["a stream resumed", `${LIST}?after_sequence=3`, { ...SSE, "last-event-id": "27" }, formatStream(28)],
    ["a stream with an empty id", LIST, { ...SSE, "last-event-id": "" }, formatStream(0)],
    ["/stream", `${HECATE}/stream`, {}, formatStream(0)],
    ["/stream after", `${HECATE}/stream?after_sequence=28`, { accept: "application/json" }, formatStream(29)],
    ["the feed's list", "/hecate/v1/events?limit=2", {}, formatPage(lines.slice(0, 2), 2, feedList)],
    ["the feed of a task", `/hecate/v1/events?task_id=${task}`, {}, formatPage(lines, 30, feedList)],
    [
      "the feed of a task and a type",
      `/hecate/v1/events?task_id=${task}&event_type=run.created`,
      {},
      formatPage(lines.slice(0, 1), 1, feedList),
    ],
    ["a feed of another task", "/hecate/v1/events?task_id=task_other", {}, formatPage([], -1, feedList)],
  ])("serves %s", async (_, path, headers, body) => {
    const { url } = await startServer({ runs: RUNS, format });
    const answer = await sendRequest(url + path, headers);
    expect(answer.body.toString("utf8")).toBe(body);
    expect(answer).toMatchObject({ status: 200, complete: true });
    const type = body.startsWith("retry") ? "text/event-stream" : "application/json";
    expect(answer.headers).toMatchObject({ "content-type": type });
  });

  it.each([
    ["after the last event", `${HECATE}/events?after_sequence=29`, SSE],
    ["beyond the last event", `${HECATE}/stream?after_sequence=9007199254740991`, {}],
    ["resumed after the last event", `${HECATE}/stream`, { "last-event-id": "29" }],
    ["when no event at all is wanted", `${HECATE}/stream?event_type=run.cancelled`, {}],
    ["when no later event is wanted", `${HECATE}/stream?after_sequence=0&event_type=run.created`, {}],
  ])("answers 204 %s", async (_, path, headers) => {
    const { url } = await startServer({ runs: RUNS, format });
    expect(await sendRequest(url + path, headers)).toMatchObject({ status: 204, body: Buffer.alloc(0) });
  });

  it("lists each event of the protocol once in the pages of the feed, those of one run in order", async () => {
    const { url } = await startServer({ runs: RUNS, format });
    const received: string[] = [];
    for (let next: number | undefined; ; ) {
      const cursor = next === undefined ? "" : `&after_sequence=${next}`;
      const answer = parseBody(await sendRequest(`${url}/hecate/v1/events?limit=7${cursor}`));
      received.push(...answer.data.map((event: unknown) => JSON.stringify(event)));
      if (answer.data.length === 0) break;
      next = answer.next_after_sequence;
    }
    const sorted = (some: readonly string[]): string[] =>
      some.map((line) => JSON.stringify(JSON.parse(line))).sort();
    expect(sorted(received)).toEqual(sorted(hecateLines));
    expect(received.filter((line) => line.includes(run)).map((line) => JSON.parse(line).sequence)).toEqual(
      lines.map((_, index) => index),
    );
  });

  it("keeps the stream of the feed open and resumes it by its own numbers", async () => {
    const { url } = await startServer({ runs: RUNS, format, limits: { heartbeat: 20 } });
    const all = await sendRequest(`${url}/hecate/v1/events/stream`, {}, UNTIL_HEARTBEAT);
    expect(all.complete).toBe(false);
    const ids = parseFrames(all.body).map(({ id }) => Number(id));
    expect(ids).toEqual(hecateLines.map((_, index) => index + 1));
    const rest = await sendRequest(
      `${url}/hecate/v1/events`,
      { ...SSE, "last-event-id": "68" },
      UNTIL_HEARTBEAT,
    );
    expect(parseFrames(rest.body).map(({ id }) => Number(id))).toEqual([69, 70]);
    const some = await sendRequest(
      `${url}/hecate/v1/events/stream?event_type=turn.started, run.finished`,
      {},
      UNTIL_HEARTBEAT,
    );
    const types = parseFrames(some.body)
      .map(({ data }) => JSON.parse(data))
      .map((value) => (value.data?.type ?? value.type) as string);
    expect(types.length).toBe(
      hecateLines.filter((line) => ["turn.started", "run.finished"].includes(readType(line))).length,
    );
    expect(new Set(types)).toEqual(new Set(["turn.started", "run.finished"]));
  });

  it.each([
    [
      "frames/v1",
      "/frames/v1/sessions/d26d4b5a-c542-4767-83f7-fbb2c1465919",
      "fixtures/frames/v1/streams/session.jsonl",
      0,
    ],
    [
      "frames/v2",
      "/frames/v2/streams/task/9546e658-c8bc-4212-b946-48934eaa3604",
      "fixtures/frames/v2/streams/task.jsonl",
      0,
    ],
    ["evva/v0", "/evva/v0/streams/sub-a5e8", "fixtures/evva/v0/streams/subagent-run.jsonl", 1],
  ])("serves %s in its form", async (_, path, file, first) => {
    const { url } = await startServer({ runs: RUNS, format });
    const all = readLines(file).filter(
      (line) => !file.includes("evva") || line.includes('"AgentID":"sub-a5e8"'),
    );
    const list = await sendRequest(`${url}${path}/events`);
    expect(list.body.toString("utf8")).toBe(formatPage(all, first + all.length - 1));
    const live = await sendRequest(`${url}${path}/stream?after_sequence=${first}`);
    expect(live.body.toString("utf8")).toBe(`retry: 1000\n\n${formatFrames(all.slice(1), first + 1)}`);
    const end = await sendRequest(`${url}${path}/events`, {
      ...SSE,
      "last-event-id": String(first + all.length - 1),
    });
    expect(end.status).toBe(204);
  });
});

describe("the other routes", () => {
  it("serves a run without a task below -", async () => {
    const { url } = await startServer({ runs: RUNS });
    const { data } = parseBody(await sendRequest(`${url}/runs`));
    const paths = data.map((one: { paths: { events: string } }) => one.paths.events);
    expect(paths).toContain("/hecate/v1/tasks/-/runs/run_01KQQ9BT2RKSJ7N1FD64NNDTXK/events");
    for (const path of paths) expect((await sendRequest(url + path)).status).toBe(200);
    expect(data).toHaveLength(RUNS.length);
    const counts = { events: 30, released: 30, finished: true, expectsEnd: true };
    expect(data[0]).toMatchObject({ protocol: "hecate/v1", run, ...counts });
  });

  it("reports its health and its paths", async () => {
    const { url } = await startServer({ runs: RUNS });
    expect(parseBody(await sendRequest(`${url}/health`))).toEqual({ status: "ok", runs: RUNS.length });
    expect(parseBody(await sendRequest(`${url}/`, { accept: "application/json" })).paths).toContain(
      "/hecate/v1/events/stream",
    );
  });

  it("serves the given page and no other file", async () => {
    const file = (text: string) => ({ type: "text/html; charset=utf-8", body: Buffer.from(text) });
    const site = new Map([
      ["/", file("<p>é")],
      ["/app/a b.js", file("x")],
    ]);
    const { url } = await startServer({ runs: RUNS, site });
    expect(await sendRequest(url, { accept: "text/html" })).toMatchObject({
      status: 200,
      body: Buffer.from("<p>é"),
    });
    expect((await sendRequest(url, { accept: "text/html" })).headers["content-type"]).toBe(
      "text/html; charset=utf-8",
    );
    expect((await sendRequest(`${url}/app/a%20b.js`)).body.toString()).toBe("x");
    expect((await sendRequest(`${url}/app`)).status).toBe(404);
  });

  it("compresses lists and pages, never streams", async () => {
    const { url } = await startServer({ runs: RUNS });
    const zipped = await sendRequest(`${url}${HECATE}/events`, { "accept-encoding": "br, gzip" });
    expect(zipped.headers["content-encoding"]).toBe("gzip");
    const plain = await sendRequest(`${url}${HECATE}/events`, { "accept-encoding": "gzip;q=0" });
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(gunzipSync(zipped.body)).toEqual(plain.body);
    const live = await sendRequest(`${url}${HECATE}/stream`, { "accept-encoding": "gzip" });
    expect(live.headers["content-encoding"]).toBeUndefined();
  });

  it("answers HEAD and preflights", async () => {
    const { url } = await startServer({ runs: RUNS });
    for (const path of ["/health", `${HECATE}/events`, `${HECATE}/stream`, "/hecate/v1/events/stream"])
      expect(await sendRequest(url + path, {}, { method: "HEAD" })).toMatchObject({
        status: 200,
        body: Buffer.alloc(0),
      });
    const asked = { origin: "http://localhost:5173", "access-control-request-headers": "last-event-id" };
    const answer = await sendRequest(`${url}${HECATE}/events`, asked, { method: "OPTIONS" });
    expect(answer.status).toBe(204);
    expect(answer.headers).toMatchObject({
      "access-control-allow-origin": "http://localhost:5173",
      "access-control-allow-credentials": "true",
      "access-control-allow-methods": expect.stringContaining("POST"),
      "access-control-allow-headers": expect.stringMatching(/Authorization, .*Last-Event-ID/),
    });
  });

  it.each<[string, path: string, status: number, vary: string]>([
    ["a list", LIST, 200, "accept, accept-encoding, origin"],
    ["a stream", `${HECATE}/stream`, 200, "accept, origin"],
    ["a problem", "/nothing", 404, "origin"],
  ])("lets pages of other ports send credentials with a request for %s", async (_, path, status, vary) => {
    const { url } = await startServer({ runs: RUNS });
    const answer = await sendRequest(url + path, { origin: "https://127.0.0.1:8443", cookie: "a=b" });
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      "access-control-allow-origin": "https://127.0.0.1:8443",
      "access-control-allow-credentials": "true",
      vary,
    });
    expect(answer.headers["access-control-expose-headers"]).not.toContain("*");
    const { headers } = await sendRequest(url + path);
    expect(headers["access-control-allow-credentials"]).toBeUndefined();
  });

  it.each<[string, accept: string, type: string, body: RegExp]>([
    ["a browser", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", "text/html", /^<html>/],
    ["curl", "*/*", "text/plain; charset=utf-8", /^\/runs +every run/m],
    ["a client of JSON", "application/json", "application/json", /"paths":\["\/runs"/],
  ])("answers %s at /", async (_, accept, type, body) => {
    const site = new Map([["/", { type: "text/html", body: Buffer.from("<html></html>") }]]);
    const { url } = await startServer({ runs: RUNS, site });
    const answer = await sendRequest(`${url}/`, { accept });
    expect(answer.headers).toMatchObject({ "content-type": type, vary: "accept, accept-encoding, origin" });
    expect(answer.body.toString("utf8")).toMatch(body);
  });

  it.each<[string, path: string, status: number, message: RegExp, sent?: RequestParts]>([
    ["an unknown run", `/hecate/v1/tasks/${task}/runs/run_x/events`, 404, /no run "run_x".*\/runs/],
    ["a run of another task", `/hecate/v1/tasks/x/runs/${run}/stream`, 404, RegExp(`is at ${HECATE}/stream`)],
    ["an unknown path", "/nothing", 404, /nothing at "\/nothing"/],
    ["a path below a path", `${LIST}/`, 404, /nothing at/],
    ["a name of Object", "/hecate/v1/tasks/__proto__/runs/constructor/events", 404, /no run "constructor"/],
    ["a negative cursor", `${LIST}?after_sequence=-2`, 400, /after_sequence must be a whole number.*"-2"/],
    ["a huge cursor", `${LIST}?after_sequence=9007199254740992`, 400, /9007199254740991/],
    ["an enormous cursor", `${LIST}?after_sequence=${"9".repeat(400)}`, 400, /after_sequence/],
    ["a cursor of words", `${LIST}?after_sequence=now`, 400, /"now"/],
    ["a broken number", `${LIST}?after_sequence=1.5`, 400, /"1.5"/],
    ["a power", `${LIST}?after_sequence=1e3`, 400, /"1e3"/],
    ["an empty cursor", `${LIST}?after_sequence=`, 400, /after_sequence/],
    ["two cursors", `${LIST}?after_sequence=1&after_sequence=2`, 400, /2 times/],
    [
      "a bad id",
      `${HECATE}/stream`,
      400,
      /Last-Event-ID.*"evt_1"/,
      { headers: { "last-event-id": "evt_1" } },
    ],
    [
      "a misspelt event type",
      `${LIST}?event_type=run.created,run.creatd`,
      400,
      /no event type "run.creatd"; did you mean "run.created"/,
    ],
    ["an empty event type", `${LIST}?event_type=`, 400, /no event type ""/],
    [
      "a misspelt event type of a feed",
      "/hecate/v1/events/stream?event_type=run.creatd",
      400,
      /did you mean/,
    ],
    ["a limit of 0", `${LIST}?limit=0`, 400, /limit must be a whole number from 1/],
    ["a huge limit", `${LIST}?limit=5001`, 400, /to 5000/],
    [
      "a misspelt parameter",
      `${LIST}?aftersequence=3`,
      400,
      / takes no parameter "aftersequence"; did you mean "after_sequence"\? It takes after_sequence, limit, event_type\.$/,
    ],
    ["a limit of a live stream", `${HECATE}/stream?limit=3`, 400, /no parameter "limit"\. It takes/],
    ["a filter of a run", `${LIST}?task_id=${task}`, 400, /no parameter "task_id"\. It takes/],
    ["a parameter that no feed has", "/hecate/v1/events?run=1", 400, /event_type, task_id\.$/],
    ["a list of runs with parameters", "/runs?limit=1", 400, /"\/runs" takes no parameter "limit"\.$/],
    ["a parameter of Object", "/runs?__proto__=1", 400, /no parameter "__proto__"/],
    ["a step with a misspelt parameter", "/step?runn=x", 400, /did you mean "run"\?/, { method: "POST" }],
    ["bad percent-encoding of a path", "/hecate/%zz", 400, /percent/],
    ["bad percent-encoding of a query", `${LIST}?event_type=%ff`, 400, /percent/],
    ["a wrong method", LIST, 405, /takes GET/, { method: "DELETE" }],
    ["reading a step", "/step", 405, /takes POST/],
    ["a step without --step", "/step", 409, /--step/, { method: "POST" }],
    ["a long URL", `/${"a".repeat(9_000)}`, 414, /longer than 8192 bytes/],
  ])("refuses %s", async (_, path, status, message, { method = "GET", headers = {} } = {}) => {
    const { url } = await startServer({ runs: RUNS });
    const answer = await sendRequest(url + path, headers, { method });
    expect(parseBody(answer)).toEqual({
      type: "about:blank",
      title: STATUS_CODES[status],
      status,
      code: expect.stringMatching(/^[a-z]+(-[a-z]+)+$/),
      detail: expect.stringMatching(message),
    });
    expect(answer.status).toBe(status);
    expect(answer.headers["content-type"]).toBe("application/problem+json");
    if (status === 405) expect(answer.headers.allow).toContain(method === "GET" ? "POST" : "GET");
  });
});

/** The parts of a request besides its path. */
interface RequestParts {
  readonly method?: string;
  readonly headers?: { readonly [name: string]: string };
}
