/** If this fails, deprecations, removals and stabilities of names are not checked as documented. */

import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import type { JsonObject } from "../../generator/json.js";
import { checkHistory, createTombstone, createVersion, createWaiver, cups, SERVED } from "./tea-history.js";

const EXPERIMENTAL = { "x-stability": "experimental" };
const STABLE = { "x-stability": "stable" };
const createReference = (name: string, more: JsonObject = {}) => ({
  $ref: `../shared/leaves.schema.json#/$defs/${name}`,
  ...more,
});

/** Compares the last of several versions; the others are frozen under their own versions. */
const findFindings = async (...versions: readonly ExampleFiles[]) => (await checkHistory(versions)).findings;

function createContract(properties: JsonObject, $defs: JsonObject, event: JsonObject = STABLE): ExampleFiles {
  return {
    "shared/leaves.schema.json": { title: "Leaves", description: "Shared.", $defs },
    [SERVED]: { ...event, properties },
  };
}

const leaf = { type: "string", description: "A leaf." };

/** Contracts, and the places that are stable and refer to something experimental. */
const REFERENCES: readonly (readonly [name: string, ExampleFiles, places: readonly string[]])[] = [
  [
    "a field of an experimental definition",
    createContract({ leaf: createReference("Leaf") }, { Leaf: { ...leaf, ...EXPERIMENTAL } }),
    ["/properties/leaf/$ref"],
  ],
  [
    "items of an experimental definition",
    createContract(
      { all: { type: "array", items: createReference("Leaf") } },
      { Leaf: { ...leaf, ...EXPERIMENTAL } },
    ),
    ["/properties/all/items/$ref"],
  ],
  [
    "an experimental definition behind another definition",
    createContract(
      { pot: createReference("Pot") },
      {
        Pot: { type: "object", properties: { leaf: createReference("Leaf") } },
        Leaf: { ...leaf, ...EXPERIMENTAL },
      },
    ),
    ["/$defs/Pot/properties/leaf/$ref"],
  ],
  [
    "an experimental definition that two fields refer to",
    createContract(
      { a: createReference("Leaf"), b: createReference("Leaf") },
      { Leaf: { ...leaf, ...EXPERIMENTAL } },
    ),
    ["/properties/a/$ref", "/properties/b/$ref"],
  ],
  [
    "a recursive definition",
    createContract(
      { pot: createReference("Pot") },
      {
        Pot: { type: "object", properties: { pot: createReference("Pot"), leaf: createReference("Leaf") } },
        Leaf: { ...leaf, ...EXPERIMENTAL },
      },
    ),
    ["/$defs/Pot/properties/leaf/$ref"],
  ],
  [
    "a field that is labelled experimental itself",
    createContract({ leaf: createReference("Leaf", EXPERIMENTAL) }, { Leaf: { ...leaf, ...EXPERIMENTAL } }),
    [],
  ],
  ["a definition without a stability", createContract({ leaf: createReference("Leaf") }, { Leaf: leaf }), []],
  [
    "a candidate event",
    createContract({ leaf: createReference("Leaf") }, { Leaf: { ...leaf, ...EXPERIMENTAL } }, {}),
    [],
  ],
  [
    "an experimental field of its own",
    createContract({ leaf: { ...leaf, ...EXPERIMENTAL } }, { Leaf: leaf }),
    [],
  ],
  [
    "an event that an experimental one replaces",
    {
      [SERVED]: { ...STABLE, deprecated: true, "x-replaced-by": "tea.poured" },
      "events/tea.poured.schema.json": EXPERIMENTAL,
    },
    ["/x-replaced-by"],
  ],
];

describe("stable-refers-to-experimental", () => {
  it.each(REFERENCES)("%s", async (_name, files, places) => {
    const findings = await findFindings(files);
    expect(findings.map(({ rule }) => rule)).toEqual(places.map(() => "stable-refers-to-experimental"));
    expect(findings.map(({ at }) => at.pointer)).toEqual(places);
    for (const { at } of findings) expect(at.line).toBeGreaterThan(1);
  });

  it("reports once what several stable events share", async () => {
    const files = createContract(
      { pot: createReference("Pot") },
      {
        Pot: { type: "object", properties: { leaf: createReference("Leaf") } },
        Leaf: { ...leaf, ...EXPERIMENTAL },
      },
    );
    const findings = await findFindings({ ...files, "events/tea.poured.schema.json": { ...files[SERVED] } });
    expect(findings).toMatchObject([{ events: ["tea.poured", "tea.served"], severity: "warning" }]);
  });
});

const DEPRECATED_CUPS = { ...cups, deprecated: true };
const CUPS_TOMBSTONE = { tombstones: [createTombstone("cups", "2.0")] };

/** Versions of which the last lacks a field, and the rules about its deprecation. */
const REMOVALS: readonly (readonly [
  name: string,
  versions: readonly ExampleFiles[],
  rules: readonly string[],
])[] = [
  [
    "deprecated in a release",
    [
      createVersion("1.0", { cups }),
      createVersion("1.1", { cups: DEPRECATED_CUPS }),
      createVersion("2.0", {}, CUPS_TOMBSTONE),
    ],
    [],
  ],
  [
    "never deprecated",
    [createVersion("1.0", { cups }), createVersion("2.0", {}, CUPS_TOMBSTONE)],
    ["removed-without-deprecation"],
  ],
  [
    "deprecated only for the version that lacks it",
    [
      createVersion("1.0", { cups: { ...DEPRECATED_CUPS, "x-deprecated-since": "2.0" } }),
      createVersion("2.0", {}, CUPS_TOMBSTONE),
    ],
    ["removed-too-early"],
  ],
];

