/** Lists of gaps, ascending and disjoint. Pure functions over short arrays. */
import type { Gap } from "./delivery.js";

/** Most gaps of a stream. Beyond that, the two oldest become one that spans both. */
export const MAX_GAPS = 100;

/** `gaps` with one more at the end. */
export function addGap(gaps: readonly Gap[], gap: Gap): readonly Gap[] {
  if (gaps.length < MAX_GAPS) return [...gaps, gap];
  const [oldest, next, ...rest] = gaps;
  return oldest && next ? [{ ...oldest, before: next.before }, ...rest, gap] : [...gaps, gap];
}

/** `gaps` after `sequence` arrived late: the gap that held it is narrowed, split or removed. */
export function fillGap(gaps: readonly Gap[], sequence: number, first: number): readonly Gap[] {
  return gaps.flatMap((gap) => {
    const after = gap.after ?? first - 1;
    if (sequence <= after || sequence >= gap.before) return [gap];
    return [
      ...(sequence > after + 1 ? [{ ...gap, before: sequence }] : []),
      ...(sequence < gap.before - 1 ? [{ after: sequence, before: gap.before }] : []),
    ];
  });
}
