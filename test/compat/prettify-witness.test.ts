/** If this fails, the event that shows a break is no longer a witness, or has dates that confuse its readers. */
import { describe, expect, it } from "vitest";
import { prettifyWitness } from "../../generator/compat/proof/prettify-witness.js";
import { createContainmentCache } from "../../generator/compat/proof/readings.js";
import type { Json } from "../../generator/json.js";
import { formatPattern } from "../../generator/schema/formats.js";

const FIRST = "0000-01-01t00:00:00Z";
const COMMON_FORMS = "2000-01-01T00:00:00Z";

const WITNESSES: readonly { readonly about: string; readonly witness: Json; readonly shown: Json }[] = [
  { about: "a point in time", witness: { at: FIRST }, shown: { at: COMMON_FORMS } },
  { about: "one with an offset", witness: ["0000-01-01T00:00:00.5+01:00"], shown: [COMMON_FORMS] },
  { about: "a day and a time", witness: ["0000-01-01", "00:00:00z"], shown: ["2000-01-01", "00:00:00Z"] },
  {
    about: "other texts",
    witness: { at: "0000-01", n: 0, x: null },
    shown: { at: "0000-01", n: 0, x: null },
  },
  {
    about: "a field of an object's own",
    witness: JSON.parse(`{"__proto__":"${FIRST}"}`),
    shown: JSON.parse(`{"__proto__":"${COMMON_FORMS}"}`),
  },
];

describe("a witness", () => {
  it.each(WITNESSES)("shows $about", ({ witness, shown }) => {
    expect(prettifyWitness(witness, () => true)).toEqual(shown);
    expect(prettifyWitness(witness, () => false)).toEqual(witness);
  });

  it("keeps what makes it a witness, place by place", () => {
    const accept = (candidate: Json): boolean => JSON.stringify(candidate).includes(`"b":"${FIRST}"`);
    expect(prettifyWitness({ a: FIRST, b: FIRST, c: [FIRST] }, accept)).toEqual({
      a: COMMON_FORMS,
      b: FIRST,
      c: [COMMON_FORMS],
    });
  });
});

const time = { type: "string", pattern: formatPattern("date-time") ?? "" };
const event = (at: Json): Json => ({
  type: "object",
  properties: { at, seen: time },
  required: ["at", "seen"],
});

/** Schemas of a time that refuse some of them, and the witness. */
const REFUSALS: readonly { readonly refuses: string; readonly by: Json; readonly at: string }[] = [
  { refuses: "all", by: false, at: COMMON_FORMS },
  { refuses: "small letters", by: { pattern: "Z$" }, at: "2000-01-01t00:00:00z" },
  { refuses: "the year 0", by: { pattern: "^[1-9]" }, at: "0000-01-01T00:00:00Z" },
];

describe("where the current contract refuses", () => {
  it.each(REFUSALS)("$refuses, the witness still is one", async ({ by, at }) => {
    const answer = await createContainmentCache().checkSubset(event(time), event({ allOf: [time, by] }));
    expect(answer).toEqual({ verdict: "not-contained", witness: { at, seen: COMMON_FORMS } });
  });
});
