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

/** Scores whose difference is at most this are tied. */
const TIE = 10;

/** Pairs one to one: declarations first, then by score, then by name, so that the result depends on nothing else. */
export function matchNames<T>(candidates: readonly Candidate<T>[], nameOf: (item: T) => string): Match<T>[] {
  const order = [...candidates].sort(
    (a, b) =>
      Number(b.declared) - Number(a.declared) ||
      b.score - a.score ||
      compareTexts(nameOf(a.from), nameOf(b.from)) ||
      compareTexts(nameOf(a.to), nameOf(b.to)),
  );
  const taken = new Set<T>();
  const matches: Candidate<T>[] = [];
  for (const candidate of order) {
    if (taken.has(candidate.from) || taken.has(candidate.to)) continue;
    taken.add(candidate.from).add(candidate.to);
    matches.push(candidate);
  }
  const others = new Map<T, Candidate<T>[]>();
  for (const each of order)
    if (!taken.has(each.to)) others.set(each.from, [...(others.get(each.from) ?? []), each]);
  return matches.map((match) => {
    const near = others.get(match.from)?.filter(({ score }) => score + TIE >= match.score) ?? [];
    return { ...match, ties: match.declared ? [] : near.map(({ to }) => to) };
  });
}

/** Matches the candidates of `first`, and those that `following` finds among the names that remain. */
export function matchWithFollowers<T>(
  first: readonly Candidate<T>[],
  following: (found: readonly Match<T>[]) => readonly Candidate<T>[],
  nameOf: (item: T) => string,
): Match<T>[] {
  const found = matchNames(first, nameOf);
  const second = following(found);
  return second.length === 0 ? found : matchNames([...first, ...second], nameOf);
}

/** Returns pairs of unmatched names that follow a pattern of `matches`: `gate.x` for `approval.x`. */
export function findFollowers<T>(
  matches: readonly Match<T>[],
  from: readonly T[],
  to: readonly T[],
  nameOf: (item: T) => string,
): [from: T, to: T][] {
  const used = new Set(matches.flatMap((match) => [match.from, match.to]));
  const patterns = new Map<string, Pattern>();
  for (const match of matches)
    for (const pattern of listPatterns({ from: nameOf(match.from), to: nameOf(match.to) }))
      patterns.set(JSON.stringify([pattern.from, pattern.to]), pattern);
  const free = new Map<string, T[]>();
  for (const item of to)
    if (!used.has(item)) free.set(nameOf(item), [...(free.get(nameOf(item)) ?? []), item]);
  return from
    .filter((item) => !used.has(item))
    .flatMap((item) =>
      [...patterns.values()].flatMap((pattern) =>
        (free.get(applyPattern(pattern, nameOf(item)) ?? "") ?? []).map((other): [T, T] => [item, other]),
      ),
    );
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
