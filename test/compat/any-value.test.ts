/** If this fails, a value that may be anything now is reported as a removal of the fields below it. */
import { expect, it } from "vitest";
import { checkHistory, createObjectSchema, createVersion, cups } from "./tea-history.js";

const pot = createObjectSchema({ size: cups });
const potWithSize = createObjectSchema({ size: cups }, { required: ["size"] });
const { type: _type, ...untypedPot } = potWithSize;
const createMap = (additionalProperties: unknown) => createObjectSchema({}, { additionalProperties });
const createList = (items: unknown) => ({ type: "array", description: "Things.", items });
const anything = { description: "Anything." };

/** Changes of the field "pot", and the rules that report them. */
const ROWS: readonly (readonly [about: string, before: unknown, after: unknown, rules: readonly string[]])[] =
  [
    ["an object may be anything", pot, anything, ["type-widened"]],
    ["an object may be anything, by true", pot, true, ["type-widened"]],
    ["an object with a required field may be anything", potWithSize, anything, ["type-widened"]],
    [
      "the same by an allOf without conditions",
      potWithSize,
      { ...anything, allOf: [{}, true] },
      ["type-widened"],
    ],
    ["a value without a type may be anything", untypedPot, anything, ["contract-widened"]],
    ["values of a map may be anything", createMap(potWithSize), createMap(true), ["type-widened"]],
    ["items of a list may be anything", createList(potWithSize), createList({}), ["type-widened"]],
    [
      "a value may be any object: readers no longer learn of the field",
      pot,
      createObjectSchema({}),
      ["field-removed-optional"],
    ],
  ];

it.each(ROWS)("%s", async (_about, before, after, rules) => {
  const { errors } = await checkHistory([
    createVersion("1.0", { pot: before }),
    createVersion("1.1", { pot: after }),
  ]);
  expect(errors.map(({ rule }) => rule)).toEqual(rules);
});
