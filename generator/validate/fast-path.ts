import type { Content } from "../ingest/content.js";
import type { Place, Recogniser } from "../ingest/place.js";
import type { EventScanner } from "../scan/event-scanner.js";
import type { Followed } from "./followed.js";
import type { State } from "./session-state.js";

/** Recognises events of the protocol that the input is about, and gives those that are taken to `take`. */
export function recogniser(
  state: State,
  take: (found: Followed, scanner: EventScanner, place: Place, content: Content) => void,
): Recogniser {
  let loaded: Followed | undefined;
  let scanner: EventScanner | undefined;
  let passed = 0;
  let isOwn = false;
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
    pass(start) {
      isOwn = false;
      passed = 0;
      if (loaded !== state.home.protocol || scanner === undefined) return start;
      const { index, of } = state.options.share;
      const next = scanner.skipOtherShards(start, index, of);
      ({ skippedLines: passed, isOwnShard: isOwn } = scanner);
      return next;
    },
    get passed() {
      return passed;
    },
    get isOwn() {
      return isOwn;
    },
    take(place, content) {
      if (loaded === undefined || scanner === undefined) return;
      state.home.note(loaded, true);
      take(loaded, scanner, place, content);
    },
  };
}
