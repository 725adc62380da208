/**
 * What only `npm run test:deep` runs: whole files that are named `*.deep.test.ts`, and in the files that import this one
 * the tests of `deep` and the cases that `npm test` leaves out.
 */
import { describe, it } from "vitest";

const isDeep = process.env.ACCRETE_TEST_DEPTH === "deep";

/** `it` and `describe` of tests that take long. */
export const deep: {
  readonly it: ReturnType<typeof it.runIf>;
  readonly describe: ReturnType<typeof describe.runIf>;
} = { it: it.runIf(isDeep), describe: describe.runIf(isDeep) };

/** Returns all cases in a deep run, else at most `count` of them, spread evenly. */
export function chooseCases<T>(cases: readonly T[], count: number): readonly T[] {
  if (isDeep || cases.length <= count) return cases;
  return Array.from({ length: count }, (_, index) => cases[Math.floor((index * cases.length) / count)] as T);
}

/** Returns `all` in a deep run, else `few`: how often something is tried. */
export function chooseCount(few: number, all: number): number {
  return isDeep ? all : few;
}
