/** Finds names that follow the pattern of renames: `gate.x` for `approval.x`. */
import { groupBy } from "../../group-by.js";
import { applyPattern, listPatterns, type Pattern, splitTokens } from "./families.js";
import { scoreNameLikeness, splitWords } from "./likeness.js";
import type { Match } from "./match.js";

/** Names that only one side has. */
interface FreeNames<T> {
  readonly from: readonly T[];
  readonly to: readonly T[];
  readonly getName: (item: T) => string;
}

/** Two names that follow a pattern, and how many others follow it. */
type Follower<T> = readonly [from: T, to: T, support: number];

/** A pattern with this many renames makes a rename of every pair of names that follows it. */
const PROVEN_BY_RENAMES = 2;
/** The number of names that suggest a pattern without further evidence. */
const MIN_NAMES = 3;
/** Fewer names suggest a pattern if it replaces words that occur nowhere else. */
const MIN_NAMES_WITH_NEW_WORDS = 2;
/** Words that more of the new names have say nothing about a pair of names. */
const MAX_NAMES_OF_WORD = 64;

/**
 * Returns pairs of unmatched names that follow a pattern of `matches`. The pattern of a single match carries only names
 * whose contents are consistent.
 */
export function findFollowers<T>(
  matches: readonly Match<T>[],
  { from, to, getName }: FreeNames<T>,
  isConsistent: (from: T, to: T) => boolean,
): Follower<T>[] {
  const matched = new Set(matches.flatMap((match) => [match.from, match.to]));
  const patterns = new Map<string, { readonly pattern: Pattern; support: number }>();
  for (const match of matches)
    for (const pattern of [
      ...listPatterns(toPattern(match, getName)),
      ...toCompoundPatterns(match, getName),
    ]) {
      const key = createKey(pattern);
      patterns.set(key, { pattern, support: (patterns.get(key)?.support ?? 0) + 1 });
    }
  const free = new Map(to.filter((item) => !matched.has(item)).map((item) => [getName(item), item]));
  return from
    .filter((item) => !matched.has(item))
    .flatMap((item) =>
      [...patterns.values()].flatMap(({ pattern, support }): Follower<T>[] => {
        const other = free.get(applyPattern(pattern, getName(item)) ?? "");
        if (other === undefined) return [];
        return support >= PROVEN_BY_RENAMES || isConsistent(item, other) ? [[item, other, support]] : [];
      }),
    );
}

function toPattern<T>({ from, to }: Match<T>, getName: (item: T) => string): Pattern {
  return { from: getName(from), to: getName(to) };
}

/**
 * Returns the patterns of names that begin with a renamed one, `FileChange` and `Files` for `File`, or with the first word
 * that replaced it: `ReportingConfiguration` for `RuleConfiguration` if `Rule` is `ReportingDescriptor` now.
 */
function toCompoundPatterns<T>(match: Match<T>, getName: (item: T) => string): Pattern[] {
  const { from, to } = toPattern(match, getName);
  const [first = ""] = splitTokens(to);
  const isFirstWord = splitTokens(from).length === 1 && splitWords(first).length > 0 && first !== to;
  return [to, ...(isFirstWord ? [first] : [])].map((begin) => ({ from: `${from}*`, to: `${begin}*` }));
}

/** What decides whether names alone suggest a pattern. */
interface PatternEvidence<T> {
  readonly isConsistent: (from: T, to: T) => boolean;
  /** Returns whether the contents alone speak for the pair. */
  readonly isProven: (from: T, to: T) => boolean;
  /** The words of all names of each side. */
  readonly oldWords: ReadonlyMap<string, unknown>;
  readonly newWords: ReadonlyMap<string, unknown>;
}

/**
 * Returns pairs of names that follow a pattern which several names suggest. Either it replaces words that no other name
 * has, or the contents of most of the pairs are consistent.
 */
export function findCommonPatterns<T>(free: FreeNames<T>, evidence: PatternEvidence<T>): Follower<T>[] {
  const groups = new Map<string, { readonly pattern: Pattern; readonly pairs: [T, T][] }>();
  for (const [from, to] of listRelatedNames(free))
    for (const pattern of listPatterns({ from: free.getName(from), to: free.getName(to) })) {
      const key = createKey(pattern);
      const group = groups.get(key) ?? { pattern, pairs: [] };
      group.pairs.push([from, to]);
      groups.set(key, group);
    }
  // Names that follow a more common pattern say nothing against another one.
  const explained = new Set<T>();
  const knownWords = new Set<string>();
  const followers: Follower<T>[] = [];
  for (const group of sortGroups(keepLikeGroups([...groups.values()]), evidence)) {
    const from = free.from.filter((item) => !explained.has(item));
    const isCovering = coversMostNames(group.pattern, group.pairs.length, { ...free, from });
    if (!isCovering || !isSuggested(group, evidence, knownWords)) continue;
    for (const word of listWords(group.pattern)) knownWords.add(word);
    for (const [old, now] of group.pairs) {
      explained.add(old);
      followers.push([old, now, group.pairs.length]);
    }
  }
  return followers;
}

