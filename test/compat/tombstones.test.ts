/**
 * If this fails, a withdrawn name can be used again. Each case is a small history and the findings about its last version.
 */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { at, compat, cups, filesOf, history, POURED, SERVED, text, tombstone } from "./tea-history.js";

const first = at("1.0", { sort: text });
const stone = tombstone("sort", "1.1");
const withdrawn = (version: string, tombstones: readonly object[] = [stone]) =>
  at(version, {}, { tombstones });
const wild = (version: string, properties: object): ExampleFiles =>
  at(version, {}, {}, filesOf({ [SERVED]: { "x-stability": "experimental", properties } }));
const cup = (fields: object) => ({ cup: { type: "object", description: "A cup.", properties: fields } });
const wildPoured = (properties: object): ExampleFiles =>
  filesOf({ [POURED]: { "x-stability": "experimental", properties } });
const inCup = { ...tombstone("lid", "1.1"), in: "tea.served#/properties/cup" };
const family = { kind: "event", name: "tea.*", removedIn: "1.1", reason: "Coffee now." };
const poured: ExampleFiles = { [POURED]: { properties: { sort: text } } };

const CASES: readonly (readonly [
  about: string,
  versions: readonly ExampleFiles[],
  rules: readonly string[],
])[] = [
  ["stays away", [first, withdrawn("1.1"), withdrawn("1.2")], []],
  [
    "comes back without its tombstone",
    [first, withdrawn("1.1"), at("1.2", { sort: text })],
    ["tombstone-reused"],
  ],
  [
    "comes back three releases later",
    [
      first,
      withdrawn("1.1"),
      withdrawn("1.2"),
      withdrawn("1.3"),
      withdrawn("1.4"),
      at("1.5", { sort: text }),
    ],
    ["tombstone-reused"],
  ],
  [
    "comes back although a later release has lost the tombstone",
    [first, withdrawn("1.1"), at("1.2", {}), at("1.3", { sort: text })],
    ["tombstone-reused"],
  ],
  [
    "comes back with another type",
    [first, withdrawn("1.1"), at("1.2", { sort: cups })],
    ["tombstone-reused"],
  ],
  [
    "comes back in an experiment",
    [wild("1.0", { sort: text }), withdrawn("1.1"), wild("1.2", { sort: text })],
    ["tombstone-reused"],
  ],
  ["loses its tombstone", [first, withdrawn("1.1"), withdrawn("1.2", [])], ["tombstone-removed"]],
  [
    "comes back elsewhere than it was withdrawn",
    [
      at("1.0", cup({ lid: text })),
      at("1.1", cup({}), { tombstones: [inCup] }),
      at("1.2", { lid: text, ...cup({}) }, { tombstones: [inCup] }),
    ],
    [],
  ],
  [
    "comes back where it was withdrawn",
    [
      at("1.0", cup({ lid: text })),
      at("1.1", cup({}), { tombstones: [inCup] }),
      at("1.2", cup({ lid: text })),
    ],
    ["tombstone-reused"],
  ],
  [
    "is that of a family",
    [
      at("1.0", {}, {}, poured),
      { ...at("1.1", {}, { tombstones: [family] }), [SERVED]: null, "events/mate.served.schema.json": {} },
      {
        ...at("1.2", {}),
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
    const { rules } = await compat(await history(versions));
    expect(rules.filter((rule) => /^tombstone-(reused|removed)$/.test(rule))).toEqual(expected);
  });
});

it("asks for the tombstone of a name although another event breaks at the same place", async () => {
  const versions = [
    at("1.0", cup({ lid: text }), {}, wildPoured(cup({ lid: text }))),
    at("1.1", { cup: text }, {}, wildPoured(cup({}))),
  ];
  const { findings } = await compat(await history(versions));
  const missing = findings.filter(({ rule }) => rule === "tombstone-missing");
  expect(missing).toMatchObject([{ events: ["tea.poured"], message: expect.stringContaining('"lid"') }]);
});
