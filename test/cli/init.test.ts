import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { folder, put, tree } from "./folders.js";
import { accrete } from "./run-in-process.js";

const init = (root: string, ...more: readonly string[]) => accrete(["init", root, ...more]);

/** The three folder options, for commands that run elsewhere than in the project. */
const folders = (root: string): string[] => [
  ...["--schemas", path.join(root, "schemas")],
  ...["--out", path.join(root, "generated")],
  ...["--fixtures", path.join(root, "fixtures")],
];

const PROTOCOLS: readonly (readonly [placement: string, discriminator: string])[] = [
  ["nested", "type"],
  ["inline", "eventType"],
  ["keyed", "Kind"],
  ["nested", "@type"],
  ["inline", "constructor"],
];

describe("the protocol that init makes", () => {
  it.each(PROTOCOLS)(
    "with %s payloads told apart by %s is sound, generates and can be released",
    async (placement, discriminator) => {
      const root = path.join(folder(), "my notes");
      const made = await init(
        root,
        "--name",
        "notes",
        "--placement",
        placement,
        "--discriminator",
        discriminator,
      );
      expect(made).toMatchObject({ exitCode: 0, stderr: "" });
      for (const argv of [
        ["lint"],
        ["generate"],
        ["generate", "--check"],
        ["compat"],
        ["release", "1.0", "notes/v1"],
        ["compat"],
      ]) {
        const done = await accrete([...argv, ...folders(root)]);
        expect([argv, done.exitCode, done.stderr]).toEqual([argv, 0, ""]);
        expect(done.stdout).not.toMatch(/\b(error|warning|note) [a-z]/);
      }
      const generated = await import(pathToFileURL(path.join(root, "generated/notes/v1/index.js")).href);
      const read = (file: string) => readFileSync(path.join(root, "fixtures/notes/v1", file), "utf8");
      const valid = JSON.parse(read("valid/note.added/yellow.json"));
      expect(valid[discriminator]).toBe("note.added");
      const { event, pointer, keyword, profile } = JSON.parse(read("invalid/note.added/without-text.json"));
      const lines = read("streams/two-notes.jsonl")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      for (const sound of [valid, ...lines])
        expect(generated.protocol.decodeEvent(sound, { profile: "writer" })).toEqual({
          kind: "known",
          event: sound,
        });
      expect(generated.protocol.decodeEvent(event, { profile })).toMatchObject({
        kind: "invalid",
        issues: [{ pointer, keyword }],
      });
      const stream = path.join(root, "fixtures/notes/v1/streams/two-notes.jsonl");
      expect(await accrete(["validate", stream, ...folders(root)])).toMatchObject({
        exitCode: 0,
        stdout: "2 events, 0 invalid\n",
      });
    },
  );

  it("breaks when a field gets another name after its release", async () => {
    const root = folder();
    await init(root, "--name", "notes");
    await accrete(["generate", ...folders(root)]);
    await accrete(["release", "1.0", "notes/v1", ...folders(root)]);
    const file = path.join(root, "schemas/notes/v1/events/note.added.schema.json");
    writeFileSync(file, readFileSync(file, "utf8").replaceAll('"text"', '"body"'));
    const { exitCode, stdout } = await accrete(["compat", ...folders(root)]);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/error field-[a-z-]+ .*\n(.*\n)*? {4}event \{"data":\{"text":/);
  });
});

describe("package.json", () => {
  const PLACEHOLDER = 'echo "Error: no test specified" && exit 1';
  const CASES: readonly { name: string; before: string; holds: object; says?: RegExp }[] = [
    {
      name: "keeps what is there and takes free names",
      before: JSON.stringify({
        name: "x",
        scripts: { test: "jest", lint: "eslint" },
        devDependencies: { vitest: "^2" },
      }),
      holds: {
        name: "x",
        scripts: {
          ...{ test: "jest", lint: "eslint", generate: "accrete generate", "contract:test": "vitest run" },
          check:
            "accrete lint && accrete generate --check && accrete validate --profile writer fixtures/notes/v1/streams && accrete compat",
        },
        devDependencies: { vitest: "^2", accrete: expect.stringMatching(/^\^\d/) },
      },
      says: /the script is called contract:test: test existed already/,
    },
    {
      name: "takes the place of npm's placeholder",
      before: JSON.stringify({ scripts: { test: PLACEHOLDER }, dependencies: { accrete: "file:a.tgz" } }),
      holds: {
        scripts: expect.objectContaining({ test: "vitest run" }),
        dependencies: { accrete: "file:a.tgz" },
        devDependencies: { vitest: expect.any(String) },
      },
    },
    {
      name: "leaves scripts whose second name is taken as well",
      before: JSON.stringify({ scripts: { test: "a", "contract:test": "b" } }),
      holds: expect.objectContaining({
        scripts: expect.objectContaining({ test: "a", "contract:test": "b" }),
      }),
    },
    {
      name: "adds nothing where the same is done already",
      before:
        '{"scripts":{"generate":"accrete generate --emit go","check":"accrete compat","test":"vitest"},"devDependencies":{"accrete":"*","vitest":"*"}}',
      holds: {
        scripts: { generate: "accrete generate --emit go", check: "accrete compat", test: "vitest" },
        devDependencies: { accrete: "*", vitest: "*" },
      },
    },
  ];

  it.each(CASES)("$name", async ({ before, holds, says }) => {
    const root = folder({ "package.json": before });
    const { exitCode, stdout } = await init(root, "--name", "notes");
    expect(exitCode).toBe(0);
    expect(JSON.parse(tree(root)["package.json"] ?? "")).toEqual(holds);
    expect(stdout).toMatch(says ?? /changed/);
  });

  it("keeps tabs, line ends and the order of members", async () => {
    const before =
      '{\r\n\t"version": "1.0.0",\r\n\t"scripts": {\r\n\t\t"a": "b"\r\n\t},\r\n\t"type": "module"\r\n}\r\n';
    const root = folder({ "package.json": before });
    await init(root, "--name", "notes");
    const after = tree(root)["package.json"] ?? "";
    expect(after.replaceAll("\r\n", "")).not.toContain("\n");
    expect(after).toContain('\r\n\t"scripts": {\r\n\t\t"a": "b",\r\n\t\t"generate"');
    expect(Object.keys(JSON.parse(after))).toEqual(["version", "scripts", "type", "devDependencies"]);
  });

  it.each([
    ["{", /package\.json:1:2: error json-syntax The file is not JSON/],
    ["[]", /package\.json:1:1: This is not a JSON object/],
    ['{\n "scripts": []\n}', /package\.json:2:13: "scripts" is not a JSON object/],
  ])("that is %j is refused and left", async (before, says) => {
    const root = folder({ "package.json": before });
    expect(await init(root, "--name", "notes")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(says),
    });
    expect(tree(root)).toEqual({ "package.json": before });
  });

  it.each([
    ['{ "type": "commonjs" }', true],
    ["{}", true],
    ["\ufeff{}", true],
    ['{ "type": "module" }', false],
  ])("%s: generated modules are marked as ES modules: %s", async (before, marked) => {
    const root = folder({ "package.json": before });
    await init(root, "--name", "notes");
    expect(tree(root)["generated/package.json"]).toBe(marked ? '{ "type": "module" }\n' : undefined);
    await accrete(["generate", ...folders(root)]);
    expect(Object.hasOwn(tree(root), "generated/package.json")).toBe(marked);
  });
});

