/** A possible rename. */
export interface Candidate<T> {
  readonly from: T;
  readonly to: T;
  readonly score: number;
  readonly declared: boolean;
}

/** A rename that was chosen, and other new names that fitted as well. */
export interface Match<T> extends Candidate<T> {
  readonly ties: readonly T[];
}

/** Pairs one to one: declarations first, then by score, then by name, so that the result depends on nothing else. */
export function matchNames<T>(candidates: readonly Candidate<T>[], nameOf: (item: T) => string): Match<T>[] {
  const order = [...candidates].sort(
    (a, b) =>
      Number(b.declared) - Number(a.declared) ||
      b.score - a.score ||
      compare(nameOf(a.from), nameOf(b.from)) ||
      compare(nameOf(a.to), nameOf(b.to)),
  );
  const taken = new Set<T>();
  const matches: Match<T>[] = [];
  for (const candidate of order) {
    if (taken.has(candidate.from) || taken.has(candidate.to)) continue;
    const ties = order.filter(
      ({ from, to, score, declared }) =>
        from === candidate.from &&
        to !== candidate.to &&
        !taken.has(to) &&
        score === candidate.score &&
        declared === candidate.declared,
    );
    taken.add(candidate.from).add(candidate.to);
    matches.push({ ...candidate, ties: ties.map(({ to }) => to) });
  }
  return matches;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
