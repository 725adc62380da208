/** Counts in how many objects a field was removed, another was added, and both. */
import type { Change } from "../change.js";

/** What the objects of a whole comparison say about two names. */
export interface FieldPairCounts {
  /** Returns whether several objects lost the old field and got the new one, and most that did one did the other. */
  readonly isRepeated: (from: string, to: string) => boolean;
  /** Returns whether many objects got the new field, and most of them did not lose the old one. */
  readonly isUnrelatedAddition: (from: string, to: string) => boolean;
  /** Returns whether the object that lost a field got one with another name. */
  readonly isAddedBeside: (from: Change, name: string) => boolean;
  /** Returns whether many objects got a field, and most of them lost none. */
  readonly isCommonAddition: (name: string) => boolean;
}

/** So many objects with the same two names are no coincidence. */
const REPEATED = 3;
/** So many objects got a field for one reason. */
const MANY = 5;

/** Counts the objects of removed and added fields. */
export function countFieldPairs(removed: readonly Change[], added: readonly Change[]): FieldPairCounts {
  const removals = groupHolders(removed);
  const additions = groupHolders(added);
  const holders = new Set([...removals.values()].flatMap((each) => [...each]));
  const countBoth = (from: string, to: string): number => countCommon(removals.get(from), additions.get(to));
  const countAdditions = (name: string): number => additions.get(name)?.size ?? 0;
  return {
    isRepeated: (from, to) => {
      const both = countBoth(from, to);
      const isMostly = both * 2 >= countAdditions(to) && both * 2 >= (removals.get(from)?.size ?? 0);
      return both >= REPEATED && isMostly;
    },
    isUnrelatedAddition: (from, to) =>
      countAdditions(to) >= MANY && countBoth(from, to) * 2 < countAdditions(to),
    isAddedBeside: (from, name) => additions.get(name)?.has(createHolderKey(from)) ?? false,
    isCommonAddition: (name) =>
      countAdditions(name) >= MANY && countCommon(holders, additions.get(name)) * 2 < countAdditions(name),
  };
}

/** Returns a key of the object that a field was removed from or added to. */
export function createHolderKey({ places: [first] }: Change): string {
  return `${first?.event} ${first?.path} ${first?.steps.length}`;
}

function groupHolders(changes: readonly Change[]): Map<string, Set<string>> {
  const holders = new Map<string, Set<string>>();
  for (const change of changes)
    holders.set(change.name, (holders.get(change.name) ?? new Set()).add(createHolderKey(change)));
  return holders;
}

function countCommon(a: ReadonlySet<string> = new Set(), b: ReadonlySet<string> = new Set()): number {
  return [...a].filter((each) => b.has(each)).length;
}
