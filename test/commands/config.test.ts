/** If this fails, commands read schemas or write outputs in other folders than the configuration names. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { chdir, cwd } from "node:process";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTemporaryFolder, createTinySchemas, readTree, writeFiles } from "../folders.js";
import { runAccrete } from "./run-in-process.js";

const initialFolder = cwd();

/** Creates a project with these files, and makes `subfolder` of it the current folder. */
function createProject(files: { readonly [file: string]: string }, subfolder = "."): string {
  const root = createTemporaryFolder(files);
  onTestFinished(() => chdir(initialFolder));
  writeFiles(path.join(root, subfolder), { ".here": "" });
  chdir(path.join(root, subfolder));
  return root;
}

const prefixPaths = (name: string, files: { readonly [file: string]: string }) =>
  Object.fromEntries(Object.entries(files).map(([file, text]) => [`${name}/${file}`, text]));

const TEA = prefixPaths("schemas", createTinySchemas("tea"));
const MILK = prefixPaths("contracts", createTinySchemas("milk"));
const SUGAR = prefixPaths("elsewhere", createTinySchemas("sugar"));
const CONFIG = "accrete.config.json";

const IN_CONTRACTS = { [CONFIG]: '{"schemas":"contracts"}' };

/** The files of a project, its current folder, a command line, and the protocol that it reads. */
const CHOICES: readonly (readonly [
  about: string,
  files: { readonly [file: string]: string },
  subfolder: string,
  line: string,
  protocol: string,
])[] = [
  ["the default folder", {}, ".", "lint", "tea"],
  ["a configuration", IN_CONTRACTS, ".", "lint", "milk"],
  ["package.json", { "package.json": '{"accrete":{"schemas":"./contracts"}}' }, ".", "lint", "milk"],
  ["an option instead of the configuration", IN_CONTRACTS, ".", "lint --schemas elsewhere", "sugar"],
  ["a configuration in a parent folder", IN_CONTRACTS, "a/b", "lint", "milk"],
  ["the default folder next to a configuration in a parent folder", { [CONFIG]: "{}" }, "a/b", "lint", "tea"],
  [
    "the nearest configuration",
    { ...IN_CONTRACTS, [`a/${CONFIG}`]: '{"schemas":"../elsewhere"}', "a/b/package.json": "{}" },
    "a/b",
    "lint",
    "sugar",
  ],
  [
    "the default folder, although a prototype has a configuration",
    { "package.json": '{"__proto__":{"accrete":{"schemas":"contracts"}}}' },
    ".",
    "lint",
    "tea",
  ],
  [
    "the default folder, although package.json has a byte order mark",
    { "package.json": "\ufeff{}" },
    ".",
    "lint",
    "tea",
  ],
];

it.each(CHOICES)("reads the schemas of %s", async (_about, files, subfolder, line, protocol) => {
  createProject({ ...TEA, ...MILK, ...SUGAR, ...files }, subfolder);
  const { stdout, stderr } = await runAccrete([...line.split(" "), "--format", "json"]);
  expect(stderr).toBe("");
  expect(JSON.parse(stdout).summary.protocols).toEqual([`${protocol}/v1`]);
});

/** Files with an invalid configuration, and a pattern of the message. */
const INVALID_CONFIGS: readonly (readonly [files: { readonly [file: string]: string }, stderr: RegExp])[] = [
  [
    { [CONFIG]: '{\n "shemas": "x"\n}' },
    /^accrete\.config\.json:2:2: error config-invalid .*did you mean "schemas"\?\n/,
  ],
  [{ "package.json": '{"accrete":{"ou":"x"}}' }, /^package\.json:1:13: error config-invalid .*"ou"/],
  [{ [CONFIG]: "{ schemas }" }, /^accrete\.config\.json:1:3: error json-syntax/],
  [{ "package.json": "{" }, /^package\.json:1:2: error json-syntax/],
  [{ [CONFIG]: '{"out":"a","out":"b"}' }, /^accrete\.config\.json:1:12: error json-duplicate-key/],
  [{ [CONFIG]: "{}", "package.json": '{"accrete":{}}' }, /two configurations in \./],
  [{ [`${CONFIG}/x`]: "" }, /^accrete: cannot read accrete\.config\.json: it is a folder\n$/],
];

it.each(INVALID_CONFIGS)("refuses the configuration %j", async (files, message) => {
  createProject({ ...TEA, ...files });
  const { exitCode, stdout, stderr } = await runAccrete(["lint"]);
  expect([exitCode, stdout, stderr]).toEqual([2, "", expect.stringMatching(message)]);
  expect(stderr).not.toMatch(/\n\s+at |unexpected/);
});

