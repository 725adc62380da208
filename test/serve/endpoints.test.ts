/** A client that works with the mock server would fail with the real one. */
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { WireFormatName } from "../../generator/serve/wire-formats.js";
import { type Answered, ask, framesOf, json, linesOf, runsOf, SSE, start } from "./start.js";

const SHELL = "fixtures/hecate/v1/streams/agent-loop-shell.jsonl";
const FILES = [
  SHELL,
  "fixtures/hecate/v1/streams/two-runs.jsonl",
  "fixtures/frames/v1/streams/session.jsonl",
  "fixtures/frames/v2/streams/task.jsonl",
  "fixtures/evva/v0/streams/subagent-run.jsonl",
];
const RUNS = await runsOf(...FILES);
const lines = linesOf(SHELL);
const [task, run] = ["task_01KQPNTT1GTJ3AC5ZEVH35HMX1", "run_01KQPNTT2RZW040CA11XDDDE4M"];
const HECATE = `/hecate/v1/tasks/${task}/runs/${run}`;

/** A stream that says so has nothing to send for now. */
const HEARD = { until: ": heartbeat\n\n" };
const typeOf = (line: string): string => JSON.parse(line).type;
const ofHecate = FILES.slice(0, 2).flatMap(linesOf);

/** Where each profile says what, in the very bytes. */
const WIRE: {
  readonly [format in WireFormatName]: { head: string; tail: string; run: string; feed: string };
} = {
  spec: { head: "data: ", tail: "", run: "list", feed: "list" },
  runtime: { head: 'data: {"object":"event","data":', tail: "}", run: "run_events", feed: "events" },
};

