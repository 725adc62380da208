/** If this fails, the kit does not wait for the promises of a consumer, and compares states that are not complete. */
import { describe, expect, expectTypeOf } from "vitest";
import { protocol as frames } from "../../generated/frames/v2/index.js";
import { protocol as hecate } from "../../generated/hecate/v1/index.js";
import {
  type Adapter,
  consumerCases,
  describeConsumer,
  type KitProtocol,
} from "../../generator/kit/index.js";
import { deep, isWhole, quick } from "../depth.js";
import { rebuilderAdapter } from "./consumers/rebuilder.js";
import { reducerAdapter } from "./consumers/reducer.js";

type Delay = () => Promise<void>;

const MICROTASK: Delay = async () => {};
const TIMER: Delay = () => new Promise((resolve) => setImmediate(resolve));

/** Makes every method of an adapter and of its consumers return a promise, which does its work after `delay`. */
function createAsyncAdapter(adapter: Adapter, delay: Delay) {
  return {
    async create() {
      await delay();
      const consumer = (await adapter.create()) ?? adapter;
      const call = (name: string, ...given: unknown[]): unknown =>
        (consumer as unknown as { [name: string]: (...given: unknown[]) => unknown })[name]?.(...given);
      const createMethod =
        (name: string) =>
        async (...given: unknown[]) => {
          await delay();
          return call(name, ...given);
        };
      const hooks = ["opaque", "gaps", "cursor", "viewRun", "ingest", "reconnect"].filter(
        (name) => name in consumer,
      );
      return {
        push: createMethod("push"),
        snapshot: createMethod("snapshot"),
        ...Object.fromEntries(hooks.map((name) => [name, createMethod(name)])),
      };
    },
  };
}

async function listBrokenLaws(adapter: Adapter, protocol: KitProtocol): Promise<string[]> {
  const broken: string[] = [];
  for (const { id, run } of consumerCases(adapter, { protocol, runs: 2 }))
    try {
      await run();
    } catch {
      broken.push(id);
    }
  return broken;
}

const plain: Adapter = reducerAdapter(hecate);

describe("a consumer that returns promises", () => {
  const longest: [string, Adapter, KitProtocol, Delay][] = [
    ["reducer, microtasks", plain, hecate, MICROTASK],
  ];
  deep.it.each<[string, Adapter, KitProtocol, Delay]>([
    ["rebuilder, which is its own adapter, timers", rebuilderAdapter(frames), frames, TIMER],
    ...(isWhole ? longest : []),
  ])("passes if it is correct: %s", async (_name, adapter, protocol, delay) => {
    const unchecked: string[] = [];
    for (const { id, run, skipped } of consumerCases(createAsyncAdapter(adapter, delay), {
      protocol,
      runs: 2,
    })) {
      const reason = await run();
      if (skipped === undefined && reason !== undefined) unchecked.push(`${id}: ${reason}`);
    }
    // A case may stay unchecked only because the adapter lacks a method.
    expect(unchecked.filter((text) => !/the adapter has no \w+\(\)$/.test(text))).toEqual([]);
  });

  deep.it("is judged like a synchronous one, rejections included", async () => {
    const create = () => {
      let count = 0;
      return { push: () => void count++, snapshot: () => ({ count }) };
    };
    const expected = await listBrokenLaws({ create }, hecate);
    expect(expected).toContain("duplicate-adjacent");
    expect(await listBrokenLaws(createAsyncAdapter({ create }, MICROTASK), hecate)).toEqual(expected);
    const rejecting = {
      create: () => ({ push: async () => Promise.reject(new Error("no")), snapshot: () => 1 }),
    };
    const law = consumerCases(rejecting, { protocol: hecate, runs: 1 }).find(
      ({ id }) => id === "never-throws",
    );
    await expect(law?.run()).rejects.toThrow("push of run.created #0 threw Error: no");
  });

  quick.it("gets the next event when its promise is fulfilled", async () => {
    let running = 0;
    const push = async () => {
      expect(++running).toBe(1);
      await TIMER();
      running--;
    };
    const adapter = { create: () => ({ push, snapshot: () => null }) };
    const law = consumerCases(adapter, { protocol: frames, runs: 1 }).find(({ id }) => id === "never-throws");
    await law?.run();
    expect(running).toBe(0);
  });

  quick.it("is registered as tests whose promises the runner awaits", async () => {
    const bodies = new Map<string, () => unknown>();
    const register = (name: string, body: () => unknown) => bodies.set(name.split(":")[0] ?? "", body);
    const adapter = createAsyncAdapter(
      { create: () => ({ push: () => {}, snapshot: () => null, opaque: () => [] }) },
      MICROTASK,
    );
    describeConsumer("x", adapter, {
      protocol: frames,
      runs: 1,
      describe: (_name, body) => body(),
      it: register,
    });
    // The methods of an asynchronous consumer are unknown at registration, so this test is not skipped but passes.
    await expect(bodies.get("cursor")?.()).resolves.toBeUndefined();
    await expect(bodies.get("unknown-type")?.()).rejects.toThrow("does not contain the unknown event type");
  });
});

