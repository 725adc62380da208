/** If this fails, an import of a schema with a union of events, or of a folder of schemas, loses events or changes what they accept. */
import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import type { JsonObject } from "../../generator/json.js";
import { createTemporaryProject } from "../commands/temporary-project.js";

/**
 * Creates the schema of a message. `fields` is the constant of `type`, or a map from field names to their only values.
 * `more` adds keywords and properties; its `required` replaces the list of these fields.
 */
const createMessage = (
  fields: string | { readonly [name: string]: string },
  more: JsonObject = {},
): JsonObject => {
  const constants =
    typeof fields === "string"
      ? { type: { const: fields } }
      : Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { enum: [value] }]));
  return {
    type: "object",
    required: Object.keys(constants),
    ...more,
    properties: { ...constants, ...(more.properties as JsonObject) },
  };
};
const createPayload = (...names: string[]): JsonObject => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
});
const getDraftUri = (n: number) => `http://json-schema.org/draft-0${n}/schema#`;
const $schema = getDraftUri(7);

interface Case {
  readonly name: string;
  readonly files: { readonly [file: string]: JsonObject };
  /** The path below the folder that is imported. By default, the whole folder is imported. */
  readonly operand?: string;
  readonly types: readonly string[];
  /** Parts of the output. */
  readonly output: readonly string[];
}

