import type { EventScanner } from "../../scan/event-scanner.js";
import type { Content } from "../read/content.js";
import type { Place, Recogniser } from "../read/place.js";
import type { Followed } from "./followed.js";
import type { State } from "./session-state.js";

/** Recognises events of the protocol that the input is about, and gives those that are taken to `take`. */
export function recogniser(
  state: State,
  take: (found: Followed, scanner: EventScanner, place: Place, content: Content) => void,
): Recogniser {
  let loaded: Followed | undefined;
  let scanner: EventScanner | undefined;
  return {
    load(bytes, start, stop) {
      if (loaded !== state.home.protocol) {
        loaded = state.home.protocol;
        scanner = loaded?.scanner();
      }
      return scanner?.load(bytes, start, stop) === true;
    },
    // The bytes were loaded for the protocol that the input was about then.
    scan: (start) => (loaded === state.home.protocol ? (scanner?.scan(start) ?? -1) : -1),
    take(place, content) {
      if (loaded === undefined || scanner === undefined) return;
      state.home.note(loaded, true);
      take(loaded, scanner, place, content);
    },
  };
}
