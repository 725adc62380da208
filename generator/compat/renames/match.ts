import { compareTexts } from "../../text.js";
import { applyPattern, listPatterns, type Pattern } from "./families.js";

/** A possible rename. */
export interface Candidate<T> {
  readonly from: T;
  readonly to: T;
  readonly score: number;
  readonly declared: boolean;
}

/** A chosen rename, and unmatched new names that fitted nearly as well. */
export interface Match<T> extends Candidate<T> {
  readonly ties: readonly T[];
}

/** The least score, from 0 to 100, of a suspected rename. */
export const LEAST_SCORE = 60;

/** The likeness of names that follow the pattern of another rename. */
export const PATTERN_LIKENESS = 0.9;

/** Scores that differ by at most this are tied. */
const TIE = 10;

/**
 * Chooses candidates so that each item is in at most one match. Declared renames come first, then higher scores, then the
 * order of the names, so that the order of the candidates makes no difference.
 */
export function matchNames<T>(candidates: readonly Candidate<T>[], getName: (item: T) => string): Match<T>[] {
  const sorted = [...candidates].sort(
    (a, b) =>
      Number(b.declared) - Number(a.declared) ||
      b.score - a.score ||
      compareTexts(getName(a.from), getName(b.from)) ||
      compareTexts(getName(a.to), getName(b.to)),
  );
  const matched = new Set<T>();
  const matches: Candidate<T>[] = [];
  for (const candidate of sorted) {
    if (matched.has(candidate.from) || matched.has(candidate.to)) continue;
    matched.add(candidate.from).add(candidate.to);
    matches.push(candidate);
  }
  // The candidates of each old name whose new names are in no match.
  const alternatives = new Map<T, Candidate<T>[]>();
  for (const each of sorted)
    if (!matched.has(each.to)) alternatives.set(each.from, [...(alternatives.get(each.from) ?? []), each]);
  return matches.map((match) => {
    const near = alternatives.get(match.from)?.filter(({ score }) => score + TIE >= match.score) ?? [];
    return { ...match, ties: match.declared ? [] : near.map(({ to }) => to) };
  });
}

/** Matches candidates. Then matches them again together with those that `findFollowing` finds after the first match. */
export function matchWithFollowers<T>(
  candidates: readonly Candidate<T>[],
  findFollowing: (found: readonly Match<T>[]) => readonly Candidate<T>[],
  getName: (item: T) => string,
): Match<T>[] {
  const found = matchNames(candidates, getName);
  const following = findFollowing(found);
  return following.length === 0 ? found : matchNames([...candidates, ...following], getName);
}

/** Returns pairs of unmatched names that follow a pattern of `matches`: `gate.x` for `approval.x`. */
export function findFollowers<T>(
  matches: readonly Match<T>[],
  from: readonly T[],
  to: readonly T[],
  getName: (item: T) => string,
): [from: T, to: T][] {
  const matched = new Set(matches.flatMap((match) => [match.from, match.to]));
  const patterns = new Map<string, Pattern>();
  for (const match of matches)
    for (const pattern of listPatterns({ from: getName(match.from), to: getName(match.to) }))
      patterns.set(JSON.stringify([pattern.from, pattern.to]), pattern);
  const free = new Map<string, T[]>();
  for (const item of to)
    if (!matched.has(item)) free.set(getName(item), [...(free.get(getName(item)) ?? []), item]);
  return from
    .filter((item) => !matched.has(item))
    .flatMap((item) =>
      [...patterns.values()].flatMap((pattern) =>
        (free.get(applyPattern(pattern, getName(item)) ?? "") ?? []).map((other): [T, T] => [item, other]),
      ),
    );
}
