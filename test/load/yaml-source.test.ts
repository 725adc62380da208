/** If this fails, schemas in YAML are read as other values than their authors wrote, or their errors have no place. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { type Json, joinPointer } from "../../generator/json.js";
import { isYamlFile, parseByName } from "../../generator/source/yaml-source.js";
import { createTemporaryProject } from "../commands/temporary-project.js";

const parse = (text: string) => parseByName("a.yaml", Buffer.from(text));

function read(text: string) {
  const parsed = parse(text);
  if ("findings" in parsed) throw new Error(parsed.findings[0]?.message);
  return parsed.source;
}

/** Lists the pointers of all values inside of a value. */
function listPointers(value: Json, pointer = ""): string[] {
  if (typeof value !== "object" || value === null) return [pointer];
  return [
    pointer,
    ...Object.entries(value).flatMap(([name, each]) => listPointers(each, joinPointer(pointer, name))),
  ];
}

const getValue = (value: Json, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .reduce<unknown>(
      (inner, name) => (inner as Record<string, unknown>)[name.replaceAll("~1", "/").replaceAll("~0", "~")],
      value,
    );

describe("a YAML file", () => {
  it("has the values of any JSON that was written as YAML, and the texts of its scalars at their places", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 2, 4), (generated, indent) => {
        const value = JSON.parse(JSON.stringify(generated)) as Json;
        const text =
          indent === 0 ? stringify(value, { collectionStyle: "flow" }) : stringify(value, { indent });
        const source = read(text);
        expect(source.document).toEqual(value);
        const lines = text.split("\n");
        for (const pointer of listPointers(value)) {
          const inner = getValue(value, pointer);
          const { line = 0, column = 0 } = source.locate(pointer);
          const rest = [lines[line - 1]?.slice(column - 1), ...lines.slice(line)].join("\n");
          const written = source.getText(pointer) ?? "";
          expect(pointer === "" || rest.startsWith(written)).toBe(true);
          if (typeof inner === "number" || typeof inner === "boolean")
            expect(JSON.parse(written)).toEqual(inner);
        }
      }),
      { numRuns: 200 },
    );
  });

  it.each<[string, Json]>([
    ["200: ok\ntrue: no\n", { "200": "ok", true: "no" }],
    ["a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n  e: 2\n", { a: { b: 1 }, c: { b: 1 }, d: { b: 1, e: 2 } }],
    ["on: yes\nat: 2026-01-01\nempty:\n", { on: "yes", at: "2026-01-01", empty: null }],
    ["%YAML 1.2\n---\na: |\n  x\n  y\n", { a: "x\ny\n" }],
    ["# nothing\n", null],
  ])("%j is %j", (text, value) => {
    expect(read(text).document).toEqual(value);
  });

  it("keeps a member `__proto__` as a member", () => {
    expect(Object.keys(read("__proto__: {a: 1}\n").document as object)).toEqual(["__proto__"]);
  });

  it("has the places of names, of values behind aliases, and of the nearest value around what is absent", () => {
    const source = read("a: &x\n  b: 1\nc: *x\n");
    expect(source.locateKey("/a/b")).toMatchObject({ line: 2, column: 3 });
    expect(source.locate("/c/b")).toMatchObject({ line: 2, column: 6 });
    expect(source.locate("/a/none/deeper")).toMatchObject({ line: 2, column: 3 });
    expect(source.getText("/a/none")).toBeUndefined();
  });

  const laughs = Array.from(
    { length: 12 },
    (_, n) => `a${n}: &a${n} [${Array(10).fill(n === 0 ? "x" : `*a${n - 1}`)}]`,
  );
  it.each<[name: string, text: string, line: number, message: RegExp]>([
    ["a name twice", "a: 1\na: 2\n", 2, /unique/],
    ["an open list", "a: [1\n", 2, /must be sufficiently indented|end with a \]/],
    ["a tab", "a:\n\tb: 1\n", 2, /Tabs/],
    ["two documents", "a: 1\n---\nb: 2\n", 2, /it has several documents\.$/],
    ["a list as a name", "? [a]\n: 1\n", 1, /a name is not a text\.$/],
    ["a tag", "a: !date 1\n", 1, /Unresolved tag/],
    ["an infinite number", "a: .inf\n", 1, /Infinity/],
    ["a value within itself", "a: &x [*x]\n", 1, /deeper than 256/],
    ["many brackets", "[".repeat(20_000), 1, /deeper than 256/],
    ["many brackets that end", `${"[".repeat(300)}${"]".repeat(300)}`, 1, /deeper than 256/],
    ["a million of laughs", laughs.join("\n"), 1, /alias count/],
    ["other bytes", "", 1, /UTF-8/],
  ])("with %s is refused at its place", (name, text, line, message) => {
    const parsed = name === "other bytes" ? parseByName("a.yml", new Uint8Array([0xff])) : parse(text);
    expect("findings" in parsed && parsed.findings[0]).toMatchObject({
      severity: "error",
      message: expect.stringMatching(message),
      at: { file: name === "other bytes" ? "a.yml" : "a.yaml", line },
    });
  });

  it("is known by its name", () => {
    expect(["a.yaml", "b.YML", "a.yaml.json", "yaml"].filter(isYamlFile)).toEqual(["a.yaml", "b.YML"]);
  });
});

