/** If this fails, an import of a union schema loses events, or changes what they accept. */
import { existsSync, readdirSync } from "node:fs";
import { expect, it } from "vitest";
import type { JsonObject } from "../../generator/json.js";
import { createTemporaryProject } from "../cli/temporary-project.js";

const getDraftUri = (n: string) => `http://json-schema.org/draft-0${n}/schema#`;
const createMessage = (fields: { [name: string]: string }, more: JsonObject = {}): JsonObject => ({
  type: "object",
  required: Object.keys(fields),
  ...more,
  properties: {
    ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { enum: [value] }])),
    ...(more.properties as JsonObject),
  },
});

interface Case {
  readonly name: string;
  readonly schema: JsonObject;
  readonly beside?: { readonly [file: string]: JsonObject };
  readonly types: readonly string[];
  readonly says: readonly string[];
}

const CASES: readonly Case[] = [
  {
    name: "draft-04, a field of the message, a base by allOf, strict bounds and tuples",
    schema: {
      $schema: getDraftUri("4"),
      definitions: { base: { type: "object", properties: { at: { type: "number" } }, required: ["at"] } },
      oneOf: [
        {
          allOf: [{ $ref: "#/definitions/base" }, createMessage({ kind: "a" })],
          properties: { n: { type: "number", minimum: 0, exclusiveMinimum: true } },
        },
        createMessage(
          { kind: "b" },
          { additionalProperties: false, properties: { xy: { items: [{}, { type: "null" }] } } },
        ),
      ],
    },
    types: ["a", "b"],
    says: [
      "2 events, distinguished by the field kind",
      "upgraded to 2020-12",
      "prefixItems",
      "formats ignored: 2 of 2",
    ],
  },
  {
    name: "two fields of the message, nested unions, files beside",
    schema: {
      $schema: getDraftUri("7"),
      anyOf: [{ $ref: "more.json#/definitions/x" }, createMessage({ event: "y", action: "go" })],
    },
    beside: {
      "more.json": {
        definitions: {
          x: {
            oneOf: [
              createMessage({ event: "x", action: "go" }),
              createMessage({ event: "x", action: "stop" }),
            ],
          },
        },
      },
    },
    types: ["x.go", "x.stop", "y.go"],
    says: ["the field event and the field action", "wrapped in an envelope", "formats ignored: 3 of 3"],
  },
  {
    name: "siblings of $ref and keywords that the dialect ignores are left out, with a note",
    schema: {
      $schema: getDraftUri("4"),
      definitions: { s: { type: "string" } },
      oneOf: [
        createMessage(
          { type: "a" },
          { properties: { s: { $ref: "#/definitions/s", minLength: 5 }, c: { const: 1 } } },
        ),
        createMessage({ type: "b" }),
      ],
    },
    types: ["a", "b"],
    says: ["minLength beside $ref was left out", "the keyword const was left out", "formats ignored: 2 of 2"],
  },
];

for (const { name, schema, beside = {}, types, says } of CASES)
  it(`imports ${name}`, async () => {
    const texts = Object.entries({ "my.json": schema, ...beside }).map(([file, each]) => [
      file,
      JSON.stringify(each),
    ]);
    const { locateFile, run } = createTemporaryProject(Object.fromEntries(texts));
    const opened = await run("import @/my.json --open");
    expect(opened.stdout).toMatch(/proven equal to the original, formats ignored: (\d+) of \1 event/);
    expect(opened.stdout).not.toMatch(/LOST|CHANGED|UNDECIDED/);
    const done = await run("import @/my.json --force");
    expect(done).toMatchObject({ exitCode: 0, stderr: "" });
    for (const text of says) expect(done.stdout).toContain(text);
    expect(done.stdout).not.toMatch(/LOST|CHANGED|UNDECIDED/);
    const events = readdirSync(locateFile("schemas/my/v1/events"));
    expect(events.sort()).toEqual(types.map((type) => `${type}.schema.json`));
    expect((await run("lint")).exitCode).toBe(0);
    expect(readdirSync(locateFile("schemas"))).toEqual(["my"]);
  });

it("reports a number of the schema that is read as another one", async () => {
  const schema =
    '{"oneOf": [\n{"required": ["type"], "properties": {"type": {"const": "a"}, "n": {"maximum": 9007199254740993}}},\n{"required": ["type"], "properties": {"type": {"const": "b"}}}]}';
  const { stdout } = await createTemporaryProject({ "my.json": schema }).run("import @/my.json");
  expect(stdout).toMatch(/my\.json:2:80: The number 9007199254740993 is read as 9007199254740992, /);
});

const REFUSED: readonly (readonly [schema: string, message: RegExp])[] = [
  ["{", /my\.json:1:\d+: /],
  ['{"type": "object"}', /is not a union of events/],
  ['{"oneOf": [{"type": "object"}, {"type": "object"}]}', /its 2 alternatives cannot be distinguished/],
  ['{"oneOf": [{"$ref": "https://x.invalid/a"}, {}]}', /does not lead to a schema in the folder/],
  ['{"oneOf": [{"$ref": "../a.json"}, {}]}', /does not lead to a schema in the folder/],
  ['{"$schema": "urn:x", "oneOf": [{}, {}]}', /which accrete does not support/],
];

for (const [schema, message] of REFUSED)
  it(`refuses ${schema.slice(0, 60)}`, async () => {
    const { locateFile, run } = createTemporaryProject({ "my.json": schema });
    const done = await run("import @/my.json");
    expect(done).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringMatching(message) });
    expect(existsSync(locateFile("schemas"))).toBe(false);
  });

it("names a missing part of a schema as the user does", async () => {
  const done = await createTemporaryProject({ "my.json": "{}" }).run("import @/my.json#/nosuch --name x");
  expect(done.stderr).toMatch(/^accrete: the reference "my\.json#\/nosuch" does not lead to a schema/);
});

it("replaces a protocol only with --force", async () => {
  const schema = { oneOf: [createMessage({ type: "a" }), createMessage({ type: "b" })] };
  const { read, run } = createTemporaryProject({ "my.json": JSON.stringify(schema) });
  await run("import @/my.json");
  const file = "schemas/my/v1/protocol.json";
  const before = read(file);
  expect(await run("import @/my.json --as 1.1")).toMatchObject({ exitCode: 2 });
  expect(read(file)).toBe(before);
  expect((await run("import @/my.json --as 1.1 --force")).exitCode).toBe(0);
  expect(read(file)).toContain('"version": "1.1"');
});
