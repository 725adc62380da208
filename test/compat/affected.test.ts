/** If this fails, a report names the wrong readers or writers as affected, or reports one edit as several breaks. */
import { describe, expect, it } from "vitest";
import {
  checkHistory,
  createVersionFromParts,
  cups,
  POURED,
  SERVED,
  text,
  type VersionParts,
} from "./tea-history.js";

const createPotField = (schema: object) => ({ pot: { type: "object", description: "A pot.", ...schema } });
const createSizeField = (more: object = {}) => ({ properties: { size: { ...cups, ...more } } });
const createSortField = (...alternatives: readonly object[]) => ({
  sort: { description: "Which.", oneOf: alternatives },
});
const createEventWithChoice = (keyword: string) => ({
  [SERVED]: { properties: { a: text, b: text }, [keyword]: [{ required: ["a"] }, { required: ["b"] }] },
});
const createTimeField = (type: string) => ({ type, description: "When.", minimum: 0 });
const createTwoEvents = (type: string): object => {
  const payload = { properties: { at: createTimeField(type) } };
  return { [SERVED]: payload, [POURED]: payload };
};

type ExpectedErrors = readonly (readonly [rule: string, affects: readonly string[]])[];

/** Pairs of versions, and the errors that are reported. */
const CHANGES: readonly (readonly [
  about: string,
  before: VersionParts,
  after: VersionParts,
  expected: ExpectedErrors,
])[] = [
  [
    "an optional field is removed",
    { fields: { cups, text } },
    { fields: { cups } },
    [["field-removed-optional", ["data-loss", "senders"]]],
  ],
  [
    "an event is removed",
    { files: { [SERVED]: {}, [POURED]: {} } },
    { files: { [SERVED]: {} } },
    [["event-removed", ["data-loss", "senders"]]],
  ],
  [
    "a number becomes an integer",
    { fields: { at: createTimeField("number") } },
    { fields: { at: createTimeField("integer") } },
    [["type-narrowed", ["current-readers"]]],
  ],
  [
    "a number becomes an integer, and its bound is written in another way",
    { fields: { at: { type: "number", description: "When.", exclusiveMinimum: 0 } } },
    { fields: { at: { type: "integer", description: "When.", minimum: 1 } } },
    [["type-narrowed", ["current-readers"]]],
  ],
  [
    "a text becomes an integer, and its bound a bound of integers",
    { fields: { at: { ...text, maxLength: 9 } } },
    { fields: { at: { ...cups, maximum: 9 } } },
    [["type-changed", ["current-readers", "baseline-readers"]]],
  ],
  [
    "null becomes an integer",
    { fields: { at: { type: "null", description: "When." } } },
    { fields: { at: cups } },
    [["type-changed", ["current-readers", "baseline-readers"]]],
  ],
  [
    "a text or a number becomes a text or null",
    { fields: { at: { ...text, type: ["string", "number"] } } },
    { fields: { at: { ...text, type: ["string", "null"] } } },
    [["type-changed", ["current-readers", "baseline-readers"]]],
  ],
  [
    "an enum of texts becomes an enum of numbers",
    { fields: { at: { ...text, enum: ["a"] } } },
    { fields: { at: { ...cups, enum: [1] } } },
    [["type-changed", ["current-readers", "baseline-readers"]]],
  ],
  [
    "one edit in the copies of two events",
    { files: createTwoEvents("number") },
    { files: createTwoEvents("integer") },
    [["type-narrowed", ["current-readers"]]],
  ],
  [
    "an object is opened, and a field of it gets wider",
    { fields: createPotField(createSizeField({ maximum: 5 })) },
    { fields: createPotField({ ...createSizeField(), additionalProperties: true }) },
    [["bound-loosened", ["baseline-readers"]]],
  ],
  [
    "an object is closed",
    { fields: createPotField({ ...createSizeField(), additionalProperties: true }) },
    { fields: createPotField(createSizeField()) },
    [["content-closed", ["senders"]]],
  ],
  [
    "an object is closed, and a field of it gets narrower",
    { fields: createPotField({ ...createSizeField(), additionalProperties: true }) },
    { fields: createPotField(createSizeField({ maximum: 5 })) },
    [
      ["bound-tightened", ["current-readers"]],
      ["content-closed", ["senders"]],
    ],
  ],
  [
    "an object without declared fields may be any value, and another field gets narrower",
    { fields: { ...createPotField({ additionalProperties: true }), size: cups } },
    { fields: { pot: { description: "A pot." }, size: { ...cups, maximum: 5 } } },
    [
      ["bound-tightened", ["current-readers"]],
      ["type-widened", ["baseline-readers"]],
    ],
  ],
  [
    "two alternatives exclude each other from now on",
    { files: createEventWithChoice("anyOf") },
    { files: createEventWithChoice("oneOf") },
    [["contract-narrowed", ["senders"]]],
  ],
  [
    "two alternatives overlap from now on",
    { fields: createSortField({ ...cups, maximum: 5 }, { ...cups, minimum: 6 }) },
    { fields: createSortField({ ...cups, maximum: 8 }, { ...cups, minimum: 6 }) },
    [["contract-narrowed", ["senders"]]],
  ],
  [
    "a new alternative overlaps an old one",
    { fields: createSortField(cups) },
    { fields: createSortField(cups, { type: "number", minimum: 0 }) },
    [["branch-added", ["senders", "baseline-readers"]]],
  ],
  [
    "alternatives need not exclude each other any more",
    { files: createEventWithChoice("oneOf") },
    { files: createEventWithChoice("anyOf") },
    [],
  ],
  [
    "a pattern with backreferences changes, so that the change is undecided",
    { fields: { sort: { ...text, pattern: "^(a*)b\\1$" } } },
    { fields: { sort: { ...text, pattern: "^(c*)b\\1$" } } },
    [["pattern-changed", []]],
  ],
];

describe("the readers and writers that a change affects", () => {
  it.each(CHANGES)("%s", async (_about, before, after, expected) => {
    const { errors } = await checkHistory([
      createVersionFromParts("1.0", before),
      createVersionFromParts("1.1", after),
    ]);
    expect(errors.map(({ rule, affects }) => [rule, affects])).toEqual(expected);
    // A finding points to a part of the schema, not to the whole file.
    expect(
      errors.filter(({ at: { pointer }, rule }) => pointer === "" && rule.startsWith("contract-")),
    ).toEqual([]);
  });
});
