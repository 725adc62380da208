/** If this fails, events that callers post are lost, get wrong numbers, or are accepted although no writer may send them. */
import { describe, expect, it } from "vitest";
import { createScaffold } from "../../generator/init/scaffold.js";
import { findStreamErrors } from "../../generator/kit/find-stream-errors.js";
import { loadSchemas } from "../../generator/load/load.js";
import type { Placement } from "../../generator/protocol/protocol.js";
import { type Run, type RunEvent, readEvent } from "../../generator/serve/run.js";
import { createTemporaryFolder } from "../folders.js";
import {
  findValidators,
  loadRuns,
  parseBody,
  parseFrames,
  readLines,
  sendJson,
  sendRequest,
  startServer,
} from "./start.js";

const SHELL = "fixtures/hecate/v1/streams/agent-loop-shell.jsonl";
const PATH = "/hecate/v1/tasks/task_01KQPNTT1GTJ3AC5ZEVH35HMX1/runs/run_01KQPNTT2RZW040CA11XDDDE4M";

async function listEvents(url: string, path = PATH) {
  return parseBody(await sendRequest(`${url}${path}/events`)).data;
}

describe("a posted event", () => {
  it.each<[string, body: object, type: string, data: object]>([
    ["of the default type", { note: "ok", status: "done" }, "external.event", { note: "ok", status: "done" }],
    [
      "with data beside other members",
      { note: "ok", data: { ticket: { id: 7 } } },
      "external.event",
      { note: "ok", ticket: { id: 7 } },
    ],
    ["without content", {}, "external.event", {}],
    [
      "of a named type",
      { type: "user.message", data: { turn_index: 2, text: "Halt! ✋" } },
      "user.message",
      { turn_index: 2, text: "Halt! ✋" },
    ],
    [
      "with the name __proto__",
      JSON.parse('{"data":{"__proto__":1}}'),
      "external.event",
      JSON.parse('{"__proto__":1}'),
    ],
  ])("%s comes back on the stream", async (_, body, type, data) => {
    const { url } = await startServer({ runs: await loadRuns(SHELL) });
    const answer = await sendJson(`${url}${PATH}/events`, body);
    expect(answer).toMatchObject({ status: 201, type: "application/json", body: { object: "event" } });
    const event = answer.body.data;
    expect(JSON.stringify([event.type, event.data])).toBe(JSON.stringify([type, data]));
    expect(event).toMatchObject({ sequence: 30, schema_version: "1" });
    const { decodeEvent, protocol } = findValidators({ protocol: "hecate/v1" });
    expect(decodeEvent(event, { profile: "writer" })).toMatchObject({ kind: "known" });
    const events = await listEvents(url);
    expect(events.slice(0, -1)).toEqual(readLines(SHELL).map((line) => JSON.parse(line)));
    expect(events.at(-1)).toEqual(event);
    expect(findStreamErrors(protocol, events)).toEqual([]);
    const resumed = await sendRequest(`${url}${PATH}/stream`, { "last-event-id": "29" });
    expect(parseFrames(resumed.body).map(({ id, data }) => [id, JSON.parse(data)])).toEqual([["30", event]]);
  });

  it("moves the numbers of the events after it, and of gaps that they report", async () => {
    const [run] = await loadRuns(SHELL);
    if (!run) throw new Error("no run");
    const { protocol } = findValidators(run);
    const marker = {
      ...JSON.parse(readLines(SHELL)[0] ?? ""),
      event_id: "evt_01KQPNTT2RZW040CA11XDDDE4M",
      sequence: 40,
      type: "gap.events_pruned",
      data: {
        first_pruned_sequence: 30,
        last_pruned_sequence: 39,
        pruned_at: "2026-05-03T09:00:00Z",
        reason: "retention_window",
      },
    };
    const gap = readEvent(protocol, Buffer.from(JSON.stringify(marker)), marker);
    if (typeof gap === "string") throw new Error(gap);
    // The 7th event comes again after the first two posted events.
    const again = run.events[6] as (typeof run.events)[0];
    const events = [...run.events.slice(0, 9), again, ...run.events.slice(9), gap];
    const { url } = await startServer({ runs: [{ ...run, events }], pace: { kind: "step" } });
    const step = (count: number) => sendRequest(`${url}/step?count=${count}`, {}, { method: "POST" });
    await step(5);
    const first = await sendJson(`${url}${PATH}/events`, { note: "one" });
    await step(3);
    const second = await sendJson(`${url}${PATH}/events`, { note: "two" });
    await step(100);
    expect([first.body.data.sequence, second.body.data.sequence]).toEqual([5, 9]);
    const listed = await listEvents(url);
    expect(listed.map(({ sequence }: { sequence: number }) => sequence)).toEqual([
      ...Array.from({ length: 32 }, (_, index) => index),
      42,
    ]);
    expect(listed.at(-1).data).toMatchObject({ first_pruned_sequence: 32, last_pruned_sequence: 41 });
    const frames = parseFrames((await sendRequest(`${url}${PATH}/stream`)).body);
    const copies = frames.filter(({ data }) => JSON.parse(data).event_id === again.id);
    expect(copies).toHaveLength(2);
    expect(copies[0]?.data).toBe(copies[1]?.data);
    expect(findStreamErrors(protocol, listed)).toEqual([]);
  });

  it.each<[string, body: unknown, status: number, code: string, errors?: readonly object[]]>([
    [
      "of a type that callers may not post",
      { type: "run.finished" },
      422,
      "body-invalid",
      [{ pointer: "/type" }],
    ],
    [
      "of a misspelt type",
      { type: "user.mesage" },
      422,
      "body-invalid",
      [{ pointer: "/type", message: expect.stringContaining('did you mean "user.message"?') }],
    ],
    [
      "with a wrong field in data",
      { type: "user.message", data: { turn_index: 1, text: 1 } },
      422,
      "body-invalid",
      [{ pointer: "/data/text", message: "must be string" }],
    ],
    ["with a wrong field beside data", { status: 4 }, 422, "body-invalid", [{ pointer: "/status" }]],
    [
      "without a required field",
      { type: "user.message", turn_index: 1 },
      422,
      "body-invalid",
      [{ pointer: "", message: expect.stringContaining("text") }],
    ],
    [
      "with a field twice",
      { note: "a", data: { note: "b" } },
      422,
      "body-invalid",
      [{ pointer: "/data/note" }],
    ],
    ["with data that is no object", { data: [1] }, 422, "body-invalid", [{ pointer: "/data" }]],
    [
      "with fields of the envelope",
      { sequence: 9, run_id: "run_x" },
      422,
      "body-invalid",
      [{ pointer: "/sequence" }, { pointer: "/run_id" }],
    ],
    [
      "with a key that only stored rows have",
      { snapshot: {}, data: { steps: [] } },
      422,
      "body-invalid",
      [
        { pointer: "", message: expect.stringContaining("has the field snapshot, whose name must not be") },
        { pointer: "/snapshot", message: "is a field whose name is not allowed" },
        { pointer: "", message: expect.stringContaining("has the field steps, whose name must not be") },
        { pointer: "/data/steps", message: "is a field whose name is not allowed" },
      ],
    ],
    ["that is text", '"x"', 422, "body-invalid"],
    ["that is not JSON", "{'note': 1}", 400, "body-malformed"],
  ])("%s is refused", async (_, body, status, code, errors) => {
    const { url } = await startServer({ runs: await loadRuns(SHELL) });
    const answer = await sendJson(`${url}${PATH}/events`, body);
    expect(answer).toMatchObject({
      status,
      type: "application/problem+json",
      body: { status, code, ...(errors && { errors }) },
    });
    expect(await listEvents(url)).toHaveLength(30);
  });

  it("is refused before the run has begun, and where the protocol accepts none", async () => {
    const runs = await loadRuns(SHELL, "fixtures/frames/v1/streams/session.jsonl");
    const { url } = await startServer({ runs, pace: { kind: "step" } });
    expect(await sendJson(`${url}${PATH}/events`, {})).toMatchObject({
      status: 409,
      body: { code: "state-conflict" },
    });
    const other = await sendJson(`${url}/frames/v1/sessions/${runs[1]?.key}/events`, {});
    expect(other).toMatchObject({ status: 405, body: { code: "method-unsupported" } });
  });

  it.each<[string, type: string | undefined, body: string, status: number]>([
    ["without a type", undefined, "{}", 415],
    ["of a form", "application/x-www-form-urlencoded", "{}", 415],
    ["that is too large", "application/json", `{"note":"${"x".repeat(2 ** 20)}"}`, 413],
    ["in bytes that are not UTF-8", "application/json; charset=utf-8", "{}", 201],
  ])("with a body %s is answered %#", async (_, type, body, status) => {
    const { url } = await startServer({ runs: await loadRuns(SHELL) });
    const headers = type === undefined ? {} : { "content-type": type };
    expect(await sendRequest(`${url}${PATH}/events`, headers, { method: "POST", body })).toMatchObject({
      status,
    });
  });
});

