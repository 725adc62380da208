/** If this fails, unrelated names are reported as renames, or renames and families are missed. */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import type { JsonObject } from "../../generator/json.js";
import { at, compat, cups, history, text } from "./tea-history.js";

type Events = { readonly [type: string]: JsonObject | { readonly properties: JsonObject } };

const flag = { type: "boolean", description: "Whether." };
const list = { type: "array", items: { type: "string" }, description: "Which ones." };
const shape = { ...text, maxLength: 40, pattern: "^[a-z]*$" };
const of = (properties: JsonObject, more: JsonObject = {}) => ({ properties, ...more });
const full = of({ sort: shape, cups, flag });

const events = (version: string, all: Events): ExampleFiles =>
  at(
    version,
    {},
    {},
    Object.fromEntries(Object.entries(all).map(([type, schema]) => [`events/${type}.schema.json`, schema])),
  );

/** Each rename that is expected: of what, to what, and how many members a family has. */
async function renames(before: ExampleFiles, after: ExampleFiles): Promise<string[]> {
  const { findings } = await compat(await history([before, after]));
  return findings.flatMap(({ rule, message }) => {
    const [, from, to, many] = /"([^"]+)" was renamed to "([^"]+)"(?: \((\d+) )?/.exec(String(message)) ?? [];
    return /^(event|field)-renamed$/.test(rule)
      ? [`${from} → ${to}${many === undefined ? "" : `, ${many}`}`]
      : [];
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
    { "tea.poured": full, "tea.spilt": full },
    { "mate.poured": full, "mate.spilt": full },
    ["tea.* → mate.*, 2"],
  ],
  [
    "what is declared and what is suspected are no family",
    { "tea.poured": full, "tea.spilt": full },
    { "mate.poured": { ...full, "x-renamed-from": "tea.poured" }, "mate.spilt": full },
    ["tea.poured → mate.poured", "tea.spilt → mate.spilt"],
  ],
  [
    "one that is less alike follows the pattern of others",
    { "tea.poured": full, "tea.spilt": full, "tea.mixed": of({ sort: shape, a: cups }) },
    { "mate.poured": full, "mate.spilt": full, "mate.mixed": of({ sort: shape, b: flag, c: list }) },
    ["tea.* → mate.*, 3"],
  ],
  [
    "and follows nothing where there are no others",
    { "tea.mixed": of({ sort: shape, a: cups }) },
    { "mate.mixed": of({ sort: shape, b: flag, c: list }) },
    [],
  ],
  ["without fields half of the name is too little", { "tea.poured": of({}) }, { "tea.ground": of({}) }, []],
  [
    "without fields most of the name is enough",
    { "tea.poured.out": of({}) },
    { "tea.poured.up": of({}) },
    ["tea.poured.out → tea.poured.up"],
  ],
  [
    "two equal fields are too few under another name",
    { "tea.poured": of({ sort: shape, cups }) },
    { "mate.ground": of({ sort: shape, cups }) },
    [],
  ],
  ["three are enough", { "tea.poured": full }, { "mate.ground": full }, ["tea.poured → mate.ground"]],
];

const FIELDS: readonly (readonly [
  about: string,
  before: JsonObject,
  after: JsonObject,
  expected: readonly string[],
])[] = [
  [
    "two fields are no family",
    { wait_ms: cups, run_ms: cups },
    { wait_seconds: cups, run_seconds: cups },
    ["run_ms → run_seconds", "wait_ms → wait_seconds"],
  ],
  [
    "three fields are one",
    { wait_ms: cups, run_ms: cups, idle_ms: cups },
    { wait_seconds: cups, run_seconds: cups, idle_seconds: cups },
    ["*_ms → *_seconds, 3"],
  ],
  [
    "a schema with few keywords needs more than a word in four",
    { when_it_was_served: text },
    { who_had_been_served: text },
    [],
  ],
  [
    "a schema with more keywords does not",
    { when_it_was_served: shape },
    { who_had_been_served: shape },
    ["when_it_was_served → who_had_been_served"],
  ],
  [
    "a schema with few keywords at another place needs more than half of the name",
    { tea_sort: text, cups, flag },
    { cups, flag, tea_kind: text },
    [],
  ],
  [
    "a schema with more keywords at another place does not",
    { tea_sort: shape, cups, flag },
    { cups, flag, tea_kind: shape },
    ["tea_sort → tea_kind"],
  ],
];

describe("of event types", () => {
  it.each(EVENTS)("%s", async (_about, before, after, expected) => {
    expect((await renames(events("1.0", before), events("1.1", after))).sort()).toEqual(expected);
  });
});

describe("of fields", () => {
  it.each(FIELDS)("%s", async (_about, before, after, expected) => {
    expect((await renames(at("1.0", before), at("1.1", after))).sort()).toEqual(expected);
  });
});
