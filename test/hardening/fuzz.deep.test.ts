/** If this fails, a hostile project or command line crashes a command, or makes it write where it must not. */
import { expect, it } from "vitest";
import { runFuzzCases } from "./fuzz.js";

/** `npm run fuzz:inputs` runs many more cases. */
it("no input makes a command crash, hang, write elsewhere or leave files half written", {
  timeout: 300_000,
}, async () => {
  let runs = 0;
  const found = await runFuzzCases({ seed: 7, first: 0, cases: 40, limit: 120, report: () => runs++ });
  expect(Object.fromEntries(found)).toEqual({});
  expect(runs).toBe(40);
});
