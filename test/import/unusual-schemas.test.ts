/** If this fails, an import of a schema of a less usual form is refused, or loses something without a word. */
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../generator/json.js";
import { createTemporaryProject } from "../commands/temporary-project.js";

const createMessage = (type: string, fields: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  type: "object",
  required: ["type", ...Object.keys(fields)],
  properties: { type: { const: type }, ...fields },
  ...more,
});
const TEXT = { type: "string" };
const $schema = "https://json-schema.org/draft/2020-12/schema";
const DRAFT_7 = "http://json-schema.org/draft-07/schema#";

interface Case {
  readonly name: string;
  readonly files: { readonly [file: string]: Json };
  /** The operand and the options of the import. The default is the file `a.json`. */
  readonly line?: string;
  /** Parts of the output. */
  readonly output?: readonly string[];
  /** Messages that writers may send. */
  readonly valid: readonly JsonObject[];
  /** Messages that readers and writers refuse. */
  readonly invalid?: readonly JsonObject[];
}

const TREE = {
  $dynamicAnchor: "node",
  type: "object",
  properties: { children: { type: "array", items: { $dynamicRef: "#node" } } },
};

const createOpenApi = (openapi: string, schemas: JsonObject): JsonObject => ({
  openapi,
  info: { title: "pets", version: "1" },
  paths: {},
  components: { schemas },
});

const createPet = (fields: JsonObject): JsonObject => ({
  type: "object",
  required: ["kind"],
  properties: { kind: TEXT, ...fields },
});

