/** If this fails, `accrete diff` misses a break in somebody else's schemas, or names another place than the one in their files. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it, vi } from "vitest";
import { readContract } from "../../generator/diff/read-contract.js";
import type { Json, JsonObject } from "../../generator/json.js";
import { runAccrete } from "../commands/run-in-process.js";
import { writeTea } from "../compat/tea.js";
import { createTemporaryFolder } from "../folders.js";

/** The schema of an event with a `data` object, one part per line. */
function createEvent(type: string, fields: readonly string[], required = fields): Json {
  const properties = Object.fromEntries(fields.map((name) => [name, { type: "number" }]));
  return {
    type: "object",
    properties: {
      type: { const: type },
      data: { type: "object", properties, required, additionalProperties: false },
    },
    required: ["type", "data"],
    additionalProperties: false,
  };
}

const DRAFT_7 = "http://json-schema.org/draft-07/schema#";

/** A union in the form of @github/copilot: a definition with an anyOf. */
function createUnion(...events: readonly Json[]): string {
  const schema = {
    $schema: DRAFT_7,
    $ref: "#/definitions/Event",
    definitions: { Event: { anyOf: events } },
  };
  return JSON.stringify(schema, undefined, 2);
}

const STARTED = createEvent("run.started", ["at"]);
const BASELINE = createUnion(STARTED, createEvent("usage", ["input"]));
const RENAMED = createUnion(STARTED, createEvent("usage", ["inputTokens"]));

async function diff(baseline: string, current: string) {
  const { stdout, stderr, exitCode } = await runAccrete(["diff", baseline, current, "--format", "json"]);
  const { findings = [], summary = {} } = stdout === "" ? {} : JSON.parse(stdout);
  return { findings, summary, stderr, exitCode };
}

function getLine(text: string, part: string): number {
  return text.slice(0, text.indexOf(part)).split("\n").length;
}

