/**
 * If this fails, descriptions, schemas or repeated changes that speak for or against the rename of a field are not read.
 * Each case differs from the one before it in one piece of evidence.
 */
import { expect, it } from "vitest";
import type { JsonObject } from "../../generator/json.js";
import { createVersion, cups, findReportedRenames, text } from "./tea-history.js";

const describeText = (description: string): JsonObject => ({ ...text, description });
const bell = { type: "string", pattern: "^[a-z]*$", description: "Which." };
const sort = { type: "string", enum: ["black", "green"], description: "Which." };

/** A removed and an added field between two kept ones. Further fields are in both versions. */
type Case = readonly [
  about: string,
  from: readonly [name: string, schema: JsonObject],
  to: readonly [name: string, schema: JsonObject],
  isRenamed: boolean,
  others?: JsonObject,
];

const DESCRIPTIONS: readonly Case[] = [
  [
    "like descriptions of names without a common word",
    ["brews", describeText("Number of pots the guest took today.")],
    ["serving_total", describeText("Number of pots the guest took.")],
    true,
  ],
  [
    "descriptions that are less alike",
    ["brews", describeText("Number of pots the guest took today.")],
    ["serving_total", describeText("Number of pots the guest broke.")],
    false,
  ],
  [
    "an added word in both descriptions",
    ["margin_colour", describeText("The shape around the margin, filled by the kettle.")],
    ["shape_margin_colour", describeText("The shape around the margin, filled by the kettle now.")],
    true,
  ],
  [
    "an added word that only the new description has",
    ["margin_colour", describeText("The colour around the margin, filled by the kettle.")],
    ["shape_margin_colour", describeText("The colour around the shape margin, filled by the kettle.")],
    false,
  ],
  [
    "a lost word that only the old description has",
    ["shape_margin_colour", describeText("The colour around the shape margin, filled by the kettle.")],
    ["margin_colour", describeText("The colour around the margin, filled by the kettle.")],
    false,
  ],
  [
    "an old description that mentions a word of the new name",
    ["prompt_leaves", describeText("The input leaves.")],
    ["input_leaves", describeText("The leaves.")],
    true,
  ],
  [
    "an old description that refers to the new field",
    ["prompt_leaves", describeText("Like input_leaves.")],
    ["input_leaves", describeText("The leaves.")],
    false,
  ],
  [
    "descriptions that say nothing",
    ["footer", describeText("Some text.")],
    ["footer_icon", describeText("Something.")],
    true,
  ],
  [
    "long descriptions of different things",
    ["footer", describeText("Some brief words which help guests identify leaves.")],
    ["footer_icon", describeText("A valid picture file displayed beneath everything else.")],
    false,
  ],
  [
    "long descriptions of which one states the rename",
    ["footer", describeText("Some brief words which help guests. Deprecated: use `footer_icon` instead.")],
    ["footer_icon", describeText("A valid picture file displayed beneath everything else.")],
    true,
  ],
  [
    "a new description that refers to the old field",
    ["footer", describeText("Some text.")],
    ["footer_icon", describeText("Shown beside `footer`.")],
    false,
  ],
];

const SCHEMAS: readonly Case[] = [
  ["a schema that no other field has", ["bell_tone", bell], ["hour_tone", bell], true],
  ["a schema that another field has", ["bell_tone", bell], ["hour_tone", bell], false, { call: bell }],
  ["a list of values that no other field has", ["leaf_sort", sort], ["herb_sort", sort], true],
  [
    "a list of values that another field has",
    ["leaf_sort", sort],
    ["herb_sort", sort],
    false,
    { cake_sort: sort },
  ],
];

it.each([...DESCRIPTIONS, ...SCHEMAS].map((each) => ({ about: each[0], each })))(
  "reads $about",
  async ({ each }) => {
    const [, from, to, isRenamed, others = {}] = each;
    const createFields = ([name, schema]: readonly [string, JsonObject]): JsonObject => ({
      first: cups,
      [name]: schema,
      last: { type: "boolean", description: "Whether." },
      ...others,
    });
    const renames = await findReportedRenames(
      createVersion("1.0", createFields(from)),
      createVersion("1.1", createFields(to)),
    );
    expect(renames).toEqual(isRenamed ? [`${from[0]} → ${to[0]}`] : []);
  },
);

const FRAME = { description: "The wooden frame around the leaves of this kitchen." };

it.each([
  ["each field", FRAME, { description: "A frame." }, ["parent_frame → blocked_frame"]],
  ["the definition of both fields", {}, FRAME, []],
])("reads the description of %s", async (_about, own, shared, expected) => {
  const createFields = (name: string): JsonObject => ({
    first: cups,
    [name]: { $ref: "../shared/parts.schema.json#/$defs/Frame", ...own },
  });
  const $defs = { Frame: { type: "object", properties: { size: cups }, ...shared } };
  const files = { "shared/parts.schema.json": { title: "Parts", description: "Parts.", $defs } };
  const renames = await findReportedRenames(
    createVersion("1.0", createFields("parent_frame"), {}, files),
    createVersion("1.1", createFields("blocked_frame"), {}, files),
  );
  expect(renames).toEqual(expected);
});

/** Objects that all have the same changed fields, and each a field of its own. */
function createObjects(count: number, fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `object${index}`,
      { type: "object", description: "A thing.", properties: { [`own${index}`]: cups, ...fields } },
    ]),
  );
}

it.each<
  readonly [about: string, count: number, old: JsonObject, now: JsonObject, expected: readonly string[]]
>([
  ["three objects", 3, { kettle: text }, { guest: text }, ["kettle → guest"]],
  ["two objects", 2, { kettle: text }, { guest: text }, []],
  [
    "three objects with descriptions of different things",
    3,
    { kettle: describeText("Which large kettle boiled the water.") },
    { guest: describeText("Who drank all cups here.") },
    [],
  ],
  ["three objects with another schema", 3, { kettle: text }, { guest: bell }, []],
  ["three objects that lost one more", 3, { kettle: text, pan: text }, { guest: text }, []],
])("reads that %s replaced a field by one of another name", async (_about, count, old, now, expected) => {
  const renames = await findReportedRenames(
    createVersion("1.0", createObjects(count, old)),
    createVersion("1.1", createObjects(count, now)),
  );
  expect([...new Set(renames)]).toEqual(expected);
});

const WAITS = ["brew", "rest", "pour"];
it.each([
  ["three fields lost a suffix", WAITS, "*_wait_seconds", "*_wait", ["*_seconds → *, 3"]],
  ["two fields lost a suffix", WAITS.slice(1), "*_wait_seconds", "*_wait", []],
  ["three fields lost a word inside", WAITS, "wait_seconds_*", "wait_*", []],
])("reads that %s and changed their type", async (_about, names, from, to, expected) => {
  const createFields = (pattern: string, schema: JsonObject): JsonObject =>
    Object.fromEntries(names.map((name) => [pattern.replace("*", name), schema]));
  const renames = await findReportedRenames(
    createVersion("1.0", createFields(from, cups)),
    createVersion("1.1", createFields(to, text)),
  );
  expect(renames).toEqual(expected);
});
