/** If this fails, the event that shows a break is no longer a witness, or has dates in an uncommon form. */
import { describe, expect, it } from "vitest";
import { prettifyWitness } from "../../generator/compat/proof/prettify-witness.js";
import { createContainmentCache } from "../../generator/compat/proof/readings.js";
import type { Json } from "../../generator/json.js";
import { getFormatPattern } from "../../generator/schema/formats.js";

const FIRST = "0000-01-01t00:00:00Z";
const COMMON_FORM = "2000-01-01T00:00:00Z";

const WITNESSES: readonly { readonly about: string; readonly witness: Json; readonly shown: Json }[] = [
  { about: "a point in time", witness: { at: FIRST }, shown: { at: COMMON_FORM } },
  { about: "a point in time with an offset", witness: ["0000-01-01T00:00:00.5+01:00"], shown: [COMMON_FORM] },
  { about: "a day and a time", witness: ["0000-01-01", "00:00:00z"], shown: ["2000-01-01", "00:00:00Z"] },
  {
    about: "other texts",
    witness: { at: "0000-01", n: 0, x: null },
    shown: { at: "0000-01", n: 0, x: null },
  },
  {
    about: "an own field named __proto__",
    witness: JSON.parse(`{"__proto__":"${FIRST}"}`),
    shown: JSON.parse(`{"__proto__":"${COMMON_FORM}"}`),
  },
];

describe("a witness", () => {
  it.each(WITNESSES)("shows $about", ({ witness, shown }) => {
    expect(prettifyWitness(witness, () => true)).toEqual(shown);
    expect(prettifyWitness(witness, () => false)).toEqual(witness);
  });

  it("keeps the values that make it a witness, and changes the others", () => {
    const accept = (candidate: Json): boolean => JSON.stringify(candidate).includes(`"b":"${FIRST}"`);
    expect(prettifyWitness({ a: FIRST, b: FIRST, c: [FIRST] }, accept)).toEqual({
      a: COMMON_FORM,
      b: FIRST,
      c: [COMMON_FORM],
    });
  });
});

const time = { type: "string", pattern: getFormatPattern("date-time") ?? "" };
const createEventSchema = (at: Json): Json => ({
  type: "object",
  properties: { at, seen: time },
  required: ["at", "seen"],
});

/** Current schemas of a time that refuse some times, and the time in the witness. */
const REFUSALS: readonly { readonly refuses: string; readonly by: Json; readonly at: string }[] = [
  { refuses: "all", by: false, at: COMMON_FORM },
  { refuses: "lower-case letters", by: { pattern: "Z$" }, at: "2000-01-01t00:00:00z" },
  { refuses: "the year 0", by: { pattern: "^[1-9]" }, at: "0000-01-01T00:00:00Z" },
];

describe("the witness stays one if the current contract refuses", () => {
  it.each(REFUSALS)("$refuses", async ({ by, at }) => {
    const answer = await createContainmentCache().checkSubset(
      createEventSchema(time),
      createEventSchema({ allOf: [time, by] }),
    );
    expect(answer).toEqual({ verdict: "not-contained", witness: { at, seen: COMMON_FORM } });
  });
});
