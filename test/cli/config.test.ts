import path from "node:path";
import { chdir, cwd } from "node:process";
import { describe, expect, it, onTestFinished } from "vitest";
import { folder, put, tinySchemas, tree } from "./folders.js";
import { accrete } from "./run-in-process.js";

const home = cwd();

/** A project with these files, and the current folder in it. */
function project(files: { readonly [file: string]: string }, inside = "."): string {
  const root = folder(files);
  onTestFinished(() => chdir(home));
  put(path.join(root, inside), { ".here": "" });
  chdir(path.join(root, inside));
  return root;
}

const below = (name: string, files: { readonly [file: string]: string }) =>
  Object.fromEntries(Object.entries(files).map(([file, text]) => [`${name}/${file}`, text]));

const TEA = below("schemas", tinySchemas("tea"));
const MILK = below("contracts", tinySchemas("milk"));
const SUGAR = below("elsewhere", tinySchemas("sugar"));
const CONFIG = "accrete.config.json";

/** Which schemas a command line takes, by the protocol that stands there. */
const TAKEN: readonly {
  says: string;
  files: { readonly [file: string]: string };
  inside?: string;
  argv?: string[];
  protocol: string;
}[] = [
  { says: "the default", files: {}, protocol: "tea" },
  { says: "a configuration", files: { [CONFIG]: '{"schemas":"contracts"}' }, protocol: "milk" },
  {
    says: "the member of package.json",
    files: { "package.json": '{"accrete":{"schemas":"./contracts"}}' },
    protocol: "milk",
  },
  {
    says: "a flag before it",
    files: { [CONFIG]: '{"schemas":"contracts"}' },
    argv: ["--schemas", "elsewhere"],
    protocol: "sugar",
  },
  { says: "the one above", files: { [CONFIG]: '{"schemas":"contracts"}' }, inside: "a/b", protocol: "milk" },
  {
    says: "defaults beside the configuration above",
    files: { [CONFIG]: "{}" },
    inside: "a/b",
    protocol: "tea",
  },
  {
    says: "the nearest one",
    files: {
      [CONFIG]: '{"schemas":"contracts"}',
      "a/accrete.config.json": '{"schemas":"../elsewhere"}',
      "a/b/package.json": "{}",
    },
    inside: "a/b",
    protocol: "sugar",
  },
  {
    says: "no inherited member",
    files: { "package.json": '{"__proto__":{"accrete":{"schemas":"contracts"}}}' },
    protocol: "tea",
  },
  {
    says: "nothing of a package.json with a byte order mark",
    files: { "package.json": "\ufeff{}" },
    protocol: "tea",
  },
];

it.each(TAKEN)("the schemas are those of $says", async ({ files, inside, argv = [], protocol }) => {
  project({ ...TEA, ...MILK, ...SUGAR, ...files }, inside);
  const { stdout, stderr } = await accrete(["lint", "--format", "json", ...argv]);
  expect(stderr).toBe("");
  expect(JSON.parse(stdout).summary.protocols).toEqual([`${protocol}/v1`]);
});

const FAULTS: readonly (readonly [
  says: string,
  files: { readonly [file: string]: string },
  stderr: RegExp,
])[] = [
  [
    "an unknown key",
    { [CONFIG]: '{\n "shemas": "x"\n}' },
    /^accrete\.config\.json:2:2: error config-invalid .*did you mean "schemas"\?\n/,
  ],
  [
    "the same in package.json",
    { "package.json": '{"accrete":{"ou":"x"}}' },
    /^package\.json:1:13: error config-invalid .*"ou"/,
  ],
  ["text that is no JSON", { [CONFIG]: "{ schemas }" }, /^accrete\.config\.json:1:3: error json-syntax/],
  ["a package.json that is no JSON", { "package.json": "{" }, /^package\.json:1:2: error json-syntax/],
  [
    "a name that stands twice",
    { [CONFIG]: '{"out":"a","out":"b"}' },
    /^accrete\.config\.json:1:12: error json-duplicate-key/,
  ],
  ["two configurations", { [CONFIG]: "{}", "package.json": '{"accrete":{}}' }, /two configurations in \./],
  ["a folder", { [`${CONFIG}/x`]: "" }, /^accrete: cannot read accrete\.config\.json: it is a folder\n$/],
];

it.each(FAULTS)("refuses %s", async (_says, files, says) => {
  project({ ...TEA, ...files });
  const { exitCode, stdout, stderr } = await accrete(["lint"]);
  expect([exitCode, stdout, stderr]).toEqual([2, "", expect.stringMatching(says)]);
  expect(stderr).not.toMatch(/\n\s+at |unexpected/);
});

it("is not looked at where nothing depends on it", async () => {
  project({ [CONFIG]: "{" });
  expect((await accrete(["explain", "field-renamed"])).exitCode).toBe(0);
});

