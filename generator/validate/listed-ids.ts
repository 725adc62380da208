import type { Input, Place } from "../ingest/place.js";

/** The ids of the events in one list, which holds each event once. */
export interface ListedIds {
  /** Adds the id of the event at a place. Returns whether an earlier event of the same list has it. */
  addAndCheck(protocol: string, id: string, place: Place): boolean;
}

/** Creates a memory without ids. It forgets the ids of a list when the next text begins. */
export function createListedIds(): ListedIds {
  const ids = new Set<string>();
  let input: Input | undefined;
  let offset = 0;
  return {
    addAndCheck(protocol, id, place) {
      if (place.pointer === "") return false;
      if (place.input !== input || place.offset !== offset) ids.clear();
      input = place.input;
      offset = place.offset;
      const key = `${protocol}\n${id}`;
      const isKnown = ids.has(key);
      ids.add(key);
      return isKnown;
    },
  };
}
