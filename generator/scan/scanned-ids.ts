/** Remembers ids in the memory of a scanner, which compares them as bytes. Ids for which there is no room are in maps. */
import { createIdMaps, type IdMemory } from "../stream/id-memory.js";
import { MAX_IDS, NO_ROOM } from "./layout.js";

/** The placeholder for the id of the event that a scanner recognised last. */
export const CURRENT_ID = Symbol("the id of the event that was recognised last");

/** The part of a scanner that reads ids. */
interface IdScanner {
  readonly id: string | undefined;
  rememberId(stream: number): number;
  findId(stream: number, id: string): number;
  rotateIds(): void;
}

/** Creates an empty memory of ids. `getScanner` returns the scanner as soon as there is one. Contents must be numbers. */
export function createScannedIds(
  getScanner: () => IdScanner | undefined,
): IdMemory<string | typeof CURRENT_ID> {
  let contents: Float64Array | undefined;
  const idMaps = createIdMaps();
  return {
    remember(stream, id, content) {
      const scanner = getScanner();
      contents ??= new Float64Array(2 * MAX_IDS);
      let text = id === CURRENT_ID ? undefined : id;
      if (text === undefined && idMaps.size > 0) text = scanner?.id;
      const contentInMaps = text === undefined ? undefined : idMaps.find(stream, text);
      if (contentInMaps !== undefined) return contentInMaps;
      const number = rememberInScanner(scanner, stream, id);
      if (number >= 0) return contents[number];
      if (number === NO_ROOM) idMaps.add(stream, text ?? (scanner?.id as string), content);
      // The scanner has added the id; its result is the complement of the number.
      else contents[~number] = content as number;
      return undefined;
    },
    rotateGeneration() {
      idMaps.rotateGeneration();
      getScanner()?.rotateIds();
    },
  };
}

/** Returns the number of an id in the memory of the scanner; a negative number if it was not there. */
function rememberInScanner(
  scanner: IdScanner | undefined,
  stream: number,
  id: string | typeof CURRENT_ID,
): number {
  if (scanner === undefined) return NO_ROOM;
  return id === CURRENT_ID ? scanner.rememberId(stream) : scanner.findId(stream, id);
}
