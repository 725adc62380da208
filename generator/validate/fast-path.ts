import type { Content } from "../ingest/content-identity.js";
import type { FastPath, Place } from "../ingest/place.js";
import type { EventScanner } from "../scan/event-scanner.js";
import type { Followed } from "./followed.js";
import type { State } from "./session-state.js";

/** Recognises events of the protocol that the input is about, and gives those that are taken to `take`. */
export function createFastPath(
  state: State,
  take: (found: Followed, scanner: EventScanner, place: Place, content: Content) => void,
): FastPath {
  let loaded: Followed | undefined;
  let scanner: EventScanner | undefined;
  let skipped = 0;
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
    skipOtherShards(start) {
      isOwn = false;
      skipped = 0;
      if (loaded !== state.home.protocol || scanner === undefined) return start;
      const { index, of } = state.options.share;
      const next = scanner.skipOtherShards(start, index, of);
      ({ skippedLines: skipped, isOwnShard: isOwn } = scanner);
      return next;
    },
    get skipped() {
      return skipped;
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
