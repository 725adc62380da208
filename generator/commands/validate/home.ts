import { idInPath } from "../read/id-in-path.js";
import type { StreamShare } from "../read/share.js";
import type { Followed } from "./followed.js";

/** The protocol that an input is about: broken events are taken for its own. */
export interface Home {
  /** The one that most events had; it is settled once `ENOUGH` of them were known, so that threads agree on it. */
  readonly protocol: Followed | undefined;
  note(found: Followed, known: boolean): void;
}

/** How many known events decide. */
const ENOUGH = 100;

/** Nothing known yet, unless there is one protocol only, or `file` lies in the folder of one. Tells `share` by which key streams are told apart, once that is settled. */
export function homeOf(all: readonly Followed[], share: StreamShare, file = ""): Home {
  const [only] = all;
  const counts = new Map<Followed, number>();
  let known = 0;
  let settled = all.length === 1;
  const folder = idInPath(
    file,
    all.map(({ id }) => id),
  );
  const home = {
    protocol: settled ? only : all.find(({ id }) => id === folder),
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
  share.follow(settled ? only?.validators.protocol.stream?.key : undefined);
  return home;
}
