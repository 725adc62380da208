/** Counts in how many objects a field was removed, another was added, and both. */

import { groupBy } from "../../group-by.js";
import { memoizeByName } from "../../sample/memoize.js";
import { mergeFields } from "../../schema/merge.js";
import type { Change } from "../change.js";
import { listOwnWords, splitWords } from "./likeness.js";

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
  /** Returns whether many objects replaced `from` by `to`, and no other name was removed or added in as many of them. */
  readonly isExclusive: (from: string, to: string) => boolean;
  /** Returns whether most objects that got `to` lost a field whose name ends with it, as `create_secrets` and `delete_secrets`. */
  readonly isCommonEnd: (from: string, to: string) => boolean;
  /** Returns whether several fields replaced the same words of their names, as `wait_ms`, `run_ms` and `idle_ms` by `wait_seconds` and so on. */
  readonly isCommonReplacement: (from: string, to: string) => boolean;
  /** Returns whether a field was added to many objects, and from most of them no field was removed. */
  readonly isCommonAddition: (name: string) => boolean;
}

/** The least number of objects in which the same removal and addition are not a coincidence. */
const REPEATED = 3;
/** The least number of objects that count as many. */
const MANY = 5;
/** Objects that have so many tenths of all their fields in common are copies. */
const COPY_TENTHS = 8;

/** Counts the objects of removed and added fields. */
export function countFieldPairs(removed: readonly Change[], added: readonly Change[]): FieldPairCounts {
  const removals = groupHolders(removed);
  const additions = groupHolders(added);
  const holders = new Set([...removals.values()].flatMap((each) => [...each]));
  const definitions = new Map(
    [...groupBy(removed, createHolderKey)].map(
      ([holder, [first]]) => [holder, listHolderFields(first)] as const,
    ),
  );
  const listBoth = (from: string, to: string): string[] =>
    [...(removals.get(from) ?? [])].filter((holder) => additions.get(to)?.has(holder));
  const countBoth = (from: string, to: string): number => listBoth(from, to).length;
  /** Counts objects with nearly the same fields once, because they are copies of one definition, which one edit changed. */
  const countEdits = (from: string, to: string): number => {
    const edited: (readonly string[])[] = [];
    for (const holder of listBoth(from, to)) {
      const fields = definitions.get(holder) ?? [];
      if (!edited.some((other) => areCopies(fields, other))) edited.push(fields);
    }
    return edited.length;
  };
  const endings = memoizeByName((to) => {
    const holders = new Set(
      removed.flatMap((change) => (endsWithName(change.name, to) ? [createHolderKey(change)] : [])),
    );
    return countCommon(additions.get(to), holders);
  });
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
    isExclusive: (from, to) => {
      const both = new Set(listBoth(from, to));
      const isRival = (holders: ReadonlySet<string>): boolean => countCommon(both, holders) * 2 > both.size;
      const hasRival = (all: ReadonlyMap<string, ReadonlySet<string>>, own: string): boolean =>
        [...all].some(([name, holders]) => name !== own && isRival(holders));
      return countEdits(from, to) >= MANY && !hasRival(removals, from) && !hasRival(additions, to);
    },
    isCommonEnd: (from, to) =>
      endsWithName(from, to) && endings(to) >= REPEATED && endings(to) * 2 > countAdditions(to),
    isAddedBeside: (from, name) => additions.get(name)?.has(createHolderKey(from)) ?? false,
    isCommonReplacement: (from, to) => (replacements.get(createReplacementKey(from, to)) ?? 0) >= REPEATED,
    isCommonAddition: memoizeByName(
      (name) =>
        countAdditions(name) >= MANY && countCommon(holders, additions.get(name)) * 2 < countAdditions(name),
    ),
  };
}

/** Counts the fields that another field of their object may have replaced, by the replaced words. Copies count once. */
function collectReplacements(
  removed: readonly Change[],
  added: readonly Change[],
  definitions: ReadonlyMap<string, readonly string[]>,
): Map<string, number> {
  const addedByHolder = groupBy(added, createHolderKey);
  const edits = new Map<string, { readonly name: string; readonly fields: readonly string[] }[]>();
  for (const { name, ...from } of removed) {
    const fields = definitions.get(createHolderKey(from)) ?? [];
    for (const to of addedByHolder.get(createHolderKey(from)) ?? []) {
      const key = createReplacementKey(name, to.name);
      const known = edits.get(key) ?? [];
      edits.set(key, known);
      if (!known.some((other) => other.name === name && areCopies(fields, other.fields)))
        known.push({ name, fields });
    }
  }
  return new Map([...edits].map(([key, list]) => [key, list.length]));
}

function createReplacementKey(from: string, to: string): string {
  return JSON.stringify(listOwnWords(from, to));
}

/** Returns a key of the object that a field was removed from or added to. */
export function createHolderKey({ places: [first] }: Pick<Change, "places">): string {
  return `${first?.event} ${first?.path} ${first?.steps.length}`;
}

/** Returns the names of the fields of the object that a field was removed from. */
function listHolderFields(change: Change | undefined): string[] {
  return change?.views ? [...mergeFields(change.views.before).keys()] : [];
}

function groupHolders(changes: readonly Change[]): Map<string, Set<string>> {
  const holders = new Map<string, Set<string>>();
  for (const change of changes)
    holders.set(change.name, (holders.get(change.name) ?? new Set()).add(createHolderKey(change)));
  return holders;
}

/** Returns whether two objects have nearly the same fields. */
function areCopies(fields: readonly string[], others: readonly string[]): boolean {
  const common = fields.filter((field) => others.includes(field)).length;
  return common * 10 >= (fields.length + others.length - common) * COPY_TENTHS;
}

/** Returns whether the last words of a longer name are those of a shorter one. */
function endsWithName(name: string, end: string): boolean {
  const words = splitWords(name);
  const last = splitWords(end);
  return words.length > last.length && words.slice(-last.length).join(" ") === last.join(" ");
}

function countCommon(a: ReadonlySet<string> = new Set(), b: ReadonlySet<string> = new Set()): number {
  return [...a].filter((each) => b.has(each)).length;
}
