/** If this fails, a fault happens elsewhere the next time, and nobody can debug it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Piece } from "../../generator/serve/answer.js";
import { createAnswerFaults } from "../../generator/serve/answer-faults.js";
import { isDrawn } from "../../generator/serve/draw.js";
import type { FaultPlan, FaultSetting } from "../../generator/serve/fault.js";
import { readWeight } from "../../generator/serve/query.js";
import { createWireFaults } from "../../generator/serve/wire-faults.js";
import {
  type Answer,
  injectFaults,
  loadRuns,
  parseBody,
  parseFrames,
  readLines,
  sendRequest,
  startServer,
} from "./start.js";

const FRAME = Buffer.from('id: 7\ndata: {"text":"grün ✅ 🙏"}\n\n');

const createPieces = (faults: FaultSetting[], index = 7, start = 0, seed = 1): Piece[] => [
  ...(createWireFaults({ seed, faults }, "run", "run")?.createPieces(FRAME, index, start) ?? []),
];
const listBuffers = (some: readonly Piece[]): Buffer[] =>
  some.filter((piece) => Buffer.isBuffer(piece)) as Buffer[];

describe("the frame on the wire", () => {
  it("stays whole without faults on the wire", () => {
    expect(createWireFaults({ seed: 1, faults: [{ fault: "drop" }] }, "run", "run")).toBeUndefined();
    expect(
      createWireFaults({ seed: 1, faults: [{ fault: "cut", run: "other" }] }, "run", "run"),
    ).toBeUndefined();
    expect(
      createWireFaults({ seed: 1, faults: [{ fault: "cut", run: "run" }] }, undefined, "feed"),
    ).toBeUndefined();
    expect(createPieces([{ fault: "cut", at: [6] }])).toEqual([FRAME]);
  });

  it("is cut somewhere inside", () => {
    for (let seed = 0; seed < 200; seed++) {
      const [part, end, ...more] = createPieces([{ fault: "cut", at: [7] }], 7, 0, seed);
      expect([end, more]).toEqual(["cut", []]);
      expect(FRAME.subarray(0, (part as Buffer).length)).toEqual(part);
      expect((part as Buffer).length).toBeGreaterThan(0);
      expect(parseFrames(part as Buffer)).toEqual([]);
    }
  });

  it("is cut in a different place for another seed, often before the very last byte", () => {
    const lengths = Array.from(
      { length: 100 },
      (_, seed) => listBuffers(createPieces([{ fault: "cut", at: [7] }], 7, 0, seed))[0]?.length,
    );
    expect(new Set(lengths).size).toBeGreaterThan(10);
    expect(lengths.filter((length) => length === FRAME.length - 1).length).toBeGreaterThan(10);
  });

  it.each(["cut", "stall"] as const)(
    "has no %s for a client that asked for it or for a later one",
    (fault) => {
      expect(createPieces([{ fault, at: [7] }], 7, 7)).toEqual([FRAME]);
      expect(createPieces([{ fault, at: [7] }], 7, 8)).toEqual([FRAME]);
    },
  );

  it("is interrupted by a pause", () => {
    const [before, pause, after] = createPieces([{ fault: "stall", at: [7], ms: 12 }]);
    expect(pause).toEqual({ pause: 12 });
    expect(Buffer.concat([before as Buffer, after as Buffer])).toEqual(FRAME);
  });

  it("is split between CR and LF and inside of characters", () => {
    const parts = listBuffers(createPieces([{ fault: "split" }]));
    const whole = FRAME.toString().replaceAll("\n", "\r\n");
    expect(Buffer.concat(parts).toString()).toBe(whole);
    const borders = parts.slice(1).map((part, index) => [parts[index]?.at(-1), part[0]]);
    expect(borders.filter(([before, after]) => before === 0x0d && after === 0x0a)).toHaveLength(3);
    expect(borders.filter(([, after = 0]) => (after & 0xc0) === 0x80)).toHaveLength(1 + 2 + 3);
  });

  it("follows repeated frames after a reconnect, with redeliver and overlap", () => {
    const findFirstIndex = (fault: FaultSetting, at: number) =>
      createWireFaults({ seed: 1, faults: [fault] }, "run", "run")?.findFirstIndex(at);
    expect([
      findFirstIndex({ fault: "redeliver" }, 9),
      findFirstIndex({ fault: "overlap" }, 9),
      findFirstIndex({ fault: "overlap", count: 20 }, 9),
      findFirstIndex({ fault: "cut" }, 9),
    ]).toEqual([0, 6, 0, 9]);
  });
});

it("draws one place in each window", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.nat(), fc.nat(1000), (every, seed, window) => {
      const places = Array.from({ length: every }, (_, index) => window * every + index);
      return places.filter((place) => isDrawn(place, every, seed, "x")).length === 1;
    }),
  );
});

it.each<[string | undefined, string, boolean]>([
  ["text/event-stream", "text/event-stream", true],
  ["a/b, TEXT/event-stream ; q=0.5", "text/event-stream", true],
  ["text/event-stream;q=0.0", "text/event-stream", false],
  ["*/*", "text/event-stream", false],
  [undefined, "gzip", false],
  ["br, gzip;q=0.1", "gzip", true],
  ["xgzip", "gzip", false],
])("accepts by %s the type %s: %s", (header, name, want) => {
  expect(readWeight(header, name) > 0).toBe(want);
});

describe("answers that fail", () => {
  it("fail `times` requests of each path, then let one pass", () => {
    const findFault = createAnswerFaults({ seed: 1, faults: [{ fault: "http-500", times: 2 }] });
    const asked = (path: string) => findFault(path, "run", false);
    expect([1, 2, 3, 4, 5, 6].map(() => asked("/a"))).toEqual([500, 500, undefined, 500, 500, undefined]);
    expect(asked("/b")).toBe(500);
  });

  it("answer 204 to reconnects only", () => {
    const findFault = createAnswerFaults({ seed: 1, faults: [{ fault: "http-204" }] });
    expect([false, true, true, true].map((resumed) => findFault("/a", "run", resumed))).toEqual([
      undefined,
      204,
      undefined,
      204,
    ]);
  });
});

