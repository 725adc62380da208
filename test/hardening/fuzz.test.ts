import { expect, it } from "vitest";
import { fuzz } from "./fuzz.js";

/** `npm run fuzz:inputs` runs many more. */
it("no input makes a command crash, hang, stray or leave something half done", {
  timeout: 300_000,
}, async () => {
  let runs = 0;
  const found = await fuzz({ seed: 7, first: 0, cases: 40, limit: 120, report: () => runs++ });
  expect(Object.fromEntries(found)).toEqual({});
  expect(runs).toBe(40);
});
