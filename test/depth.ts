/**
 * Says which tests `npm test` runs, and which `npm run test:deep`: those of files that are named `*.deep.test.ts` are deep, and
 * all others quick. A file with both kinds marks them with the functions below; both runs have a test without a mark there.
 */
import { describe, it } from "vitest";

export const isDeep = process.env.ACCRETE_TEST_DEPTH === "deep";

/** `it` and `describe` of tests that take long. */
export const deep: Depth = createDepth(isDeep);

/** True if a deep run leaves nothing out: with `ACCRETE_TEST_ALL=1`. */
export const isWhole = isDeep && process.env.ACCRETE_TEST_ALL === "1";

/** `it` and `describe` of tests that take minutes, and that CI leaves out. */
export const whole: Depth = createDepth(isWhole);

/** Returns every `step`-th case, or all with `ACCRETE_TEST_ALL=1`. */
export function thinCases<T>(cases: readonly T[], step: number): readonly T[] {
  return isWhole ? cases : cases.filter((_, index) => index % step === 0);
}

/** `it` and `describe` of the quick tests of a file that has deep ones. */
export const quick: Depth = createDepth(!isDeep);

interface Depth {
  readonly it: ReturnType<typeof it.runIf>;
  readonly describe: ReturnType<typeof describe.runIf>;
}

function createDepth(isChosen: boolean): Depth {
  return { it: it.runIf(isChosen), describe: describe.runIf(isChosen) };
}

/**
 * Returns `count` cases, spread evenly, for the quick tests; in a deep run, every `step`-th one of the others, or all of them with
 * `ACCRETE_TEST_ALL=1`. There must be more cases, because a suite without tests fails.
 */
export function chooseCases<T>(cases: readonly T[], count: number, step = 2): readonly T[] {
  const chosen = new Set(
    Array.from({ length: count }, (_, index) => Math.floor((index * cases.length) / count)),
  );
  const ofDepth = cases.filter((_, index) => chosen.has(index) !== isDeep);
  return isDeep ? thinCases(ofDepth, step) : ofDepth;
}