it("explain ignores a broken configuration", async () => {
  createProject({ [CONFIG]: "{" });
  expect((await runAccrete(["explain", "field-renamed"])).exitCode).toBe(0);
});

describe("outputs", () => {
  it("are written to the folder that the configuration names, and release accepts them there", async () => {
    const config = '{"schemas":"contracts","out":"src/events","fixtures":"examples","emit":["go"]}';
    const root = createProject({ ...MILK, [CONFIG]: config });
    expect(await runAccrete(["generate"])).toMatchObject({ exitCode: 0, stderr: "" });
    const files = Object.keys(readTree(root));
    expect(files).toContain("src/events/milk/v1/go/events.go");
    expect(readTree(root)["src/events/milk/v1/conformance.test.ts"]).toContain(
      '"../../../../examples/milk/v1/"',
    );
    expect(await runAccrete(["generate", "--check"])).toMatchObject({ exitCode: 0 });
    expect(await runAccrete(["release", "1.0"])).toMatchObject({ exitCode: 0 });
    expect(Object.keys(readTree(root))).toContain("contracts/milk/v1/releases/1.0.json");
  });

  it("of --emit replace those of the configuration, for generate and release", async () => {
    const root = createProject({ ...TEA, [CONFIG]: '{"emit":["go"]}' });
    await runAccrete(["generate", "--emit", "openapi"]);
    const files = Object.keys(readTree(root));
    expect([
      files.includes("generated/tea/v1/openapi.json"),
      files.includes("generated/tea/v1/go/events.go"),
    ]).toEqual([true, false]);
    const refused = await runAccrete(["release", "1.0"]);
    expect([refused.exitCode, refused.stdout]).toEqual([
      1,
      expect.stringContaining('belong in "emit" of the configuration'),
    ]);
    expect((await runAccrete(["release", "1.0", "--emit", "openapi"])).exitCode).toBe(0);
  });

  it("of several --emit add up", async () => {
    const root = createProject(TEA);
    await runAccrete(["generate", "--emit", "openapi, vectors", "--emit", "go"]);
    const outputs = ["openapi.json", "vectors.jsonl", "go/events.go"].map(
      (file) => `generated/tea/v1/${file}`,
    );
    expect(Object.keys(readTree(root))).toEqual(expect.arrayContaining(outputs));
  });
});

const recording = path.join(initialFolder, "fixtures/frames/v2/streams/session-and-task.jsonl");

describe("a project without schemas", () => {
  it.each(["validate", "replay"])("%s uses the protocols that come with accrete", async (command) => {
    createProject({});
    const { exitCode, stderr } = await runAccrete([command, recording]);
    expect([exitCode, stderr]).toEqual([0, ""]);
  });

  const NOTE =
    "accrete: note: the folder schemas does not exist; the protocols that come with accrete are used\n";
  it.each([
    ["`validate` with an event of an unknown protocol", ["validate", "tea.jsonl"], 1],
    [
      "`validate --protocol` with a protocol that does not come with accrete",
      ["validate", "tea.jsonl", "--protocol", "tea/v1"],
      2,
    ],
    ["`serve` with an event of an unknown protocol", ["serve", "tea.jsonl", "--port", "0"], 2],
    ["`status` without arguments", ["status"], 0],
  ])("prints a note about the missing folder for %s", async (_, argv, exitCode) => {
    createProject({ "tea.jsonl": '{"type":"tea.served"}\n' });
    const got = await runAccrete(argv);
    expect(got).toMatchObject({ exitCode, stderr: expect.stringContaining(NOTE) });
  });

  it("serve also uses the recordings that come with accrete", async () => {
    createProject({});
    const { exitCode, stdout } = await runAccrete(["serve", "--port", "0"]);
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/^Serving \d+ runs of [3-9] protocols at /),
    ]);
  });

  it.each([
    ["an option", ["--schemas", "none"], {}],
    ["a configuration", [], { [CONFIG]: '{"schemas":"none"}' }],
  ])("refuses %s that names a missing folder", async (_about, argv, files) => {
    createProject(files);
    const { exitCode, stderr } = await runAccrete(["validate", recording, ...argv]);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/^accrete: The schemas folder none does not exist/),
    ]);
  });

  it("commands about schemas refuse to run", async () => {
    const root = createProject({});
    for (const command of ["lint", "generate", "compat", "changelog"])
      expect(await runAccrete([command])).toMatchObject({
        exitCode: 2,
        stderr: expect.stringMatching(/schemas does not exist/),
      });
    expect(Object.keys(readTree(root))).toEqual([".here"]);
  });
});

