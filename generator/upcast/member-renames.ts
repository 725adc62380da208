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

/** The renames of an object, and the names of fields that are new although the earlier version has the same names. */
interface MemberRenames {
  readonly renames: readonly MemberRename[];
  readonly added: readonly string[];
}

/**
 * Returns the renames that the members of an object in the later version declare. A deprecated member with the old name is still
 * the old field beside its successor, so nothing is renamed yet. Any other one is a new field under the old name.
 */
export function findMemberRenames(olds: readonly Name[], news: readonly Name[]): MemberRenames {
  const used = new Set<Name>();
  const renames = news.flatMap((now): MemberRename[] => {
    const old = findOldMember(olds, now);
    if (old === undefined || used.has(old) || isKept(old, news)) return [];
    used.add(old);
    return [{ old, now }];
  });
  const isOld = (name: string): boolean => renames.some(({ old }) => old.name === name);
  return {
    renames,
    added: news
      .filter(({ name, renamedFrom }) => renamedFrom === undefined && isOld(name))
      .map(({ name }) => name),
  };
}

/** Returns declared renames that cannot be carried out, because the old field has got another new name. */
export function findRepeatedRenames(
  olds: readonly Name[],
  news: readonly Name[],
  renames: readonly MemberRename[],
): MemberRename[] {
  return news.flatMap((now) => {
    const old = findOldMember(olds, now);
    const isRepeated = renames.some((rename) => rename.old === old && rename.now !== now);
    return old !== undefined && isRepeated ? [{ old, now }] : [];
  });
}

function findOldMember(olds: readonly Name[], { renamedFrom }: Name): Name | undefined {
  return renamedFrom === undefined ? undefined : olds.find(({ name }) => name === renamedFrom);
}

function isKept({ name }: Name, news: readonly Name[]): boolean {
  const heir = news.find((each) => each.name === name);
  return heir !== undefined && heir.renamedFrom === undefined && heir.deprecated;
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
