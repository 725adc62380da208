/** If this fails, a hostile project or command line crashes a command, or makes it write where it must not. */
import { expect, it } from "vitest";
import { runFuzzCases } from "./fuzz.js";
import type { InputKind } from "./input-cases.js";

/** `npm run fuzz:inputs` runs many more cases. */
it("no input makes a command crash, hang, write elsewhere or leave files half written", {
  timeout: 300_000,
}, async () => {
  let runs = 0;
  const found = await runFuzzCases({ seed: 7, first: 0, cases: 20, limit: 120, report: () => runs++ });
  expect(Object.fromEntries(found)).toEqual({});
  expect(runs).toBe(20);
});

/** The cases of each kind. */
const CASES: { readonly [kind in InputKind]: number } = {
  bytes: 50,
  sse: 1000,
  decode: 1000,
  kit: 15,
  bombs: 3,
  http: 30,
};

it.each(Object.entries(CASES))(
  "no input of the kind %s has a fault",
  { timeout: 300_000 },
  async (kind, cases) => {
    let runs = 0;
    const report = (): number => runs++;
    const found = await runFuzzCases({
      kind: kind as InputKind,
      seed: 7,
      first: 0,
      cases,
      limit: 120,
      report,
    });
    expect(Object.fromEntries(found)).toEqual({});
    expect(runs).toBe(cases);
  },
);
