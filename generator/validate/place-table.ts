import type { Location } from "../finding.js";
import type { Input, Place } from "../ingest/place.js";

/** Numbers for the places of events, small enough to keep one for each open stream. */
export interface PlaceTable {
  /** Returns the number of a place. */
  idOf(place: Place): number;
  /** Returns the location of a number, of the event as a whole and without a column. */
  location(id: number): Location;
  /** Returns a number that increases from line to line through all inputs. */
  order(id: number): number;
}

/** More lines than an input has. */
const LINES = 2 ** 32;
/** The most events in lists that get a number of their own. */
const MAX_ITEMS = 1_000_000;

/** Creates a table for places in these inputs. */
export function createPlaceTable(inputs: readonly Input[]): PlaceTable {
  const items: { readonly line: number; readonly pointer: string }[] = [];
  const order = (id: number): number => (id < 0 ? (items[-1 - id]?.line ?? 0) : id);
  return {
    order,
    idOf({ input, line, pointer }) {
      const id = input.index * LINES + line;
      if (pointer === "" || items.length >= MAX_ITEMS) return id;
      return -items.push({ line: id, pointer });
    },
    location(id) {
      const at = order(id);
      const file = inputs[Math.floor(at / LINES)]?.name ?? "";
      return { file, pointer: id < 0 ? (items[-1 - id]?.pointer ?? "") : "", line: at % LINES };
    },
  };
}
