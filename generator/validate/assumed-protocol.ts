import type { AssumedMajor } from "../conform/alike-majors.js";
import { protocolIdInPath } from "../ingest/inputs.js";
import type { Input } from "../ingest/place.js";
import type { StreamShare } from "../ingest/stream-share.js";
import type { Followed } from "./followed.js";

/** The protocol that an input is about: broken events are taken for its own. */
export interface Home {
  /** The one that most events had; it is settled once `ENOUGH` of them were known, so that threads agree on it. */
  readonly protocol: Followed | undefined;
  /** Whether every event is judged by it: the folder of the input names it. */
  readonly decided: boolean;
  note(found: Followed, known: boolean): void;
}

/** How many known events decide. */
const ENOUGH = 100;

/**
 * Starts without an assumed protocol, unless there is only one, `input` lies in the folder of one, or its first events
 * follow one of several majors. Passes the key that identifies streams to `share` as soon as the protocol is known.
 */
export function homeOf(
  all: readonly Followed[],
  share: StreamShare,
  input?: Input,
  major?: AssumedMajor,
): Home {
  const ids = all.map(({ id }) => id);
  const folder = input && protocolIdInPath(input, ids);
  const decided = all.length === 1 ? all[0] : all.find(({ id }) => id === folder);
  const assumed = all.find(({ id }) => id === major?.id);
  const counts = new Map<Followed, number>(assumed && major ? [[assumed, major.count]] : []);
  let known = 0;
  let settled = decided !== undefined;
  const home = {
    protocol: decided ?? assumed,
    decided: settled,
    note: (found: Followed, isKnown: boolean): void => {
      if (settled) return;
      const count = (counts.get(found) ?? 0) + 1;
      counts.set(found, count);
      if (home.protocol === undefined || count > (counts.get(home.protocol) ?? 0)) home.protocol = found;
      if (isKnown && ++known >= ENOUGH) settle();
    },
  };
  const settle = (): void => {
    settled = true;
    share.follow(home.protocol?.validators.protocol.stream?.key);
  };
  share.follow(decided?.validators.protocol.stream?.key);
  return home;
}