const CASES: readonly Case[] = [
  {
    name: "a union behind a reference that names an alternative twice, as type checkers write it",
    files: {
      "a.json": {
        $schema: DRAFT_7,
        $ref: "#/definitions/Message",
        definitions: {
          Message: { anyOf: ["A", "B", "A"].map((name) => ({ $ref: `#/definitions/${name}` })) },
          A: createMessage("a", { x: TEXT }),
          B: createMessage("b"),
        },
      },
    },
    output: ["2 events, distinguished by the field type"],
    valid: [{ type: "a", x: "1" }, { type: "b" }],
    invalid: [{ type: "a", x: 1 }],
  },
  {
    name: "two unions that share an alternative, which the oneOf around them refuses",
    files: {
      "a.json": {
        $schema,
        oneOf: ["B", "C"].map((name) => ({ oneOf: [{ $ref: "#/$defs/A" }, { $ref: `#/$defs/${name}` }] })),
        $defs: { A: createMessage("a"), B: createMessage("b"), C: createMessage("c") },
      },
    },
    output: ["3 events", "CHANGED a: the original refuses it"],
    valid: [{ type: "a" }, { type: "b" }, { type: "c" }],
  },
  {
    name: "an alternative that is a union of forms of one message",
    files: {
      "a.json": {
        $schema,
        oneOf: [
          createMessage(
            "a",
            {},
            {
              oneOf: [
                { required: ["x"], properties: { x: TEXT } },
                { required: ["y"], properties: { y: TEXT } },
              ],
            },
          ),
          createMessage("b"),
        ],
      },
    },
    output: ["2 events, distinguished by the field type"],
    valid: [{ type: "a", x: "1" }, { type: "a", y: "1" }, { type: "b" }],
    invalid: [{ type: "a" }],
  },
  {
    name: "an alternative that accepts anything",
    files: { "a.json": { $schema, anyOf: [createMessage("a"), createMessage("b"), true] } },
    output: ["/anyOf/2 accepts any other type", "also accepts messages without type, which readers refuse"],
    valid: [{ type: "a" }],
    invalid: [{ other: 1 }],
  },
  {
    name: "a schema of all messages that lists their types, with conditions instead of alternatives",
    files: {
      "a.json": {
        $schema,
        type: "object",
        required: ["type"],
        properties: { type: { enum: ["a", "b"] }, x: TEXT },
        if: { properties: { type: { const: "a" } } },
        then: { required: ["x"] },
      },
    },
    output: ["2 events, distinguished by the field type", "2 of 2 events"],
    valid: [{ type: "a", x: "1" }, { type: "b" }],
    invalid: [{ type: "a" }],
  },
  {
    name: "a folder whose schemas refer to files outside of it by path and by $id, below --root",
    files: {
      "lib/messages/a.json": { $schema, ...createMessage("a", { x: { $ref: "../common/x.json" } }) },
      "lib/messages/b.json": {
        $schema,
        $id: "https://example.com/messages/b.json",
        ...createMessage("b", { y: { $ref: "../fields/y" } }),
      },
      "lib/common/x.json": TEXT,
      "lib/other.json": { $schema, $id: "https://example.com/fields/y", type: "integer" },
      "lib/unrelated.json": "no schema",
    },
    line: "@/lib/messages --root @/lib",
    output: ["messages: 2 events, distinguished by the field type"],
    valid: [
      { type: "a", x: "1" },
      { type: "b", y: 1 },
    ],
    invalid: [
      { type: "a", x: 1 },
      { type: "b", y: "1" },
    ],
  },
  {
    name: "a file that refers to a file beside it by $id",
    files: {
      "a.json": {
        $schema,
        $id: "https://example.com/a",
        oneOf: [{ $ref: "definitions#/$defs/A" }, createMessage("b")],
      },
      "other.json": { $schema, $id: "https://example.com/definitions", $defs: { A: createMessage("a") } },
    },
    valid: [{ type: "a" }, { type: "b" }],
  },
  {
    name: "a folder in which a file refers to a part of another event",
    files: {
      "all/a.json": { $schema, ...createMessage("a", { x: { $ref: "#/$defs/X" } }), $defs: { X: TEXT } },
      "all/b.json": { $schema, ...createMessage("b", { x: { $ref: "a.json#/$defs/X" } }) },
      "all/c.json": { $schema, ...createMessage("c", { x: { $ref: "common.json#/$defs/X" } }) },
      "all/common.json": { $schema, type: "object", $defs: { X: TEXT } },
    },
    line: "@/all",
    output: ["3 events", "they describe no objects: 1 file: common.json"],
    valid: ["a", "b", "c"].map((type) => ({ type, x: "1" })),
    invalid: ["a", "b", "c"].map((type) => ({ type, x: 1 })),
  },
  {
    name: "dynamic references whose anchor only one schema has",
    files: {
      "a.json": {
        $schema,
        oneOf: [
          createMessage("a", { tree: { $ref: "#/$defs/tree" }, node: { $ref: "#node" } }),
          createMessage("b"),
        ],
        $defs: { tree: TREE },
      },
    },
    valid: [{ type: "a", tree: { children: [{ children: [] }] }, node: {} }],
    invalid: [
      { type: "a", tree: { children: [1] }, node: {} },
      { type: "a", tree: {}, node: 1 },
    ],
  },
  {
    name: "a recursive reference of 2019-09, and one of draft-07, which ignores it",
    files: {
      "in/a.json": {
        $schema: DRAFT_7,
        ...createMessage("a", { x: { $dynamicRef: "#nowhere", type: "string" } }),
      },
      "in/b.json": {
        $schema: DRAFT_7,
        ...createMessage("b", { x: { $recursiveRef: "#", type: "string" } }),
      },
    },
    line: "@/in",
    output: ["the keyword $dynamicRef was left out: draft7 does not define it"],
    valid: [
      { type: "a", x: "1" },
      { type: "b", x: "1" },
    ],
    invalid: [{ type: "a", x: 1 }],
  },
  {
    name: "the definitions of a document, of which two are events",
    files: {
      "a.json": {
        $schema: DRAFT_7,
        definitions: {
          "A/b": createMessage("a", { user: { $ref: "#/definitions/User" } }),
          B: { ...createMessage("b"), examples: [{ type: "b", $ref: "#/definitions/A~1b" }] },
          User: { type: "object", required: ["id"], properties: { id: TEXT } },
          Id: TEXT,
        },
      },
    },
    line: "@/a.json#/definitions",
    output: [
      "2 events",
      "not events, because other definitions refer to them or they are never objects: 2 definitions: User, Id",
    ],
    valid: [{ type: "a", user: { id: "1" } }, { type: "b" }],
    invalid: [{ type: "a", user: {} }],
  },
  {
    name: "a list of schemas without keywords of references",
    files: { "a.json": [createMessage("a"), createMessage("b")] },
    output: ["2 events, distinguished by the field type"],
    valid: [{ type: "a" }, { type: "b" }],
  },
  {
    name: "an OpenAPI 3.0 union with a discriminator, null and a strict bound",
    files: {
      "a.json": createOpenApi("3.0.3", {
        Pet: {
          oneOf: ["Cat", "Dog", "Fish"].map((name) => ({ $ref: `#/components/schemas/${name}` })),
          discriminator: {
            propertyName: "kind",
            mapping: { cat: "#/components/schemas/Cat", kitten: "#/components/schemas/Cat", dog: "Dog" },
          },
        },
        Cat: createPet({ name: { ...TEXT, nullable: true } }),
        Dog: createPet({ age: { type: "integer", minimum: 0, exclusiveMinimum: true } }),
        Fish: createPet({ kind: { ...TEXT, enum: ["fish"] } }),
      }),
    },
    line: "@/a.json#/components/schemas/Pet",
    output: ["4 events, distinguished by the field kind", "read as draft4"],
    valid: [
      { kind: "cat", name: null },
      { kind: "kitten", name: "a" },
      { kind: "dog", age: 1 },
      { kind: "fish" },
    ],
    invalid: [
      { kind: "cat", name: 1 },
      { kind: "dog", age: 0 },
    ],
  },
  {
    name: "the messages of an AsyncAPI document, in the components and in channels",
    files: {
      "a.json": {
        asyncapi: "2.6.0",
        channels: {
          one: {
            publish: {
              message: { oneOf: [{ $ref: "#/components/messages/A" }, { payload: createMessage("b") }] },
            },
          },
          two: {
            subscribe: {
              message: { payload: createMessage("c", { x: { $ref: "#/components/schemas/X" } }) },
            },
          },
        },
        components: {
          messages: { A: { payload: createMessage("a"), headers: {} }, D: { name: "d" } },
          schemas: { X: TEXT },
        },
      },
    },
    output: [
      "3 events, distinguished by the field type",
      "LOST: the headers of messages were left out, because events have none: A",
      "messages without a payload were left out: d",
    ],
    valid: [{ type: "a" }, { type: "b" }, { type: "c", x: "1" }],
    invalid: [{ type: "c", x: 1 }],
  },
  {
    name: "the messages of an AsyncAPI document by their names",
    files: {
      "a.json": {
        asyncapi: "3.0.0",
        channels: {
          one: { messages: { in: { $ref: "#/components/messages/A" }, left: { payload: createPet({}) } } },
        },
        components: {
          messages: {
            A: {
              name: "user.joined",
              payload: {
                schemaFormat: "application/schema+json;version=draft-2020-12",
                schema: { $ref: "#/components/schemas/Pet", required: ["name"] },
              },
            },
            Loop: { $ref: "#/components/messages/Loop" },
          },
          schemas: { Pet: createPet({ name: TEXT }) },
        },
      },
    },
    output: ["2 events, distinguished by the name of the message", "WRAPPED", "read as 2020-12"],
    valid: [
      { type: "user.joined", payload: { kind: "", name: "" } },
      { type: "left", payload: { kind: "" } },
    ],
    invalid: [
      { type: "user.joined", payload: { kind: "" } },
      { type: "left", payload: {} },
    ],
  },
  {
    name: "a type of which no message can exist, and one of which writers can send none once its parts are closed",
    files: {
      "a.json": {
        $schema,
        oneOf: [
          createMessage("a", { x: { allOf: [TEXT, { type: "object" }] } }),
          createMessage(
            "b",
            { x: { type: "object", required: ["p"], properties: { p: TEXT } } },
            {
              required: ["type", "x"],
              if: true,
              then: { properties: { x: { type: "object", required: ["q"], properties: { q: TEXT } } } },
            },
          ),
          createMessage("c"),
        ],
      },
    },
    output: [
      "the original accepts no message of these types, because its parts contradict each other: a",
      "CHANGED b: writers can send none, because its closed objects exclude each other; --open keeps them open",
    ],
    valid: [{ type: "c" }],
    invalid: [{ type: "a", x: {} }],
  },
  {
    name: "alternatives that are forms of one event",
    files: {
      "a.json": {
        $schema,
        oneOf: [
          createMessage(
            "source",
            { form: { const: "url" }, url: TEXT },
            { required: ["type", "form", "url"] },
          ),
          createMessage(
            "source",
            { form: { const: "file" }, file: TEXT },
            { required: ["type", "form", "file"] },
          ),
          createMessage("text", { delta: TEXT }),
          createMessage("end"),
        ],
      },
    },
    output: [
      "3 events, distinguished by the field type",
      "alternatives that are forms of one event were joined: source (2)",
      "formats ignored: 3 of 3",
    ],
    valid: [
      { type: "source", form: "url", url: "" },
      { type: "source", form: "file", file: "" },
      { type: "text", delta: "" },
    ],
    invalid: [
      { type: "source", form: "url", file: "" },
      { type: "source", form: "page", url: "" },
    ],
  },
  {
    name: "forms of one event that a value of both belongs to, and a field chosen for them",
    files: {
      "a.json": {
        $schema,
        anyOf: [
          createMessage("part", { a: TEXT, b: TEXT }, { required: ["type", "a"] }),
          createMessage("part", { a: TEXT, b: TEXT }, { required: ["type", "b"] }),
          createMessage("part", { c: TEXT }, { required: ["type", "c"] }),
          createMessage("end"),
        ],
      },
    },
    line: "@/a.json --discriminator type",
    output: ["2 events, distinguished by the field type", "were joined: part (3)", "formats ignored: 2 of 2"],
    valid: [{ type: "part", a: "", b: "" }, { type: "part", c: "" }, { type: "end" }],
    invalid: [{ type: "part" }],
  },
  {
    name: "documents around events, each for one event type",
    files: {
      "a.json": {
        $schema,
        oneOf: ["a", "b"].map((type) => ({
          type: "object",
          required: ["data"],
          properties: { data: createMessage(type), [type]: TEXT },
        })),
      },
    },
    line: "@/a.json --discriminator data.type",
    output: ["LOST: the original has several forms of the document around an event"],
    valid: [{ data: { type: "a" }, a: "1" }],
    invalid: [{ data: [] }],
  },
];

