/** If this fails, a frontend cannot test against this server how it answers approvals. */
import { describe, expect, it } from "vitest";
import { findStreamErrors } from "../../generator/kit/find-stream-errors.js";
import {
  findValidators,
  injectFaults,
  loadRuns,
  parseBody,
  parseFrames,
  type RunningServer,
  readLines,
  SSE,
  sendJson,
  sendRequest,
  startServer,
} from "./start.js";

const DENIED = "fixtures/hecate/v1/streams/approval-denied.jsonl";
const TIMED_OUT = "fixtures/hecate/v1/streams/approval-timed-out.jsonl";
const RUNS = await loadRuns(DENIED, TIMED_OUT);
const [task, run] = ["task_01KQPR19X0J86R8RGPNNY1FHRZ", "run_01KQPR19Y8WRH9C0C2V4JFVPKN"];
const DENIED_PATH = `/hecate/v1/tasks/${task}/runs/${run}`;
const LIST = "appr_01KQPR1EYKNZX3TNMPBEM7P3SZ";
const REMOVE = "appr_01KQPR1RJ8N1TXSJ9PBK0B12BR";
const DEPLOY = "appr_01KQPJ6CG0QYYJTEW0TGFE0JKN";

const startInteractive = (options = {}): Promise<RunningServer> =>
  startServer({ runs: RUNS, isInteractive: true, ...options });

const findTimedOutPath = async (url: string): Promise<string> => {
  const { data } = parseBody(await sendRequest(`${url}/runs`));
  return data[1].paths.events.replace(/\/events$/, "");
};

/** Returns the events of a run that have happened, and checks them against schemas and stream rules of writers. */
async function readEvents(url: string, path: string) {
  const { data } = parseBody(await sendRequest(`${url}${path}/events`));
  const { decodeEvent, protocol } = findValidators({ protocol: "hecate/v1" });
  for (const event of data)
    expect(decodeEvent(event, { profile: "writer" }), JSON.stringify(event)).toMatchObject({ kind: "known" });
  expect(findStreamErrors(protocol, data)).toEqual([]);
  return data;
}

const listTypes = (events: readonly { readonly type: string }[]): string[] => events.map(({ type }) => type);

