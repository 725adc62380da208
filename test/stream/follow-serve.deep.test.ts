/** If this fails, `follow` loses or repeats events of a real server, in Node or in a browser, if the server injects faults. */
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contract as evva } from "../../generated/evva/v0/index.js";
import { contract as frames } from "../../generated/frames/v1/index.js";
import { contract as framesV2 } from "../../generated/frames/v2/index.js";
import { contract as hecate } from "../../generated/hecate/v1/index.js";
import { EVENT_FAULTS } from "../../generator/serve/event-faults.js";
import type { FaultName, FaultSetting } from "../../generator/serve/fault.js";
import type { ServeOptions } from "../../generator/serve/server.js";
import { createReader, type FollowItem, follow } from "../../generator/stream/index.js";
import { CHROMIUM, launchBrowser } from "../serve/open-page.js";
import {
  injectFaults,
  loadRuns,
  openServer,
  parseBody,
  type RunningServer,
  sendRequest,
} from "../serve/start.js";

type Item = FollowItem<object, object>;
type Case = readonly [
  name: string,
  /** The expected summary, as `summarize` returns it. */
  want: string,
  faults: readonly FaultSetting[],
];

const CUT: FaultSetting = { fault: "cut", at: [5, 9] };

/** The expected summary for each fault of the server. */
const APPEARANCE: { readonly [fault in FaultName]: Case[1] } = {
  "pruned-start": "new gap",
  interleave: "new",
  "unknown-type": "new unknown",
  "late-gap": "new",
  "large-chunk": "new",
  "unmet-requirements": "new",
  "unknown-field": "new",
  drop: "new gap",
  duplicate: "duplicate",
  cut: "waiting lost",
  redeliver: "duplicate",
  overlap: "duplicate",
  split: "new",
  stall: "stalled",
  "http-500": "waiting status 500",
  "http-204": "waiting incomplete",
};

/** The faults that need a lost connection. */
const AFTER_CUT: readonly FaultName[] = ["redeliver", "overlap", "http-204"];
const OPTIONS: { readonly [fault in FaultName]?: Omit<FaultSetting, "fault"> } = {
  cut: { at: [5, 9] },
  stall: { at: [7], ms: 4500 },
};

const CASES: readonly Case[] = (Object.keys(APPEARANCE) as FaultName[]).map((fault) => [
  fault,
  APPEARANCE[fault],
  [{ fault, ...OPTIONS[fault] }, ...(AFTER_CUT.includes(fault) ? [CUT] : [])],
]);
const MANY_FAULTS: readonly FaultSetting[] = [
  { fault: "unknown-type" },
  { fault: "drop" },
  { fault: "duplicate" },
  { fault: "overlap" },
  { fault: "split" },
  { fault: "http-500" },
  CUT,
];

const CONTRACTS = { hecate, frames, framesV2, evva } as const;
type Name = keyof typeof CONTRACTS;
const FILES: { readonly [name in Name]: string } = {
  hecate: "fixtures/hecate/v1/streams/agent-loop-shell.jsonl",
  frames: "fixtures/frames/v1/streams/session.jsonl",
  framesV2: "fixtures/frames/v2/streams/session.jsonl",
  evva: "fixtures/evva/v0/streams/cancel-and-resume.jsonl",
};

/** The recordings of hecate to which faults happen that find nothing to change in that of `FILES`. */
const OTHER_FILES: { readonly [fault in FaultName]?: string } = {
  "unmet-requirements": "fixtures/hecate/v1/streams/file-edits.jsonl",
};

function findRecording(name: Name, faults: readonly FaultSetting[]): string {
  const other = name === "hecate" && faults.map(({ fault }) => OTHER_FILES[fault]).find(Boolean);
  return other || FILES[name];
}

/** The settings of `follow` that make its tests quick. */
const QUICK = { stallAfter: 3000, maxDelay: 20 };

/** The servers of all tests. Most tests run concurrently, because they wait for delays that the server asks for. */
const servers: RunningServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

/** Starts a server, which is closed after all tests. Returns its address. */
async function startServer(options: Parameters<typeof openServer>[0]): Promise<string> {
  const server = await openServer(options);
  servers.push(server);
  return server.url;
}