const REFUSED: readonly {
  readonly name: string;
  readonly files: { readonly [file: string]: Json };
  readonly line?: string;
  readonly message: string;
}[] = [
  {
    name: "a folder whose schemas refer to files outside of it",
    files: { "lib/messages/a.json": createMessage("a", { x: { $ref: "../x.json" } }), "lib/x.json": TEXT },
    line: "@/lib/messages",
    message: "--root names a folder around it",
  },
  {
    name: "an operand outside of --root",
    files: { "a.json": { oneOf: [createMessage("a"), createMessage("b")] }, "lib/b.json": {} },
    line: "@/a.json --root @/lib",
    message: "a.json is not in the folder lib, which --root names",
  },
  {
    name: "alternatives behind a reference that nothing distinguishes",
    files: {
      "a.json": { $ref: "#/$defs/U", $defs: { U: { anyOf: [{ type: "object" }, { required: ["x"] }] } } },
    },
    message: "a.json: its 2 alternatives cannot be distinguished",
  },
  {
    name: "a dynamic reference whose anchor two schemas have",
    files: {
      "a.json": {
        $schema,
        $id: "https://example.com/a",
        oneOf: [createMessage("a", { tree: { $ref: "strict" } }), createMessage("b")],
        $defs: {
          strict: { $id: "strict", $dynamicAnchor: "node", $ref: "tree", unevaluatedProperties: false },
          tree: { $id: "tree", ...TREE },
        },
      },
    },
    message: "several schemas have its anchor",
  },
  {
    name: "a document that only holds definitions",
    files: { "a.json": { $schema, $defs: { A: createMessage("a") } } },
    message: "such as a.json#/$defs/A, or all: a.json#/$defs",
  },
  {
    name: "an OpenAPI document",
    files: { "a.json": createOpenApi("3.1.0", { A: createMessage("a") }) },
    message: "a.json is an OpenAPI document and not a union of events. Name one of its schemas",
  },
  {
    name: "a message of AsyncAPI with a schema of another language",
    files: {
      "a.json": {
        asyncapi: "2.6.0",
        components: { messages: { A: { schemaFormat: "application/vnd.apache.avro", payload: {} } } },
      },
    },
    message: "the payload of the message A is not a JSON Schema, but application/vnd.apache.avro",
  },
  {
    name: "messages of AsyncAPI in several dialects",
    files: {
      "a.json": {
        asyncapi: "2.6.0",
        components: {
          messages: Object.fromEntries(
            ["draft-07", "draft-2020-12"].map((version) => [
              version,
              { schemaFormat: `application/schema+json;version=${version}`, payload: createMessage(version) },
            ]),
          ),
        },
      },
    },
    message: "a.json: its messages have schemas of several dialects: draft7, 2020-12",
  },
];

