/** If this fails, a user interface over the store shows an event twice or not at all, or a state that changes under it. */
import { describe, expect, it, vi } from "vitest";
import { contract, metadata, view } from "../../generated/hecate/v1/index.js";
import { createRunStore, type RunOptions, type RunState } from "../../generator/react/run-store.js";
import { createReader } from "../../generator/stream/index.js";
import { type Block, createView } from "../../generator/view/index.js";
import { readLines } from "../serve/start.js";

const HECATE = { ...contract, metadata, view };
const LINES = readLines("fixtures/hecate/v1/streams/agent-loop-shell.jsonl");
const formatFrame = (line: string, index: number): string => `id: ${index}\ndata: ${line}\n\n`;

/** A server whose requests stay open. Each begins after the event that the request names. */
function createServer() {
  const requests: string[] = [];
  const open = new Set<ReadableStreamDefaultController<Uint8Array>>();
  let sent = 0;
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
  const fetch: NonNullable<RunOptions["fetch"]> = async (_input, init) => {
    const after = new Headers(init?.headers).get("last-event-id") ?? "";
    requests.push(after);
    let own: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        own = controller;
        open.add(controller);
        const first = after === "" ? 0 : Number(after) + 1;
        controller.enqueue(
          encode(
            LINES.slice(first, sent)
              .map((line, n) => formatFrame(line, first + n))
              .join(""),
          ),
        );
      },
    });
    init?.signal?.addEventListener("abort", () => {
      if (own !== undefined && open.delete(own)) own.error(new Error("aborted"));
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  const send = (count: number): void => {
    const frames = LINES.slice(sent, sent + count).map((line, n) => formatFrame(line, sent + n));
    sent += count;
    for (const controller of open) controller.enqueue(encode(frames.join("")));
  };
  return { fetch, requests, send };
}

/** Returns the blocks that the view shows after the first `count` events. */
function listExpectedBlocks(count: number): Block[] {
  const [reader, timeline] = [createReader(contract), createView(HECATE)];
  const blocks = new Map<number, Block>();
  for (const line of LINES.slice(0, count))
    for (const block of timeline.take(reader.read(JSON.parse(line)))) blocks.set(block.id, block);
  return [...blocks.values()];
}

const open = (server: ReturnType<typeof createServer>) =>
  createRunStore("http://127.0.0.1/stream", HECATE, { fetch: server.fetch, interval: 0 });

describe("the store of a run", () => {
  it("shows every event once, in states that never change", async () => {
    const server = createServer();
    const store = open(server);
    const states: { readonly state: RunState; readonly text: string }[] = [];
    const stop = store.subscribe(() => {
      const state = store.getSnapshot();
      expect(store.getSnapshot()).toBe(state);
      states.push({ state, text: JSON.stringify(state) });
    });
    for (let count = 1; count <= LINES.length; count++) {
      server.send(1);
      await vi.waitFor(() => expect(store.getSnapshot().blocks).toEqual(listExpectedBlocks(count)), {
        interval: 1,
      });
    }
    stop();
    expect(states.length).toBeGreaterThan(10);
    for (const { state, text } of states) expect(JSON.stringify(state)).toBe(text);
    // Blocks that did not change are the same objects in the next state.
    const [before, after] = states.slice(-2).map(({ state }) => state.blocks);
    expect(after?.[0]).toBe(before?.[0]);
  });

  it("keeps its connection while StrictMode removes and adds its listener, and resumes after a pause", async () => {
    const server = createServer();
    const store = open(server);
    expect(server.requests).toEqual([]);
    store.subscribe(() => {})();
    const stop = store.subscribe(() => {});
    server.send(5);
    await vi.waitFor(() => expect(store.getSnapshot().blocks).toEqual(listExpectedBlocks(5)));
    expect(server.requests).toEqual([""]);
    stop();
    stop();
    await vi.waitFor(
      () => expect(store.getSnapshot().connection).toMatchObject({ kind: "ended", reason: "aborted" }),
      {
        timeout: 5000,
      },
    );
    server.send(3);
    store.subscribe(() => {});
    server.send(4);
    await vi.waitFor(() => expect(store.getSnapshot().blocks).toEqual(listExpectedBlocks(12)));
    expect(server.requests).toEqual(["", "4"]);
  });

  it("calls every listener, also one that is there twice, and none that was removed", async () => {
    const server = createServer();
    const store = open(server);
    const [listener, removed] = [vi.fn(), vi.fn()];
    const stops = [listener, listener, removed].map((each) => store.subscribe(each));
    stops[2]?.();
    stops[0]?.();
    server.send(1);
    await vi.waitFor(() => expect(listener).toHaveBeenCalled());
    expect(removed).not.toHaveBeenCalled();
    stops[1]?.();
  });

  it("throws a malformed address where it is shown", async () => {
    const store = createRunStore("http://[", HECATE);
    await new Promise<void>((resolve) => store.subscribe(resolve));
    expect(() => store.getSnapshot()).toThrow("Invalid URL");
  });
});