describe.each(["spec", "runtime"] as const)("profile %s", (format) => {
  const { head, tail, run: runList, feed: feedList } = WIRE[format];
  const name = format === "runtime" ? "event: event\n" : "";
  const frames = (some: readonly string[], first: number): string =>
    some.map((line, index) => `${name}id: ${first + index}\n${head}${line}${tail}\n\n`).join("");
  const page = (some: readonly string[], next: number | undefined, object = runList): string =>
    `{"object":"${object}","data":[${some.join(",")}]${next === undefined ? "" : `,"next_after_sequence":${next}`}}\n`;

  it.each<[string, string, { [name: string]: string }, string]>([
    ["a list", `${HECATE}/events`, {}, page(lines, 29)],
    ["a list after", `${HECATE}/events?after_sequence=27`, {}, page(lines.slice(28), 29)],
    ["a list after the first", `${HECATE}/events?after_sequence=0`, {}, page(lines.slice(1), 29)],
    ["a short list", `${HECATE}/events?limit=2`, {}, page(lines.slice(0, 2), 1)],
    ["a page", `${HECATE}/events?after_sequence=1&limit=3`, {}, page(lines.slice(2, 5), 4)],
    ["a list after the end", `${HECATE}/events?after_sequence=29`, {}, page([], 29)],
    ["a list of nothing", `${HECATE}/events?event_type=no.such`, {}, page([], undefined)],
    [
      "a list of a type",
      `${HECATE}/events?event_type=run.created,run.queued`,
      {},
      page(lines.slice(0, 2), 1),
    ],
    ["a list for *", `${HECATE}/events?limit=1`, { accept: "*/*" }, page(lines.slice(0, 1), 0)],
    [
      "no stream with q=0",
      `${HECATE}/events?limit=1`,
      { accept: "text/event-stream;q=0" },
      page(lines.slice(0, 1), 0),
    ],
    [
      "a list that is wanted more than a stream",
      `${HECATE}/events?limit=1`,
      { accept: "application/json, text/event-stream;q=0.5" },
      page(lines.slice(0, 1), 0),
    ],
    ["a stream", `${HECATE}/events`, SSE, `retry: 1000\n\n${frames(lines, 0)}`],
    [
      "a stream among others",
      `${HECATE}/events`,
      { accept: "application/json;q=0.1, Text/Event-Stream" },
      `retry: 1000\n\n${frames(lines, 0)}`,
    ],
    [
      "a stream after",
      `${HECATE}/events?after_sequence=26`,
      SSE,
      `retry: 1000\n\n${frames(lines.slice(27), 27)}`,
    ],
    [
      "a stream resumed",
      `${HECATE}/events?after_sequence=3`,
      { ...SSE, "last-event-id": "27" },
      `retry: 1000\n\n${frames(lines.slice(28), 28)}`,
    ],
    [
      "a stream with an empty id",
      `${HECATE}/events`,
      { ...SSE, "last-event-id": "" },
      `retry: 1000\n\n${frames(lines, 0)}`,
    ],
    ["/stream", `${HECATE}/stream`, {}, `retry: 1000\n\n${frames(lines, 0)}`],
    [
      "/stream after",
      `${HECATE}/stream?after_sequence=28`,
      { accept: "application/json" },
      `retry: 1000\n\n${frames(lines.slice(29), 29)}`,
    ],
    ["the feed's list", "/hecate/v1/events?limit=2", {}, page(lines.slice(0, 2), 2, feedList)],
    ["the feed of a task", `/hecate/v1/events?task_id=${task}`, {}, page(lines, 30, feedList)],
    [
      "the feed of a task and a type",
      `/hecate/v1/events?task_id=${task}&event_type=run.created`,
      {},
      page(lines.slice(0, 1), 1, feedList),
    ],
    ["a feed of another task", "/hecate/v1/events?task_id=task_other", {}, page([], undefined, feedList)],
  ])("serves %s", async (_, path, headers, want) => {
    const { url } = await start({ runs: RUNS, format });
    const got = await ask(url + path, headers);
    expect(got.body.toString("utf8")).toBe(want);
    expect(got).toMatchObject({ status: 200, complete: true });
    const type = want.startsWith("retry") ? "text/event-stream" : "application/json";
    expect(got.headers).toMatchObject({ "content-type": type, "access-control-allow-origin": "*" });
  });

  it.each([
    ["after the last event", `${HECATE}/events?after_sequence=29`, SSE],
    ["beyond the last event", `${HECATE}/stream?after_sequence=9007199254740991`, {}],
    ["resumed after the last event", `${HECATE}/stream`, { "last-event-id": "29" }],
    ["when no event at all is wanted", `${HECATE}/stream?event_type=no.such`, {}],
    ["when no later event is wanted", `${HECATE}/stream?after_sequence=0&event_type=run.created`, {}],
  ])("has nothing more to say %s", async (_, path, headers) => {
    const { url } = await start({ runs: RUNS, format });
    expect(await ask(url + path, headers)).toMatchObject({ status: 204, body: Buffer.alloc(0) });
  });

  it("pages through the feed: each event of the protocol once, those of one run in order", async () => {
    const { url } = await start({ runs: RUNS, format });
    const got: string[] = [];
    for (let next: number | undefined; ; ) {
      const cursor = next === undefined ? "" : `&after_sequence=${next}`;
      const answer = json(await ask(`${url}/hecate/v1/events?limit=7${cursor}`));
      got.push(...answer.data.map((event: unknown) => JSON.stringify(event)));
      if (answer.data.length === 0) break;
      next = answer.next_after_sequence;
    }
    const sorted = (some: readonly string[]): string[] =>
      some.map((line) => JSON.stringify(JSON.parse(line))).sort();
    expect(sorted(got)).toEqual(sorted(ofHecate));
    expect(got.filter((line) => line.includes(run)).map((line) => JSON.parse(line).sequence)).toEqual(
      lines.map((_, index) => index),
    );
  });

  it("keeps the feed's stream open and resumes it by its own numbers", async () => {
    const { url } = await start({ runs: RUNS, format, limits: { heartbeat: 20 } });
    const all = await ask(`${url}/hecate/v1/events/stream`, {}, HEARD);
    expect(all.complete).toBe(false);
    const ids = framesOf(all.body).map(({ id }) => Number(id));
    expect(ids).toEqual(ofHecate.map((_, index) => index + 1));
    const rest = await ask(`${url}/hecate/v1/events`, { ...SSE, "last-event-id": "68" }, HEARD);
    expect(framesOf(rest.body).map(({ id }) => Number(id))).toEqual([69, 70]);
    const some = await ask(`${url}/hecate/v1/events/stream?event_type=turn.started, run.finished`, {}, HEARD);
    const types = framesOf(some.body)
      .map(({ data }) => JSON.parse(data))
      .map((value) => (value.data?.type ?? value.type) as string);
    expect(types.length).toBe(
      ofHecate.filter((line) => ["turn.started", "run.finished"].includes(typeOf(line))).length,
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
    const { url } = await start({ runs: RUNS, format });
    const all = linesOf(file).filter(
      (line) => !file.includes("evva") || line.includes('"AgentID":"sub-a5e8"'),
    );
    const list = await ask(`${url}${path}/events`);
    expect(list.body.toString("utf8")).toBe(page(all, first + all.length - 1));
    const live = await ask(`${url}${path}/stream?after_sequence=${first}`);
    expect(live.body.toString("utf8")).toBe(`retry: 1000\n\n${frames(all.slice(1), first + 1)}`);
    const end = await ask(`${url}${path}/events`, {
      ...SSE,
      "last-event-id": String(first + all.length - 1),
    });
    expect(end.status).toBe(204);
  });
});

describe("beside events", () => {
  it("serves a run without a task below -", async () => {
    const { url } = await start({ runs: RUNS });
    const { data } = json(await ask(`${url}/runs`));
    const paths = data.map((one: { paths: { events: string } }) => one.paths.events);
    expect(paths).toContain("/hecate/v1/tasks/-/runs/run_01KQQ9BT2RKSJ7N1FD64NNDTXK/events");
    for (const path of paths) expect((await ask(url + path)).status).toBe(200);
    expect(data).toHaveLength(RUNS.length);
    expect(data[0]).toMatchObject({ protocol: "hecate/v1", run, events: 30, released: 30, finished: true });
  });

  it("tells its health and what it has", async () => {
    const { url } = await start({ runs: RUNS });
    expect(json(await ask(`${url}/health`))).toEqual({ status: "ok", runs: RUNS.length });
    expect(json(await ask(`${url}/`)).paths).toContain("/hecate/v1/events/stream");
  });

  it("serves the page that it is given, and nothing beside it", async () => {
    const file = (text: string) => ({ type: "text/html; charset=utf-8", body: Buffer.from(text) });
    const site = new Map([
      ["/", file("<p>é")],
      ["/app/a b.js", file("x")],
    ]);
    const { url } = await start({ runs: RUNS, site });
    expect(await ask(url)).toMatchObject({ status: 200, body: Buffer.from("<p>é") });
    expect((await ask(url)).headers["content-type"]).toBe("text/html; charset=utf-8");
    expect((await ask(`${url}/app/a%20b.js`)).body.toString()).toBe("x");
    expect((await ask(`${url}/app`)).status).toBe(404);
  });

  const headers = (got: Answered) => got.headers;
  it("compresses lists and pages, never streams", async () => {
    const { url } = await start({ runs: RUNS });
    const zipped = await ask(`${url}${HECATE}/events`, { "accept-encoding": "br, gzip" });
    expect(headers(zipped)["content-encoding"]).toBe("gzip");
    const plain = await ask(`${url}${HECATE}/events`, { "accept-encoding": "gzip;q=0" });
    expect(headers(plain)["content-encoding"]).toBeUndefined();
    expect(gunzipSync(zipped.body)).toEqual(plain.body);
    const live = await ask(`${url}${HECATE}/stream`, { "accept-encoding": "gzip" });
    expect(headers(live)["content-encoding"]).toBeUndefined();
  });

  it("answers HEAD and preflights", async () => {
    const { url } = await start({ runs: RUNS });
    for (const path of ["/health", `${HECATE}/events`, `${HECATE}/stream`, "/hecate/v1/events/stream"])
      expect(await ask(url + path, {}, { method: "HEAD" })).toMatchObject({
        status: 200,
        body: Buffer.alloc(0),
      });
    const asked = { origin: "http://a.example", "access-control-request-headers": "last-event-id" };
    const got = await ask(`${url}${HECATE}/events`, asked, { method: "OPTIONS" });
    expect(got.status).toBe(204);
    expect(headers(got)).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "*",
    });
  });

  it.each<[string, string, { [name: string]: string }, string, number, RegExp]>([
    [
      "an unknown run",
      `/hecate/v1/tasks/${task}/runs/run_x/events`,
      {},
      "GET",
      404,
      /no run "run_x".*\/runs/,
    ],
    [
      "a run of another task",
      `/hecate/v1/tasks/task_x/runs/${run}/stream`,
      {},
      "GET",
      404,
      new RegExp(`is at ${HECATE}/stream`),
    ],
    ["an unknown path", "/nothing", {}, "GET", 404, /nothing at "\/nothing"/],
    ["a path below a path", `${HECATE}/events/`, {}, "GET", 404, /nothing at/],
    [
      "a negative cursor",
      `${HECATE}/events?after_sequence=-1`,
      {},
      "GET",
      400,
      /after_sequence must be a whole number.*"-1"/,
    ],
    ["a huge cursor", `${HECATE}/events?after_sequence=9007199254740992`, {}, "GET", 400, /9007199254740991/],
    [
      "an enormous cursor",
      `${HECATE}/events?after_sequence=${"9".repeat(400)}`,
      {},
      "GET",
      400,
      /after_sequence/,
    ],
    ["a cursor of words", `${HECATE}/events?after_sequence=now`, {}, "GET", 400, /"now"/],
    ["a broken number", `${HECATE}/events?after_sequence=1.5`, {}, "GET", 400, /"1.5"/],
    ["a power", `${HECATE}/events?after_sequence=1e3`, {}, "GET", 400, /"1e3"/],
    ["an empty cursor", `${HECATE}/events?after_sequence=`, {}, "GET", 400, /after_sequence/],
    ["two cursors", `${HECATE}/events?after_sequence=1&after_sequence=2`, {}, "GET", 400, /2 times/],
    [
      "a bad Last-Event-ID",
      `${HECATE}/stream`,
      { "last-event-id": "evt_1" },
      "GET",
      400,
      /Last-Event-ID.*"evt_1"/,
    ],
    ["a limit of 0", `${HECATE}/events?limit=0`, {}, "GET", 400, /limit must be a whole number from 1/],
    ["a huge limit", `${HECATE}/events?limit=5001`, {}, "GET", 400, /to 5000/],
    [
      "a parameter that is misspelt",
      `${HECATE}/events?aftersequence=3`,
      {},
      "GET",
      400,
      / takes no parameter "aftersequence"; did you mean "after_sequence"\? It takes after_sequence, limit, event_type\.$/,
    ],
    [
      "a limit of a live stream",
      `${HECATE}/stream?limit=3`,
      {},
      "GET",
      400,
      /no parameter "limit"\. It takes/,
    ],
    [
      "a filter of a run",
      `${HECATE}/events?task_id=${task}`,
      {},
      "GET",
      400,
      /no parameter "task_id"\. It takes/,
    ],
    [
      "a parameter of a feed that no feed has",
      "/hecate/v1/events?run=1",
      {},
      "GET",
      400,
      /event_type, task_id\.$/,
    ],
    [
      "a list of runs with parameters",
      "/runs?limit=1",
      {},
      "GET",
      400,
      /"\/runs" takes no parameter "limit"\.$/,
    ],
    ["a parameter out of Object", "/runs?__proto__=1", {}, "GET", 400, /no parameter "__proto__"/],
    ["a step of a misspelt run", "/step?runn=x", {}, "POST", 400, /did you mean "run"\?/],
    ["bad percent-encoding of a path", "/hecate/%zz", {}, "GET", 400, /percent/],
    ["bad percent-encoding of a query", `${HECATE}/events?event_type=%ff`, {}, "GET", 400, /percent/],
    ["a wrong method", `${HECATE}/events`, {}, "DELETE", 405, /takes GET/],
    ["reading a step", "/step", {}, "GET", 405, /takes POST/],
    ["a step that is not held back", "/step", {}, "POST", 409, /--step/],
    ["a long URL", `/${"a".repeat(9_000)}`, {}, "GET", 414, /longer than 8192 bytes/],
    [
      "a name out of Object",
      "/hecate/v1/tasks/__proto__/runs/constructor/events",
      {},
      "GET",
      404,
      /no run "constructor"/,
    ],
  ])("refuses %s", async (_, path, sent, method, status, message) => {
    const { url } = await start({ runs: RUNS });
    const got = await ask(url + path, sent, { method });
    expect(json(got)).toEqual({ object: "error", status, message: expect.stringMatching(message) });
    expect(got.status).toBe(status);
    expect(headers(got)).toMatchObject({
      "content-type": "application/json",
      "access-control-allow-origin": "*",
    });
    if (status === 405) expect(headers(got).allow).toContain(method === "GET" ? "POST" : "GET");
  });
});
