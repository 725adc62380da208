/** Ids in the memory of a scanner, which compares them as bytes. Ids that have no room there are texts in maps. */
import { type IdMemory, mappedIds } from "../stream/id-memory.js";
import { MAX_IDS, NO_ROOM } from "./layout.js";

/** Stands for the id of the event that a scanner recognised last. */
export const CURRENT_ID = Symbol("the id of the event that was recognised last");

/** The part of a scanner that reads ids. */
interface IdScanner {
  readonly id: string | undefined;
  rememberId(stream: number): number;
  findId(stream: number, id: string): number;
  rotateIds(): void;
}

/** Returns an empty memory; `scanner` returns the scanner once there is one. Contents are numbers. */
export function scannedIds(scanner: () => IdScanner | undefined): IdMemory<string | typeof CURRENT_ID> {
  let contents: Float64Array | undefined;
  const others = mappedIds();
  return {
    remember(stream, id, content) {
      const one = scanner();
      contents ??= new Float64Array(2 * MAX_IDS);
      let text = id === CURRENT_ID ? undefined : id;
      if (text === undefined && others.size > 0) text = one?.id;
      const before = text === undefined ? undefined : others.find(stream, text);
      if (before !== undefined) return before;
      const number =
        one === undefined
          ? NO_ROOM
          : id === CURRENT_ID
            ? one.rememberId(stream)
            : one.findId(stream, id as string);
      if (number >= 0) return contents[number];
      if (number === NO_ROOM) others.add(stream, text ?? (one?.id as string), content);
      else contents[~number] = content as number;
      return undefined;
    },
    rotateGeneration() {
      others.rotateGeneration();
      scanner()?.rotateIds();
    },
  };
}