const CASES: readonly Case[] = [
  {
    name: "a draft-04 schema whose messages are distinguished by a field, with allOf, strict bounds and tuples",
    files: {
      "my.json": {
        $schema: getDraftUri(4),
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
    },
    operand: "my.json",
    types: ["a", "b"],
    output: [
      "2 events, distinguished by the field kind",
      "upgraded to 2020-12",
      "prefixItems",
      "formats ignored: 2 of 2",
    ],
  },
  {
    name: "a schema whose messages are distinguished by two fields, with nested unions and references to other files",
    files: {
      "my.json": {
        $schema,
        anyOf: [{ $ref: "more.json#/definitions/x" }, createMessage({ event: "y", action: "go" })],
      },
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
    operand: "my.json",
    types: ["x.go", "x.stop", "y.go"],
    output: ["the field event and the field action", "wrapped in an envelope", "formats ignored: 3 of 3"],
  },
  {
    name: "a schema with keywords that its dialect ignores, also beside $ref, and notes that it left them out",
    files: {
      "my.json": {
        $schema: getDraftUri(4),
        definitions: { s: { type: "string" } },
        oneOf: [
          createMessage(
            { type: "a" },
            { properties: { s: { $ref: "#/definitions/s", minLength: 5 }, c: { const: 1 } } },
          ),
          createMessage({ type: "b" }),
        ],
      },
    },
    operand: "my.json",
    types: ["a", "b"],
    output: [
      "minLength beside $ref was left out",
      "the keyword const was left out",
      "formats ignored: 2 of 2",
    ],
  },
  {
    name: "messages with the type as a constant, one of them in a folder of its own",
    files: { "one.json": createMessage("a.b"), "more/two.schema.json": createMessage("c") },
    types: ["a.b", "c"],
    output: ["in: 2 events, distinguished by the field type", "formats ignored: 2 of 2"],
  },
  {
    name: "payloads without a type, by the names of their files; what others refer to is shared",
    files: {
      "order.placed.json": { ...createPayload("id"), properties: { by: { $ref: "lib/person.json" } } },
      "order.paid.schema.json": createPayload("id"),
      "lib/person.json": createPayload("name"),
      "lib/definitions.json": { definitions: { unused: { type: "string" } } },
    },
    types: ["order.paid", "order.placed"],
    output: [
      "distinguished by the file name",
      "wrapped in an envelope",
      "not events, because other files refer to them or they describe no objects: 2 files",
      "formats ignored: 2 of 2",
    ],
  },
  {
    name: "messages that an API document refers to, each as a whole",
    files: {
      "a.json": createMessage("a"),
      "b.json": createMessage("b"),
      "api.json": {
        asyncapi: "2.6.0",
        components: { messages: { A: { payload: { $ref: "a.json#" } }, B: { payload: { $ref: "b.json" } } } },
      },
    },
    types: ["a", "b"],
    output: ["they describe no objects: 1 file: api.json", "formats ignored: 2 of 2"],
  },
  {
    name: "files of the same name by the ends of their $ids, and references by $id",
    files: {
      "a/schema.json": { $id: "https://example.com/made.json", ...createPayload("x") },
      "b/schema.json": {
        $id: "https://example.com/gone.json",
        type: "object",
        properties: { at: { $ref: "https://example.com/time.json" }, near: { $ref: "time.json#" } },
      },
      "c.json": { $id: "https://example.com/time.json", type: "string" },
    },
    types: ["gone", "made"],
    output: ["distinguished by the end of the $id", "formats ignored: 2 of 2"],
  },
  {
    name: "files of the same name without $id by their paths",
    files: { "user/created/schema.json": createPayload("x"), "user/deleted/schema.json": createPayload("y") },
    types: ["user.created.schema", "user.deleted.schema"],
    output: ["distinguished by the file path"],
  },
  {
    name: "one event alone, of an old dialect",
    files: {
      "only.json": {
        $schema,
        ...createMessage("only", { properties: { n: { items: [{}], additionalItems: false } } }),
      },
    },
    types: ["only"],
    output: [
      "in: 1 event, distinguished by the field type",
      "upgraded to 2020-12",
      "formats ignored: 1 of 1",
    ],
  },
  {
    name: "a union of several events beside a plain one, and a name that no file can have",
    files: {
      "many.json": { oneOf: [createMessage("x/started"), createMessage("x/ended")] },
      "one.json": createMessage("y"),
    },
    types: ["x.ended", "x.started", "y"],
    output: ['"x/started" is in x.started.schema.json', "formats ignored: 3 of 3"],
  },
  {
    name: "closed parts of a message with different fields, and open objects behind references with a title",
    files: {
      "in.json": {
        $schema,
        definitions: {
          App: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
          Detailed: { allOf: [{ $ref: "#/definitions/App" }, { properties: { name: { type: "string" } } }] },
          Base: {
            type: "object",
            properties: {
              type: { type: "string" },
              meta: { $ref: "#/definitions/App", title: "The app" },
              more: { $ref: "#/definitions/Detailed" },
            },
            required: ["type", "meta"],
            additionalProperties: false,
          },
        },
        oneOf: [
          {
            allOf: [
              { $ref: "#/definitions/Base" },
              createMessage("a", { properties: { meta: true }, additionalProperties: false }),
            ],
          },
          { allOf: [{ $ref: "#/definitions/Base" }, createMessage("b")] },
        ],
      },
    },
    operand: "in.json",
    types: ["a", "b"],
    output: ["formats ignored: 2 of 2"],
  },
  {
    name: "an alternative of several types as one event of each type",
    files: {
      "in.json": {
        $schema,
        oneOf: [
          createMessage("a"),
          {
            ...createMessage("b"),
            properties: { type: { enum: ["b", "c", "d/e"] }, n: { type: "integer" } },
          },
        ],
      },
    },
    operand: "in.json",
    types: ["a", "b", "c", "d.e"],
    output: ["4 events, distinguished by the field type", "formats ignored: 4 of 4"],
  },
  {
    name: "a union with an alternative of all other types",
    files: {
      "in.json": {
        $schema,
        anyOf: [
          createMessage("a"),
          createMessage("b"),
          { type: "object", properties: { type: { type: "string" } }, required: ["type"] },
        ],
      },
    },
    operand: "in.json",
    types: ["a", "b"],
    output: ["the alternative /anyOf/2 accepts any other type", "formats ignored: 2 of 2"],
  },
  {
    name: "a union with the field that --discriminator names",
    files: {
      "in.json": {
        $schema,
        oneOf: [createMessage({ type: "x", op: "a" }), createMessage({ type: "y", op: "b" })],
      },
    },
    operand: "in.json --discriminator op",
    types: ["a", "b"],
    output: ["distinguished by the field op", "formats ignored: 2 of 2"],
  },
  {
    name: "a part of a document, behind a #",
    files: {
      "doc.json": {
        $schema,
        definitions: { "Any Event": { anyOf: [createMessage("a"), createMessage("b")] } },
      },
    },
    operand: "doc.json#/definitions/Any%20Event",
    types: ["a", "b"],
    output: ["doc.json#/definitions/Any%20Event: 2 events", "formats ignored: 2 of 2"],
  },
];

for (const { name, files, operand = "", types, output } of CASES)
  it(`imports ${name}`, async () => {
    const texts = Object.entries(files).map(([file, each]) => [`in/${file}`, JSON.stringify(each)]);
    const { locateFile, read, run } = createTemporaryProject(Object.fromEntries(texts));
    const line = `import @/in/${operand} --name my`;
    const done = await run(line);
    expect(done).toMatchObject({ exitCode: 0, stderr: "" });
    for (const text of output) expect(done.stdout).toContain(text);
    expect(done.stdout).not.toMatch(/LOST|CHANGED|UNDECIDED/);
    // With --open, writers may send undeclared fields, so the contract equals the original.
    const opened = await run(`${line} --force --open`);
    expect(opened.stdout).toMatch(/proven equal to the original, formats ignored: (\d+) of \1 event/);
    expect(opened.stdout).not.toMatch(/LOST|CHANGED|UNDECIDED/);
    expect((await run(`${line} --force`)).stdout).toBe(done.stdout);
    const events = readdirSync(locateFile("schemas/my/v1/events"));
    expect(events.sort()).toEqual(types.map((type) => `${type}.schema.json`));
    expect(readdirSync(locateFile("schemas"))).toEqual(["my"]);
    expect((await run("lint")).exitCode).toBe(0);
    // A second import of the same files changes nothing.
    const file = `schemas/my/v1/events/${events[0]}`;
    const before = read(file);
    expect((await run(`${line} --force`)).exitCode).toBe(0);
    expect(read(file)).toBe(before);
  });

it("reports a changed event with a value that shows the change", async () => {
  const files = { "in/a.json": '{"properties": {"x": {"type": "string"}}}' };
  const done = await createTemporaryProject(files).run("import @/in --name my");
  expect(done.exitCode).toBe(0);
  expect(done.stdout).toContain("CHANGED a: accepted by the original, now refused by readers: null");
});

/** Texts of a schema that is imported by itself. */
const REFUSED_SCHEMAS: readonly (readonly [schema: string, message: RegExp])[] = [
  ["{", /my\.json:1:\d+: /],
  ['{"type": "object"}', /is not a union of events/],
  ['{"oneOf": [{"type": "object"}, {"type": "object"}]}', /its 2 alternatives cannot be distinguished/],
  ['{"oneOf": [{"$ref": "https://x.invalid/a"}, {}]}', /does not lead to a schema: no file/],
  ['{"oneOf": [{"$ref": "../a.json"}, {}]}', /does not lead to a schema: no file/],
  ['{"$schema": "urn:x", "oneOf": [{}, {}]}', /which accrete does not support/],
];

const REFUSED: readonly (readonly [
  what: string,
  files: { [file: string]: string },
  message: RegExp,
  operand?: string,
])[] = [
  ...REFUSED_SCHEMAS.map(
    ([schema, message]) => [`the schema ${schema}`, { "my.json": schema }, message, "my.json"] as const,
  ),
  ["an empty folder", { "readme.md": "" }, /none of its files is the schema of an event/],
  [
    "a broken file",
    { "a.json": JSON.stringify(createPayload("x")), "b.json": "{\n\n]" },
    /in\/b\.json:3:1: .*not JSON/,
  ],
  ["definitions alone", { "a.json": '{"$defs": {"x": {}}}' }, /none of its files is the schema of an event/],
  [
    "a reference to nowhere",
    { "a.json": '{"properties": {"x": {"$ref": "b.json"}}}' },
    /does not lead to a schema/,
  ],
  [
    "two dialects",
    {
      "a.json": JSON.stringify({ $schema, ...createPayload("x") }),
      "b.json": '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}',
    },
    /another dialect/,
  ],
];

for (const [what, files, message, operand = ""] of REFUSED)
  it(`refuses ${what}`, async () => {
    const entries = Object.entries(files).map(([file, text]) => [`in/${file}`, text]);
    const { root, run } = createTemporaryProject(Object.fromEntries(entries));
    const done = await run(`import @/in/${operand}`);
    expect(done).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringMatching(message) });
    expect(readdirSync(root)).toEqual(["in"]);
  });

