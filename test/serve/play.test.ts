/** If this fails, events are sent in another order or rhythm than they were recorded. */
import { describe, expect, it, onTestFinished } from "vitest";
import { createPlayback, type PlayedRun } from "../../generator/serve/play.js";
import type { Run, RunEvent } from "../../generator/serve/run.js";
import { createDeliveryMaker } from "../../generator/serve/run-queue.js";
import { loadRuns, parseBody, parseFrames, SSE, sendRequest, startServer } from "./start.js";

const createEvent = (sequence: number, time?: number, id = `e${sequence}`): RunEvent => ({
  raw: Buffer.from(`{"seq":${sequence}}`),
  type: "t",
  sequence,
  id,
  ...(time !== undefined && { time }),
});
const createRun = (key: string, ...events: RunEvent[]): Run => ({
  protocol: "p/v1",
  key,
  fields: {},
  events,
});

describe("deliveries", () => {
  const twin = createEvent(1);
  const unnumbered: RunEvent = { raw: Buffer.from("{}"), type: "t" };
  it.each<[string, RunEvent[], cursors: string]>([
    ["numbered", [createEvent(4), createEvent(5)], "4 5"],
    ["repeated in a row", [createEvent(0), twin, createEvent(1)], "0 1 1 repeated"],
    ["repeated later", [createEvent(1), createEvent(2), createEvent(1)], "1 2 2 repeated late"],
    ["late and new", [createEvent(2), createEvent(1)], "2 2 late"],
    ["the same id with other bytes", [createEvent(1, 0, "x"), createEvent(2, 0, "x")], "1 2"],
    ["without numbers", [unnumbered, { ...unnumbered }, unnumbered], "1 2 3 repeated"],
  ])("of events %s", (_, events, cursors) => {
    const makeDelivery = createDeliveryMaker(createRun("r", ...events));
    const words = events
      .map((event) => makeDelivery(event))
      .flatMap(({ cursor, isRepeated, isLate }) => [
        cursor,
        ...(isRepeated ? ["repeated"] : []),
        ...(isLate ? ["late"] : []),
      ]);
    expect(words.join(" ")).toBe(cursors);
  });

  it.each<[string, Run[], string[]]>([
    [
      "by time",
      [createRun("a", createEvent(0, 10), createEvent(1, 30)), createRun("b", createEvent(0, 20))],
      ["a0", "b0", "a1"],
    ],
    [
      "in the order of a run whatever its times",
      [createRun("a", createEvent(0, 30), createEvent(1, 10)), createRun("b", createEvent(0, 20))],
      ["b0", "a0", "a1"],
    ],
    [
      "without times in the order given",
      [createRun("a", createEvent(0)), createRun("b", createEvent(0)), createRun("c", createEvent(0, 1))],
      ["a0", "b0", "c0"],
    ],
  ])("across runs %s", (_, runs, want) => {
    const { deliveries } = createPlayback(runs, [], { kind: "at-once" }).getFeed("p/v1");
    expect(deliveries.map(({ run, event }) => `${run.key}${event.sequence}`)).toEqual(want);
  });
});

const SHELL = "fixtures/hecate/v1/streams/agent-loop-shell.jsonl";
const PATH = "/hecate/v1/tasks/task_01KQPNTT1GTJ3AC5ZEVH35HMX1/runs/run_01KQPNTT2RZW040CA11XDDDE4M";

