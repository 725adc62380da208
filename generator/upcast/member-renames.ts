/**
 * Renames of the members of one object. They happen at once: a member may get the name that another one had, also in chains and
 * in circles.
 */
import type { Name } from "../compat/history/released-names.js";

/** A field of the earlier version, and the one of the later version that is renamed from it. */
export interface MemberRename {
  readonly old: Name;
  readonly now: Name;
}

/** What the members of an object in the later version declare. */
interface MemberRenames {
  readonly renames: readonly MemberRename[];
  /** Renames that cannot be carried out, because the old field has got another new name. */
  readonly repeated: readonly MemberRename[];
  /** New fields with the name of an old one that has another name now. */
  readonly added: readonly Name[];
}

/**
 * Returns the renames of the members of an object. A deprecated member with the old name is still the old field beside its
 * successor, so nothing is renamed yet. Any other one is a new field under the old name.
 */
export function findMemberRenames(olds: readonly Name[], news: readonly Name[]): MemberRenames {
  const renames = new Map<string, MemberRename>();
  const repeated: MemberRename[] = [];
  const isKept = (name: string): boolean =>
    news.some((each) => each.name === name && each.renamedFrom === undefined && each.deprecated);
  for (const now of news) {
    const old = olds.find(({ name }) => name === now.renamedFrom);
    if (old === undefined || isKept(old.name)) continue;
    if (renames.has(old.name)) repeated.push({ old, now });
    else renames.set(old.name, { old, now });
  }
  const added = news.filter(({ name, renamedFrom }) => renamedFrom === undefined && renames.has(name));
  return { renames: [...renames.values()], repeated, added };
}

/** A move of a member, which carries out a rename or a part of it. */
interface MemberMove {
  readonly from: string;
  readonly to: string;
  readonly rename: MemberRename;
}

/**
 * Returns moves that carry out renames at once. A member waits until the one that still has its new name is gone. One of the
 * members that wait for each other in a circle goes through a name that is not taken.
 */
export function orderRenames(
  renames: readonly MemberRename[],
  isTaken: (name: string) => boolean,
): readonly MemberMove[] {
  let waiting = renames.map((rename): MemberMove => ({ from: rename.old.name, to: rename.now.name, rename }));
  const moves: MemberMove[] = [];
  for (let [first] = waiting; first !== undefined; [first] = waiting) {
    const next = waiting.find(({ to }) => !waiting.some(({ from }) => from === to));
    if (next !== undefined) {
      moves.push(next);
      waiting = waiting.filter((move) => move !== next);
      continue;
    }
    let place = `old_${first.from}`;
    while (isTaken(place)) place += "_";
    moves.push({ ...first, to: place });
    waiting = waiting.with(0, { ...first, from: place });
  }
  return moves;
}