it("reports a number of the schema that is read as another one", async () => {
  const schema =
    '{"oneOf": [\n{"required": ["type"], "properties": {"type": {"const": "a"}, "n": {"maximum": 9007199254740993}}},\n{"required": ["type"], "properties": {"type": {"const": "b"}}}]}';
  const { stdout } = await createTemporaryProject({ "my.json": schema }).run("import @/my.json");
  expect(stdout).toMatch(/my\.json:2:80: The number 9007199254740993 is read as 9007199254740992, /);
});

it("reads the limits of draft-04, which a boolean makes exclusive", async () => {
  const limits = { type: "number", minimum: 0, maximum: 9, exclusiveMinimum: false, exclusiveMaximum: true };
  const schema = {
    $schema: getDraftUri(4),
    oneOf: [createMessage({ type: "a" }, { properties: { n: limits } }), createMessage({ type: "b" })],
  };
  const { read, run } = createTemporaryProject({ "in.json": JSON.stringify(schema) });
  expect(await run("import @/in.json --name my")).toMatchObject({ exitCode: 0 });
  const { n } = JSON.parse(read("schemas/my/v1/events/a.schema.json")).properties;
  expect(n).toMatchObject({ type: "number", minimum: 0, exclusiveMaximum: 9 });
  expect(n).not.toHaveProperty("maximum");
  expect(n).not.toHaveProperty("exclusiveMinimum");
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

it("leaves out examples that writers may not send, and names their places in the original files", async () => {
  const schema = createMessage("a", {
    properties: { n: { type: "integer" } },
    examples: [{ n: "1" }, { n: 1 }],
  });
  const { read, run } = createTemporaryProject({
    "in.json": JSON.stringify({ oneOf: [schema, createMessage("b")] }),
  });
  const { exitCode, stdout } = await run("import @/in.json --name my");
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(
    /an example was left out: in\.json:1:\d+: The example of a is not what a writer may send: \/n /,
  );
  expect(JSON.parse(read("schemas/my/v1/events/a.schema.json")).examples).toEqual([{ n: 1 }]);
});

it("names the places of formats that cannot be kept, and of integers that JavaScript rounds", async () => {
  const schema = {
    $schema,
    definitions: { size: { type: "integer", format: "uint64", maximum: 9 } },
    oneOf: [
      createMessage("a", { properties: { n: { type: "integer", format: "int64" } } }),
      createMessage("b", {
        properties: { n: { type: "string", format: "ulid" }, size: { $ref: "#/definitions/size" } },
      }),
    ],
  };
  const project = createTemporaryProject({ "my.json": JSON.stringify(schema) });
  const { stdout } = await project.run("import @/my.json");
  expect(stdout).toContain(
    "the format int64 allows integers beyond 2^53, which JavaScript rounds; state bounds, or send them as texts: #/oneOf/0/properties/n\n",
  );
  expect(stdout).toContain(
    'the format "ulid" is unknown to accrete and was left out: #/oneOf/1/properties/n\n',
  );
  expect(stdout).not.toContain("uint64");
});

it("keeps open enumerations, and leaves them out where both readings are the same", async () => {
  const open: JsonObject = { type: "string", "x-extensible-enum": ["card", "cash"] };
  const { read, run } = createTemporaryProject({
    "in.json": JSON.stringify({
      $schema,
      definitions: { how: open, tested: { ...open, "x-extensible-enum": ["none"] } },
      oneOf: [
        createMessage("a", {
          properties: { how: { $ref: "#/definitions/how" }, why: { ...open, "x-extensible-enum": "late" } },
        }),
        createMessage("b", {
          properties: { when: open, other: { type: "string", not: { $ref: "#/definitions/tested" } } },
          not: { properties: { when: open }, required: ["when", "other"] },
        }),
      ],
    }),
  });
  const { exitCode, stdout } = await run("import @/in.json --name my");
  expect(exitCode, stdout).toBe(0);
  expect(stdout).toContain("the keyword x-extensible-enum was left out where it has no effect (3 ×)");
  const readSchema = (type: string) => JSON.parse(read(`schemas/my/v1/events/${type}.schema.json`));
  expect(readSchema("b").properties.when).toMatchObject(open);
  expect(read("schemas/my/v1/events/b.schema.json").match(/x-extensible-enum/g)).toHaveLength(1);
  expect(readSchema("a").properties.why).not.toHaveProperty("x-extensible-enum");
  expect(read("schemas/my/v1/events/a.schema.json")).toContain("$ref");
});