describe("--step", () => {
  const sendStep = async (url: string, query = "") =>
    parseBody(await sendRequest(`${url}/step${query}`, {}, { method: "POST" }));
  const countListed = async (url: string, path: string): Promise<number> =>
    parseBody(await sendRequest(url + path)).data.length;

  it("holds each event until /step releases it", async () => {
    const { url } = await startServer({ runs: await loadRuns(SHELL), pace: { kind: "step" } });
    expect(await countListed(url, `${PATH}/events`)).toBe(0);
    const live = sendRequest(`${url}${PATH}/events`, SSE);
    expect(await sendStep(url)).toEqual({
      object: "step",
      data: [{ run: "run_01KQPNTT2RZW040CA11XDDDE4M", sequence: 0, type: "run.created" }],
      left: 29,
    });
    expect(await countListed(url, `${PATH}/events`)).toBe(1);
    expect(await countListed(url, "/hecate/v1/events")).toBe(1);
    expect((await sendStep(url, "?count=28")).left).toBe(1);
    expect(parseBody(await sendRequest(`${url}/runs`)).data[0]).toMatchObject({
      events: 30,
      released: 29,
      finished: false,
    });
    expect((await sendStep(url, "?count=5")).data).toHaveLength(1);
    const got = await live;
    expect(got.complete).toBe(true);
    expect(parseFrames(got.body).map(({ id }) => Number(id))).toEqual(
      Array.from({ length: 30 }, (_, index) => index),
    );
    expect(await sendStep(url)).toMatchObject({ data: [], left: 0 });
  });

  it("releases the events of one run only", async () => {
    const runs = await loadRuns(SHELL, "fixtures/hecate/v1/streams/resume.jsonl");
    const { url } = await startServer({ runs, pace: { kind: "step" } });
    const key = runs[1]?.key;
    const released = await sendStep(url, `?run=${key}&count=3`);
    expect(released.data.map((one: { run: string }) => one.run)).toEqual([key, key, key]);
    expect(await countListed(url, `${PATH}/events`)).toBe(0);
    expect((await sendStep(url, "")).data[0].run).toBe(runs[0]?.key);
    const unknown = await sendRequest(`${url}/step?run=run_x`, {}, { method: "POST" });
    expect(parseBody(unknown)).toMatchObject({ status: 404, detail: expect.stringContaining('"run_x"') });
    const bad = await sendRequest(`${url}/step?count=0`, {}, { method: "POST" });
    expect(bad.status).toBe(400);
  });
});

it("ends a run without events at once", async () => {
  const { url } = await startServer({
    runs: [{ ...createRun("s"), protocol: "frames/v1", fields: { session_id: "s" } }],
  });
  const got = await sendRequest(`${url}/frames/v1/sessions/s/stream`);
  expect(got.status).toBe(204);
});

describe("--speed", () => {
  it("never waits longer because times decrease or are missing", async () => {
    const times = [undefined, 1_000, 1_250, 1_100, undefined, 2_000];
    const run = createRun("r", ...times.map((time, index) => createEvent(index, time)));
    const playback = createPlayback([run], [], { kind: "speed", speed: 10 });
    onTestFinished(() => playback.stop());
    const released: number[] = [];
    const start = performance.now();
    playback.start(playback.runs);
    const { log } = playback.runs[0] as PlayedRun;
    while (released.length < times.length) {
      while (released.length < log.deliveries.length) released.push(performance.now() - start);
      if (!log.isFinished()) await log.waitForChange(1_000, new AbortController().signal);
    }
    const delays = released.map((time, index) => time - (released[index - 1] ?? 0));
    expect(delays.map((delay) => delay >= 20)).toEqual([false, false, true, false, false, true]);
  });

  it("plays a run in its rhythm from the first request on, the same for all clients", async () => {
    const events = Array.from({ length: 5 }, (_, index) => createEvent(index, 1_000 + index * 40_000));
    const slow: Run = { ...createRun("s", ...events), protocol: "frames/v1", fields: { session_id: "s" } };
    const { url } = await startServer({ runs: [slow], pace: { kind: "speed", speed: 1_000 } });
    const released = async () => parseBody(await sendRequest(`${url}/runs`)).data[0].released;
    expect(await released()).toBe(0);
    // What happens at once has happened before the first answer.
    expect(parseBody(await sendRequest(`${url}/frames/v1/sessions/s/events`)).data).toHaveLength(1);
    const live = await sendRequest(`${url}/frames/v1/sessions/s/stream`);
    expect(parseFrames(live.body)).toHaveLength(5);
    expect(await released()).toBe(5);
  });
});
