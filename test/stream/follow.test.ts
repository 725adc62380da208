/** If this fails, a frontend that follows a live stream loses events, shows some twice, or misreports its connection. */
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  type Contract,
  createReader,
  type FollowItem,
  type FollowOptions,
  follow,
} from "../../generator/stream/index.js";

interface Tea {
  readonly run: string;
  readonly n?: number;
  readonly id?: string;
}

const NUMBERED = { key: ["run"], sequence: "n", first: 0, id: "id" };
const tea: Contract<Tea, Tea> = {
  id: "tea/v1",
  envelope: { discriminator: "type" },
  stream: NUMBERED,
  decodeEvent: (value) =>
    typeof (value as Tea | null)?.run === "string"
      ? { kind: "known", event: value as Tea }
      : { kind: "invalid", issues: [] },
};
/** Its events have neither ids nor numbers. */
const anonymousTea: Contract<Tea, Tea> = { ...tea, stream: { key: ["run"] } };

type Item = FollowItem<Tea, Tea>;
type Send = NonNullable<FollowOptions["fetch"]>;

async function collect(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Returns the events that a frontend shows. */
function listShownEvents(items: readonly Item[]): Tea[] {
  return items.flatMap((item) => (item.kind === "new" || item.kind === "late" ? [item.event] : []));
}

/** Returns the kinds of items in short: reasons and statuses of states, numbers of events. */
function summarize(items: readonly Item[]): string {
  const parts = items.map((item) => {
    if (item.kind === "waiting" || item.kind === "ended")
      return [item.kind, item.reason, item.status].filter((part) => part !== undefined).join(":");
    return "event" in item ? `${item.kind}:${item.event.n ?? item.event.id}` : item.kind;
  });
  return parts.join(" ");
}

const frame = (event: Tea, id: string): string => `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`;
const createTea = (n: number): Tea => ({ run: "a", n, id: `e${n}` });

/** A response with these pieces, which breaks at its end if `error` is given and stays open if it is `open`. */
function respond(pieces: readonly Uint8Array[], error?: unknown, type = "text/event-stream"): Response {
  const rest = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = rest.shift();
      if (piece !== undefined) controller.enqueue(piece);
      else if (error === undefined) controller.close();
      else if (error !== "open") controller.error(error);
      else return new Promise(() => {});
    },
  });
  return new Response(body, { headers: { "content-type": type } });
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const NO_CONTENT = (): Response => new Response(null, { status: 204 });

function getLastEventId(init: RequestInit | undefined): string | undefined {
  return (init?.headers as { readonly [name: string]: string } | undefined)?.["last-event-id"];
}

/** Answers requests in turn, and notes their addresses and their last event ids. */
function answerInTurn(...answers: readonly (() => Response)[]) {
  const requests: string[] = [];
  const rest = [...answers];
  const send: Send = async (url, init) => {
    const id = getLastEventId(init) ?? "";
    requests.push(`${new URL(String(url)).pathname}${new URL(String(url)).search} ${id}`.trim());
    const answer = rest.shift();
    if (answer === undefined) throw new Error("no further request was expected");
    return answer();
  };
  return { send, requests };
}

const URL_OF_TEA = "http://tea.test/stream";
const QUICK = "retry: 0\n\n";