/** The options of a server that a test may choose, and the seed of its faults. */
type TestServerOptions = Pick<Partial<ServeOptions>, "pace" | "format"> & { readonly seed?: number };

/**
 * Starts a server with these faults. Returns the addresses of its first run, the run's events, each once, the recorded
 * events, and the names of the faults that changed events.
 */
async function serve(
  name: Name,
  faults: readonly FaultSetting[],
  { seed = 4, ...options }: TestServerOptions = {},
) {
  const plan = { seed, faults };
  const recorded = await loadRuns(findRecording(name, faults));
  const injected = recorded.map((run) => injectFaults(run, plan));
  const runs = injected.map(({ run }) => run);
  const url = await startServer({ runs, faults: plan, ...options, limits: { retry: 5 } });
  const [run] = parseBody(await sendRequest(`${url}/runs`)).data;
  const paths = { origin: url, stream: url + run.paths.stream, list: url + run.paths.events };
  return {
    ...paths,
    events: listEvents(runs[0]),
    recordedEvents: listEvents(recorded[0]),
    changed: injected[0]?.changed ?? [],
  };
}

/** Returns the events of a run, each once. */
function listEvents(run: ServeOptions["runs"][number] | undefined): { readonly [field: string]: unknown }[] {
  const texts = run?.events.map(({ raw }) => Buffer.from(raw).toString("utf8"));
  return [...new Set(texts)].map((text) => JSON.parse(text));
}

/** Returns the events that a frontend shows, in the order of arrival. */
function listShownEvents(items: readonly Item[]): object[] {
  return items.flatMap((item) => (item.kind === "new" || item.kind === "late" ? [item.event] : []));
}

/** Returns a short text for each item, without duplicates. */
function summarize(items: readonly Item[]): string[] {
  return items.map((item) => {
    if (item.kind === "waiting" || item.kind === "ended")
      return [item.kind, item.reason, item.status].filter((part) => part !== undefined).join(" ");
    const isUnknown = "known" in item && !item.known;
    return [item.kind, isUnknown && "unknown", "gap" in item && item.gap && "gap"].filter(Boolean).join(" ");
  });
}

async function collect(items: AsyncIterable<Item>, release?: () => Promise<unknown>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) {
    all.push(item);
    if (item.kind === "loading" && all.filter(({ kind }) => kind === "loading").length === 2)
      await release?.();
  }
  return all;
}

/**
 * Serves a run with faults. For the fault `http-204`, only three events have happened when the list is read for the
 * first time; the others happen before it is read again, and only the list shows that the 204 was wrong.
 */
async function serveCase(name: Name, faults: readonly FaultSetting[]) {
  const isStepped = faults.some(({ fault }) => fault === "http-204");
  const served = await serve(name, faults, { pace: { kind: isStepped ? "step" : "at-once" } });
  const step = (count: number) => sendRequest(`${served.origin}/step?count=${count}`, {}, { method: "POST" });
  if (isStepped) await step(3);
  const options = { ...QUICK, ...(isStepped && { list: served.list }) };
  return { ...served, options, release: () => step(1000) };
}

const NAMES = Object.keys(CONTRACTS) as Name[];

/** Returns whether a fault of the server must be seen: it happens to this run, and the protocol lets clients notice it. */
function isVisible(name: Name, fault: string, want: string, changed: readonly string[]): boolean {
  if (fault in EVENT_FAULTS && !changed.includes(fault)) return false;
  return !want.endsWith("gap") || CONTRACTS[name].stream?.sequence !== undefined;
}

