/** The ids of the last events with their content. Two generations make it cheap to forget the older half. */
export interface IdMemory<Id = string> {
  /** Returns the content of an id in the stream of that number. If the id is new, remembers it with `content` and returns undefined. */
  remember(stream: number, id: Id, content: unknown): unknown;
  /** Begins a new generation. The ids of the generation before it are kept, all older ones are forgotten. */
  rotateGeneration(): void;
}

/** Contents by id, by the number of the stream. */
export type IdGeneration = Map<number, Map<string, unknown>>;

/** Ids that are strings, in maps. */
interface MappedIds extends IdMemory {
  /** The number of ids. */
  readonly size: number;
  /** Returns the ids of the young and of the old generation. */
  list(): readonly [young: IdGeneration, old: IdGeneration];
  /** Returns the content of an id; undefined if it is new. */
  find(stream: number, id: string): unknown;
  /** Remembers a new id. */
  add(stream: number, id: string, content: unknown): void;
}

/** Creates a memory of the ids of two generations; without ids by default. */
export function createIdMaps(young: IdGeneration = new Map(), old: IdGeneration = new Map()): MappedIds {
  let [youngCount, oldCount] = [countIds(young), countIds(old)];
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
    list: () => [young, old],
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

function countIds(generation: IdGeneration): number {
  return [...generation.values()].reduce((sum, ids) => sum + ids.size, 0);
}