describe("an interactive server", () => {
  it("loses no decision to the fault drop, whichever event it is to drop", async () => {
    const [recorded] = RUNS;
    if (recorded === undefined) throw new Error("no run");
    for (const dropped of recorded.events.keys()) {
      const plan = { seed: 1, faults: [{ fault: "drop" as const, at: [dropped] }] };
      const { url } = await startInteractive({ runs: [injectFaults(recorded, plan, true).run] });
      const decide = (id: string, decision: string) =>
        sendJson(`${url}${DENIED_PATH}/approvals/${id}`, { decision });
      const answers = [await decide(LIST, "approved"), await decide(REMOVE, "rejected")];
      expect([dropped, ...answers.map(({ status, body }) => [status, body.detail])]).toEqual([
        dropped,
        [201, undefined],
        [201, undefined],
      ]);
    }
  });

  it("waits at each approval and goes on along the recorded branches", async () => {
    const { url } = await startInteractive();
    const recorded = readLines(DENIED);
    const live = sendRequest(`${url}${DENIED_PATH}/events`, SSE);
    expect(await readEvents(url, DENIED_PATH)).toHaveLength(9);
    expect(await sendJson(`${url}${DENIED_PATH}/approvals/${LIST}`, { decision: "approved" })).toMatchObject({
      status: 201,
      body: { object: "event", data: JSON.parse(recorded[9] ?? "") },
    });
    expect(await readEvents(url, DENIED_PATH)).toHaveLength(24);
    const comment = { decision: "rejected", comment: "Nein, danke 🙅" };
    const rejected = await sendJson(`${url}${DENIED_PATH}/approvals/${REMOVE}`, comment);
    expect(rejected).toMatchObject({ status: 201, body: { data: { sequence: 24, data: comment } } });
    const events = await readEvents(url, DENIED_PATH);
    expect(events.map((event: unknown) => JSON.stringify(event))).toEqual(
      recorded.with(24, JSON.stringify(rejected.body.data)),
    );
    expect(parseFrames((await live).body).map(({ data }) => JSON.parse(data))).toEqual(events);
  });

  it("goes on after a posted event with the numbers that follow", async () => {
    const { url } = await startInteractive();
    await sendJson(`${url}${DENIED_PATH}/events`, { note: "in between" });
    await sendJson(`${url}${DENIED_PATH}/approvals/${LIST}`, { decision: "approved" });
    const events = await readEvents(url, DENIED_PATH);
    expect(events.map(({ sequence }: { sequence: number }) => sequence)).toEqual([...events.keys()]);
    expect(events).toHaveLength(25);
  });

  it("times out as recorded, after the events that happened meanwhile", async () => {
    const { url } = await startInteractive();
    const path = await findTimedOutPath(url);
    expect(listTypes(await readEvents(url, path)).slice(3)).toEqual(["snapshot", "external.event"]);
    const decided = await sendJson(`${url}${path}/approvals/${DEPLOY}`, { decision: "timed_out" });
    expect(decided).toMatchObject({
      status: 201,
      body: { data: { type: "approval.timed_out", sequence: 5 } },
    });
    expect((await readEvents(url, path)).map((event: unknown) => JSON.stringify(event))).toEqual(
      readLines(TIMED_OUT),
    );
  });

  it.each([
    ["approved", ["approval.resolved", "run.queued", "run.started", "run.finished"]],
    ["rejected", ["approval.resolved", "run.failed"]],
    ["cancelled", ["approval.resolved", "run.cancelled"]],
  ])("ends a run validly after %s, which was not recorded", async (decision, types) => {
    const { url } = await startInteractive();
    const path = await findTimedOutPath(url);
    const { status } = await sendJson(`${url}${path}/approvals/${DEPLOY}`, { decision });
    expect(status).toBe(201);
    const events = await readEvents(url, path);
    expect(listTypes(events).slice(5)).toEqual(types);
    expect(events[5].data).toMatchObject({
      decision,
      status: decision,
      kind: "shell_command",
      by: "operator",
    });
    expect(events.map(({ sequence }: { sequence: number }) => sequence)).toEqual(
      events.map((_: unknown, index: number) => index),
    );
    const ids = events.map(({ event_id }: { event_id: string }) => event_id);
    expect(new Set(ids).size).toBe(ids.length);
    expect((await sendRequest(`${url}${path}/stream`)).complete).toBe(true);
  });

  it("lists the questions of a run", async () => {
    const { url } = await startInteractive();
    const list = async () => parseBody(await sendRequest(`${url}${DENIED_PATH}/approvals`)).data;
    const outcomes = ["approved", "rejected", "cancelled", "timed_out"];
    expect(await list()).toEqual([
      { id: LIST, open: true, outcomes, event: JSON.parse(readLines(DENIED)[8] ?? "") },
    ]);
    await sendJson(`${url}${DENIED_PATH}/approvals/${LIST}`, { decision: "approved" });
    expect(await list()).toMatchObject([
      { id: LIST, open: false, closed_by: "approved" },
      { id: REMOVE, open: true },
    ]);
  });

  it.each<[string, id: string, body: unknown, status: number, problem: object]>([
    ["an unknown id", "appr_x", { decision: "approved" }, 404, { code: "path-unknown" }],
    ["a question that was not asked yet", REMOVE, { decision: "approved" }, 404, { code: "path-unknown" }],
    [
      "a misspelt outcome",
      LIST,
      { decision: "aproved" },
      422,
      {
        code: "body-invalid",
        errors: [{ pointer: "/decision", message: expect.stringContaining('did you mean "approved"?') }],
      },
    ],
    [
      "no outcome",
      LIST,
      {},
      422,
      { errors: [{ pointer: "", message: expect.stringContaining("decision must be one of") }] },
    ],
    ["a number", LIST, { decision: 1 }, 422, { errors: [{ pointer: "/decision" }] }],
    [
      "a field of another type",
      LIST,
      { decision: "approved", comment: 7 },
      422,
      { errors: [{ pointer: "/comment", message: "must be string" }] },
    ],
    ["an unknown field", LIST, { decision: "approved", "a/b": 7 }, 422, { errors: [{ pointer: "/a~1b" }] }],
    [
      "another id in the body",
      LIST,
      { decision: "approved", approval_id: REMOVE },
      422,
      { errors: [{ pointer: "/approval_id" }] },
    ],
    ["a contradiction", LIST, { decision: "approved", status: "rejected" }, 409, { code: "state-conflict" }],
    ["a list", LIST, [], 422, { errors: [{ pointer: "" }] }],
    [
      "broken JSON",
      LIST,
      "{",
      400,
      { code: "body-malformed", detail: expect.stringMatching(/line 1, column 2/) },
    ],
    [
      "a repeated name",
      LIST,
      '{"decision":"approved","decision":"rejected"}',
      400,
      { code: "body-malformed" },
    ],
    ["nothing", LIST, "", 400, { code: "body-malformed" }],
  ])("refuses %s, and nothing happens", async (_, id, body, status, problem) => {
    const { url } = await startInteractive();
    const answer = await sendJson(`${url}${DENIED_PATH}/approvals/${id}`, body);
    expect(answer).toMatchObject({ status, type: "application/problem+json", body: { status, ...problem } });
    expect(await readEvents(url, DENIED_PATH)).toHaveLength(9);
  });

  it("refuses a second decision", async () => {
    const { url } = await startInteractive();
    const path = `${url}${DENIED_PATH}/approvals/${LIST}`;
    await sendJson(path, { decision: "approved" });
    expect(await sendJson(path, { decision: "approved" })).toMatchObject({
      status: 409,
      body: { code: "state-conflict", detail: expect.stringContaining("was decided: approved") },
    });
  });

  it("refuses an outcome that was neither recorded nor declared", async () => {
    const protocols = [findValidators({ protocol: "hecate/v1" }).protocol].map((protocol) => ({
      ...protocol,
      actions: {
        decisions: (protocol.actions?.decisions ?? []).map((action) => ({
          ...action,
          outcomes: {
            rejected: { type: "approval.resolved", when: { decision: "rejected" } },
            approved: { type: "approval.resolved", when: { decision: "approved" } },
          },
        })),
      },
    }));
    const { url } = await startInteractive({ protocols });
    expect(await sendJson(`${url}${DENIED_PATH}/approvals/${LIST}`, { decision: "rejected" })).toMatchObject({
      status: 409,
      body: { code: "branch-missing", detail: expect.stringContaining('goes on with "approved"') },
    });
    expect(await readEvents(url, DENIED_PATH)).toHaveLength(9);
  });

  it("waits in the recorded rhythm and with steps as well", async () => {
    const speed = await startInteractive({ pace: { kind: "speed", speed: 1e6 } });
    const path = `${DENIED_PATH}/approvals/${LIST}`;
    await sendRequest(`${speed.url}${DENIED_PATH}/events`);
    await expect.poll(async () => (await readEvents(speed.url, DENIED_PATH)).length).toBe(9);
    await sendJson(speed.url + path, { decision: "approved" });
    await expect.poll(async () => (await readEvents(speed.url, DENIED_PATH)).length).toBe(24);
    const step = await startInteractive({ pace: { kind: "step" } });
    const sendStep = async () =>
      parseBody(await sendRequest(`${step.url}/step?run=${run}&count=50`, {}, { method: "POST" }));
    expect(await sendStep()).toMatchObject({ left: 18 });
    expect((await sendStep()).data).toEqual([]);
    await sendJson(step.url + path, { decision: "approved" });
    expect((await sendStep()).data).toHaveLength(14);
  });

  it("redelivers a decision as it was made", async () => {
    const [recorded] = RUNS;
    if (!recorded) throw new Error("no run");
    const events = recorded.events.flatMap((event, index) => (index === 9 ? [event, event] : [event]));
    const { url } = await startInteractive({
      runs: [{ ...recorded, events }],
      limits: { heartbeat: 20 },
    });
    await sendJson(`${url}${DENIED_PATH}/approvals/${LIST}`, { decision: "approved", comment: "once" });
    const live = await sendRequest(`${url}${DENIED_PATH}/stream`, {}, { until: ": heartbeat\n\n" });
    const decided = parseFrames(live.body).filter(({ data }) => data.includes("approval.resolved"));
    expect(decided.map(({ data }) => JSON.parse(data).data.comment)).toEqual(["once", "once"]);
  });
});

it("decides without --interactive only what the recording leaves open", async () => {
  const [recorded] = RUNS;
  if (!recorded) throw new Error("no run");
  const runs = [{ ...recorded, events: recorded.events.slice(0, 24) }];
  const { url } = await startServer({ runs });
  expect(await sendJson(`${url}${DENIED_PATH}/approvals/${LIST}`, { decision: "approved" })).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("--interactive") },
  });
  expect(await sendJson(`${url}${DENIED_PATH}/approvals/${REMOVE}`, { decision: "approved" })).toMatchObject({
    status: 201,
  });
  expect(listTypes(await readEvents(url, DENIED_PATH)).at(-1)).toBe("run.finished");
});
