/** The ids of the last events with their content. Two generations make it cheap to forget the older half. */
export interface IdMemory<Id = string> {
  /** Returns the content of an id in the stream of that number. If the id is new, remembers it with `content` and returns undefined. */
  remember(stream: number, id: Id, content: unknown): unknown;
  /** Begins a new generation. The ids of the generation before it are kept, all older ones are forgotten. */
  rotateGeneration(): void;
}

/** Ids that are strings, in maps. */
interface MappedIds extends IdMemory {
  /** The number of ids. */
  readonly size: number;
  /** Returns the content of an id; undefined if it is new. */
  find(stream: number, id: string): unknown;
  /** Remembers a new id. */
  add(stream: number, id: string, content: unknown): void;
}

/** Creates a memory without ids. */
export function createIdMaps(): MappedIds {
  let young = new Map<number, Map<string, unknown>>();
  let old: typeof young = new Map();
  let [youngCount, oldCount] = [0, 0];
  const find: MappedIds["find"] = (stream, id) => young.get(stream)?.get(id) ?? old.get(stream)?.get(id);
  const add: MappedIds["add"] = (stream, id, content) => {
    const ids = young.get(stream);
    if (ids === undefined) young.set(stream, new Map([[id, content]]));
    else ids.set(id, content);
    youngCount++;
  };
  return {
    find,
    add,
    get size() {
      return youngCount + oldCount;
    },
    remember(stream, id, content) {
      const firstContent = find(stream, id);
      if (firstContent === undefined) add(stream, id, content);
      return firstContent;
    },
    rotateGeneration() {
      [old, oldCount] = [young, youngCount];
      [young, youngCount] = [new Map(), 0];
    },
  };
}
