import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { JsonObject } from "../../generator/json.js";
import { folder } from "../cli/folders.js";
import { accrete } from "../cli/run-in-process.js";

const message = (type: string, more: JsonObject = {}): JsonObject => ({
  type: "object",
  required: ["type"],
  properties: { type: { const: type }, ...more },
});
const bare = (...names: string[]): JsonObject => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
});
const $schema = "http://json-schema.org/draft-07/schema#";

interface Case {
  readonly name: string;
  readonly files: { readonly [file: string]: JsonObject };
  /** What is imported; the folder unless said. */
  readonly operand?: string;
  readonly types: readonly string[];
  readonly says: readonly string[];
}

const CASES: readonly Case[] = [
  {
    name: "messages with the type as a constant, one of them in a folder of its own",
    files: { "one.json": message("a.b"), "more/two.schema.json": message("c") },
    types: ["a.b", "c"],
    says: ["in: 2 events, distinguished by the field type", "formats ignored: 2 of 2"],
  },
  {
    name: "payloads without a type, by the names of their files; what others refer to is shared",
    files: {
      "order.placed.json": { ...bare("id"), properties: { by: { $ref: "lib/person.json" } } },
      "order.paid.schema.json": bare("id"),
      "lib/person.json": bare("name"),
      "lib/definitions.json": { definitions: { unused: { type: "string" } } },
    },
    types: ["order.paid", "order.placed"],
    says: [
      "distinguished by the file name",
      "wrapped in an envelope",
      "not events, because other files refer to them or they describe no values: 2 files",
      "formats ignored: 2 of 2",
    ],
  },
  {
    name: "files of the same name by the ends of their $ids, and references by $id",
    files: {
      "a/schema.json": { $id: "https://example.com/made.json", ...bare("x") },
      "b/schema.json": {
        $id: "https://example.com/gone.json",
        type: "object",
        properties: { at: { $ref: "https://example.com/time.json" }, near: { $ref: "time.json#" } },
      },
      "c.json": { $id: "https://example.com/time.json", type: "string" },
    },
    types: ["gone", "made"],
    says: ["distinguished by the end of the $id", "formats ignored: 2 of 2"],
  },
  {
    name: "files of the same name without $id by their paths",
    files: { "user/created/schema.json": bare("x"), "user/deleted/schema.json": bare("y") },
    types: ["user.created.schema", "user.deleted.schema"],
    says: ["distinguished by the file path"],
  },
  {
    name: "one event alone, of an old dialect",
    files: { "only.json": { $schema, ...message("only", { n: { items: [{}], additionalItems: false } }) } },
    types: ["only"],
    says: ["in: 1 event, distinguished by the field type", "upgraded to 2020-12", "formats ignored: 1 of 1"],
  },
  {
    name: "a union of several events beside a plain one, and a name that no file can have",
    files: { "many.json": { oneOf: [message("x/started"), message("x/ended")] }, "one.json": message("y") },
    types: ["x.ended", "x.started", "y"],
    says: ['"x/started" is x.started', "wrapped in an envelope", "formats ignored: 3 of 3"],
  },
  {
    name: "a part of a document, behind a #",
    files: { "doc.json": { $schema, definitions: { "Any Event": { anyOf: [message("a"), message("b")] } } } },
    operand: "doc.json#/definitions/Any%20Event",
    types: ["a", "b"],
    says: ["doc.json#/definitions/Any%20Event: 2 events", "formats ignored: 2 of 2"],
  },
];

for (const { name, files, operand = "", types, says } of CASES)
  it(`imports ${name}`, async () => {
    const texts = Object.entries(files).map(([file, each]) => [`in/${file}`, JSON.stringify(each)]);
    const root = folder(Object.fromEntries(texts));
    const out = path.join(root, "schemas");
    const argv = ["import", path.join(root, "in", operand), "--name", "my", "--schemas", out];
    const done = await accrete(argv);
    expect(done).toMatchObject({ exitCode: 0, stderr: "" });
    for (const text of says) expect(done.stdout).toContain(text);
    expect(done.stdout).not.toMatch(/LOST|CHANGED|UNDECIDED/);
    // Where writers may send undeclared fields, they may send exactly what the original accepts.
    const opened = await accrete([...argv, "--force", "--open"]);
    expect(opened.stdout).toMatch(/proven equal to the original, formats ignored: (\d+) of \1 event/);
    expect(opened.stdout).not.toMatch(/LOST|CHANGED|UNDECIDED/);
    expect((await accrete([...argv, "--force"])).stdout).toBe(done.stdout);
    const files_ = readdirSync(path.join(out, "my/v1/events"));
    expect(files_.sort()).toEqual(types.map((type) => `${type}.schema.json`));
    expect((await accrete(["lint", "--schemas", out])).exitCode).toBe(0);
    // Nobody sees a difference between two imports of the same.
    const file = path.join(out, "my/v1/events", files_[0] ?? "");
    const before = readFileSync(file, "utf8");
    expect((await accrete([...argv, "--force"])).exitCode).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(before);
  });

it("says what cannot stay as it was, with a value that shows it", async () => {
  const root = folder({ "in/a.json": '{"properties": {"x": {"type": "string"}}}' });
  const done = await accrete([
    "import",
    path.join(root, "in"),
    "--name",
    "my",
    "--schemas",
    path.join(root, "out"),
  ]);
  expect(done.exitCode).toBe(0);
  expect(done.stdout).toContain("CHANGED a: accepted by the original, now refused by readers: null");
});

const REFUSED: readonly (readonly [what: string, files: { [file: string]: string }, message: RegExp])[] = [
  ["an empty folder", { "readme.md": "" }, /none of its files is the schema of an event/],
  [
    "a broken file",
    { "a.json": JSON.stringify(bare("x")), "b.json": "{\n\n]" },
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
      "a.json": JSON.stringify({ $schema, ...bare("x") }),
      "b.json": '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}',
    },
    /another dialect/,
  ],
];

for (const [what, files, message] of REFUSED)
  it(`refuses ${what}`, async () => {
    const root = folder(
      Object.fromEntries(Object.entries(files).map(([file, text]) => [`in/${file}`, text])),
    );
    const done = await accrete(["import", path.join(root, "in"), "--schemas", path.join(root, "schemas")]);
    expect(done).toMatchObject({ exitCode: 2, stdout: "" });
    expect(done.stderr).toMatch(message);
    expect(readdirSync(root)).toEqual(["in"]);
  });
