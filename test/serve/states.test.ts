/** If this fails, an operator's view that reads the states of runs shows a state that the events do not lead to. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { EventSource } from "eventsource";
import { expect, it, onTestFinished } from "vitest";
import type { JsonObject } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { validator } from "../../generator/runtime/runtime.js";
import { readAs } from "../../generator/schema/readings.js";
import type { Run } from "../../generator/serve/run.js";
import { createLazyCheck } from "../../generator/validators/check.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryFolder } from "../folders.js";
import { createRow } from "../rows/rows.js";
import {
  injectFaults,
  loadRuns,
  PROTOCOLS,
  parseFrames,
  readLines,
  sendRequest,
  startServer,
} from "./start.js";

const FOLDER = "fixtures/hecate/v1/streams";
const FILES = readdirSync(FOLDER).map((file) => path.join(FOLDER, file));
const HECATE = PROTOCOLS.find(({ id }) => id === "hecate/v1") as Protocol;
const SCHEMA = HECATE.resources.find(({ name }) => name === "task-run-stream-event-data")
  ?.schema as JsonObject;
const isWriterState = validator(createLazyCheck(() => readAs("writer", SCHEMA, HECATE.definitions)));
const START = { format: "state" } as const;

function formatPath({ fields: { task_id = "-", run_id } }: Run): string {
  return `/hecate/v1/tasks/${task_id}/runs/${run_id}`;
}

/** One server-sent event of a state feed. */
interface StateMessage {
  readonly id: string | undefined;
  readonly name: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: the tests compare parts of it
  readonly state: any;
}

function parseStates(body: Uint8Array): StateMessage[] {
  return parseFrames(body).map(({ ownId, event, data }) => {
    const { object, data: state, ...rest } = JSON.parse(data);
    expect([object, rest]).toEqual(["task_run_stream_event", {}]);
    return { id: ownId, name: event, state };
  });
}

async function readStates(
  runs: readonly Run[],
  run: Run,
  query = "",
  after?: string,
): Promise<StateMessage[]> {
  const { url } = await startServer({ ...START, runs });
  const headers = { ...(after !== undefined && { "last-event-id": after }) };
  return parseStates((await sendRequest(`${url}${formatPath(run)}/stream${query}`, headers)).body);
}

function writeRecording(lines: readonly string[]): string {
  return path.join(createTemporaryFolder({ "run.jsonl": lines.join("\n") }), "run.jsonl");
}

it.each(FILES)("%s: each event is followed by a state that a writer may send", async (file) => {
  const runs = await loadRuns(file);
  for (const run of runs) {
    const messages = await readStates(runs, run);
    expect(messages.map(({ state }) => state.event_type)).toEqual(run.events.map(({ type }) => type));
    expect(messages.map(({ id }) => Number(id))).toEqual(run.events.map(({ sequence }) => sequence));
    expect(new Set(messages.map(({ name }) => name))).toEqual(new Set(["snapshot"]));
    for (const { state } of messages) {
      expect(isWriterState.issues(state)).toEqual([]);
      expect(state.run.id).toBe(run.key);
    }
  }
});

/** Parts of the states after the first event of a type, by recording. */
const EXPECTED: [file: string, type: string, expected: object][] = [
  ["agent-loop-shell", "run.created", { run: { status: "queued" }, steps: [], artifacts: [], approvals: [] }],
  ["agent-loop-shell", "run.started", { run: { status: "running" } }],
  ["agent-loop-shell", "tool.invoked", { steps: [{ kind: "model" }, { status: "running", kind: "tool" }] }],
  ["agent-loop-shell", "run.finished", { run: { status: "completed" } }],
  [
    "approval-denied",
    "approval.requested",
    { run: { status: "awaiting_approval" }, approvals: [{ status: "pending" }] },
  ],
  [
    "approval-denied",
    "approval.resolved",
    { run: { status: "queued" }, approvals: [{ status: "approved" }] },
  ],
  ["approval-timed-out", "approval.timed_out", { approvals: [{ status: "timed_out" }] }],
  ["failure-with-gap", "run.failed", { run: { status: "failed" } }],
  [
    "file-edits",
    "tool.file.reverted",
    { artifacts: expect.arrayContaining([expect.objectContaining({ status: "reverted" })]) },
  ],
];

