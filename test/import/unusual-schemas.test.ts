/** If this fails, an import of a schema of a less usual form is refused, or loses something without a word. */
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../generator/json.js";
import { createTemporaryProject } from "../cli/temporary-project.js";

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
        // biome-ignore lint/suspicious/noThenProperty: it is a keyword
        then: { required: ["x"] },
      },
    },
    output: ["2 events, distinguished by the field type", "2 of 2 events"],
    valid: [{ type: "a", x: "1" }, { type: "b" }],
    invalid: [{ type: "a" }],
  },
];

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