describe("a recording of a bundled protocol in a project with other schemas", () => {
  it.each([
    ["validate", []],
    ["replay", []],
    ["redact", []],
    ["serve", ["--port", "0"]],
  ])("is refused by %s, which names its schemas", async (command, options) => {
    const root = createProject({ ...TEA, "tea.jsonl": '{"type":"tea.served","data":{}}\n' });
    const got = await runAccrete([command, recording, ...options]);
    expect(got).toMatchObject({ exitCode: 2, stdout: "" });
    expect(got.stderr).toMatch(
      /^accrete: The first event of \S+ is one of frames\/v2, which comes with accrete/,
    );
    const [, schemas = ""] = /`--schemas (\S+)`/.exec(got.stderr) ?? [];
    expect((await runAccrete([command, recording, ...options, "--schemas", schemas])).exitCode).toBe(0);
    const own = await runAccrete([command, path.join(root, "tea.jsonl"), ...options]);
    expect(own.stderr).not.toContain("comes with accrete");
  });

  it.each([
    ["validate", []],
    ["replay", []],
    ["serve", ["--port", "0"]],
  ])("is refused by %s on standard input, too", async (command, options) => {
    createProject({ ...TEA });
    const stdin = readFileSync(recording, "utf8");
    const got = await runAccrete([command, "-", ...options], stdin);
    expect(got).toMatchObject({ exitCode: 2, stdout: "" });
    expect(got.stderr).toMatch(
      /^accrete: The first event of standard input is one of frames\/v2, which comes/,
    );
    const [, schemas = ""] = /`--schemas (\S+)`/.exec(got.stderr) ?? [];
    const again = await runAccrete([command, "-", ...options, "--schemas", schemas], stdin);
    expect(again.exitCode).toBe(0);
    const own = await runAccrete([command, "-", ...options], '{"type":"tea.served","data":{}}\n');
    expect(own.stderr).not.toContain("comes with accrete");
  });

  it.each([["validate", "--url"], ["replay"]])(
    "gets a hint from %s if a URL sends it",
    async (...command) => {
      createProject({ ...TEA });
      const server = createServer((_, response) => {
        response.setHeader("content-type", "application/json");
        response.end(
          `{"object":"list","data":[${readFileSync(recording, "utf8").trim().split("\n").join(",")}]}`,
        );
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      onTestFinished(() => void server.close());
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
      const waitForStopSignal = () => new Promise<void>(() => {});
      const got = await runAccrete([...command, url], "", { waitForStopSignal });
      expect(got.stderr).toMatch(
        /accrete: hint: The first event of http\S+ is one of frames\/v2, which comes/,
      );
    },
  );

  it("is refused by redact among several recordings, and none of them is written", async () => {
    const root = createProject({ ...TEA, "tea.jsonl": '{"type":"tea.served","data":{}}\n' });
    const got = await runAccrete(["redact", path.join(root, "tea.jsonl"), recording, "--out", "clean"]);
    expect(got).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("is one of frames/v2") });
    expect(Object.keys(readTree(root))).not.toContain("clean/tea.jsonl");
  });
});

it("init creates the folders that the configuration names", async () => {
  const root = createProject({
    [CONFIG]: '{"schemas":"contracts","fixtures":"examples","out":"gen"}',
    "package.json": "{}",
  });
  expect(await runAccrete(["init", "--name", "tea"])).toMatchObject({ exitCode: 0 });
  const files = Object.keys(readTree(root));
  for (const file of [
    "contracts/tea/v1/protocol.json",
    "examples/tea/v1/streams/two-notes.jsonl",
    "gen/package.json",
  ])
    expect(files).toContain(file);
  for (const command of ["lint", "generate"])
    expect(await runAccrete([command])).toMatchObject({ exitCode: 0 });
});

it("import creates protocols in the folder that the configuration names", async () => {
  const branch = (type: string): object => ({
    type: "object",
    properties: { type: { const: type } },
    required: ["type"],
  });
  const union = JSON.stringify({ oneOf: [branch("tree.felled"), branch("tree.planted")] });
  const root = createProject({ [CONFIG]: '{"schemas":"contracts"}', "union.json": union });
  expect(await runAccrete(["import", "union.json", "--name", "trees"])).toMatchObject({ exitCode: 0 });
  expect(Object.keys(readTree(root))).toContain("contracts/trees/v1/protocol.json");
});