describe("what exists already", () => {
  const TAKEN = ["schemas/notes/v1/protocol.json", "fixtures/notes/v1/valid/a.json", "schemas/notes/v1"];

  it.each(TAKEN)("stays as it is: %s", async (file) => {
    const root = folder({ [file]: "mine", "package.json": "{}" });
    const before = tree(root);
    const { exitCode, stderr } = await init(root, "--name", "notes");
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/notes\/v1 exists already; --name makes another/),
    ]);
    expect(tree(root)).toEqual(before);
  });

  it("a workflow fetches the whole history, which shows the releases that were made", async () => {
    const root = folder({});
    await accrete(["init", root, "--name", "notes", "--placement", "nested", "--discriminator", "type"]);
    expect(readFileSync(path.join(root, ".github/workflows/contract.yml"), "utf8")).toMatch(
      /uses: actions\/checkout@v4\n\s+with:\n(\s+#.*\n)?\s+fetch-depth: 0\n/,
    );
  });

  it("a workflow is kept, and a second protocol finds its place", async () => {
    const root = folder({ ".github/workflows/contract.yml": "mine" });
    await init(root, "--name", "one");
    const { exitCode, stdout } = await init(root, "--name", "two");
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("kept ")]);
    expect(stdout).toContain("the script check does not validate fixtures/two/v1/streams yet; add it there");
    expect(tree(root)[".github/workflows/contract.yml"]).toBe("mine");
    expect((await accrete(["lint", ...folders(root)])).stdout).toContain("2 sound protocols");
  });

  it("a repository above is named, since workflows are read there alone", async () => {
    const root = folder({ ".git": "gitdir: elsewhere" });
    const says = (project: string) =>
      init(project, "--name", "tea").then(({ stdout }) => /GitHub reads .*/.exec(stdout)?.[0]);
    expect(await says(path.join(root, "packages/tea"))).toBe(
      `GitHub reads workflows in ${root}/.github only; move it there`,
    );
    expect(await says(root)).toBeUndefined();
  });

  it.each([
    ["is the project of a folder below it", {}, ["package.json", "contracts/notes/v1/protocol.json"]],
    [
      "leaves a package below it to itself",
      { "app/package.json": "{}" },
      ["contracts/notes/v1/protocol.json"],
    ],
  ])("a configuration %s", async (_, own, made) => {
    const root = folder({ "accrete.config.json": '{"schemas":"contracts"}', ...own });
    const { exitCode, stdout } = await init(path.join(root, "app"), "--name", "notes");
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining(`made ${path.join(root, "contracts")}/notes`),
    ]);
    const files = Object.keys(tree(root));
    expect(files).toEqual(expect.arrayContaining(made));
    expect(files.includes("app/package.json")).toBe("app/package.json" in own);
    expect(files.some((file) => file.startsWith("app/fixtures"))).toBe(false);
  });

  it("a link that leads elsewhere is not followed", async () => {
    const elsewhere = folder();
    const root = folder();
    symlinkSync(elsewhere, path.join(root, "fixtures"));
    const { exitCode, stderr } = await init(root, "--name", "notes");
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/fixtures is a file or a link, not a folder; nothing was changed/),
    ]);
    expect([tree(elsewhere), Object.keys(tree(root))]).toEqual([{}, ["fixtures"]]);
  });
});

