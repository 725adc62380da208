/** Follows a stream of events, and keeps what a user interface shows of it in snapshots that never change. Needs no React. */
import {
  type ConnectionState,
  createReader,
  type FollowOptions,
  follow,
  type KnownEventOf,
  type UnknownEventOf,
} from "../stream/index.js";
import { type Block, createView, type ViewContract } from "../view/index.js";

/** What a user interface shows of a stream. It never changes; what did not change between two states is the same object. */
export interface RunState {
  /** The blocks of the view in their order. */
  readonly blocks: readonly Block[];
  readonly connection: ConnectionState;
}

/** The options of a store: those of `follow` that do not say where it begins and ends, and how often it may change. */
export interface RunOptions<Event = unknown, Unknown = unknown>
  extends Pick<FollowOptions<Event, Unknown>, "list" | "fetch" | "maxDelay" | "stallAfter" | "random"> {
  /** The milliseconds in which events are collected before listeners are called; 16 by default, about one frame. */
  readonly interval?: number;
}

/** The current state of a stream, as `useSyncExternalStore` of React and stores of other libraries take it. */
export interface RunStore {
  /** Calls `listener` after each change, until the returned function is called. */
  subscribe(listener: () => void): () => void;
  /** Returns the current state, which is the same object until it changes. Throws if an address is malformed. */
  getSnapshot(): RunState;
}

/** The milliseconds for which a stream is followed without listeners. StrictMode removes and adds each listener once. */
const LINGER_MS = 1000;

/**
 * Creates the store of the stream at `url`. It follows the stream while it has listeners. When it gets listeners again, it goes
 * on after the last event, so that every event is shown once.
 */
export function createRunStore<C extends ViewContract>(
  url: string | URL,
  contract: C,
  { interval = 16, ...options }: RunOptions<KnownEventOf<C>, UnknownEventOf<C>> = {},
): RunStore {
  const reader = createReader(contract);
  const view = createView(contract);
  const blocks = createBlockList();
  let connection: ConnectionState = { kind: "connecting" };
  const published = createPublisher<RunState>(() => ({ blocks: blocks.list(), connection }), interval);
  let failure: { readonly error: unknown } | undefined;
  let lastEventId = "";
  let isOver = false;
  let stop: AbortController | undefined;
  let lingering: ReturnType<typeof setTimeout> | undefined;
  let running = Promise.resolve();

  const run = async (signal: AbortSignal): Promise<void> => {
    for await (const item of follow(url, contract, { ...options, reader, lastEventId, signal })) {
      if ("event" in item || item.kind === "invalid") blocks.add(view.take(item));
      else connection = item;
      if (item.kind === "ended") {
        lastEventId = item.lastEventId;
        isOver = item.reason !== "aborted";
      }
      published.publishSoon();
    }
    if (!isOver) return;
    blocks.add(view.end());
    published.publishSoon();
  };
  const start = (): void => {
    clearTimeout(lingering);
    if (stop !== undefined || isOver) return;
    stop = new AbortController();
    const { signal } = stop;
    // An earlier run ends before the next one begins, because both use the reader.
    running = running
      .then(() => run(signal))
      .catch((error: unknown) => {
        failure = { error };
        isOver = true;
        published.publishSoon();
      });
  };
  const stopLater = (): void => {
    lingering = setTimeout(() => {
      stop?.abort();
      stop = undefined;
    }, LINGER_MS);
  };
  return {
    subscribe(listener) {
      const remove = published.add(listener);
      start();
      return () => {
        if (remove() && published.isUnused()) stopLater();
      };
    },
    getSnapshot() {
      if (failure !== undefined) throw failure.error;
      return published.getState();
    },
  };
}

/** Keeps a state that is made again at most once in `interval` milliseconds, and tells listeners. */
function createPublisher<State>(makeState: () => State, interval: number) {
  const listeners = new Set<() => void>();
  let state = makeState();
  let isScheduled = false;
  const publish = (): void => {
    isScheduled = false;
    state = makeState();
    for (const listener of [...listeners]) listener();
  };
  return {
    getState: (): State => state,
    isUnused: (): boolean => listeners.size === 0,
    /** Returns a function that removes the listener, and returns false if it did so before. */
    add(listener: () => void): () => boolean {
      // Each call counts, also with a listener that is there already.
      const own = (): void => listener();
      listeners.add(own);
      return () => listeners.delete(own);
    },
    publishSoon(): void {
      if (isScheduled) return;
      isScheduled = true;
      setTimeout(publish, interval);
    },
  };
}

/** Creates a list of the last states of blocks, in the order of their first ones. */
function createBlockList() {
  const blocks: Block[] = [];
  const places = new Map<number, number>();
  return {
    add(changed: readonly Block[]): void {
      for (const block of changed) {
        const place = places.get(block.id) ?? blocks.length;
        places.set(block.id, place);
        // The view changes its blocks when later events arrive.
        blocks[place] = structuredClone(block);
      }
    },
    list: (): readonly Block[] => [...blocks],
  };
}
