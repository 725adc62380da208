/**
 * Renames of the members of one object. They happen at once: a member may get the name that another one had, also in chains and
 * in circles.
 */
import { getItem } from "../get-item.js";

/** A field of an object in one version. */
interface Member {
  readonly name: string;
  readonly renamedFrom?: string;
  readonly deprecated: boolean;
}

/** A field of the earlier version, and the one of the later version that is renamed from it. */
export interface MemberRename<M extends Member> {
  readonly old: M;
  readonly now: M;
}

/** What the members of an object in the later version declare. */
interface MemberRenames<M extends Member> {
  readonly renames: readonly MemberRename<M>[];
  /** Renames that cannot be carried out, because the old field has got another new name. */
  readonly repeated: readonly MemberRename<M>[];
}

/**
 * Returns the renames that `news`, members of an object, declare. `all` are all members of the object. A deprecated member with
 * the old name is still the old field beside its successor, so nothing is renamed yet. Any other one is a new field under the
 * old name.
 */
export function findMemberRenames<M extends Member>(
  olds: readonly M[],
  news: readonly M[],
  all: readonly M[] = news,
): MemberRenames<M> {
  const renames = new Map<string, MemberRename<M>>();
  const repeated: MemberRename<M>[] = [];
  const isKept = (name: string): boolean =>
    all.some((each) => each.name === name && each.renamedFrom === undefined && each.deprecated);
  for (const now of news) {
    const old = olds.find(({ name }) => name === now.renamedFrom);
    if (old === undefined || isKept(old.name)) continue;
    if (renames.has(old.name)) repeated.push({ old, now });
    else renames.set(old.name, { old, now });
  }
  return { renames: [...renames.values()], repeated };
}

/** A new name of a member. */
interface NewName {
  readonly from: string;
  readonly to: string;
}

/**
 * Returns moves that carry out renames at once. A member waits until the one that still has its new name is gone. One of the
 * members that wait for each other in a circle goes through a name that is not taken. Renames under different conditions may
 * share an old or a new name.
 */
export function orderRenames<R extends NewName>(
  renames: readonly R[],
  isTaken: (name: string) => boolean,
): readonly R[] {
  let waiting = renames;
  const moves: R[] = [];
  const used = new Set(renames.map(({ to }) => to));
  const detours = new Set<string>();
  while (waiting.length > 0) {
    const next = waiting.find(({ to }) => !waiting.some(({ from }) => from === to));
    if (next !== undefined) {
      moves.push(next);
      waiting = waiting.filter((move) => move !== next);
      continue;
    }
    // No rename leads to the place of a detour, so one of the waiting members has not made a detour yet.
    const { from } = waiting.find((move) => !detours.has(move.from)) ?? getItem(waiting, 0);
    let place = `old_${from}`;
    while (isTaken(place) || used.has(place) || detours.has(place)) place += "_";
    detours.add(place);
    // Several renames of one name, each under its own conditions, go through the same place.
    const moved = waiting.filter((move) => move.from === from);
    moves.push(...moved.map((move) => ({ ...move, to: place })));
    waiting = waiting.map((move) => (move.from === from ? { ...move, from: place } : move));
  }
  return moves;
}
