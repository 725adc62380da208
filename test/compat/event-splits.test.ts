/**
 * If this fails, a split or merged event type is reported as unrelated removals and additions, or as a rename.
 */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import type { JsonObject } from "../../generator/json.js";
import { checkHistory, createVersion, cups, text } from "./tea-history.js";

const flag = { type: "boolean", description: "Whether." };
const list = { type: "array", items: { type: "string" }, description: "Which ones." };
const FIELDS: { readonly [letter: string]: JsonObject } = {
  t: text,
  c: cups,
  f: flag,
  l: list,
  n: { ...cups, minimum: 1 },
};

/** The fields of each event: `tc` stands for the fields `field_t` and `field_c`. `tc=a.b` also declares the old name `a.b`. */
type Events = { readonly [type: string]: string };

function createVersionWithEvents(version: string, events: Events): ExampleFiles {
  const files = Object.entries(events).map(([type, letters]) => {
    const [fields = "", from] = letters.split("=");
    const properties = Object.fromEntries([...fields].map((letter) => [`field_${letter}`, FIELDS[letter]]));
    return [`events/${type}.schema.json`, { properties, "x-renamed-from": from }];
  });
  return createVersion(version, {}, {}, Object.fromEntries(files));
}

const CASES: readonly (readonly [
  about: string,
  before: Events,
  after: Events,
  expected: readonly string[],
])[] = [
  [
    "one event into two",
    { "tea.ordered": "tcfl" },
    { "tea.placed": "tc", "tea.brewed": "fl" },
    [
      'event-split "tea.ordered" was split into "tea.brewed" and "tea.placed" (suspected: together they have its fields).',
    ],
  ],
  [
    "one event into two that share a field",
    { "tea.ordered": "tcfl" },
    { "tea.placed": "tcf", "tea.brewed": "tl" },
    [
      'event-split "tea.ordered" was split into "tea.brewed" and "tea.placed" (suspected: together they have its fields).',
    ],
  ],
  [
    "one event into three",
    { "tea.ordered": "tcfln" },
    { "tea.placed": "tcf", "tea.brewed": "l", "tea.poured": "n" },
    [
      'event-split "tea.ordered" was split into "tea.brewed", "tea.placed" and "tea.poured" (suspected: together they have its fields).',
    ],
  ],
  [
    "two events into one",
    { "tea.placed": "tc", "tea.brewed": "fl" },
    { "tea.ordered": "tcfl" },
    [
      'event-merged "tea.brewed" and "tea.placed" were merged into "tea.ordered" (suspected: it has their fields).',
    ],
  ],
  [
    "a rename",
    { "tea.ordered": "tcfl" },
    { "tea.order": "tcfl" },
    ['event-renamed "tea.ordered" was renamed to "tea.order"'],
  ],
  [
    "a rename with a removed field",
    { "tea.ordered": "tcfl" },
    { "tea.order": "tcf" },
    ['event-renamed "tea.ordered" was renamed to "tea.order"'],
  ],
  [
    "a rename beside a new event that has all of its fields as well",
    { "tea.ordered": "tcf" },
    { "tea.order": "tcf", "tea.spilt": "tcfl" },
    ['event-renamed "tea.ordered" was renamed to "tea.order"'],
  ],
  [
    "a rename with a removed field, beside a new event with mostly other fields",
    { "tea.ordered": "tcf" },
    { "tea.order": "tc", "tea.spilt": "fnl" },
    ['event-renamed "tea.ordered" was renamed to "tea.order"'],
  ],
  [
    "a declared rename beside a new event with the other fields",
    { "tea.ordered": "tcfl" },
    { "tea.placed": "tc=tea.ordered", "tea.brewed": "fl" },
    ['event-renamed "tea.ordered" was renamed to "tea.placed"'],
  ],
  [
    "two renames that keep their fields",
    { "steep.ordered": "tc", "steep.brewed": "fl" },
    { "infuse.ordered": "tc", "infuse.brewed": "fl" },
    ['event-renamed "steep.*" was renamed to "infuse.*"'],
  ],
];

describe("reports a split, a merge or a rename", () => {
  it.each(CASES)("%s", async (_about, before, after, expected) => {
    const { errors, exitCode } = await checkHistory([
      createVersionWithEvents("1.0", before),
      createVersionWithEvents("1.1", after),
    ]);
    expect(errors.map(({ rule, message }) => `${rule} ${message}`)).toEqual(
      expected.map((text) => expect.stringContaining(text)),
    );
    for (const { witness } of errors) expect(witness).toMatchObject({ type: expect.any(String) });
    expect(exitCode).toBe(1);
  });

  it("asks for tombstones of all events of a merge in the next major", async () => {
    const before = createVersionWithEvents("1.0", { "tea.placed": "tc", "tea.brewed": "fl" });
    const after = createVersionWithEvents("2.0", { "tea.ordered": "tcfl" });
    const { findings } = await checkHistory([before, after], "tea/v2");
    const missing = findings.filter(({ rule }) => rule === "tombstone-missing");
    expect(missing.flatMap(({ events }) => events).sort()).toEqual(["tea.brewed", "tea.placed"]);
    expect(missing[0]?.hint).toContain('"kind":"event"');
  });
});