const MESSAGES = {
  asyncapi: "3.0.0",
  info: { title: "Users", version: "1.0.0" },
  channels: {
    users: { messages: { joined: { $ref: "messages.yaml#/joined" }, left: { $ref: "messages.yaml#/left" } } },
  },
};
const createMessage = (type: string) => ({
  payload: {
    type: "object",
    required: ["type", "user"],
    properties: { type: { const: type }, user: { type: "string" } },
  },
});
const OTHERS = { joined: createMessage("joined"), left: createMessage("left") };

describe("an import of YAML", () => {
  it("makes the same protocol as one of JSON, also over several files", async () => {
    const fromJson = createTemporaryProject({
      "users.json": JSON.stringify(MESSAGES).replaceAll(".yaml", ".json"),
      "messages.json": JSON.stringify(OTHERS),
    });
    const fromYaml = createTemporaryProject({
      "users.yaml": stringify(MESSAGES),
      "messages.yaml": stringify(OTHERS),
    });
    expect(await fromJson.run("import @/users.json")).toMatchObject({ exitCode: 0 });
    expect(await fromYaml.run("import @/users.yaml")).toMatchObject({ exitCode: 0 });
    for (const file of ["protocol.json", "events/joined.schema.json", "events/left.schema.json"])
      expect(fromYaml.read(`schemas/users/v1/${file}`).replace("users.yaml", "users.json")).toBe(
        fromJson.read(`schemas/users/v1/${file}`),
      );
  });

  it("reads the YAML of a folder without JSON, and diff names the line of a change", async () => {
    const project = createTemporaryProject({
      "events/paid.yaml":
        "type: object\nproperties:\n  type: {const: paid}\n  cents: {type: integer}\nrequired: [type, cents]\n",
      "events/placed.yml": "type: object\nproperties:\n  type: {const: placed}\nrequired: [type]\n",
      "a.yaml": stringify({ oneOf: [OTHERS.joined.payload, OTHERS.left.payload] }),
      "b.yaml": stringify({ oneOf: [OTHERS.joined.payload, OTHERS.left.payload] }).replace(
        "type: string",
        "type: integer",
      ),
    });
    expect((await project.run("import @/events --name shop")).stdout).toContain("events: 2 events");
    const { exitCode, stdout } = await project.run("diff @/a.yaml @/b.yaml");
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/b\.yaml:10:\d+: error /);
    expect(stdout).toMatch(/was \S*a\.yaml:10:\d+/);
  });

  it("names a message that cannot be read, in place of leaving it out", async () => {
    const project = createTemporaryProject({ "users.yaml": stringify(MESSAGES) });
    expect(await project.run("import @/users.yaml")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('the reference "messages.yaml#/joined" does not lead to a message'),
    });
  });

  it("follows equal references in two files to different messages", async () => {
    const channels = { users: { messages: { joined: { $ref: "#/parts/joined" } } } };
    const project = createTemporaryProject({
      "users.yaml": stringify({ ...MESSAGES, channels, parts: { joined: { $ref: "others.yaml#/first" } } }),
      "others.yaml": stringify({ first: { $ref: "#/parts/joined" }, parts: { joined: OTHERS.joined } }),
    });
    expect((await project.run("import @/users.yaml")).stdout).toContain("users.yaml: 1 event,");
  });

  it("says where a file is not YAML", async () => {
    const project = createTemporaryProject({ "a.yaml": "oneOf: [\n" });
    const { exitCode, stderr } = await project.run("import @/a.yaml");
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/a\.yaml:2:1: The file is not YAML/)]);
  });
});
