/** Counts in how many objects a field was removed, another was added, and both. */
import { mergeFields } from "../../schema/merge.js";
import type { Change } from "../change.js";
import { listOwnWords } from "./likeness.js";
import { groupBy } from "./match.js";

/** Functions that compare how often two names were removed and added in the objects of a whole comparison. */
export interface FieldPairCounts {
  /** Returns whether `from` was removed and `to` added in several objects: in at least half of those with either change. */
  readonly isRepeated: (from: string, to: string) => boolean;
  /** Returns whether `to` was added to many objects, and `from` was removed from fewer than half of them. */
  readonly isUnrelatedAddition: (from: string, to: string) => boolean;
  /** Returns whether `to` was added to several objects that lost `from`, and to most of them. */
  readonly isUsuallyBeside: (from: string, to: string) => boolean;
  /** Returns whether a field with this name was added to the object from which `from` was removed. */
  readonly isAddedBeside: (from: Change, name: string) => boolean;
  /** Returns whether several fields replaced the same words of their names, as `wait_ms`, `run_ms` and `idle_ms` by `wait_seconds` and so on. */
  readonly isCommonReplacement: (from: string, to: string) => boolean;
  /** Returns whether a field was added to many objects, and from most of them no field was removed. */
  readonly isCommonAddition: (name: string) => boolean;
}

/** The least number of objects in which the same removal and addition are not a coincidence. */
const REPEATED = 3;
/** The least number of objects that count as many. */
const MANY = 5;

/** Counts the objects of removed and added fields. */
export function countFieldPairs(removed: readonly Change[], added: readonly Change[]): FieldPairCounts {
  const removals = groupHolders(removed);
  const additions = groupHolders(added);
  const holders = new Set([...removals.values()].flatMap((each) => [...each]));
  const countBoth = (from: string, to: string): number => countCommon(removals.get(from), additions.get(to));
  const definitions = new Map(
    [...groupBy(removed, createHolderKey)].map(
      ([holder, [first]]) => [holder, listHolderFields(first)] as const,
    ),
  );
  /** Counts objects with the same fields once, because they are copies of one definition, which one edit changed. */
  const countEdits = (from: string, to: string): number => {
    const both = [...(removals.get(from) ?? [])].filter((holder) => additions.get(to)?.has(holder));
    return new Set(both.map((holder) => definitions.get(holder))).size;
  };
  const replacements = collectReplacements(removed, added, definitions);
  const countAdditions = (name: string): number => additions.get(name)?.size ?? 0;
  return {
    isRepeated: (from, to) => {
      const both = countBoth(from, to);
      const isMostly = both * 2 >= countAdditions(to) && both * 2 >= (removals.get(from)?.size ?? 0);
      return isMostly && countEdits(from, to) >= REPEATED;
    },
    isUnrelatedAddition: (from, to) =>
      countAdditions(to) >= MANY && countBoth(from, to) * 2 < countAdditions(to),
    isUsuallyBeside: (from, to) => {
      const both = countBoth(from, to);
      return countEdits(from, to) >= REPEATED && both * 2 > (removals.get(from)?.size ?? 0);
    },
    isAddedBeside: (from, name) => additions.get(name)?.has(createHolderKey(from)) ?? false,
    isCommonReplacement: (from, to) =>
      (replacements.get(createReplacementKey(from, to))?.size ?? 0) >= REPEATED,
    isCommonAddition: (name) =>
      countAdditions(name) >= MANY && countCommon(holders, additions.get(name)) * 2 < countAdditions(name),
  };
}

/** Returns the fields that another field of their object may have replaced, by the replaced words. */
function collectReplacements(
  removed: readonly Change[],
  added: readonly Change[],
  definitions: ReadonlyMap<string, string>,
): Map<string, Set<string>> {
  const addedByHolder = groupBy(added, createHolderKey);
  const names = new Map<string, Set<string>>();
  for (const from of removed)
    for (const to of addedByHolder.get(createHolderKey(from)) ?? []) {
      const key = createReplacementKey(from.name, to.name);
      names.set(
        key,
        (names.get(key) ?? new Set()).add(`${from.name} ${definitions.get(createHolderKey(from))}`),
      );
    }
  return names;
}

function createReplacementKey(from: string, to: string): string {
  return JSON.stringify(listOwnWords(from, to));
}

/** Returns a key of the object that a field was removed from or added to. */
export function createHolderKey({ places: [first] }: Change): string {
  return `${first?.event} ${first?.path} ${first?.steps.length}`;
}

/** Returns the names of the fields of the object that a field was removed from, as a text. */
function listHolderFields(change: Change | undefined): string {
  return change?.views ? [...mergeFields(change.views.before).keys()].sort().join(" ") : "";
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
