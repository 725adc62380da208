/** If this fails, unrelated names are reported as renames, or renames and families are missed. */
import { expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import type { JsonObject } from "../../generator/json.js";
import { checkHistory, createVersion, cups, text } from "./tea-history.js";

type Events = { readonly [type: string]: JsonObject | { readonly properties: JsonObject } };

const flag = { type: "boolean", description: "Whether." };
const list = { type: "array", items: { type: "string" }, description: "Which ones." };
const boundedText = { ...text, maxLength: 40, pattern: "^[a-z]*$" };
const createSchema = (properties: JsonObject, more: JsonObject = {}) => ({ properties, ...more });
const threeFields = createSchema({ sort: boundedText, cups, flag });

function createVersionWithEvents(version: string, events: Events): ExampleFiles {
  const files = Object.entries(events).map(([type, schema]) => [`events/${type}.schema.json`, schema]);
  return createVersion(version, {}, {}, Object.fromEntries(files));
}

/** Returns the renames that compat reports, as `old → new`, with the number of members for a family. */
async function findReportedRenames(before: ExampleFiles, after: ExampleFiles): Promise<string[]> {
  const { findings } = await checkHistory([before, after]);
  return findings.flatMap(({ rule, message }) => {
    if (!/^(event|field)-renamed$/.test(rule)) return [];
    const [, from, to, members] =
      /"([^"]+)" was renamed to "([^"]+)"(?: \((\d+) )?/.exec(String(message)) ?? [];
    return members === undefined ? [`${from} → ${to}`] : [`${from} → ${to}, ${members}`];
  });
}

const EVENTS: readonly (readonly [
  about: string,
  before: Events,
  after: Events,
  expected: readonly string[],
])[] = [
  [
    "two event types are a family",
    { "tea.poured": threeFields, "tea.spilt": threeFields },
    { "mate.poured": threeFields, "mate.spilt": threeFields },
    ["tea.* → mate.*, 2"],
  ],
  [
    "a declared and a suspected rename are not combined into a family",
    { "tea.poured": threeFields, "tea.spilt": threeFields },
    { "mate.poured": { ...threeFields, "x-renamed-from": "tea.poured" }, "mate.spilt": threeFields },
    ["tea.poured → mate.poured", "tea.spilt → mate.spilt"],
  ],
  [
    "a less similar event type joins the family of similar ones",
    {
      "tea.poured": threeFields,
      "tea.spilt": threeFields,
      "tea.mixed": createSchema({ sort: boundedText, a: cups }),
    },
    {
      "mate.poured": threeFields,
      "mate.spilt": threeFields,
      "mate.mixed": createSchema({ sort: boundedText, b: flag, c: list }),
    },
    ["tea.* → mate.*, 3"],
  ],
  [
    "a less similar event type alone is not reported as renamed",
    { "tea.mixed": createSchema({ sort: boundedText, a: cups }) },
    { "mate.mixed": createSchema({ sort: boundedText, b: flag, c: list }) },
    [],
  ],
  [
    "half of the name is too little for event types without fields",
    { "tea.poured": createSchema({}) },
    { "tea.ground": createSchema({}) },
    [],
  ],
  [
    "three of four words are enough for event types without fields",
    { "tea.pot.poured.out": createSchema({}) },
    { "tea.pot.poured.up": createSchema({}) },
    ["tea.pot.poured.out → tea.pot.poured.up"],
  ],
  [
    "two equal fields are too few for event types with another name",
    { "tea.poured": createSchema({ sort: boundedText, cups }) },
    { "mate.ground": createSchema({ sort: boundedText, cups }) },
    [],
  ],
  [
    "three equal fields are enough for a rename",
    { "tea.poured": threeFields },
    { "mate.ground": threeFields },
    ["tea.poured → mate.ground"],
  ],
];

const ABSORBED_AND_AMBIGUOUS: typeof EVENTS = [
  [
    "an event type was absorbed, not renamed, if it is more similar to an event type of both versions",
    { "tea.signed.status": threeFields, "tea.status": createSchema({}) },
    { "tea.published.status": threeFields, "tea.status": threeFields },
    [],
  ],
  [
    "the same event type is renamed if no event type absorbed it",
    { "tea.signed.status": threeFields },
    { "tea.published.status": threeFields },
    ["tea.signed.status → tea.published.status"],
  ],
  [
    "no rename is reported if two new event types are equally similar",
    { "tea.poured": threeFields },
    { "tea.ground": threeFields, "tea.sieved": threeFields },
    [],
  ],
  [
    "three names that replace one word by a new one are a family, whatever their fields are",
    {
      "steep.poured": createSchema({ a: cups, b: flag }),
      "steep.spilt": createSchema({ a: list }),
      "steep.mixed": createSchema({ c: boundedText }),
    },
    {
      "infuse.poured": createSchema({ d: boundedText }),
      "infuse.spilt": createSchema({ e: cups, f: list }),
      "infuse.mixed": createSchema({ g: flag }),
    },
    ["steep.* → infuse.*, 3"],
  ],
];

const FIELDS: readonly (readonly [
  about: string,
  before: JsonObject,
  after: JsonObject,
  expected: readonly string[],
])[] = [
  [
    "two fields with the same change of name are not a family",
    { wait_ms: cups, run_ms: cups },
    { wait_seconds: cups, run_seconds: cups },
    ["run_ms → run_seconds", "wait_ms → wait_seconds"],
  ],
  [
    "three fields with the same change of name are a family",
    { wait_ms: cups, run_ms: cups, idle_ms: cups },
    { wait_seconds: cups, run_seconds: cups, idle_seconds: cups },
    ["*_ms → *_seconds, 3"],
  ],
  [
    "one of four words of the name is too little for a schema with few keywords",
    { when_it_was_served: text },
    { who_had_been_served: text },
    [],
  ],
  [
    "one of four words of the name is enough for a schema with more keywords",
    { when_it_was_served: boundedText },
    { who_had_been_served: boundedText },
    ["when_it_was_served → who_had_been_served"],
  ],
  [
    "half of the name is too little for a schema with few keywords at another place",
    { tea_sort: text, cups, flag },
    { cups, flag, tea_kind: text },
    [],
  ],
  [
    "half of the name is enough for a schema with more keywords at another place",
    { tea_sort: boundedText, cups, flag },
    { cups, flag, tea_kind: boundedText },
    ["tea_sort → tea_kind"],
  ],
];

it.each([...EVENTS, ...ABSORBED_AND_AMBIGUOUS])(
  "renames of event types: %s",
  async (_about, before, after, expected) => {
    const renames = await findReportedRenames(
      createVersionWithEvents("1.0", before),
      createVersionWithEvents("1.1", after),
    );
    expect(renames.sort()).toEqual(expected);
  },
);

it.each(FIELDS)("renames of fields: %s", async (_about, before, after, expected) => {
  const renames = await findReportedRenames(createVersion("1.0", before), createVersion("1.1", after));
  expect(renames.sort()).toEqual(expected);
});