/** The pairs of names that follow a pattern. */
interface NameGroup<T> {
  readonly pattern: Pattern;
  readonly pairs: readonly (readonly [T, T])[];
}

/** The same, and how many of the pairs have consistent contents. */
interface PatternGroup<T> extends NameGroup<T> {
  readonly consistent: number;
}

/**
 * Leaves out patterns of which another one, as common, has the same old or new part and names that are more alike:
 * `testcase.*` became `testcaserun.*`, and not `testsuiterun.*`.
 */
function keepLikeGroups<T>(groups: readonly NameGroup<T>[]): NameGroup<T>[] {
  const scored = groups.flatMap((group) =>
    group.pairs.length < MIN_NAMES_WITH_NEW_WORDS
      ? []
      : [{ ...group, likeness: scoreNameLikeness(group.pattern.from, group.pattern.to) }],
  );
  const byOld = groupBy(scored, ({ pattern }) => pattern.from);
  const byNew = groupBy(scored, ({ pattern }) => pattern.to);
  return scored.filter(({ pattern, pairs, likeness }) => {
    const rivals = [...(byOld.get(pattern.from) ?? []), ...(byNew.get(pattern.to) ?? [])];
    return !rivals.some((other) => other.pairs.length >= pairs.length && other.likeness > likeness);
  });
}

/** Returns the patterns, the most common first. Of equally common ones, the one with more consistent contents is first. */
function sortGroups<T>(
  groups: readonly NameGroup<T>[],
  { isConsistent }: PatternEvidence<T>,
): PatternGroup<T>[] {
  return groups
    .map((group) => ({
      ...group,
      consistent: group.pairs.filter(([from, to]) => isConsistent(from, to)).length,
    }))
    .sort((a, b) => b.pairs.length - a.pairs.length || b.consistent - a.consistent);
}

/**
 * Returns whether several pairs of names suggest their pattern. Two pairs suggest it if the contents of both are
 * consistent, if those of one prove it, or if more common patterns replace the same words.
 */
function isSuggested<T>(
  { pattern, pairs, consistent }: PatternGroup<T>,
  evidence: PatternEvidence<T>,
  knownWords: ReadonlySet<string>,
): boolean {
  const hasNewWords = replacesOwnWords(pattern, evidence);
  if (pairs.length >= MIN_NAMES) return hasNewWords || consistent * 2 > pairs.length;
  const isKnown =
    splitWords(pattern.from).length > 0 && listWords(pattern).every((word) => knownWords.has(word));
  const isProven = (): boolean => pairs.some(([from, to]) => evidence.isProven(from, to));
  return hasNewWords && (isKnown || consistent === pairs.length || isProven());
}

function listWords({ from, to }: Pattern): string[] {
  return [...splitWords(from), ...splitWords(to)];
}

/** Returns whether most of the old names that a pattern applies to have a new name by it. */
function coversMostNames<T>(pattern: Pattern, count: number, { from, getName }: FreeNames<T>): boolean {
  const applicable = from.filter((item) => applyPattern(pattern, getName(item)) !== undefined);
  return count * 2 >= applicable.length;
}

/** Returns whether a pattern replaces words that no new name has, by words that no old name had. */
function replacesOwnWords<T>({ from, to }: Pattern, { oldWords, newWords }: PatternEvidence<T>): boolean {
  const old = splitWords(from);
  const now = splitWords(to);
  const gone = old.filter((word) => !now.includes(word));
  const fresh = now.filter((word) => !old.includes(word));
  const isReplaced = gone.every((word) => !newWords.has(word)) && fresh.every((word) => !oldWords.has(word));
  return gone.length + fresh.length > 0 && isReplaced;
}

/** Returns the pairs of names with a common word that not too many names have. */
function listRelatedNames<T>({ from, to, getName }: FreeNames<T>): [T, T][] {
  const byWord = new Map<string, Set<T>>();
  for (const item of to)
    for (const word of splitWords(getName(item))) byWord.set(word, (byWord.get(word) ?? new Set()).add(item));
  return from.flatMap((item) => {
    const related = new Set<T>();
    for (const word of splitWords(getName(item))) {
      const others = byWord.get(word) ?? new Set();
      if (others.size <= MAX_NAMES_OF_WORD) for (const other of others) related.add(other);
    }
    return [...related].map((other): [T, T] => [item, other]);
  });
}

function createKey({ from, to }: Pattern): string {
  return JSON.stringify([from, to]);
}