describe("a removed field that was", () => {
  it.each(REMOVALS)("%s", async (_name, versions, rules) => {
    const found = (await findFindings(...versions)).map(({ rule }) => rule);
    expect(found.filter((rule) => rule.startsWith("removed-"))).toEqual(rules);
  });

  it("deprecated in a release counts from that release, whatever x-deprecated-since states", async () => {
    const deprecated = { ...DEPRECATED_CUPS, "x-deprecated-since": "1.0" };
    const createVersions = (version: string, waivers: readonly object[]): ExampleFiles[] => [
      createVersion("1.0", { cups }),
      createVersion("1.1", { cups: deprecated }),
      createVersion(version, {}, { ...CUPS_TOMBSTONE, waivers }),
    ];
    const [removal] = await findFindings(...createVersions("1.1", []));
    const waiver = createWaiver(removal, "1.3");
    expect((await checkHistory(createVersions("1.1", [waiver]))).rules).toContain("removed-too-early");
    expect((await checkHistory(createVersions("1.2", [waiver]))).rules).not.toContain("removed-too-early");
  });
});

describe("a new major version that", () => {
  /** Changes of a new major version, the stability of the events in both versions, and the severities of the findings. */
  const IN_A_NEW_MAJOR: readonly (readonly [
    name: string,
    stability: string,
    before: ExampleFiles,
    after: ExampleFiles,
    severities: readonly string[],
  ])[] = [
    ["removes a stable field", "stable", createVersion("1.0", { cups }), createVersion("2.0", {}), ["error"]],
    [
      "removes a stable field in the version that deprecates it",
      "stable",
      createVersion("1.0", { cups: { ...DEPRECATED_CUPS, "x-deprecated-since": "2.0" } }),
      createVersion("2.0", {}),
      ["error"],
    ],
    [
      "renames a stable field",
      "stable",
      createVersion("1.0", { cups }),
      createVersion("2.0", { bowls: { ...cups, "x-renamed-from": "cups" } }),
      ["error"],
    ],
    [
      "renames a stable event type",
      "stable",
      { "protocol.json": { version: "1.0" }, "events/tea.poured.schema.json": {} },
      {
        "protocol.json": { version: "2.0", major: 2 },
        "events/tea.spilt.schema.json": { "x-renamed-from": "tea.poured" },
      },
      ["error"],
    ],
    [
      "removes a deprecated stable field",
      "stable",
      createVersion("1.0", { cups: DEPRECATED_CUPS }),
      createVersion("2.0", {}),
      [],
    ],
    [
      "removes a candidate field",
      "candidate",
      createVersion("1.0", { cups }),
      createVersion("2.0", {}),
      ["warning"],
    ],
    [
      "removes an experimental field",
      "experimental",
      createVersion("1.0", { cups }),
      createVersion("2.0", {}),
      [],
    ],
  ];

  it.each(IN_A_NEW_MAJOR)("%s", async (_name, stability, before, after, severities) => {
    const labelEvents = (files: ExampleFiles): ExampleFiles =>
      Object.fromEntries(
        Object.entries(files).map(([file, content]) => [
          file,
          file.startsWith("events/") ? { "x-stability": stability, ...content } : content,
        ]),
      );
    const findings = await findFindings(labelEvents(before), labelEvents(after));
    const removals = findings.filter(({ rule }) => rule.startsWith("removed-"));
    expect(removals.map(({ severity }) => severity)).toEqual(severities);
  });
});

it.each([
  [
    "a member of the stream",
    { stream: { key: ["type"] } },
    { stream: { key: ["type"], id: "id" } },
    ["/stream/id"],
  ],
  [
    "two members of the stream",
    { stream: { key: ["type"] } },
    { stream: { key: ["id"], id: "id" } },
    ["/stream/id", "/stream/key"],
  ],
  ["an added stream", {}, { stream: { key: ["type"] } }, ["/stream"]],
])("points at %s that was changed", async (_name, before: JsonObject, after: JsonObject, pointers) => {
  const findings = await findFindings(
    { "protocol.json": before },
    { "protocol.json": { ...after, version: "1.1" } },
  );
  expect(findings).toMatchObject(
    pointers.map((pointer) => ({
      rule: "stream-frame-changed",
      severity: "error",
      at: { pointer, file: expect.stringMatching(/\/protocol\.json$/), line: expect.any(Number) },
    })),
  );
  for (const { at } of findings) expect(at.line).toBeGreaterThan(1);
});

it("points at the version that has to be raised", async () => {
  const findings = await findFindings({}, { [SERVED]: { properties: { cups } } });
  expect(findings).toMatchObject([
    {
      rule: "version-bump-insufficient",
      at: { pointer: "/version", file: expect.stringMatching(/\/protocol\.json$/), line: 4 },
    },
  ]);
});
