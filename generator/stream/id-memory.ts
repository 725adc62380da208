/** The ids of streams, with the content that came with each. */

/** Ids in two generations, so that forgetting the older half costs nothing. */
export interface IdMemory<Id = string> {
  /** The content that came with this id before, in the stream of that number. If the id is new, undefined; it is then remembered with `content`. */
  remember(stream: number, id: Id, content: unknown): unknown;
  /** Begins a new generation. Ids from before the last one are forgotten. */
  rotateGeneration(): void;
}

/** Ids that are texts, in maps. */
interface MappedIds extends IdMemory {
  /** How many ids there are. */
  readonly size: number;
  /** Returns the same as `remember`, but remembers nothing. */
  find(stream: number, id: string): unknown;
  /** Remembers an id that is new. */
  add(stream: number, id: string, content: unknown): void;
}

/** A memory without ids. */
export function mappedIds(): MappedIds {
  let young = new Map<number, Map<string, unknown>>();
  let old: typeof young = new Map();
  let [count, oldCount] = [0, 0];
  const find: MappedIds["find"] = (stream, id) => young.get(stream)?.get(id) ?? old.get(stream)?.get(id);
  const add: MappedIds["add"] = (stream, id, content) => {
    const ids = young.get(stream);
    if (ids === undefined) young.set(stream, new Map([[id, content]]));
    else ids.set(id, content);
    count++;
  };
  return {
    find,
    add,
    get size() {
      return count + oldCount;
    },
    remember(stream, id, content) {
      const before = find(stream, id);
      if (before === undefined) add(stream, id, content);
      return before;
    },
    rotateGeneration() {
      [old, oldCount] = [young, count];
      [young, count] = [new Map(), 0];
    },
  };
}