describe("accrete diff of two schemas", () => {
  it("compares two schemas of one message each, whatever their files are called", async () => {
    const message = (max: number): string =>
      JSON.stringify({ type: "object", properties: { ms: { type: "number", maximum: max } } });
    const root = createTemporaryFolder({ "settings-1.json": message(9), "settings-2.json": message(5) });
    const [before, after] = ["settings-1.json", "settings-2.json"].map((file) => path.join(root, file));
    const { findings } = await diff(before ?? "", after ?? "");
    expect(findings).toMatchObject([
      { rule: "bound-tightened", breaks: ["every event whose payload.ms is more than 5"] },
    ]);
  });

  it("tells events of the baseline from new ones", async () => {
    const message = (type: string): string =>
      JSON.stringify({ type: "object", properties: { ms: { type } }, required: ["ms"] });
    const root = createTemporaryFolder({ "old.json": message("string"), "new.json": message("boolean") });
    const { findings } = await diff(path.join(root, "old.json"), path.join(root, "new.json"));
    expect(findings).toMatchObject([{ rule: "type-changed", breaks: ["every event", "every new event"] }]);
  });

  it("reports as undecided what is not compared within the time limit", async () => {
    const root = createTemporaryFolder({ "old.json": BASELINE, "new.json": RENAMED });
    const operands = [path.join(root, "old.json"), path.join(root, "new.json")];
    const { stdout, exitCode } = await runAccrete(["diff", ...operands, "--time-limit", "0.000001"]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain("Not proven: the time limit of 0.000001 s is over.");
    const { stderr } = await runAccrete(["diff", ...operands, "--time-limit", "soon"]);
    expect(stderr).toContain("It must be a number above 0.");
  });

  it("shows on a terminal how many questions were asked, and removes the line before the report", async () => {
    const root = createTemporaryFolder({ "old.json": BASELINE, "new.json": RENAMED });
    const operands = [path.join(root, "old.json"), path.join(root, "new.json")];
    let seconds = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => 1000 * seconds++);
    const printed: string[] = [];
    const print = (text: string): void => void printed.push(text);
    const show = async (showsProgress: boolean): Promise<string> => {
      await runAccrete(["diff", ...operands], "", { showsProgress, stdout: print, stderr: print });
      return printed.splice(0).join("");
    };
    try {
      const lines = (await show(true)).split("\r\u001b[K").filter((line) => line !== "");
      const report = lines.pop();
      expect(lines[0]).toMatch(/^1 question, \d+ s$/);
      expect(lines.at(-1)).toMatch(/^\d+ questions?, \d+ s$/);
      expect(report).toBe(await show(false));
    } finally {
      clock.mockRestore();
    }
  });

  it("says which events break, and describes them by schemas on demand", async () => {
    const optional = createUnion(STARTED, createEvent("usage", ["input", "ms"], ["input"]));
    const current = createUnion(STARTED, createEvent("usage", ["input", "ms"]));
    const root = createTemporaryFolder({ "old.json": optional, "new.json": current });
    const operands = [path.join(root, "old.json"), path.join(root, "new.json")];
    const { stdout: text } = await runAccrete(["diff", ...operands]);
    expect(text).toContain("    breaks every event without data.ms\n");
    expect(text).not.toContain("difference");
    const { stdout } = await runAccrete(["diff", ...operands, "--difference", "--format", "json"]);
    const [{ witness, breaks, differences }] = JSON.parse(stdout).findings;
    expect(breaks).toEqual(["every event without data.ms"]);
    const isBroken = new Ajv2020().compile(differences[0]);
    expect(isBroken(witness)).toBe(true);
    expect(isBroken({ ...witness, data: { ...witness.data, ms: 1 } })).toBe(false);
    const { stdout: withSchemas } = await runAccrete(["diff", ...operands, "--difference"]);
    expect(withSchemas).toContain("    difference {");
  });

  it("names a rename at its lines in both files, with events that show it", async () => {
    const root = createTemporaryFolder({ "old.json": BASELINE, "new.json": RENAMED });
    const { findings, exitCode } = await diff(path.join(root, "old.json"), path.join(root, "new.json"));
    expect(exitCode).toBe(1);
    expect(findings).toMatchObject([
      {
        rule: "field-renamed",
        at: { file: path.join(root, "new.json"), line: getLine(RENAMED, '"inputTokens"') },
        baseline: { file: path.join(root, "old.json"), line: getLine(BASELINE, '"input"') },
        witness: { type: "usage", data: { input: 0 } },
        opposite: { type: "usage", data: { inputTokens: 0 } },
      },
    ]);
  });

  it("compares schemas that require an undeclared field, and says that it took any value for it", async () => {
    const createBroken = (field: string) =>
      createUnion(STARTED, createEvent("usage", [field], [field, "version"]));
    const root = createTemporaryFolder({
      "old.json": createBroken("input"),
      "new.json": createBroken("inputTokens"),
    });
    const operands = [path.join(root, "old.json"), path.join(root, "new.json")] as const;
    const { findings } = await diff(...operands);
    expect(findings).toMatchObject([
      { rule: "field-renamed", witness: { data: { input: 0, version: null } } },
    ]);
    const { stderr } = await runAccrete(["diff", ...operands]);
    const message = 'The field "version" is required but not declared. Any value was taken for it.';
    expect(stderr.trim().split("\n")).toEqual(operands.map((operand) => `${operand}: ${message}`));
  });

  it("names a field that became required, at its place below a pointer", async () => {
    const optional = createUnion(STARTED, createEvent("done", ["summary"], []));
    const required = createUnion(STARTED, createEvent("done", ["summary"]));
    const root = createTemporaryFolder({ "old.json": optional, "new.json": required });
    const { findings } = await diff(
      path.join(root, "old.json#/definitions/Event"),
      path.join(root, "new.json#/definitions/Event"),
    );
    expect(findings).toMatchObject([
      {
        rule: "field-became-required",
        at: { pointer: "/definitions/Event/anyOf/1/properties/data/required/0" },
        witness: { type: "done", data: {} },
      },
    ]);
  });

  it("counts additions and finds nothing else", async () => {
    const extended = createUnion(STARTED, createEvent("usage", ["input", "output"], ["input"]), {
      ...(createEvent("extra", []) as object),
    });
    const root = createTemporaryFolder({ "old.json": BASELINE, "new.json": extended });
    const { findings, summary, exitCode } = await diff(
      path.join(root, "old.json"),
      path.join(root, "new.json"),
    );
    expect({ findings, exitCode }).toEqual({ findings: [], exitCode: 0 });
    expect(summary.additions).toHaveLength(2);
  });

  it("compares an event whose name is that of the union", async () => {
    const root = createTemporaryFolder({
      "old.json": createUnion(STARTED, createEvent("contract", ["id"])),
      "new.json": createUnion(STARTED, createEvent("contract", [])),
    });
    const { findings } = await diff(path.join(root, "old.json"), path.join(root, "new.json"));
    expect(findings).toMatchObject([{ rule: "field-removed-required" }]);
  });

  it("compares the fields of other events if one event got a second form", async () => {
    const ended = createEvent("ended", []);
    const root = createTemporaryFolder({
      "old.json": createUnion(
        STARTED,
        ended,
        createEvent("usage", ["input"]),
        createEvent("source", ["url"]),
      ),
      "new.json": createUnion(
        STARTED,
        ended,
        createEvent("usage", ["inputTokens"]),
        createEvent("source", ["url"]),
        createEvent("source", ["file"]),
      ),
    });
    const { findings } = await diff(path.join(root, "old.json"), path.join(root, "new.json"));
    expect(findings.map(({ rule, events }: JsonObject) => [rule, events])).toEqual([
      ["branches-changed", ["source"]],
      ["field-renamed", ["usage"]],
    ]);
  });

  it("compares a single schema that is not a union", async () => {
    const root = createTemporaryFolder({
      "old.json": JSON.stringify(createEvent("usage", ["input"])),
      "new.json": JSON.stringify(createEvent("usage", ["input", "output"])),
    });
    const { findings } = await diff(path.join(root, "old.json"), path.join(root, "new.json"));
    expect(findings).toMatchObject([{ rule: "field-added-required" }]);
  });

  it("compares two folders with one event per file, and names the file of a definition", async () => {
    const files = (unit: string): { [name: string]: string } => ({
      "started.json": JSON.stringify({
        type: "object",
        properties: { type: { const: "started" }, size: { $ref: "shared/size.json" } },
        required: ["type"],
      }),
      "stopped.json": JSON.stringify(createEvent("stopped", [])),
      "shared/size.json": JSON.stringify({ enum: ["small", unit] }),
    });
    const old = createTemporaryFolder(files("large"));
    const current = createTemporaryFolder(files("huge"));
    const { findings } = await diff(old, current);
    expect(findings.map(({ rule }: { rule: string }) => rule)).toContain("enum-value-added-closed");
    expect(findings[0].at.file).toBe(path.join(current, "shared/size.json"));
  });
});