describe("outputs", () => {
  it("go where the configuration says, those of emit among them, and release expects them there", async () => {
    const config = '{"schemas":"contracts","out":"src/events","fixtures":"examples","emit":["go"]}';
    const root = project({ ...MILK, [CONFIG]: config });
    expect(await accrete(["generate"])).toMatchObject({ exitCode: 0, stderr: "" });
    const files = Object.keys(tree(root));
    expect(files).toContain("src/events/milk/v1/go/events.go");
    expect(tree(root)["src/events/milk/v1/conformance.test.ts"]).toContain('"../../../../examples/milk/v1/"');
    expect(await accrete(["generate", "--check"])).toMatchObject({ exitCode: 0 });
    expect(await accrete(["release", "1.0"])).toMatchObject({ exitCode: 0 });
    expect(Object.keys(tree(root))).toContain("contracts/milk/v1/releases/1.0.json");
  });

  it("of --emit count before those of the configuration, for generate and release alike", async () => {
    const root = project({ ...TEA, [CONFIG]: '{"emit":["go"]}' });
    await accrete(["generate", "--emit", "openapi"]);
    const files = Object.keys(tree(root));
    expect([
      files.includes("generated/tea/v1/openapi.json"),
      files.includes("generated/tea/v1/go/events.go"),
    ]).toEqual([true, false]);
    const refused = await accrete(["release", "1.0"]);
    expect([refused.exitCode, refused.stdout]).toEqual([
      1,
      expect.stringContaining('belong in "emit" of the configuration'),
    ]);
    expect((await accrete(["release", "1.0", "--emit", "openapi"])).exitCode).toBe(0);
  });
});

describe("where there are no schemas", () => {
  const recording = path.join(home, "fixtures/frames/v2/streams/session-and-task.jsonl");

  it.each(["validate", "replay"])("%s takes the protocols that come with accrete", async (command) => {
    project({});
    const { exitCode, stderr } = await accrete([command, recording]);
    expect([exitCode, stderr]).toEqual([0, ""]);
  });

  const NOTE =
    "accrete: note: the folder schemas does not exist; the protocols that come with accrete are used\n";
  it.each([
    ["what is read is of none of them", ["validate", "tea.jsonl"], 1],
    ["a protocol is not one of them", ["validate", "tea.jsonl", "--protocol", "tea/v1"], 2],
    ["a recording cannot be served", ["serve", "tea.jsonl", "--port", "0"], 2],
    ["nothing is named", ["status"], 0],
  ])("that is said where %s", async (_, argv, exitCode) => {
    project({ "tea.jsonl": '{"type":"tea.served"}\n' });
    const got = await accrete(argv).catch((error) => ({ exitCode: 2, stderr: `${NOTE}${error}` }));
    expect(got).toMatchObject({ exitCode, stderr: expect.stringContaining(NOTE) });
  });

  it.each([
    ["validate", 2, /^accrete: The first event/],
    ["replay", 1, /^accrete: hint: The first event/],
  ])(
    "%s names the protocol of accrete that fits, where those of the project do not",
    async (command, exitCode, stderr) => {
      const root = project({ ...TEA, "tea.jsonl": '{"type":"tea.served","data":{}}\n' });
      const got = await accrete([command, recording]);
      expect(got).toMatchObject({ exitCode, stderr: expect.stringMatching(stderr) });
      expect(got.stderr).toContain("is one of frames/v2, which comes with accrete");
      if (command === "validate") expect(got.stdout).toBe("");
      const [, schemas = ""] = /`--schemas (\S+)`/.exec(got.stderr) ?? [];
      expect((await accrete([command, recording, "--schemas", schemas])).exitCode).toBe(0);
      expect((await accrete([command, path.join(root, "tea.jsonl")])).stderr).not.toContain("hint");
    },
  );

  it("serve takes the recordings that come with it as well", async () => {
    project({});
    const { exitCode, stdout } = await accrete(["serve", "--port", "0"]);
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/^Serving \d+ runs of [3-9] protocols at /),
    ]);
  });

  it.each([
    ["a flag", ["--schemas", "none"], {}],
    ["a configuration", [], { [CONFIG]: '{"schemas":"none"}' }],
  ])("%s that names none is an error", async (_says, argv, files) => {
    project(files);
    const { exitCode, stderr } = await accrete(["validate", recording, ...argv]);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/^accrete: The schemas folder none does not exist/),
    ]);
  });

  it("commands that would write or judge schemas do not", async () => {
    const root = project({});
    for (const command of ["lint", "generate", "compat", "changelog"])
      expect(await accrete([command])).toMatchObject({
        exitCode: 2,
        stderr: expect.stringMatching(/schemas does not exist/),
      });
    expect(Object.keys(tree(root))).toEqual([".here"]);
  });
});

it("init makes the folders that the configuration names", async () => {
  const root = project({
    [CONFIG]: '{"schemas":"contracts","fixtures":"examples","out":"gen"}',
    "package.json": "{}",
  });
  expect(await accrete(["init", "--name", "tea"])).toMatchObject({ exitCode: 0 });
  const files = Object.keys(tree(root));
  for (const file of [
    "contracts/tea/v1/protocol.json",
    "examples/tea/v1/streams/two-notes.jsonl",
    "gen/package.json",
  ])
    expect(files).toContain(file);
  for (const command of ["lint", "generate"]) expect(await accrete([command])).toMatchObject({ exitCode: 0 });
});

it("import makes protocols where the configuration says they are", async () => {
  const branch = (type: string): object => ({
    type: "object",
    properties: { type: { const: type } },
    required: ["type"],
  });
  const union = JSON.stringify({ oneOf: [branch("tree.felled"), branch("tree.planted")] });
  const root = project({ [CONFIG]: '{"schemas":"contracts"}', "union.json": union });
  expect(await accrete(["import", "union.json", "--name", "trees"])).toMatchObject({ exitCode: 0 });
  expect(Object.keys(tree(root))).toContain("contracts/trees/v1/protocol.json");
});
