import { groupBy } from "../../group-by.js";
import { compareTexts } from "../../text.js";

/** A possible rename. */
export interface Candidate<T> {
  readonly from: T;
  readonly to: T;
  readonly score: number;
  readonly declared: boolean;
}

/** A chosen rename. */
export interface Match<T> extends Candidate<T> {
  /** Unmatched new names that fitted nearly as well. */
  readonly ties: readonly T[];
  /** True if an unmatched name would fit as well as one of the two names, so that nothing speaks for this choice. */
  readonly isAmbiguous: boolean;
}

/** The least score, from 0 to 100, of a suspected rename. */
export const LEAST_SCORE = 60;

/** Scores that differ by at most this are tied. */
const TIE = 10;
/** A match is ambiguous if a candidate with an unmatched name scores more than its score less this. */
const AMBIGUOUS = 5;

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
  const matches = chooseCandidates(sorted);
  const taken = new Set([...matches.values()].flatMap(({ from, to }) => [from, to]));
  const byOld = groupBy(sorted, ({ from }) => from);
  const byNew = groupBy(sorted, ({ to }) => to);
  return [...matches.values()].map((match) => {
    const others = (byOld.get(match.from) ?? []).filter(({ to }) => !taken.has(to));
    const rivals = (byNew.get(match.to) ?? []).filter(({ from }) => !taken.has(from));
    const isAsGood = ({ score }: Candidate<T>): boolean => score + AMBIGUOUS > match.score;
    const near = others.filter(({ score }) => score + TIE >= match.score);
    return {
      ...match,
      ties: match.declared ? [] : near.map(({ to }) => to),
      isAmbiguous: !match.declared && [...others, ...rivals].some(isAsGood),
    };
  });
}

/** Returns the chosen candidates by their new names. Another choice of two names is taken if it matches more names. */
function chooseCandidates<T>(sorted: readonly Candidate<T>[]): Map<T, Candidate<T>> {
  const byOld = new Map<T, Candidate<T>>();
  const byNew = new Map<T, Candidate<T>>();
  for (const candidate of sorted)
    if (!byOld.has(candidate.from) && !byNew.has(candidate.to)) {
      byOld.set(candidate.from, candidate);
      byNew.set(candidate.to, candidate);
    }
  for (const candidate of sorted) {
    const current = byNew.get(candidate.to);
    if (byOld.has(candidate.from) || current === undefined || current.declared) continue;
    // The old name of the current match may take another new name, which is free.
    const other = sorted.find(({ from, to }) => from === current.from && !byNew.has(to));
    if (other === undefined || candidate.score + other.score <= current.score) continue;
    byOld.set(candidate.from, candidate);
    byNew.set(candidate.to, candidate);
    byOld.set(other.from, other);
    byNew.set(other.to, other);
  }
  return byNew;
}

/** Matches candidates. Then matches them again together with those that `findFollowing` finds after the first match. */
export function matchWithFollowers<T>(
  candidates: readonly Candidate<T>[],
  findFollowing: (found: readonly Match<T>[]) => readonly Candidate<T>[],
  getName: (item: T) => string,
): Match<T>[] {
  const found = matchNames(candidates, getName);
  const following = findFollowing(found.filter(({ isAmbiguous }) => !isAmbiguous));
  return following.length === 0 ? found : matchNames([...candidates, ...following], getName);
}