it.each(REFUSED)("refuses $name", async ({ files, line = "@/a.json", message }) => {
  const project = createTemporaryProject(
    Object.fromEntries(Object.entries(files).map(([name, file]) => [name, JSON.stringify(file)])),
  );
  const { exitCode, stderr } = await project.run(`import ${line} --name p`);
  expect(stderr).toContain(message);
  expect(exitCode).toBe(2);
});

describe("an import of", () => {
  it.each(CASES)("$name", async ({ files, line = "@/a.json", output = [], valid, invalid = [] }) => {
    const project = createTemporaryProject({
      ...Object.fromEntries(Object.entries(files).map(([name, file]) => [name, JSON.stringify(file)])),
      "messages.jsonl": [...valid, ...invalid].map((message) => `${JSON.stringify(message)}\n`).join(""),
    });
    const imported = await project.run(`import ${line} --name p`);
    expect(imported.stderr).toBe("");
    for (const part of output) expect(imported.stdout).toContain(part);
    for (const profile of ["reader", "writer"]) {
      const { stdout } = await project.run(`validate @/messages.jsonl --profile ${profile} --format json`);
      const findings = (JSON.parse(stdout) as { findings: { at: { line: number } }[] }).findings;
      const lines = [...new Set(findings.map(({ at }) => at.line))];
      expect(lines).toEqual(invalid.map((_message, index) => valid.length + index + 1));
    }
    expect(await project.run(`compat --against dir:${project.locateFile("schemas")}`)).toMatchObject({
      exitCode: 0,
    });
  });
});
