/** Without these, a team would read that the wrong people are affected, or would read one edit as several breaks. */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { at, compat, cups, filesOf, history, POURED, SERVED, text } from "./tea-history.js";

const pot = (schema: object) => ({ pot: { type: "object", description: "A pot.", ...schema } });
const size = (more: object = {}) => ({ properties: { size: { ...cups, ...more } } });
const oneOf = (...alternatives: readonly object[]) => ({
  sort: { description: "Which.", oneOf: alternatives },
});
const whole = (keyword: string) => ({
  [SERVED]: { properties: { a: text, b: text }, [keyword]: [{ required: ["a"] }, { required: ["b"] }] },
});
const time = (type: string) => ({ type, description: "When.", minimum: 0 });
const everywhere = (type: string): ExampleFiles =>
  filesOf(Object.fromEntries([SERVED, POURED].map((file) => [file, { properties: { at: time(type) } }])));

type Given = { readonly fields?: object; readonly files?: ExampleFiles };
type Want = readonly (readonly [rule: string, affects: readonly string[]])[];

/** Pairs of versions, and all that is reported above a note. */
const CHANGES: readonly (readonly [about: string, before: Given, after: Given, want: Want])[] = [
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
    "a number is an integer now",
    { fields: { at: time("number") } },
    { fields: { at: time("integer") } },
    [["type-narrowed", ["current-readers"]]],
  ],
  [
    "a number is an integer now, its bound is written otherwise",
    { fields: { at: { type: "number", description: "When.", exclusiveMinimum: 0 } } },
    { fields: { at: { type: "integer", description: "When.", minimum: 1 } } },
    [["type-narrowed", ["current-readers"]]],
  ],
  [
    "a text is an integer now, and what bounds it",
    { fields: { at: { ...text, maxLength: 9 } } },
    { fields: { at: { ...cups, maximum: 9 } } },
    [["type-changed", ["current-readers", "baseline-readers"]]],
  ],
  [
    "a list of texts is a list of numbers now",
    { fields: { at: { ...text, enum: ["a"] } } },
    { fields: { at: { ...cups, enum: [1] } } },
    [["type-changed", ["current-readers", "baseline-readers"]]],
  ],
  [
    "one edit in the copies of two events",
    { files: everywhere("number") },
    { files: everywhere("integer") },
    [["type-narrowed", ["current-readers"]]],
  ],
  [
    "an object is open beside a wider field",
    { fields: pot(size({ maximum: 5 })) },
    { fields: pot({ ...size(), additionalProperties: true }) },
    [["bound-loosened", ["baseline-readers"]]],
  ],
  [
    "an object is closed",
    { fields: pot({ ...size(), additionalProperties: true }) },
    { fields: pot(size()) },
    [["content-closed", ["senders"]]],
  ],
  [
    "an object is closed beside a narrower field",
    { fields: pot({ ...size(), additionalProperties: true }) },
    { fields: pot(size({ maximum: 5 })) },
    [
      ["bound-tightened", ["current-readers"]],
      ["content-closed", ["senders"]],
    ],
  ],
  [
    "two alternatives exclude each other now",
    { files: whole("anyOf") },
    { files: whole("oneOf") },
    [["contract-narrowed", ["senders"]]],
  ],
  [
    "two alternatives overlap now",
    { fields: oneOf({ ...cups, maximum: 5 }, { ...cups, minimum: 6 }) },
    { fields: oneOf({ ...cups, maximum: 8 }, { ...cups, minimum: 6 }) },
    [["contract-narrowed", ["senders"]]],
  ],
  [
    "a new alternative overlaps an old one",
    { fields: oneOf(cups) },
    { fields: oneOf(cups, { type: "number", minimum: 0 }) },
    [["branch-added", ["senders", "baseline-readers"]]],
  ],
  [
    "alternatives need not exclude each other any more",
    { files: whole("oneOf") },
    { files: whole("anyOf") },
    [],
  ],
  [
    "what could not be decided affects nobody for certain",
    { fields: { sort: { ...text, pattern: "^(a+)\\1$" } } },
    { fields: { sort: { ...text, pattern: "^(b+)\\1$" } } },
    [["pattern-changed", []]],
  ],
];

describe("who is affected", () => {
  it.each(CHANGES)("%s", async (_about, before, after, want) => {
    const [first, second] = [
      at("1.0", before.fields ?? {}, {}, before.files),
      at("1.1", after.fields ?? {}, {}, after.files),
    ];
    const { findings } = await compat(await history([first, second]));
    const errors = findings.filter(({ severity }) => severity === "error");
    expect(errors.map(({ rule, affects }) => [rule, affects])).toEqual(want);
    // A finding points into the schema, not at the file as a whole.
    expect(
      errors.filter(({ at: { pointer }, rule }) => pointer === "" && rule.startsWith("contract-")),
    ).toEqual([]);
  });
});