describe.concurrent("follow in Node", () => {
  it.each(CASES)("the fault %s happens to the run of hecate", async (fault, _, faults) => {
    const { stream, changed } = await serve("hecate", faults);
    expect(changed).toEqual(fault in EVENT_FAULTS ? [fault] : []);
    if (fault === "split") expect((await sendRequest(stream)).body.includes("\r\n")).toBe(true);
  });

  it("names no fault if there is none", async () => {
    const { stream, events } = await serve("hecate", []);
    const items = await collect(follow(stream, hecate, { maxDelay: 20 }));
    expect(listShownEvents(items)).toEqual(events);
    expect([...new Set(summarize(items))]).toEqual([
      "connecting",
      "open",
      "new",
      "waiting closed",
      "ended complete 204",
    ]);
  });

  describe.each(NAMES)("%s", (name) => {
    it.each(CASES)("with %s: shows every event once, and names the fault", async (fault, want, faults) => {
      const { stream, events, options, release, changed } = await serveCase(name, faults);
      const items = await collect(follow(stream, CONTRACTS[name], options), release);
      expect(listShownEvents(items)).toEqual(events);
      if (isVisible(name, fault, want, changed)) expect(summarize(items)).toContain(want);
      expect(items.at(-1)).toMatchObject({ kind: "ended", reason: "complete", status: 204 });
    });

    it.each([4, 5, 6])("with many faults at once, seed %i: shows every event once", async (seed) => {
      for (const format of ["spec", "runtime"] as const) {
        const { stream, events } = await serve(name, MANY_FAULTS, { seed, format });
        const items = await collect(follow(stream, CONTRACTS[name], QUICK));
        expect(listShownEvents(items)).toEqual(events);
        expect(summarize(items)).toContain("duplicate");
      }
    });
  });

  it("reports exactly the numbers of the dropped events as gaps", async () => {
    const { stream, events, recordedEvents } = await serve("hecate", [{ fault: "drop" }, CUT]);
    const items = await collect(follow(stream, hecate, QUICK));
    const reported = items.flatMap((item) => {
      if (item.kind !== "new" || item.gap === undefined) return [];
      const { after = -1, before } = item.gap;
      return Array.from({ length: before - after - 1 }, (_, index) => after + 1 + index);
    });
    const served = new Set(events.map(({ sequence }) => sequence));
    const dropped = recordedEvents.map(({ sequence }) => sequence).filter((number) => !served.has(number));
    expect(dropped.length).toBeGreaterThan(0);
    expect(reported).toEqual(dropped);
  });

  it("gives up a connection that stalls for too long, and resumes", async () => {
    const { stream, events } = await serve("hecate", [{ fault: "stall", at: [7], ms: 2000 }]);
    const items = await collect(follow(stream, hecate, { ...QUICK, stallAfter: 100 }));
    expect(listShownEvents(items)).toEqual(events);
    expect(summarize(items)).toContain("waiting stalled");
  });

  it("shows every event of all runs once on the feed across them", async () => {
    const plan = { seed: 4, faults: MANY_FAULTS };
    const loaded = await loadRuns("fixtures/hecate/v1/streams");
    const runs = loaded.map((run) => injectFaults(run, plan).run);
    const url = await startServer({ runs, faults: plan, limits: { retry: 5 } });
    const expected = runs.map(listEvents);
    const total = expected.flat().length;
    const stop = new AbortController();
    const items: Item[] = [];
    // The feed stays open, so that the client ends it.
    for await (const item of follow(`${url}/hecate/v1/events/stream`, hecate, {
      ...QUICK,
      signal: stop.signal,
    })) {
      items.push(item);
      if (listShownEvents(items).length === total && item.kind === "stalled") stop.abort();
    }
    const shown = listShownEvents(items) as { readonly run_id: string }[];
    for (const events of expected)
      expect(shown.filter(({ run_id }) => run_id === events[0]?.run_id)).toEqual(events);
    expect(shown).toHaveLength(total);
    expect(summarize(items)).toContain("duplicate");
    expect(items.at(-1)).toMatchObject({ kind: "ended", reason: "aborted" });
  });

  it.each(NAMES)("%s, first pages of a list, then the live stream", async (name) => {
    const faults: FaultSetting[] = [{ fault: "redeliver" }, CUT];
    const { stream, list, origin, events } = await serve(name, faults, { pace: { kind: "step" } });
    const half = Math.floor(events.length / 2);
    await sendRequest(`${origin}/step?count=${half}`, {}, { method: "POST" });
    const items: Item[] = [];
    for await (const item of follow(stream, CONTRACTS[name], { ...QUICK, list: `${list}?limit=3` })) {
      if (item.kind === "open" && items.every(({ kind }) => kind !== "open")) {
        expect(listShownEvents(items)).toEqual(events.slice(0, half));
        await sendRequest(`${origin}/step?count=1000`, {}, { method: "POST" });
      }
      items.push(item);
    }
    expect(listShownEvents(items)).toEqual(events);
    expect(summarize(items)).toContain("duplicate");
    expect(items.at(-1)).toMatchObject({ kind: "ended", reason: "complete" });
  });

  it("ends too early at a wrong 204 if there is no list, and goes on with the same reader", async () => {
    const { stream, events } = await serve("hecate", [{ fault: "http-204" }, CUT]);
    const reader = createReader(hecate);
    const shown: object[] = [];
    let lastEventId = "";
    let calls = 0;
    while (shown.length < events.length && calls < 10) {
      const items = await collect(follow(stream, hecate, { ...QUICK, reader, lastEventId }));
      const end = items.at(-1);
      expect(end).toMatchObject({ kind: "ended", reason: "complete" });
      if (end?.kind === "ended") lastEventId = end.lastEventId;
      shown.push(...listShownEvents(items));
      calls++;
    }
    expect(shown).toEqual(events);
    expect(calls).toBeGreaterThan(1);
  });
});