describe("drop()", () => {
  quick.it("is called once for each consumer that a passing check creates", async () => {
    const counts = { created: 0, dropped: 0 };
    const create = () => {
      counts.created++;
      return { push() {}, snapshot: () => null, drop: async () => void counts.dropped++ };
    };
    const law = consumerCases({ create }, { protocol: frames, runs: 1 }).find(
      ({ id }) => id === "bulk-equals-stream",
    );
    // consumerCases() creates a consumer to learn its methods.
    counts.created = 0;
    await law?.run();
    expect(counts.created).toBeGreaterThan(10);
    expect(counts.dropped).toBe(counts.created);
  });
});

describe("a forgotten promise", () => {
  const PROMISED: readonly [string, () => unknown][] = [
    ["in a member", () => ({ items: [Promise.resolve(1)] })],
    ["in a map", () => new Map([[1, Promise.resolve(1)]])],
  ];
  quick.it.each(PROMISED)("in a snapshot is reported: %s", (_name, snapshot) => {
    const law = consumerCases(
      { create: () => ({ push: () => {}, snapshot }) },
      { protocol: frames, runs: 1 },
    ).find(({ id }) => id === "never-throws");
    expect(() => law?.run()).toThrow(
      "The snapshot contains a promise. Await it, and return its value instead.",
    );
  });

  quick.it.each([["microtasks", MICROTASK] as const, ["timers", TIMER] as const])(
    "of push() is reported: %s",
    async (_name, delay) => {
      const create = () => {
        const shown: unknown[] = [];
        const add = async (event: unknown) => {
          await delay();
          shown.push(event);
        };
        return { push: (event: unknown) => void add(event), snapshot: () => [...shown] };
      };
      const law = consumerCases({ create }, { protocol: frames, runs: 1 }).find(({ waits }) => waits);
      await expect(law?.run()).rejects.toThrow("push() starts work whose promise it does not return");
    },
  );
});

describe("the type of run()", () => {
  quick.it("has a promise only if a method may return one", () => {
    const options = { protocol: frames };
    const [sync] = consumerCases({ create: () => ({ push: () => {}, snapshot: () => 1 }) }, options);
    const [withAsyncPush] = consumerCases(
      { create: () => ({ push: async () => {}, snapshot: () => 1 }) },
      options,
    );
    const [withAsyncCreate] = consumerCases(
      { create: async () => ({ push: () => {}, snapshot: () => 1 }) },
      options,
    );
    const [any] = consumerCases(plain, options);
    type Maybe = string | undefined | Promise<string | undefined>;
    if (sync && !sync.waits) expectTypeOf(sync.run()).toEqualTypeOf<string | undefined>();
    if (withAsyncPush && !withAsyncPush.waits) expectTypeOf(withAsyncPush.run()).toEqualTypeOf<Maybe>();
    if (withAsyncCreate && !withAsyncCreate.waits) expectTypeOf(withAsyncCreate.run()).toEqualTypeOf<Maybe>();
    if (any && !any.waits) expectTypeOf(any.run()).toEqualTypeOf<Maybe>();
    expect(sync?.waits).toBe(false);
  });
});
