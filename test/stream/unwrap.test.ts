/** If this fails, events are not found in the lists and wrappers that servers put around them. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { unwrap } from "../../generator/stream/index.js";

const A = { type: "a", data: {} };
const B = { type: "b", data: {} };

/** Values, and the envelopes in them by their pointers. */
const CASES: readonly (readonly [value: unknown, want: { readonly [pointer: string]: unknown }])[] = [
  [A, { "": A }],
  [{ object: "event", data: A }, { "/data": A }],
  [{ object: "run.event", data: A }, { "/data": A }],
  [
    { object: "list", data: [A, B], next_after_sequence: 2 },
    { "/data/0": A, "/data/1": B },
  ],
  [{ object: "list", data: [] }, {}],
  [{ object: "list", data: [{ object: "event", data: A }] }, { "/data/0/data": A }],
  [[A, { object: "event", data: B }], { "/0": A, "/1/data": B }],
  [[], {}],
  [[[A]], { "/0": [A] }],
  // An event may have a field `object`; an object with a type is not a wrapper.
  [{ type: "a", object: "event", data: {} }, { "": { type: "a", object: "event", data: {} } }],
  [{ object: "event", data: "text" }, { "": { object: "event", data: "text" } }],
  [{ object: 1, data: A }, { "": { object: 1, data: A } }],
  [null, { "": null }],
  ["text", { "": "text" }],
];

it.each(CASES)("unwraps %j", (value, want) => {
  expect(unwrap(value).map(({ pointer, value: inner }) => [pointer, inner])).toEqual(Object.entries(want));
});

it("accepts other names of the discriminator", () => {
  const event = { Kind: "text", object: "event", data: {} };
  expect(unwrap(event, ["Kind"])).toEqual([{ pointer: "", value: event }]);
  expect(unwrap(event)).toEqual([{ pointer: "/data", value: {} }]);
});

it("never throws on JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => void unwrap(value)),
    { seed: 2 },
  );
});
