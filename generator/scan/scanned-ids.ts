/** Ids in the memory of a scanner, which compares them as bytes; those that it cannot hold are texts in maps. */
import { type IdMemory, mappedIds } from "../stream/id-memory.js";
import type { EventScanner } from "./event-scanner.js";
import { MOST_IDS, NO_ROOM } from "./layout.js";

/** Stands for the id of the event that a scanner recognised last. */
export const HERE = Symbol("the id of the event that was recognised last");

/** A memory without ids; `scanner` gives the scanner once there is one. Contents are numbers. */
export function scannedIds(scanner: () => EventScanner | undefined): IdMemory<string | typeof HERE> {
  const contents = new Float64Array(2 * MOST_IDS);
  const rest = mappedIds();
  return {
    meet(stream, id, content) {
      const one = scanner();
      let text = id === HERE ? undefined : id;
      if (text === undefined && rest.size > 0) text = one?.id;
      const before = text === undefined ? undefined : rest.find(stream, text);
      if (before !== undefined) return before;
      const number =
        one === undefined ? NO_ROOM : id === HERE ? one.meetId(stream) : one.findId(stream, id as string);
      if (number >= 0) return contents[number];
      if (number === NO_ROOM) rest.add(stream, text ?? (one?.id as string), content);
      else contents[~number] = content as number;
      return undefined;
    },
    age() {
      rest.age();
      scanner()?.ageIds();
    },
  };
}
