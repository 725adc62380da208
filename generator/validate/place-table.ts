import type { Location } from "../finding.js";
import type { Input, Place } from "../ingest/place.js";

/** Numbers for the places of events, small enough to keep one for each open stream. */
export interface PlaceTable {
  /** Returns the number of a place: positive for a whole line, and negative for an item of a list. */
  getId(place: Place): number;
  /** Returns the location of the event with a number, without a column. Findings that come late are about whole events. */
  locate(id: number): Location;
  /** Returns a number that increases from line to line through all inputs. */
  getOrder(id: number): number;
}

/** A number that is larger than the number of lines of any input. */
const LINES_PER_INPUT = 2 ** 32;
/** The maximum number of events in lists that get a number of their own. */
const MAX_ITEMS = 1_000_000;

/** Creates a table for places in these inputs. */
export function createPlaceTable(inputs: readonly Input[]): PlaceTable {
  const items: (Pick<Place, "pointer"> & { readonly line: number })[] = [];
  // The item at index n of `items` has the number -1 - n.
  const getOrder = (id: number): number => (id < 0 ? (items[-1 - id]?.line ?? 0) : id);
  return {
    getOrder,
    getId({ input, line, pointer }) {
      const lineId = input.index * LINES_PER_INPUT + line;
      if (pointer === "" || items.length >= MAX_ITEMS) return lineId;
      items.push({ line: lineId, pointer });
      return -items.length;
    },
    locate(id) {
      const lineId = getOrder(id);
      const file = inputs[Math.floor(lineId / LINES_PER_INPUT)]?.name ?? "";
      const item = items[-1 - id];
      return {
        file,
        pointer: item?.pointer ?? "",
        line: lineId % LINES_PER_INPUT,
      };
    },
  };
}
