/** If this fails, the changelog misses additions, deprecations or breaks of a release. */

import { expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createHistory, createVersion, cups, POURED, SERVED } from "./tea-history.js";

const DEPRECATED = { deprecated: true, "x-deprecated-since": "1.1" };
const createSharedLeaf = (more: object): ExampleFiles => ({
  "shared/common.schema.json": {
    $defs: { Leaf: { type: "object", properties: { sort: { type: "string", ...more } } } },
  },
  [SERVED]: { properties: { cups, leaf: { $ref: "../shared/common.schema.json#/$defs/Leaf" } } },
  [POURED]: { properties: { leaf: { $ref: "../shared/common.schema.json#/$defs/Leaf" } } },
});

/** Creates a schemas folder with a release of `before` and the unreleased contract `after`. */
async function createReleasedSchemas(before: ExampleFiles, after: ExampleFiles): Promise<string> {
  return await createHistory([before, { ...after, "protocol.json": { version: "1.1" } }]);
}

const CASES: readonly (readonly [name: string, ExampleFiles, ExampleFiles, expected: string | RegExp])[] = [
  ["nothing", {}, {}, "## 1.0\n\n- First release.\n"],
  [
    "a deprecated field with a replacement",
    { [SERVED]: { properties: { cups } } },
    { [SERVED]: { properties: { cups: { ...cups, ...DEPRECATED, "x-replaced-by": "pots" }, pots: cups } } },
    // The addition of the new field comes first.
    /## unreleased\n\n- .*data\/pots.*\n- \*\*Deprecated\.\*\* The field "cups" of tea\.served will be removed; use "pots"\.\n/,
  ],
  [
    "a field of a shared definition once",
    createSharedLeaf({}),
    createSharedLeaf(DEPRECATED),
    '- **Deprecated.** The field "sort" of tea.poured and tea.served will be removed.\n',
  ],
  [
    "a deprecated field without a replacement",
    createSharedLeaf({}),
    createSharedLeaf({ ...DEPRECATED, "x-replaced-by": null }),
    '- **Deprecated.** The field "sort" of tea.poured and tea.served will be removed; nothing replaces it.\n',
  ],
  [
    "a deprecated field of the envelope",
    {},
    {
      "envelope.schema.json": {
        properties: {
          type: { type: "string", description: "What happened." },
          id: {
            type: "string",
            minLength: 1,
            description: "Identifier.",
            ...DEPRECATED,
            "x-replaced-by": "key",
          },
          data: { type: "object", description: "The payload." },
        },
      },
    },
    '- **Deprecated.** The field "id" of every event will be removed; use "key".\n',
  ],
  [
    "a deprecated event type",
    { [POURED]: {} },
    { [POURED]: { ...DEPRECATED, "x-replaced-by": "tea.served" } },
    '- **Deprecated.** The event type "tea.poured" will be removed; use "tea.served".\n',
  ],
  [
    "no field that was deprecated before",
    { [SERVED]: { properties: { cups: { ...cups, ...DEPRECATED } } } },
    { [SERVED]: { properties: { cups: { ...cups, ...DEPRECATED } } } },
    "# Tea (tea/v1)\n\n## 1.0\n\n- First release.\n",
  ],
  [
    "names from schemas as escaped text",
    { [SERVED]: { properties: { "<b>": cups } } },
    { [SERVED]: { properties: { "<b>": { ...cups, ...DEPRECATED, "x-replaced-by": "@team" } } } },
    '"\\<b\\>" of tea.served will be removed; use "@\u2060team"',
  ],
];

it.each(CASES)("the changelog lists %s", async (_name, before, after, expected) => {
  const schemas = await createReleasedSchemas(before, after);
  const { stdout, exitCode } = await runAccrete(["changelog", "--schemas", schemas]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(expected);
});

it("compares the first version of a major with the release before it", async () => {
  const schemas = await createHistory([
    createVersion("1.0", { cups }),
    createVersion("1.1", { cups, pots: cups }),
    createVersion("2.0", { pots: cups }),
  ]);
  const { stdout } = await runAccrete(["changelog", "tea/v2", "--schemas", schemas]);
  expect(stdout).toContain("# Tea (tea/v2)\n\n## unreleased\n");
  expect(stdout).toContain('The field "cups" of tea.served, released with 1.1, was removed');
  expect(stdout).not.toContain("First release");
});

it("prints the same as JSON", async () => {
  const schemas = await createReleasedSchemas(
    createSharedLeaf({}),
    createSharedLeaf({ ...DEPRECATED, "x-replaced-by": "kind" }),
  );
  const { stdout } = await runAccrete(["changelog", "--schemas", schemas, "--format", "json"]);
  expect(JSON.parse(stdout)).toMatchObject({
    protocols: [
      {
        id: "tea/v1",
        versions: [
          {
            first: false,
            additions: [],
            deprecations: [
              {
                kind: "field",
                name: "sort",
                since: "1.1",
                replacedBy: "kind",
                events: ["tea.poured", "tea.served"],
                at: { file: `${schemas}/tea/v1/shared/common.schema.json` },
              },
            ],
            changes: [],
          },
          { version: "1.0", first: true },
        ],
      },
    ],
  });
});
