/**
 * What only `npm run test:deep` runs: whole files that are named `*.deep.test.ts`, and in the files that import this one
 * the tests of `deep` and the cases that `npm test` leaves out. It runs the other tests of these files again.
 */
import { describe, it } from "vitest";

const isDeep = process.env.ACCRETE_TEST_DEPTH === "deep";

/** `it` and `describe` of tests that take long. */
export const deep: {
  readonly it: ReturnType<typeof it.runIf>;
  readonly describe: ReturnType<typeof describe.runIf>;
} = { it: it.runIf(isDeep), describe: describe.runIf(isDeep) };

/**
 * Returns `count` cases, spread evenly, for the quick tests; in a deep run, the other ones. There must be more cases, because
 * a suite without tests fails.
 */
export function chooseCases<T>(cases: readonly T[], count: number): readonly T[] {
  const chosen = new Set(
    Array.from({ length: count }, (_, index) => Math.floor((index * cases.length) / count)),
  );
  return cases.filter((_, index) => chosen.has(index) !== isDeep);
}
