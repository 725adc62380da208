/** If this fails, names of one major version are reserved in another one, or can be used again although they are reserved. */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { checkHistory, createTombstone, createVersion, cups, text } from "./tea-history.js";

const first = createVersion("1.0", { sort: text });
const second = createVersion("2.0", { sort: text, pot: text });
const hotfix = createVersion("1.1", { sort: text, note: text });
const experimentalText = { ...text, "x-stability": "experimental" };
const createTombstones = (name: string, removedIn: string) => ({
  tombstones: [createTombstone(name, removedIn)],
});

/** The subject, the versions in the order of their release, and the rules of the expected errors. */
type Case = readonly [about: string, versions: readonly ExampleFiles[], rules: readonly string[]];

const ALLOWED: readonly Case[] = [
  ["a name that a hotfix adds", [first, second, hotfix, createVersion("2.1", { sort: text, pot: text })], []],
  [
    "a name that two hotfixes hold",
    [
      first,
      second,
      hotfix,
      createVersion("1.2", { sort: text, note: text, lid: text }),
      createVersion("2.0", { sort: text, pot: text }),
    ],
    [],
  ],
  [
    "an event that a hotfix adds",
    [
      first,
      second,
      { ...hotfix, "events/tea.spilt.schema.json": {} },
      createVersion("2.1", { sort: text, pot: text }),
    ],
    [],
  ],
  [
    "the name of a hotfix with another meaning",
    [first, second, hotfix, createVersion("2.1", { sort: text, pot: text, note: cups })],
    [],
  ],
  [
    "a name that came and went in hotfixes",
    [
      first,
      second,
      createVersion("1.1", { sort: text, note: experimentalText }),
      createVersion("1.2", { sort: text }, createTombstones("note", "1.2")),
      createVersion("2.1", { sort: text, pot: text }),
    ],
    [],
  ],
  [
    "a name that a hotfix withdraws and the next major holds",
    [
      createVersion("1.0", { sort: text, lid: experimentalText }),
      createVersion("2.0", { sort: text, lid: experimentalText }),
      createVersion("1.1", { sort: text }, createTombstones("lid", "1.1")),
      createVersion("2.1", { sort: text, lid: experimentalText }),
    ],
    [],
  ],
  [
    "a name that a hotfix withdraws, in the major after the next",
    [
      createVersion("1.0", { sort: text, lid: experimentalText }),
      createVersion("2.0", { sort: text, lid: experimentalText }),
      createVersion("1.1", { sort: text }, createTombstones("lid", "1.1")),
      createVersion("3.0", { sort: text, lid: experimentalText }),
    ],
    [],
  ],
  [
    "a name of the first major that the second one renamed",
    [
      first,
      createVersion("2.0", { kind: { ...text, "x-renamed-from": "sort" } }, createTombstones("sort", "2.0")),
      hotfix,
      createVersion("2.1", { kind: { ...text, "x-renamed-from": "sort" } }, createTombstones("sort", "2.0")),
    ],
    [],
  ],
  ["a hotfix beside a major that holds more", [first, second, hotfix], []],
];

const REFUSED: readonly Case[] = [
  ["a name that was there before the major began", [first, createVersion("2.0", {})], ["tombstone-missing"]],
  [
    "a name of a hotfix, while the major has no release",
    [first, hotfix, createVersion("2.0", { sort: text })],
    ["tombstone-missing"],
  ],
  [
    "a name of a hotfix, in the major after the next",
    [first, second, hotfix, createVersion("3.0", { sort: text, pot: text })],
    ["tombstone-missing"],
  ],
  [
    "a tombstone of the first major that the second one took over",
    [
      createVersion("1.0", { sort: text, lid: experimentalText }),
      createVersion("1.1", { sort: text }, createTombstones("lid", "1.1")),
      createVersion("2.0", { sort: text }, createTombstones("lid", "1.1")),
      hotfix,
      createVersion("2.1", { sort: text }),
    ],
    ["tombstone-removed"],
  ],
  [
    "a name that the major withdrew when it began",
    [
      first,
      createVersion("2.0", {}, createTombstones("sort", "2.0")),
      hotfix,
      createVersion("2.1", { sort: text }),
    ],
    ["tombstone-reused"],
  ],
  [
    "a name of the major that its own release held, whatever hotfixes hold",
    [
      first,
      createVersion("2.0", { sort: text, pot: experimentalText }),
      createVersion("1.1", { sort: text, pot: text }),
      createVersion("2.1", { sort: text }),
    ],
    ["tombstone-missing"],
  ],
];

describe.each([
  ["allows", ALLOWED],
  ["refuses", REFUSED],
])("%s", (_verdict, cases) => {
  it.each(cases)("%s", async (_about, versions, expected) => {
    const last = versions.at(-1)?.["protocol.json"]?.major;
    const { errors, exitCode } = await checkHistory(versions, `tea/v${last}`);
    expect(errors.map(({ rule }) => rule)).toEqual(expected);
    expect(exitCode).toBe(expected.length === 0 ? 0 : 1);
  });
});
