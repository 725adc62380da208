/**
 * If this fails, a withdrawn name can be used again. Each case is a small history and the findings about its last version.
 */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import {
  checkHistory,
  createCupField,
  createTombstone,
  createVersion,
  cups,
  POURED,
  SERVED,
  text,
} from "./tea-history.js";

const first = createVersion("1.0", { sort: text });
const sortTombstone = createTombstone("sort", "1.1");
const createVersionWithTombstones = (version: string, tombstones: readonly object[] = [sortTombstone]) =>
  createVersion(version, {}, { tombstones });
const createExperimentalVersion = (version: string, properties: object): ExampleFiles =>
  createVersion(version, {}, {}, { [SERVED]: { "x-stability": "experimental", properties } });
const createExperimentalPoured = (properties: object): object => ({
  [POURED]: { "x-stability": "experimental", properties },
});
const lidTombstone = { ...createTombstone("lid", "1.1"), in: "tea.served#/properties/cup" };
const familyTombstone = { kind: "event", name: "tea.*", removedIn: "1.1", reason: "Coffee now." };
const poured = { [POURED]: { properties: { sort: text } } };

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
    "comes back in an experimental event",
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
    "comes back in another object",
    [
      createVersion("1.0", createCupField({ lid: text })),
      createVersion("1.1", createCupField({}), { tombstones: [lidTombstone] }),
      createVersion("1.2", { lid: text, ...createCupField({}) }, { tombstones: [lidTombstone] }),
    ],
    [],
  ],
  [
    "comes back in the same object",
    [
      createVersion("1.0", createCupField({ lid: text })),
      createVersion("1.1", createCupField({}), { tombstones: [lidTombstone] }),
      createVersion("1.2", createCupField({ lid: text })),
    ],
    ["tombstone-reused"],
  ],
  [
    "belongs to a withdrawn family, and comes back",
    [
      createVersion("1.0", {}, {}, poured),
      {
        ...createVersion("1.1", {}, { tombstones: [familyTombstone] }),
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
    const { rules } = await checkHistory(versions);
    expect(rules.filter((rule) => /^tombstone-(reused|removed)$/.test(rule))).toEqual(expected);
  });
});

it("asks for the tombstone of a name although another event breaks at the same place", async () => {
  const versions = [
    createVersion(
      "1.0",
      createCupField({ lid: text }),
      {},
      createExperimentalPoured(createCupField({ lid: text })),
    ),
    createVersion("1.1", { cup: text }, {}, createExperimentalPoured(createCupField({}))),
  ];
  const { findings } = await checkHistory(versions);
  const missing = findings.filter(({ rule }) => rule === "tombstone-missing");
  expect(missing).toMatchObject([{ events: ["tea.poured"], message: expect.stringContaining('"lid"') }]);
});