it.each(EXPECTED)("%s: %s leads to %o", async (name, type, expected) => {
  const runs = await loadRuns(path.join(FOLDER, `${name}.jsonl`));
  const messages = await readStates(runs, runs[0] as Run);
  const found = messages.find(({ state }) => state.event_type === type);
  expect(found?.state).toMatchObject(expected);
});

const SHELL = path.join(FOLDER, "agent-loop-shell.jsonl");

it("resumes after the last event with the state that a whole stream has there", async () => {
  const runs = await loadRuns(SHELL);
  const run = runs[0] as Run;
  const whole = await readStates(runs, run);
  expect(await readStates(runs, run, "", "9")).toEqual(whole.slice(10));
  expect(await readStates(runs, run, "?after_sequence=27")).toEqual(whole.slice(28));
  const filtered = await readStates(runs, run, "?event_type=run.created,run.finished");
  expect(filtered).toEqual(whole.filter(({ state }) => /^run\.(created|finished)$/.test(state.event_type)));
});

it("answers 204 to a client that has received the last state", async () => {
  const runs = await loadRuns(SHELL);
  const { url } = await startServer({ ...START, runs });
  const answer = await sendRequest(`${url}${formatPath(runs[0] as Run)}/stream`, { "last-event-id": "29" });
  expect(answer.status).toBe(204);
});

it("sends events on all other paths, as with the format runtime", async () => {
  const runs = await loadRuns(SHELL);
  const [states, events] = [
    await startServer({ ...START, runs }),
    await startServer({ format: "runtime", runs }),
  ];
  const live = { accept: "text/event-stream" };
  const requests: [string, { accept: string }][] = [
    [`${formatPath(runs[0] as Run)}/events`, live],
    [`${formatPath(runs[0] as Run)}/events`, { accept: "application/json" }],
    ["/hecate/v1/events", { accept: "application/json" }],
  ];
  for (const [target, headers] of requests) {
    const [one, other] = [
      await sendRequest(states.url + target, headers),
      await sendRequest(events.url + target, headers),
    ];
    expect(one.body).toEqual(other.body);
  }
});

it("sends events of protocols without states", async () => {
  const runs = await loadRuns("fixtures/frames/v1/streams");
  const run = runs[0] as Run;
  const { url } = await startServer({ ...START, runs });
  const frames = parseFrames((await sendRequest(`${url}/frames/v1/sessions/${run.key}/stream`)).body);
  expect(frames.map(({ data }) => JSON.parse(data).data.type)).toEqual(run.events.map(({ type }) => type));
});

it("changes no state when an event is delivered again, not even an older one", async () => {
  const plain = await loadRuns(SHELL);
  const run = injectFaults(plain[0] as Run, { seed: 3, faults: [{ fault: "duplicate", every: 2 }] }).run;
  const whole = await readStates(plain, run);
  const messages = await readStates([run], run);
  expect(messages.length).toBeGreaterThan(whole.length + 5);
  const statesById = new Map(whole.map(({ id, state }) => [id, state]));
  let current: StateMessage["state"];
  for (const { id, state } of messages) {
    const { event_type: _type, ...members } = state;
    if (id !== undefined) current = statesById.get(id);
    const { event_type: _current, ...expected } = current;
    expect(members).toEqual(expected);
  }
});