describe("accrete diff of revisions and packages", () => {
  function git(cwd: string, ...args: string[]): void {
    const who = [
      "-c",
      "user.name=Test",
      "-c",
      "user.email=test@example.com",
      "-c",
      "init.defaultBranch=main",
    ];
    execFileSync("git", [...who, ...args], { cwd, stdio: "pipe" });
  }

  function commitAll(root: string): void {
    git(root, "init", "--quiet");
    git(root, "add", ".");
    git(root, "commit", "--quiet", "-m", "one");
  }

  it.each(["git:HEAD:api/events.json", "git:HEAD:./events.json", "git:HEAD:api"])(
    "reads %s",
    async (name) => {
      const root = createTemporaryFolder({ "api/events.json": BASELINE });
      git(root, "init", "--quiet");
      git(root, "add", ".");
      git(root, "commit", "--quiet", "-m", "one");
      writeFileSync(path.join(root, "api/events.json"), RENAMED);
      const { stdout } = await runInFolder(path.join(root, "api"), [
        "diff",
        name,
        name.endsWith("api") ? "." : "events.json",
      ]);
      expect(stdout).toContain('"input" was renamed to "inputTokens"');
      expect(stdout).toContain("was git:HEAD:api/events.json:");
    },
  );

  it("names a damaged file of a revision without its temporary copy", async () => {
    const root = createTemporaryFolder({ "broken.json": "{", "one.json": BASELINE });
    commitAll(root);
    const { stderr, exitCode } = await runInFolder(root, ["diff", "git:HEAD:broken.json", "one.json"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("git:HEAD:broken.json:1:");
    expect(stderr).not.toContain("accrete-diff-");
  });

  it("reads a file of an npm package, and names it as the package does", async () => {
    const root = createTemporaryFolder({
      "package-source/package.json": '{"name":"their-agent","version":"1.0.0"}',
      "package-source/schemas/events.json": BASELINE,
    });
    mkdirSync(path.join(root, "into"));
    const origin = { kind: "npm", package: path.join(root, "package-source") } as const;
    const { side } = await readContract(
      {
        label: "npm:their-agent@1:schemas/events.json",
        origin,
        path: "schemas/events.json",
        fragment: undefined,
        folder: root,
      },
      path.join(root, "into"),
    );
    const [, usage] = side.protocol.events;
    expect(usage?.type).toBe("usage");
    expect(side.locate(usage?.at.file ?? "", "/properties/data/properties/input", "name")).toMatchObject({
      file: "npm:their-agent@1.0.0:schemas/events.json",
      line: getLine(BASELINE, '"input"'),
    });
  });
});

describe("accrete diff of protocols", () => {
  const text = { type: "string", description: "Which." };
  const withField = (properties: { [name: string]: object }) => ({
    "events/tea.served.schema.json": JSON.parse(JSON.stringify({ properties })),
  });

  it("compares two protocol folders without their releases, tombstones and waivers", async () => {
    const old = writeTea(createTemporaryFolder(), withField({ sort: text }));
    const current = writeTea(createTemporaryFolder(), withField({}));
    const { findings, exitCode } = await diff(old, current);
    expect(exitCode).toBe(1);
    expect(findings).toMatchObject([{ rule: "field-removed-optional", waivable: false }]);
    expect(JSON.stringify(findings)).not.toContain("--waive");
  });
});

describe("accrete diff with wrong operands", () => {
  it.each([
    [["one.json"], "Name two contracts"],
    [["one.json", "one.json", "one.json"], "Name two contracts"],
    [["missing.json", "one.json"], "missing.json is not a readable file or folder"],
    [["git:HEAD", "one.json"], '"git:HEAD" names no file or folder; write git:REF:PATH.'],
    [["npm:../x:y", "one.json"], "is not an npm package"],
    [["one.json#/definitions/None", "one.json"], "does not lead to a schema"],
    [["broken.json", "one.json"], "broken.json:1:"],
    [["alike.json", "one.json"], "cannot be distinguished: they have no required field"],
    [["texts", "one.json"], "texts: the message text is never an object. An event must be one."],
    [["recorded.jsonl", "one.json"], "no field names the event type"],
  ])("explains %j", async (operands, message) => {
    const root = createTemporaryFolder({
      "one.json": BASELINE,
      "broken.json": "{",
      "alike.json": '{"anyOf":[{"type":"object"},{"type":"object","properties":{}}]}',
      "texts/text.json": '{"anyOf":[{"type":"string"},{"type":"number"}]}',
      "recorded.jsonl": '{"a":1}\n',
    });
    const { stderr, exitCode } = await runInFolder(root, ["diff", ...operands]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
    // `diff` does not have this option of `import`.
    expect(stderr).not.toContain("--discriminator");
  });
});

it.each<[name: string, condition: JsonObject]>([
  ["one of two fields", { anyOf: [{ required: ["a"] }, { required: ["b"] }] }],
  ["exactly one of two fields", { oneOf: [{ required: ["a"] }, { required: ["b"] }] }],
  [
    "bounds that depend on each other",
    { anyOf: [{ properties: { a: { minimum: 1 } } }, { required: ["b"] }] },
  ],
  ["a condition in allOf", { allOf: [{ anyOf: [{ required: ["a"] }, { required: ["b"] }] }] }],
  ["if and then in allOf", { allOf: [{ if: { required: ["a"] }, then: { required: ["b"] }, else: false }] }],
])("compares an object with a condition at its root as one event: %s", async (_name, condition) => {
  const plain = {
    type: "object",
    properties: { type: { const: "sent" }, a: { type: "integer" }, b: { type: "string" } },
    required: ["type"],
  };
  const root = createTemporaryFolder({
    "plain.json": JSON.stringify(plain),
    "conditional.json": JSON.stringify({ ...plain, ...condition }),
  });
  const [free, bound] = ["plain.json", "conditional.json"].map((file) => path.join(root, file));
  const narrowed = await diff(free ?? "", bound ?? "");
  expect(narrowed).toMatchObject({ exitCode: 1, stderr: "", summary: { errors: 1 } });
  const ajv = new Ajv2020({ strict: false });
  const validate = [plain, { ...plain, ...condition }].map((schema) =>
    ajv.validate(schema, narrowed.findings[0].witness),
  );
  expect(validate).toEqual([true, false]);
});

it("compares the schema of one object, which is named by its file", async () => {
  const [old = "", now = ""] = ["number", "boolean"].map((type) =>
    JSON.stringify({ properties: { x: { type } } }),
  );
  const root = createTemporaryFolder({ "old/value.json": old, "new/value.json": now });
  const { stdout } = await runInFolder(root, ["diff", "old/value.json", "new/value.json"]);
  expect(stdout).toContain("error type-changed");
  expect(stdout).toContain("value: ");
});

describe("accrete diff of schemas that refer to each other by $id", () => {
  const ORIGIN = "https://shop.example";
  const createOrder = ($ref: string, type: string, $id = `${ORIGIN}/2.0/schema/order.json`): JsonObject => ({
    $id,
    properties: { type: { const: type }, links: { $ref } },
    required: ["type", "links"],
  });
  const createLinks = (items: string): JsonObject => ({
    $id: `${ORIGIN}/2.0/schema/links/list`,
    type: "array",
    items: { $ref: items },
  });
  const createLink = (type: string): JsonObject => ({ $id: `${ORIGIN}/2.0/schema/links/link`, type });

  /** Two versions of the same files, which differ in the type of a link. */
  const VERSIONS: readonly [
    name: string,
    create: (type: string) => { readonly [file: string]: JsonObject },
  ][] = [
    [
      "the $id of another file",
      (type) => ({
        "order.json": createOrder("links/list", "order"),
        "refund.json": createOrder("links/list", "refund"),
        "parts/a.json": createLinks("link"),
        "parts/b.json": createLink(type),
      }),
    ],
    [
      "the end of the $id of another file",
      (type) => ({
        "order.json": createOrder("/schema/links/list.json", "order"),
        "refund.json": createOrder("/schema/links/list.json", "refund"),
        "parts/a.json": createLinks("/schema/links/link.json"),
        "parts/b.json": createLink(type),
      }),
    ],
    [
      "the $id of a part of the same file",
      (type) => ({
        "events.json": {
          ...createOrder("links/list", "order"),
          $defs: { list: createLinks("./link"), [`${ORIGIN}/2.0/schema/links/link`]: createLink(type) },
        },
      }),
    ],
  ];

  it.each(VERSIONS)("finds the schema by %s", async (_name, createFiles) => {
    const write = (folder: string, type: string) =>
      Object.entries(createFiles(type)).map(([file, schema]) => [
        `${folder}/${file}`,
        JSON.stringify(schema),
      ]);
    const root = createTemporaryFolder(
      Object.fromEntries([...write("old", "string"), ...write("new", "number")]),
    );
    const { stdout, stderr } = await runInFolder(root, ["diff", "old", "new"]);
    expect(stderr).not.toContain("does not lead");
    expect(stdout).toContain("error type-changed");
    expect(stdout).toContain("1 error,");
  });

  it("refuses an end that two files have", async () => {
    const files = {
      "old/order.json": createOrder("/schema/links/list.json", "order"),
      "old/a.json": createLinks("#"),
      "old/b.json": { ...createLinks("#"), $id: `${ORIGIN}/1.0/schema/links/list` },
    };
    const root = createTemporaryFolder(
      Object.fromEntries(Object.entries(files).map(([file, schema]) => [file, JSON.stringify(schema)])),
    );
    const { stderr } = await runInFolder(root, ["diff", "old", "old"]);
    expect(stderr).toContain("does not lead to a schema: no file of the folder has this path or this $id.");
  });
});

/** Runs the command line with `folder` as the current folder. */
async function runInFolder(folder: string, argv: readonly string[]) {
  const before = process.cwd();
  process.chdir(folder);
  try {
    return await runAccrete(argv);
  } finally {
    process.chdir(before);
  }
}
