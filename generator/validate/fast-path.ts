import { identifyChecksum, identifyPosition } from "../ingest/content-identity.js";
import type { ByteRange, ContentId, FastPath, Place } from "../ingest/place.js";
import type { EventScanner } from "../scan/event-scanner.js";
import type { ProtocolSession } from "./protocol-session.js";
import type { SessionState } from "./session-state.js";

/** Creates a fast path that recognises events of the assumed protocol and passes them to `acceptScanned`. */
export function createFastPath(
  state: SessionState,
  acceptScanned: (found: ProtocolSession, scanner: EventScanner, place: Place, content: ContentId) => void,
): FastPath {
  let loaded: ProtocolSession | undefined;
  let scanner: EventScanner | undefined;
  let skippedLines = 0;
  let isOwnLine = false;
  return {
    load(bytes, start, stop) {
      if (loaded !== state.assumed.protocol) {
        loaded = state.assumed.protocol;
        scanner = loaded?.getScanner();
      }
      return scanner?.load(bytes, start, stop) === true;
    },
    // The scanner holds the bytes only if the assumed protocol is still the one for which they were loaded.
    scan: (start) => (loaded === state.assumed.protocol ? (scanner?.scan(start) ?? -1) : -1),
    skipOtherShards(start) {
      isOwnLine = false;
      skippedLines = 0;
      if (loaded !== state.assumed.protocol || scanner === undefined) return start;
      const { index, threadCount } = state.options.share;
      const next = scanner.skipOtherShards(start, index, threadCount);
      skippedLines = scanner.skippedLines;
      isOwnLine = scanner.isOwnShard;
      return next;
    },
    get skippedLines() {
      return skippedLines;
    },
    get isOwnLine() {
      return isOwnLine;
    },
    acceptEvent(place) {
      if (loaded === undefined || scanner === undefined) return;
      state.assumed.countEvent(loaded, true);
      const position = identifyPosition(place.input, place.offset);
      acceptScanned(loaded, scanner, place, position ?? identifyBytes(scanner, place.source));
    },
  };
}

function identifyBytes(scanner: EventScanner, { start, stop }: ByteRange): ContentId {
  return identifyChecksum(scanner.computeCrc(start, stop), stop - start);
}