it("reaches a browser's client through broken connections, each state once or more, and ends", async () => {
  const faults = { seed: 4, faults: [{ fault: "cut", at: [7, 19] }, { fault: "split" }] } as const;
  const runs = (await loadRuns(SHELL)).map((run) => injectFaults(run, faults).run);
  const { url } = await startServer({ ...START, runs, faults, limits: { retry: 5 } });
  const source = new EventSource(`${url}${formatPath(runs[0] as Run)}/stream`);
  onTestFinished(() => source.close());
  const types: string[] = [];
  await new Promise<void>((resolve) => {
    source.addEventListener("snapshot", ({ data }) => void types.push(JSON.parse(data).data.event_type));
    source.onerror = () => source.readyState === source.CLOSED && resolve();
  });
  expect(types).toEqual(runs[0]?.events.map(({ type }) => type));
});

it("includes what callers post", async () => {
  const runs = await loadRuns(path.join(FOLDER, "approval-denied.jsonl"));
  const { url } = await startServer({ ...START, runs, isInteractive: true, limits: { heartbeat: 50 } });
  const base = url + formatPath(runs[0] as Run);
  const [question] = JSON.parse(String((await sendRequest(`${base}/approvals`)).body)).data;
  const body = JSON.stringify({ decision: "approved" });
  const answer = await sendRequest(
    `${base}/approvals/${question.id}`,
    { "content-type": "application/json" },
    { method: "POST", body },
  );
  expect(answer.status).toBe(201);
  // The run waits for the next decision, so that its stream stays open.
  const stream = await sendRequest(`${base}/stream`, {}, { until: ": heartbeat\n\n" });
  const messages = parseStates(stream.body);
  const [approval] = messages.at(-1)?.state.approvals ?? [];
  expect(approval).toMatchObject({ id: question.id, status: "approved", resolved_by: "operator" });
});

const STORED = {
  run: { id: "run_01KQPNTT2RZW040CA11XDDDE4M", status: "completed", total_cost_micros_usd: 7 },
  steps: [{ id: "step_1", status: "completed" }, { status: "without an id" }],
  artifacts: [{ id: "artifact_1", kind: "patch", status: "applied" }],
};

it.each<[string, JsonObject, object]>([
  ["as members of the payload", STORED, STORED],
  [
    "as one snapshot",
    { snapshot: { ...STORED, approvals: [{ id: "a", status: "pending" }] } },
    { ...STORED, approvals: [{ id: "a", status: "pending" }] },
  ],
])("sends the states that rows store %s", async (_, stored, expected) => {
  const events = readLines(SHELL).map((line) => JSON.parse(line));
  const rows = events.map((event) => JSON.stringify(createRow(event, event.sequence === 5 ? stored : {})));
  const runs = await loadRuns(writeRecording(rows));
  const messages = await readStates(runs, runs[0] as Run);
  expect(messages[5]?.state).toMatchObject(expected);
  expect(messages[4]?.state.run.status).toBe("running");
  // Later events change the stored state.
  expect(messages.at(-1)?.state.run).toMatchObject({ status: "completed", finished_at: expect.any(String) });
  const { url } = await startServer({ ...START, runs });
  const page = await sendRequest(`${url}${formatPath(runs[0] as Run)}/events`);
  expect(String(page.body)).not.toMatch(/without an id|"snapshot"/);
});

it("refuses rows that lack a column, with their place", async () => {
  const rows = readLines(SHELL).map((line) => createRow(JSON.parse(line)));
  const lines = rows.map((row, index) => JSON.stringify(index === 3 ? { ...row, created_at: null } : row));
  await expect(loadRuns(writeRecording(lines))).rejects.toThrow(/row-invalid.*created_at.*is null/);
});

it("does not start if no protocol of the recordings declares states", async () => {
  const { exitCode, stderr } = await runAccrete([
    ...["serve", "--port", "0", "--wire-format", "state", "fixtures/frames/v1/streams"],
  ]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(
    "frames/v1: no state feed is declared. Add stateFeed to protocol.json, or use another --wire-format.",
  );
});