/** The source of the script of the page. */
const PAGE = `
import { follow } from "./generator/stream/index.ts";
import { contract as evva } from "./generated/evva/v0/index.js";
import { contract as frames } from "./generated/frames/v1/index.js";
import { contract as framesV2 } from "./generated/frames/v2/index.js";
import { contract as hecate } from "./generated/hecate/v1/index.js";
globalThis.collect = async (name, url, options) => {
  const items = [];
  for await (const item of follow(url, { evva, frames, framesV2, hecate }[name], options)) {
    items.push({ ...item, error: undefined });
    if (item.kind === "loading" && items.filter(({ kind }) => kind === "loading").length === 2)
      await fetch("/step?count=1000", { method: "POST" });
  }
  return items;
};
`;

describe.skipIf(CHROMIUM === undefined)(
  "follow in a browser, if chromium is installed",
  { concurrent: true },
  () => {
    let browser: Browser;
    let code = "";
    beforeAll(async () => {
      browser = await launchBrowser();
      const { outputFiles } = await build({
        stdin: { contents: PAGE, resolveDir: "." },
        ...{ bundle: true, platform: "browser", format: "iife", target: "es2022", write: false },
      });
      code = outputFiles[0]?.text ?? "";
    });
    afterAll(() => browser.close());

    async function collectInPage(name: Name, origin: string, url: string, options: object): Promise<Item[]> {
      const page = await browser.newPage();
      await page.goto(`${origin}/health`);
      await page.addScriptTag({ content: code });
      const collected = page.evaluate(
        ([contract, address, settings]) =>
          (globalThis as unknown as { collect(...args: unknown[]): Promise<Item[]> }).collect(
            contract,
            address,
            settings,
          ),
        [name, url, options] as const,
      );
      const items = await collected;
      await page.close();
      return items;
    }

    it.each(CASES)("hecate with %s: shows every event once, and names the fault", async (_, want, faults) => {
      const { origin, stream, events, options } = await serveCase("hecate", faults);
      // A relative address, as pages use it.
      const items = await collectInPage("hecate", origin, stream.slice(origin.length), options);
      expect(listShownEvents(items)).toEqual(events);
      expect(summarize(items)).toContain(want);
      expect(items.at(-1)).toMatchObject({ kind: "ended", reason: "complete", status: 204 });
    });

    it("resumes a stream of another origin", async () => {
      const { stream, events } = await serve("hecate", [CUT]);
      const { origin } = await serve("hecate", []);
      const items = await collectInPage("hecate", origin, stream, QUICK);
      expect(listShownEvents(items)).toEqual(events);
      expect(summarize(items)).toContain("waiting lost");
    });

    it.each(NAMES)("%s with many faults at once: shows every event once", async (name) => {
      for (const format of ["spec", "runtime"] as const) {
        const { origin, stream, events } = await serve(name, MANY_FAULTS, { format });
        expect(listShownEvents(await collectInPage(name, origin, stream, QUICK))).toEqual(events);
      }
    });
  },
);
