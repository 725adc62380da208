/** Numbers for the places of events, small enough to be kept for each open stream. */
import type { Location } from "../finding.js";
import type { Input, Place } from "../ingest/place.js";

export interface Marks {
  /** The number of a place. */
  of(place: Place): number;
  /** The place of a number; as a rule without a column, and of the event as a whole. */
  location(mark: number): Location;
  /** What grows from line to line through all inputs. */
  order(mark: number): number;
}

/** More lines than an input has. */
const LINES = 2 ** 32;
/** How many events out of lists are told apart. */
const MOST_ITEMS = 1_000_000;

/** Marks of places in these inputs. */
export function marksOf(inputs: readonly Input[]): Marks {
  const items: { readonly mark: number; readonly pointer: string }[] = [];
  const order = (mark: number): number => (mark < 0 ? (items[-1 - mark]?.mark ?? 0) : mark);
  return {
    order,
    of(place) {
      const { input, line, pointer } = place;
      const mark = input.index * LINES + line;
      if (pointer === "" || items.length >= MOST_ITEMS) return mark;
      return -items.push({ mark, pointer });
    },
    location(mark) {
      const at = order(mark);
      const file = inputs[Math.floor(at / LINES)]?.name ?? "";
      return { file, pointer: mark < 0 ? (items[-1 - mark]?.pointer ?? "") : "", line: at % LINES };
    },
  };
}