it("changes files beside the project, and a package.json behind a link, with the others", async () => {
  const root = folder({ "shared.json": "{}", "project/accrete.config.json": '{"schemas":"../contracts"}' });
  symlinkSync("../shared.json", path.join(root, "project/package.json"));
  expect(await init(path.join(root, "project"), "--name", "tea")).toMatchObject({ exitCode: 0, stderr: "" });
  const files = tree(root);
  expect(JSON.parse(files["shared.json"] ?? "").scripts.generate).toBe("accrete generate");
  expect(files["project/package.json"]).toBe("(link)");
  expect(Object.keys(files)).toContain("contracts/tea/v1/protocol.json");
});

describe("questions", () => {
  const asked = async (replies: readonly string[], ...argv: readonly string[]) => {
    const root = path.join(folder(), "My Board!");
    mkdirSync(root);
    const questions: string[] = [];
    const ask = async (question: string): Promise<string> => replies[questions.push(question) - 1] ?? "";
    const done = await accrete(["init", root, ...argv], "", { ask });
    return { ...done, questions, made: Object.keys(tree(root)), root };
  };

  it("are asked for what no option says, and asked again after an answer that cannot be", async () => {
    const { questions, stderr, made, root } = await asked([
      "No Name",
      "tea",
      "keyd",
      "keyed",
      "data",
      " kind ",
    ]);
    expect(questions.map((question) => question.slice(0, 5))).toEqual([
      "Name ",
      "Name ",
      "Where",
      "Where",
      "Field",
      "Field",
    ]);
    expect(stderr).toMatch(
      /"No Name" cannot name a protocol.*\n.*"keyd" is not a placement; did you mean "keyed"\?.*\n"data" is the name of/,
    );
    expect(made).toContain("schemas/tea/v1/protocol.json");
    expect(JSON.parse(tree(root)["schemas/tea/v1/protocol.json"] ?? "").envelope).toEqual({
      discriminator: "kind",
      payload: { placement: "keyed" },
    });
  });

  it("have defaults, the name that of the folder", async () => {
    const { questions, made } = await asked(["", "", ""]);
    expect(questions[0]).toBe("Name of the protocol [my-board]: ");
    expect(made).toContain("schemas/my-board/v1/protocol.json");
  });

  it("are not asked where options answer them", async () => {
    const { questions } = await asked(
      [],
      "--name",
      "tea",
      "--placement",
      "inline",
      "--discriminator",
      "kind",
    );
    expect(questions).toEqual([]);
  });
});

it.each([
  [["--name", "../up"], /--name: "\.\.\/up" cannot name a protocol/],
  [["--name", "__proto__"], /--name: "__proto__" cannot name a protocol/],
  [["--placement", "neste"], /--placement: "neste" is not a placement; did you mean "nested"\?/],
  [["--placement", "toString"], /is not a placement/],
  [["--discriminator", "sequence"], /"sequence" is the name of another field/],
  [["--discriminator", "a\u001b[2J"], /"a\\u001b\[2J" cannot name a field/],
  [["--out", "x"], /init takes no --out: write the folder into accrete\.config\.json/],
])("init %j is refused", async (argv, says) => {
  const root = folder();
  expect(await init(root, ...argv)).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(says) });
  expect(tree(root)).toEqual({});
});

it("a project that is a file is refused", async () => {
  const root = folder();
  put(root, { file: "" });
  expect(await init(path.join(root, "file"))).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/file is not a folder/),
  });
});

const pseudoTerminal = spawnSync("script", ["--version"]).status === 0;
if (!pseudoTerminal) console.warn("skipped: without `script` there is no terminal to ask at");

describe.skipIf(!pseudoTerminal)("at a terminal", () => {
  const cli = path.join(import.meta.dirname, "../../generator/cli.ts");
  const tsx = import.meta.resolve("tsx");
  const typed = (root: string, keys: string) =>
    spawnSync("script", ["-qec", `"${process.execPath}" --import "${tsx}" "${cli}" init`, "/dev/null"], {
      ...{ cwd: root, input: keys, encoding: "utf8" },
    });

  it("takes lines as answers, also those that are typed ahead", () => {
    const root = folder();
    const { status, stdout } = typed(root, "tea\nkeyed\n\n");
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/Name of the protocol \[.*made schemas\/tea\/v1/s),
    ]);
  });

  it("makes nothing where the answers end", () => {
    const root = folder();
    const { status, stdout } = typed(root, "tea\n\u0004");
    expect([status, stdout]).toEqual([
      2,
      expect.stringContaining("There was no answer, so nothing was done."),
    ]);
    expect(tree(root)).toEqual({});
  });
});
