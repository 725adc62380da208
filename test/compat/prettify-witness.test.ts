/** If this fails, the event that shows a break is no longer a witness, or has dates in an uncommon form. */
import { describe, expect, it } from "vitest";
import { prettifyWitness } from "../../generator/compat/proof/prettify-witness.js";
import { createContainmentCache } from "../../generator/compat/proof/readings.js";
import type { Json } from "../../generator/json.js";
import { getFormatPattern } from "../../generator/schema/formats.js";

const UNCOMMON_FORM = "0000-01-01t00:00:00Z";
const COMMON_FORM = "2000-01-01T00:00:00Z";

const WITNESSES: readonly { readonly about: string; readonly witness: Json; readonly shown: Json }[] = [
  { about: "a point in time", witness: { at: UNCOMMON_FORM }, shown: { at: COMMON_FORM } },
  { about: "a point in time with an offset", witness: ["0000-01-01T00:00:00.5+01:00"], shown: [COMMON_FORM] },
  { about: "a day and a time", witness: ["0000-01-01", "00:00:00z"], shown: ["2000-01-01", "00:00:00Z"] },
  {
    about: "no other text",
    witness: { at: "0000-01", n: 0, x: null },
    shown: { at: "0000-01", n: 0, x: null },
  },
  {
    about: "a field called __proto__",
    witness: JSON.parse(`{"__proto__":"${UNCOMMON_FORM}"}`),
    shown: JSON.parse(`{"__proto__":"${COMMON_FORM}"}`),
  },
];

describe("a witness", () => {
  it.each(WITNESSES)("shows $about in the common form", ({ witness, shown }) => {
    expect(prettifyWitness(witness, () => true)).toEqual(shown);
    expect(prettifyWitness(witness, () => false)).toEqual(witness);
  });

  it("keeps the values that make it a witness, and changes the others", () => {
    const accept = (candidate: Json): boolean => JSON.stringify(candidate).includes(`"b":"${UNCOMMON_FORM}"`);
    expect(prettifyWitness({ a: UNCOMMON_FORM, b: UNCOMMON_FORM, c: [UNCOMMON_FORM] }, accept)).toEqual({
      a: COMMON_FORM,
      b: UNCOMMON_FORM,
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

/** Current schemas that refuse some times, each with the time in the witness. */
const REFUSALS: readonly (readonly [name: string, schema: Json, time: string])[] = [
  ["all times", false, COMMON_FORM],
  ["lower-case letters", { pattern: "Z$" }, "2000-01-01t00:00:00z"],
  ["the year 0", { pattern: "^[1-9]" }, "0000-01-01T00:00:00Z"],
];

describe("the result is still a witness if the current contract refuses", () => {
  it.each(REFUSALS)("%s", async (_name, schema, at) => {
    const answer = await createContainmentCache().checkSubset(
      createEventSchema(time),
      createEventSchema({ allOf: [time, schema] }),
    );
    expect(answer).toEqual({ verdict: "not-contained", witness: { at, seen: COMMON_FORM } });
  });
});
