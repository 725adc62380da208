/** How long streams and ids are remembered, and what is said when they are forgotten. */
import type { StreamFinding } from "../conform/stream-checker.js";
import { breachFinding, reportAt, type State } from "./session-state.js";

/** After so many bytes of input, the ids of the events before the last so many are forgotten. */
export const GENERATION = 4 * 2 ** 20;
/** What is said before the line that begins there. */
export const BEFORE = 0.5;

/** Lets what is remembered of streams grow old before what begins after so many bytes of all inputs, at the same bytes in every thread. */
export function aging(state: State): (bytes: number) => void {
  // The first generation begins with the first byte.
  let next = 0;
  const ageOnce = (): void => {
    const aged = [...state.followed.values()].map(({ tracker, checker }) => {
      const { streams, findings } = checker.age();
      tracker.rotateGeneration();
      for (const stream of streams) tracker.retire(stream);
      return findings;
    });
    reportEnded(state, aged.flat(), next - BEFORE);
  };
  return (bytes) => {
    const most = next + 2 * GENERATION;
    // After two generations nothing is left that could grow older.
    for (; next <= bytes; next += GENERATION) if (next < most) ageOnce();
  };
}

/** Reports what was wrong with streams that are over, in the order of their last events. */
export function reportEnded(state: State, breaches: readonly StreamFinding[], order: number): void {
  const { marks } = state;
  for (const breach of [...breaches].sort((a, b) => marks.order(a.mark) - marks.order(b.mark)))
    reportAt(state, breachFinding(state, breach, undefined), order, marks.order(breach.mark));
}
