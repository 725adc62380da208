/**
 * If this fails, a withdrawn name can be used again. Each case is a small history and the findings about its last version.
 */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import {
  createHistory,
  createTombstone,
  createVersion,
  cups,
  POURED,
  runCompat,
  SERVED,
  text,
  toExampleFiles,
} from "./tea-history.js";

const first = createVersion("1.0", { sort: text });
const stone = createTombstone("sort", "1.1");
const createVersionWithTombstones = (version: string, tombstones: readonly object[] = [stone]) =>
  createVersion(version, {}, { tombstones });
const createExperimentalVersion = (version: string, properties: object): ExampleFiles =>
  createVersion(version, {}, {}, toExampleFiles({ [SERVED]: { "x-stability": "experimental", properties } }));
const createCupField = (fields: object) => ({
  cup: { type: "object", description: "A cup.", properties: fields },
});
const wildPoured = (properties: object): ExampleFiles =>
  toExampleFiles({ [POURED]: { "x-stability": "experimental", properties } });
const inCup = { ...createTombstone("lid", "1.1"), in: "tea.served#/properties/cup" };
const family = { kind: "event", name: "tea.*", removedIn: "1.1", reason: "Coffee now." };
const poured: ExampleFiles = { [POURED]: { properties: { sort: text } } };

const CASES: readonly (readonly [
  about: string,
  versions: readonly ExampleFiles[],
  rules: readonly string[],
])[] = [
  ["stays away", [first, createVersionWithTombstones("1.1"), createVersionWithTombstones("1.2")], []],
  [
    "comes back without its tombstone",
    [first, createVersionWithTombstones("1.1"), createVersion("1.2", { sort: text })],
    ["tombstone-reused"],
  ],
  [
    "comes back three releases later",
    [
      first,
      createVersionWithTombstones("1.1"),
      createVersionWithTombstones("1.2"),
      createVersionWithTombstones("1.3"),
      createVersionWithTombstones("1.4"),
      createVersion("1.5", { sort: text }),
    ],
    ["tombstone-reused"],
  ],
  [
    "comes back although a later release has lost the tombstone",
    [
      first,
      createVersionWithTombstones("1.1"),
      createVersion("1.2", {}),
      createVersion("1.3", { sort: text }),
    ],
    ["tombstone-reused"],
  ],
  [
    "comes back with another type",
    [first, createVersionWithTombstones("1.1"), createVersion("1.2", { sort: cups })],
    ["tombstone-reused"],
  ],
  [
    "comes back in an experiment",
    [
      createExperimentalVersion("1.0", { sort: text }),
      createVersionWithTombstones("1.1"),
      createExperimentalVersion("1.2", { sort: text }),
    ],
    ["tombstone-reused"],
  ],
  [
    "loses its tombstone",
    [first, createVersionWithTombstones("1.1"), createVersionWithTombstones("1.2", [])],
    ["tombstone-removed"],
  ],
  [
    "comes back elsewhere than it was withdrawn",
    [
      createVersion("1.0", createCupField({ lid: text })),
      createVersion("1.1", createCupField({}), { tombstones: [inCup] }),
      createVersion("1.2", { lid: text, ...createCupField({}) }, { tombstones: [inCup] }),
    ],
    [],
  ],
  [
    "comes back where it was withdrawn",
    [
      createVersion("1.0", createCupField({ lid: text })),
      createVersion("1.1", createCupField({}), { tombstones: [inCup] }),
      createVersion("1.2", createCupField({ lid: text })),
    ],
    ["tombstone-reused"],
  ],
  [
    "is that of a family",
    [
      createVersion("1.0", {}, {}, poured),
      {
        ...createVersion("1.1", {}, { tombstones: [family] }),
        [SERVED]: null,
        "events/mate.served.schema.json": {},
      },
      {
        ...createVersion("1.2", {}),
        [SERVED]: null,
        "events/mate.served.schema.json": {},
        "events/tea.spilt.schema.json": {},
      },
    ],
    ["tombstone-reused"],
  ],
];

describe("a name that", () => {
  it.each(CASES)("%s", async (_about, versions, expected) => {
    const { rules } = await runCompat(await createHistory(versions));
    expect(rules.filter((rule) => /^tombstone-(reused|removed)$/.test(rule))).toEqual(expected);
  });
});

it("asks for the tombstone of a name although another event breaks at the same place", async () => {
  const versions = [
    createVersion("1.0", createCupField({ lid: text }), {}, wildPoured(createCupField({ lid: text }))),
    createVersion("1.1", { cup: text }, {}, wildPoured(createCupField({}))),
  ];
  const { findings } = await runCompat(await createHistory(versions));
  const missing = findings.filter(({ rule }) => rule === "tombstone-missing");
  expect(missing).toMatchObject([{ events: ["tea.poured"], message: expect.stringContaining('"lid"') }]);
});