describe.each<Placement>(["nested", "inline", "keyed"])("init with %s payloads", (placement) => {
  it("makes a protocol that takes posted events", async () => {
    const { schemas, fixtures } = createScaffold({ name: "notes", placement, discriminator: "type" });
    const root = createTemporaryFolder(
      Object.fromEntries(schemas.map(({ path, content }) => [path, content])),
    );
    const { protocols } = await loadSchemas(root);
    const recording =
      fixtures
        .find(({ path }) => path.endsWith(".jsonl"))
        ?.content.trimEnd()
        .split("\n") ?? [];
    const [protocol] = protocols;
    if (!protocol) throw new Error("no protocol");
    const values = recording.map((line) => JSON.parse(line));
    const events = values.map((value, index) =>
      readEvent(protocol, Buffer.from(recording[index] ?? ""), value),
    );
    const { session } = values[0];
    const run: Run = {
      protocol: "notes/v1",
      key: session,
      fields: { session },
      events: events as RunEvent[],
    };
    const { url } = await startServer({ protocols, runs: [run] });
    const path = `/notes/v1/streams/${session}`;
    const place = (payload: object) =>
      ({ nested: { data: payload }, inline: payload, keyed: { note: payload } })[placement];
    const answer = await sendJson(`${url}${path}/events`, place({ text: "hi" }));
    expect(answer).toMatchObject({
      status: 201,
      body: { data: { sequence: 2, session, ...place({ text: "hi" }) } },
    });
    const refused = await sendJson(`${url}${path}/events`, place({ text: 7 }));
    const pointer = { nested: "/data/text", inline: "/text", keyed: "/note/text" }[placement];
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: [{ pointer, message: "must be string" }] },
    });
    expect(await listEvents(url, path)).toHaveLength(3);
  });
});
