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
    name: "types of Effect Schema, as effect 4.1.0 writes them",
    files: {
      "a.json": {
        anyOf: [
          {
            type: "object",
            properties: { type: { type: "string", enum: ["order.placed"] }, id: { type: "string" } },
            required: ["type", "id"],
            additionalProperties: false,
          },
          {
            type: "object",
            properties: {
              type: { type: "string", enum: ["order.paid"] },
              id: { type: "string" },
              cents: { type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 },
            },
            required: ["type", "id", "cents"],
            additionalProperties: false,
          },
        ],
        $defs: {},
      },
    },
    output: [
      "2 events, distinguished by the field type",
      "proven equal to the original, formats ignored: 2 of 2",
    ],
    valid: [
      { type: "order.placed", id: "" },
      { type: "order.paid", id: "", cents: 1 },
    ],
    invalid: [{ type: "order.paid", id: "", cents: 0.5 }],
  },
  {
    name: "types of TypeSpec, as @typespec/json-schema 1.11.0 writes them",
    files: {
      "ShopEvent.json": {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        $id: "ShopEvent.json",
        oneOf: [{ $ref: "OrderPlaced.json" }, { $ref: "OrderPaid.json" }],
      },
      "OrderPlaced.json": {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        $id: "OrderPlaced.json",
        type: "object",
        properties: { type: { type: "string", const: "order.placed" }, id: { type: "string" } },
        required: ["type", "id"],
      },
      "OrderPaid.json": {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        $id: "OrderPaid.json",
        type: "object",
        properties: {
          type: { type: "string", const: "order.paid" },
          id: { type: "string" },
          cents: { type: "integer", minimum: 0 },
        },
        required: ["type", "id", "cents"],
      },
    },
    line: "@/ShopEvent.json",
    output: ["2 events, distinguished by the field type", "formats ignored: 2 of 2"],
    valid: [
      { type: "order.placed", id: "" },
      { type: "order.paid", id: "", cents: 1 },
    ],
    invalid: [{ type: "order.paid", id: "", cents: -1 }],
  },
  {
    name: "a root allOf of a base and a union, whose fields become the envelope, with the streams that they suggest",
    files: {
      "a.json": {
        $schema,
        allOf: [
          {
            type: "object",
            properties: { run_id: TEXT, seq: { type: "integer" }, id: TEXT },
            required: ["run_id", "seq", "id"],
          },
          { oneOf: [createMessage("a", { x: TEXT }), createMessage("b", { y: TEXT })] },
        ],
      },
    },
    output: [
      "the envelope has the fields that all events share: run_id, seq, id",
      "run_id names what an event belongs to, seq is an integer whose name says that it counts, id names the event",
      '"stream": {"key":["run_id"],"sequence":"seq","first":0,"id":"id"},',
      "formats ignored: 2 of 2",
    ],
    valid: [
      { type: "a", run_id: "r", seq: 0, id: "1", x: "" },
      { type: "b", run_id: "r", seq: 1, id: "2", y: "" },
    ],
    invalid: [
      { type: "a", seq: 0, id: "1", x: "" },
      { type: "b", run_id: "r", seq: 1, id: "2" },
    ],
  },
  {
    name: "alternatives that an allOf of the root shares a base with, and a name that only some of them share",
    files: {
      "a.json": {
        $schema,
        oneOf: [
          createMessage("a", { id: TEXT, at: { type: "integer" } }),
          createMessage("b", { id: { ...TEXT, description: "The same." }, at: TEXT }),
        ],
      },
    },
    output: ["the envelope has the fields that all events share: id\n", "formats ignored: 2 of 2"],
    valid: [{ type: "a", id: "", at: 1 }],
    invalid: [{ type: "b", id: "", at: 1 }],
  },
  {
    name: "an enum without values",
    files: {
      "a.json": {
        $schema: DRAFT_7,
        oneOf: [
          { ...createMessage("a"), properties: { type: { const: "a" }, x: { enum: [] } } },
          createMessage("b"),
        ],
      },
    },
    output: ["formats ignored: 2 of 2"],
    valid: [{ type: "a" }],
    invalid: [{ type: "a", x: 1 }],
  },
  {
    name: "a tuple in a schema that states no dialect",
    files: {
      "a.json": {
        oneOf: [
          createMessage("a", {
            x: { type: "array", items: [TEXT, { type: "number" }], additionalItems: false },
          }),
          createMessage("b"),
        ],
      },
    },
    output: ["read as draft7, which its keywords suggest", "formats ignored: 2 of 2"],
    valid: [{ type: "a", x: ["", 1] }],
    invalid: [
      { type: "a", x: [1] },
      { type: "a", x: ["", 1, 2] },
    ],
  },
  {
    name: "bounds of draft-04 in a schema that states no dialect",
    files: {
      "a.json": {
        oneOf: ["a", "b"].map((type) => ({
          type: "object",
          required: ["type", "x"],
          properties: {
            type: { enum: [type] },
            x: { type: "number", minimum: type.length - 1, exclusiveMinimum: true },
          },
        })),
      },
    },
    output: ["read as draft4, which its keywords suggest"],
    valid: [{ type: "a", x: 1 }],
    invalid: [{ type: "a", x: 0 }],
  },
  {
    name: "a tuple beside keywords that draft-07 lacks, in a schema that states no dialect",
    files: {
      "a.json": {
        $defs: { T: TEXT },
        oneOf: [
          createMessage("a", { x: { items: [TEXT] }, y: { $ref: "#/$defs/T", minLength: 1 } }),
          createMessage("b"),
        ],
      },
    },
    output: ["read as 2019-09, which its keywords suggest"],
    valid: [{ type: "a", x: ["", 1], y: "y" }],
    invalid: [{ type: "a", x: [""], y: "" }],
  },
  {
    name: "a reference to a URL whose contents are in a file elsewhere, which refers to a file beside it",
    files: {
      "in/a.json": {
        $schema: DRAFT_7,
        oneOf: [
          createMessage("a", { user: { $ref: "https://example.com/s/user.json#/definitions/User" } }),
          createMessage("b"),
        ],
      },
      "user.json": { definitions: { User: { $ref: "name.json" } } },
      "other/name.json": TEXT,
    },
    line: "@/in/a.json --map https://example.com/s/user.json=@/user.json --map https://example.com/s/name.json=@/other/name.json",
    output: ["formats ignored: 2 of 2"],
    valid: [{ type: "a", user: "ann" }],
    invalid: [{ type: "a", user: 1 }],
  },
  {
    name: "a number that distinguishes the messages",
    files: {
      "a.json": {
        $schema,
        oneOf: [0, 1].map((type) => ({
          ...createMessage("a", { x: TEXT }),
          properties: { type: { const: type }, x: TEXT },
        })),
      },
    },
    output: [
      '{"type": "type.0", "payload": the message}',
      "distinguished by the field type",
      "formats ignored: 2 of 2",
    ],
    valid: [{ type: "type.1", payload: { type: 1, x: "" } }],
    invalid: [{ type: "type.1", payload: { type: 0, x: "" } }],
  },
  {
    name: "a boolean that distinguishes the messages, which a person names",
    files: {
      "a.json": {
        $schema,
        oneOf: [true, false].map((ok) => ({
          type: "object",
          required: ["ok"],
          properties: { ok: { const: ok } },
        })),
      },
    },
    line: "@/a.json --discriminator ok",
    output: ["distinguished by the field ok"],
    valid: [{ type: "ok.false", payload: { ok: false } }],
    invalid: [{ type: "ok.true", payload: { ok: false } }],
  },
  {
    name: "an enum of serde, with variants that are only texts",
    files: {
      "a.json": {
        $schema: DRAFT_7,
        oneOf: [
          {
            type: "object",
            required: ["Started"],
            properties: { Started: { $ref: "#/definitions/S" } },
            additionalProperties: false,
          },
          {
            type: "object",
            required: ["Moved"],
            properties: { Moved: { type: "object", properties: { x: TEXT } } },
            additionalProperties: false,
          },
          { type: "string", enum: ["Stopped", "Paused"] },
        ],
        definitions: { S: { type: "object", required: ["at"], properties: { at: TEXT } } },
      },
    },
    output: [
      "external tagging",
      "became objects without a payload: Stopped, Paused",
      'Add "type"',
      "formats ignored: 4 of 4",
    ],
    valid: [{ type: "Started", Started: { at: "" } }, { type: "Stopped" }, { type: "Moved", Moved: {} }],
    invalid: [
      { type: "Started", Started: {} },
      { type: "Started", Moved: {} },
    ],
  },
  {
    name: "externally tagged payloads that are no objects",
    files: {
      "a.json": {
        $schema,
        oneOf: ["Text", "Count"].map((name) => ({
          type: "object",
          required: [name],
          properties: { [name]: name === "Text" ? TEXT : { type: "integer" } },
        })),
      },
    },
    output: ["external tagging", "formats ignored: 2 of 2"],
    valid: [
      { type: "Text", Text: "" },
      { type: "Count", Count: 1 },
    ],
    invalid: [{ type: "Count", Count: "" }],
  },
  {
    name: "types that exclude the fields of each other",
    files: {
      "a.json": {
        $schema: DRAFT_7,
        $ref: "#/definitions/E",
        definitions: {
          E: { anyOf: [{ $ref: "#/definitions/A" }, { $ref: "#/definitions/B" }] },
          A: {
            type: "object",
            required: ["a"],
            properties: { a: { type: "object" }, b: { not: {} } },
            additionalProperties: false,
          },
          B: {
            type: "object",
            required: ["b"],
            properties: { b: { type: "object" }, a: { not: {} } },
            additionalProperties: false,
          },
        },
      },
    },
    output: ["external tagging"],
    valid: [{ type: "a", a: {} }],
    invalid: [{ type: "a", b: {} }],
  },
  {
    name: "definitions with one field each, whose names say what they are",
    files: {
      "a.json": {
        $schema,
        oneOf: [{ $ref: "#/$defs/UserCreated" }, { $ref: "#/$defs/UserDeleted" }],
        $defs: {
          UserCreated: { type: "object", properties: { user: { type: "object" } }, required: ["user"] },
          UserDeleted: { type: "object", properties: { id: TEXT }, required: ["id"] },
        },
      },
    },
    output: ["distinguished by the name of the definition"],
    valid: [{ type: "UserDeleted", payload: { id: "" } }],
    invalid: [{ type: "UserDeleted", payload: {} }],
  },
  {
    name: "one object with a field for each event, as messages of protobuf have, with a common field",
    files: {
      "a.json": {
        $schema,
        type: "object",
        properties: {
          at: TEXT,
          started: { type: "object", properties: { by: TEXT } },
          stopped: { type: "object" },
        },
        required: ["at"],
        oneOf: [{ required: ["started"] }, { required: ["stopped"] }],
      },
    },
    output: [
      "external tagging",
      "the envelope has the fields that all events share: at",
      "formats ignored: 2 of 2",
    ],
    valid: [{ type: "started", at: "", started: { by: "x" } }],
    invalid: [
      { type: "started", started: {} },
      { type: "stopped", at: "", started: {} },
    ],
  },
  {
    name: "one object with optional objects, as the messages of Cucumber",
    files: {
      "a.json": {
        $schema,
        type: "object",
        additionalProperties: false,
        properties: { started: { type: "object", properties: { by: TEXT } }, stopped: { type: "object" } },
      },
    },
    output: ["LOST: the original also accepts messages with none or several of these fields"],
    valid: [{ type: "started", started: {} }],
    invalid: [{ type: "started", stopped: {} }],
  },
  {
    name: "a schema of its own inside of a description",
    files: {
      "a.json": {
        name: "contract",
        execute: {
          $schema: DRAFT_7,
          oneOf: [createMessage("a", { x: { $ref: "#/definitions/T" } }), createMessage("b")],
          definitions: { T: TEXT },
        },
      },
    },
    line: "@/a.json#/execute",
    output: ["formats ignored: 2 of 2"],
    valid: [{ type: "a", x: "" }],
    invalid: [{ type: "a", x: 1 }],
  },
  {
    name: "a folder in which one file describes texts, and one event contradicts itself",
    files: {
      "in/a.json": { $schema, type: "object", properties: { x: TEXT } },
      "in/registry.json": { $schema, type: "string", enum: ["one"] },
      "in/never.json": {
        $schema,
        type: "object",
        required: ["y"],
        properties: {},
        additionalProperties: false,
      },
    },
    line: "@/in",
    output: [
      "they describe no objects: 1 file: registry.json",
      "an object requires a field that it forbids, so no value satisfies it: y",
      "contradict each other: never",
    ],
    valid: [{ type: "a", payload: { x: "" } }],
    invalid: [{ type: "never", payload: { y: 1 } }],
  },
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
    name: "a reference to a URL without a file for it",
    files: { "a.json": { $schema, oneOf: [createMessage("a"), { $ref: "https://example.com/b.json#/B" }] } },
    message: "--map https://example.com/b.json=FILE names a file with its contents.",
  },
  {
    name: "a URL whose file does not exist",
    files: { "a.json": { $schema, oneOf: [createMessage("a"), { $ref: "https://example.com/b.json" }] } },
    line: "@/a.json --map https://example.com/b.json=@/none.json",
    message: "none.json does not exist; --map names it for a URL.",
  },
  {
    name: "an object with fields of several types, which need not be events",
    files: { "a.json": { $schema, type: "object", properties: { a: { type: "object" }, b: TEXT } } },
    message: "a.json is not a union of events",
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