describe("follow", () => {
  it("resumes after the last event, and ends when the server answers 204", async () => {
    const { send, requests } = answerInTurn(
      () => respond([bytes(QUICK + frame(createTea(0), "0"))]),
      () => new Response(null, { status: 503 }),
      () =>
        respond([bytes(frame(createTea(0), "0") + frame(createTea(2), "2"))], new TypeError("terminated")),
      NO_CONTENT,
    );
    const items = await collect(follow(URL_OF_TEA, tea, { fetch: send, maxDelay: 0 }));
    expect(summarize(items)).toBe(
      "connecting open new:0 waiting:closed connecting waiting:status:503 " +
        "connecting open duplicate:0 new:2 waiting:lost connecting ended:complete:204",
    );
    expect(requests).toEqual(["/stream", "/stream 0", "/stream 0", "/stream 2"]);
    expect(items.at(-1)).toEqual({ kind: "ended", reason: "complete", status: 204, lastEventId: "2" });
    expect(items.find((item) => "gap" in item && item.gap)).toMatchObject({ gap: { after: 0, before: 2 } });
  });

  it("reads the pages of a list first, and asks the list whether an ended stream is complete", async () => {
    const page = (first: number, count: number): Response =>
      Response.json({
        object: "list",
        data: Array.from({ length: count }, (_, index) => createTea(first + index)),
        ...(count > 0 && { next_after_sequence: first + count - 1 }),
      });
    const { send, requests } = answerInTurn(
      () => page(0, 2),
      () => new Response(null, { status: 500 }),
      () => page(2, 1),
      () => page(3, 0),
      () => respond([bytes(QUICK + frame(createTea(3), "3"))]),
      NO_CONTENT,
      () => page(4, 1),
      () => page(5, 0),
      NO_CONTENT,
      () => page(5, 0),
    );
    vi.useFakeTimers();
    const all = collect(follow(URL_OF_TEA, tea, { fetch: send, list: "http://tea.test/events?limit=2" }));
    await vi.advanceTimersByTimeAsync(60_000);
    vi.useRealTimers();
    expect(summarize(await all)).toBe(
      "loading new:0 new:1 waiting:status:500 loading new:2 connecting open new:3 waiting:closed " +
        "connecting loading new:4 waiting:incomplete connecting loading ended:complete:204",
    );
    expect(requests).toEqual([
      "/events?limit=2",
      "/events?limit=2&after_sequence=1",
      "/events?limit=2&after_sequence=1",
      "/events?limit=2&after_sequence=2",
      "/stream?after_sequence=2",
      "/stream?after_sequence=3 3",
      "/events?limit=2&after_sequence=3 3",
      "/events?limit=2&after_sequence=4 3",
      "/stream?after_sequence=4 3",
      "/events?limit=2&after_sequence=4 3",
    ]);
  });

  it.each<[string, () => Response, string]>([
    ["a status that remains", () => new Response("", { status: 404 }), "connecting ended:refused:404"],
    ["what is not a stream", () => respond([], undefined, "text/html"), "connecting ended:refused:200"],
  ])("ends at %s", async (_, answer, want) => {
    const { send } = answerInTurn(answer);
    expect(summarize(await collect(follow(URL_OF_TEA, tea, { fetch: send })))).toBe(want);
  });

  it("shows data that is not JSON as invalid, and goes on", async () => {
    const { send } = answerInTurn(() => respond([bytes(`data: {\n\n${frame(createTea(0), "0")}`)], "open"));
    const stop = new AbortController();
    const items: Item[] = [];
    for await (const item of follow(URL_OF_TEA, tea, { fetch: send, signal: stop.signal })) {
      items.push(item);
      if (item.kind === "new") stop.abort();
    }
    expect(items[2]).toMatchObject({ kind: "invalid", value: "{" });
    expect(summarize(items)).toBe("connecting open invalid new:0 ended:aborted");
    expect(items.at(-1)).toMatchObject({ lastEventId: "0" });
  });

  it("ends at once if it is aborted while it waits", async () => {
    const { send } = answerInTurn(
      () => new Response(null, { status: 503, headers: { "retry-after": "9999" } }),
    );
    const stop = new AbortController();
    const items: Item[] = [];
    for await (const item of follow(URL_OF_TEA, tea, { fetch: send, signal: stop.signal })) {
      items.push(item);
      if (item.kind === "waiting") stop.abort();
    }
    expect(summarize(items)).toBe("connecting waiting:status:503 ended:aborted");
  });

  it("continues where an earlier call stopped, with its reader and its last event id", async () => {
    const reader = createReader(tea);
    for (const n of [0, 1]) reader.read(createTea(n));
    const { send, requests } = answerInTurn(() => respond([bytes(frame(createTea(1), "1"))]), NO_CONTENT);
    vi.useFakeTimers();
    const all = collect(follow(URL_OF_TEA, tea, { fetch: send, reader, lastEventId: "1" }));
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();
    expect(summarize(await all)).toContain("duplicate:1");
    expect(requests).toEqual(["/stream 1", "/stream 1"]);
  });

  it("waits longer after each failure, never less than the server asks for", async () => {
    vi.useFakeTimers();
    const unavailable = (retryAfter?: string) => (): Response =>
      new Response(null, { status: 503, headers: retryAfter ? { "retry-after": retryAfter } : {} });
    const { send } = answerInTurn(
      ...[unavailable(), unavailable(), unavailable(), unavailable("50")],
      () => respond([bytes(`retry: 7000\n\n${frame(createTea(0), "0")}`)]),
      NO_CONTENT,
    );
    const options = { fetch: send, maxDelay: 6000 };
    const delays = async (random: number): Promise<number[]> => {
      const all = collect(follow(URL_OF_TEA, tea, { ...options, random: () => random }));
      await vi.advanceTimersByTimeAsync(600_000);
      return (await all).flatMap((item) => (item.kind === "waiting" ? [item.delay] : []));
    };
    expect(await delays(1)).toEqual([3000, 6000, 9000, 75_000, 10_500]);
    vi.useRealTimers();
  });

  it("reports a stall, and gives up a connection that goes on stalling", async () => {
    vi.useFakeTimers();
    let goOn = (): void => {};
    const slow = (): Response => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          goOn = () => controller.enqueue(bytes(frame(createTea(0), "0")));
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    };
    const { send } = answerInTurn(slow, NO_CONTENT);
    const all = collect(follow(URL_OF_TEA, tea, { fetch: send, stallAfter: 5000 }));
    await vi.advanceTimersByTimeAsync(6000);
    goOn();
    await vi.advanceTimersByTimeAsync(30_000);
    vi.useRealTimers();
    expect(summarize(await all)).toBe(
      "connecting open stalled open new:0 stalled waiting:stalled connecting ended:complete:204",
    );
  });

  it("gives up a request that nobody answers", async () => {
    vi.useFakeTimers();
    const aborted: boolean[] = [];
    const stop = new AbortController();
    const send: Send = (_, init) => {
      init?.signal?.addEventListener("abort", () => aborted.push(true));
      return new Promise(() => {});
    };
    const all = collect(follow(URL_OF_TEA, tea, { fetch: send, stallAfter: 500, signal: stop.signal }));
    await vi.advanceTimersByTimeAsync(1500);
    stop.abort();
    await vi.advanceTimersByTimeAsync(0);
    vi.useRealTimers();
    expect(summarize(await all)).toBe("connecting waiting:unreachable ended:aborted");
    expect(aborted).toEqual([true]);
  });

  it("ends the request when the loop is left", async () => {
    let signal: AbortSignal | undefined | null;
    const send: Send = async (_, init) => {
      signal = init?.signal;
      return respond([bytes(frame(createTea(0), "0"))], "open");
    };
    for await (const item of follow(URL_OF_TEA, tea, { fetch: send })) if (item.kind === "new") break;
    expect(signal?.aborted).toBe(true);
  });

  it("sends no request if it is aborted before", async () => {
    const { send, requests } = answerInTurn();
    const items = await collect(follow(URL_OF_TEA, tea, { fetch: send, signal: AbortSignal.abort() }));
    expect([summarize(items), requests]).toEqual(["ended:aborted", []]);
  });

  it("throws if an address is malformed", async () => {
    await expect(collect(follow("http://", tea))).rejects.toThrow("Invalid URL");
  });

  /** The behaviour of a server on one connection. */
  const anyConnection = fc.record({
    /** The number of events that it sends again. */
    again: fc.nat(4),
    /** The number of bytes after which the connection ends. */
    length: fc.nat(400),
    cuts: fc.array(fc.nat(400), { maxLength: 6 }),
    end: fc.constantFrom("closed", "lost", "status", "unreachable"),
  });

  it("shows every event once and in order, however a server cuts, repeats and fails", async () => {
    const anyCase = fc.record({
      count: fc.integer({ min: 1, max: 9 }),
      connections: fc.array(anyConnection, { maxLength: 8 }),
      isAnonymous: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(anyCase, async ({ count, connections, isAnonymous }) => {
        const events = Array.from({ length: count }, (_, n) =>
          isAnonymous ? { run: "ä€😀", text: `${n}` } : { ...createTea(n), run: "ä€😀" },
        );
        const rest = [...connections];
        let isFirst = true;
        const send: Send = async (_, init) => {
          const id = getLastEventId(init);
          const position = id === undefined ? 0 : Number(id) + 1;
          const { again, length, cuts, end } = rest.shift() ?? { again: 0, length: 1e6, cuts: [], end: "" };
          if (!isFirst && end === "status") return new Response(null, { status: 500 });
          if (!isFirst && end === "unreachable") throw new TypeError("fetch failed");
          if (position >= count && end === "") return NO_CONTENT();
          const first = Math.max(0, position - again);
          const text = events.slice(first).map((event, index) => frame(event, String(first + index)));
          const sent = bytes(text.join("")).subarray(0, length);
          const borders = [0, ...cuts.filter((cut) => cut < sent.length).sort((a, b) => a - b), sent.length];
          const pieces = borders.slice(1).map((border, index) => sent.subarray(borders[index], border));
          const start = isFirst ? [bytes(QUICK)] : [];
          isFirst = false;
          return respond([...start, ...pieces], end === "lost" ? new TypeError("terminated") : undefined);
        };
        const contract = isAnonymous ? anonymousTea : tea;
        const items = await collect(follow(URL_OF_TEA, contract, { fetch: send, maxDelay: 0 }));
        expect(listShownEvents(items)).toEqual(events);
        expect(items.at(-1)).toMatchObject({ kind: "ended", reason: "complete" });
      }),
      { seed: 17, numRuns: 150 },
    );
  });
});