const SHELL = "fixtures/hecate/v1/streams/agent-loop-shell.jsonl";
const PATH = "/hecate/v1/tasks/task_01KQPNTT1GTJ3AC5ZEVH35HMX1/runs/run_01KQPNTT2RZW040CA11XDDDE4M";
const LINES = readLines(SHELL);

/** Reads a stream to its end as a client does: by the last id, again after every cut. */
async function readStream(url: string): Promise<{ readonly data: string[]; readonly connections: Answer[] }> {
  const connections: Answer[] = [];
  const data: string[] = [];
  for (let id = ""; ; ) {
    const got = await sendRequest(url, id === "" ? {} : { "last-event-id": id });
    if (got.status === 204) return { data, connections };
    connections.push(got);
    const frames = parseFrames(got.body);
    data.push(...frames.map((frame) => frame.data));
    id = frames.at(-1)?.id ?? id;
    if (connections.length > 100) throw new Error("the stream does not end");
  }
}

describe("through the server", () => {
  it.each<[string, FaultSetting[], connections: number, deliveries: number]>([
    ["two cuts", [{ fault: "cut", at: [4, 11] }], 3, 30],
    ["no cut at the first event, which no client could get past", [{ fault: "cut", at: [0] }], 1, 30],
    ["cuts at each event", [{ fault: "cut", every: 1 }], 30, 30],
    [
      "cuts and an overlap",
      [
        { fault: "cut", at: [4, 11] },
        { fault: "overlap", count: 3 },
      ],
      3,
      36,
    ],
    ["cuts and everything again", [{ fault: "cut", at: [4, 11] }, { fault: "redeliver" }], 3, 30 + 4 + 11],
    ["split frames with cuts", [{ fault: "split" }, { fault: "cut", at: [9] }], 2, 30],
    ["a stall", [{ fault: "stall", at: [3], ms: 5 }], 1, 30],
  ])("%s: every event arrives", async (_, faults, connections, deliveries) => {
    const { url } = await startServer({ runs: await loadRuns(SHELL), faults: { seed: 3, faults } });
    const got = await readStream(`${url}${PATH}/stream`);
    expect(got.connections.map(({ complete }) => complete)).toEqual(
      Array.from({ length: connections }, (_, index) => index === connections - 1),
    );
    expect([...new Set(got.data)]).toEqual(LINES);
    expect(got.data).toHaveLength(deliveries);
    expect((await sendRequest(`${url}${PATH}/events`)).body.toString()).toContain(`[${LINES.join(",")}]`);
  });

  it("fails in the same way for every client, each time", async () => {
    const faults: FaultPlan = {
      seed: 9,
      faults: [{ fault: "cut" }, { fault: "split" }, { fault: "overlap" }],
    };
    const { url } = await startServer({ runs: await loadRuns(SHELL), faults });
    const bytes = async () =>
      (await readStream(`${url}${PATH}/stream`)).connections.map(({ body }) => body.toString("latin1"));
    const [one, two] = await Promise.all([bytes(), bytes()]);
    expect(one).toEqual(two);
    expect(await bytes()).toEqual(one);
  });

  it.each([1, 2, 3, 4, 5])(
    "sends all events although events are redelivered after a cut (seed %i)",
    async (seed) => {
      const faults: FaultPlan = {
        seed,
        faults: [
          { fault: "duplicate", every: 2 },
          { fault: "cut", every: 3 },
        ],
      };
      const runs = (await loadRuns(SHELL)).map((run) => injectFaults(run, faults).run);
      const { url } = await startServer({ runs, faults });
      const got = await readStream(`${url}${PATH}/stream`);
      expect(new Set(got.data)).toEqual(new Set(LINES));
      expect(got.data.length).toBeGreaterThan(30);
      expect(parseBody(await sendRequest(`${url}${PATH}/events`)).data).toEqual(
        LINES.map((line) => JSON.parse(line)),
      );
    },
  );

  it("cuts a client that does not resume at the same event again", async () => {
    const { url } = await startServer({
      runs: await loadRuns(SHELL),
      faults: { seed: 1, faults: [{ fault: "cut", at: [4] }] },
    });
    const [one, two] = [await sendRequest(`${url}${PATH}/stream`), await sendRequest(`${url}${PATH}/stream`)];
    expect(parseFrames(one.body)).toHaveLength(4);
    expect(two.body).toEqual(one.body);
  });

  it("answers 500 to lists and streams, and then succeeds", async () => {
    const { url } = await startServer({
      runs: await loadRuns(SHELL),
      faults: { seed: 1, faults: [{ fault: "http-500" }] },
    });
    const statuses = [];
    for (let time = 0; time < 4; time++) statuses.push((await sendRequest(`${url}${PATH}/events`)).status);
    expect(statuses).toEqual([500, 200, 500, 200]);
    expect((await sendRequest(`${url}/health`)).status).toBe(200);
  });

  it("cuts the feed across runs", async () => {
    const faults: FaultPlan = { seed: 1, faults: [{ fault: "cut", at: [12] }] };
    const { url } = await startServer({ runs: await loadRuns(SHELL), faults });
    const got = await sendRequest(`${url}/hecate/v1/events/stream`);
    expect(got.complete).toBe(false);
    expect(parseFrames(got.body).map(({ id }) => Number(id))).toEqual(
      Array.from({ length: 12 }, (_, index) => index + 1),
    );
  });
});
