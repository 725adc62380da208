/** If this fails, a new project does not work, or `accrete init` destroys existing files. */
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { findProjectTop, planProjectSetUp } from "../../generator/init/init-project.js";
import { changeFolder } from "../../generator/output/transaction.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryProject } from "../commands/temporary-project.js";
import { createTemporaryFolder, readTree } from "../folders.js";

const runInit = (root: string, ...more: readonly string[]) => runAccrete(["init", root, ...more]);

const PROTOCOLS: readonly (readonly [placement: string, discriminator: string])[] = [
  ["nested", "type"],
  ["inline", "eventType"],
  ["keyed", "Kind"],
  ["nested", "@type"],
  ["inline", "constructor"],
];

describe("the protocol that init creates", () => {
  const WORKFLOW = ["lint", "generate", "check", "release 1.0 notes/v1", "check"];

  it.each(PROTOCOLS)(
    "with %s payloads and the discriminator %s has no findings, and can be generated and released",
    async (placement, discriminator) => {
      const { root, locateFile, read, run } = createTemporaryProject();
      const choices = ["--placement", placement, "--discriminator", discriminator];
      expect(await runInit(root, "--name", "notes", ...choices)).toMatchObject({ exitCode: 0, stderr: "" });
      for (const line of WORKFLOW) {
        const done = await run(line);
        expect([line, done.exitCode, done.stderr]).toEqual([line, 0, ""]);
        expect(done.stdout).not.toMatch(/\b(error|warning|note) [a-z]/);
      }
      const { protocol } = await import(pathToFileURL(locateFile("generated/notes/v1/index.js")).href);
      const readFixture = (file: string) => read(`fixtures/notes/v1/${file}`);
      const valid = JSON.parse(readFixture("valid/note.added/yellow.json"));
      expect(valid[discriminator]).toBe("note.added");
      const lines = readFixture("streams/two-notes.jsonl").trim().split("\n");
      for (const event of [valid, ...lines.map((line) => JSON.parse(line))])
        expect(protocol.decodeEvent(event, { profile: "writer" })).toEqual({ kind: "known", event });
      const invalid = JSON.parse(readFixture("invalid/note.added/without-text.json"));
      const { event, pointer, keyword, profile } = invalid;
      expect(protocol.decodeEvent(event, { profile })).toMatchObject({
        kind: "invalid",
        issues: [{ pointer, keyword }],
      });
      const validated = await run("validate @/fixtures/notes/v1/streams/two-notes.jsonl");
      expect(validated).toMatchObject({ exitCode: 0, stdout: "2 events, 0 invalid\n" });
    },
  );

  it("breaks when a field is renamed after its release", async () => {
    const { root, locateFile, read, run } = createTemporaryProject();
    await runInit(root, "--name", "notes");
    await run("generate");
    await run("release 1.0 notes/v1");
    const file = "schemas/notes/v1/events/note.added.schema.json";
    writeFileSync(locateFile(file), read(file).replaceAll('"text"', '"body"'));
    const { exitCode, stdout } = await run("compat");
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/error field-[a-z-]+ .*\n(.*\n)*? {4}event \{"data":\{"text":/);
  });
});

describe("package.json", () => {
  const PLACEHOLDER = 'echo "Error: no test specified" && exit 1';
  const CASES: readonly { name: string; before: string; after: object; stdout?: RegExp }[] = [
    {
      name: "keeps existing scripts and uses free names",
      before: JSON.stringify({
        name: "x",
        scripts: { test: "jest", lint: "eslint" },
        devDependencies: { vitest: "^2" },
      }),
      after: {
        name: "x",
        scripts: {
          test: "jest",
          lint: "eslint",
          generate: "accrete generate",
          "contract:test": "vitest run",
          check: 'accrete check && accrete validate --profile writer "fixtures/*/*/streams/*.jsonl"',
        },
        devDependencies: { vitest: "^2", "accrete-cli": expect.stringMatching(/^\^\d/) },
      },
      stdout: /the script is called contract:test: test existed already/,
    },
    {
      name: "replaces npm's placeholder of a test",
      before: JSON.stringify({
        scripts: { test: PLACEHOLDER },
        dependencies: { "accrete-cli": "file:a.tgz" },
      }),
      after: {
        scripts: expect.objectContaining({ test: "vitest run" }),
        dependencies: { "accrete-cli": "file:a.tgz" },
        devDependencies: { vitest: expect.any(String) },
      },
    },
    {
      name: "adds no script if both of its names are taken",
      before: JSON.stringify({ scripts: { test: "a", "contract:test": "b" } }),
      after: expect.objectContaining({
        scripts: expect.objectContaining({ test: "a", "contract:test": "b" }),
      }),
    },
    {
      name: "adds no script that does the same as an existing one",
      before:
        '{"scripts":{"generate":"accrete generate --emit go","check":"accrete compat","test":"vitest"},"devDependencies":{"accrete-cli":"*","vitest":"*"}}',
      after: {
        scripts: { generate: "accrete generate --emit go", check: "accrete compat", test: "vitest" },
        devDependencies: { "accrete-cli": "*", vitest: "*" },
      },
    },
  ];

  it.each(CASES)("$name", async ({ before, after, stdout = /changed/ }) => {
    const root = createTemporaryFolder({ "package.json": before });
    const done = await runInit(root, "--name", "notes");
    expect(done).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(stdout) });
    expect(JSON.parse(readTree(root)["package.json"] ?? "")).toEqual(after);
  });

  it("keeps tabs, line ends and the order of members", async () => {
    const before =
      '{\r\n\t"version": "1.0.0",\r\n\t"scripts": {\r\n\t\t"a": "b"\r\n\t},\r\n\t"type": "module"\r\n}\r\n';
    const root = createTemporaryFolder({ "package.json": before });
    await runInit(root, "--name", "notes");
    const after = readTree(root)["package.json"] ?? "";
    expect(after.replaceAll("\r\n", "")).not.toContain("\n");
    expect(after).toContain('\r\n\t"scripts": {\r\n\t\t"a": "b",\r\n\t\t"generate"');
    expect(Object.keys(JSON.parse(after))).toEqual(["version", "scripts", "type", "devDependencies"]);
  });

  it.each([
    ["{", /package\.json:1:2: error json-syntax The file is not JSON/],
    ["[]", /package\.json:1:1: This is not a JSON object/],
    ['{\n "scripts": []\n}', /package\.json:2:13: "scripts" is not a JSON object/],
  ])("with the text %j is refused and not changed", async (before, message) => {
    const root = createTemporaryFolder({ "package.json": before });
    const done = await runInit(root, "--name", "notes");
    expect(done).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(message) });
    expect(readTree(root)).toEqual({ "package.json": before });
  });

  it.each([
    ['{ "type": "commonjs" }', true],
    ["{}", true],
    ["\ufeff{}", true],
    ['{ "type": "module" }', false],
  ])("of the text %s: generate marks its folder as ES modules: %s", async (before, marked) => {
    const { root, readFiles, run } = createTemporaryProject({ "package.json": before });
    await runInit(root, "--name", "notes");
    expect(readFiles()["generated/package.json"]).toBe(marked ? '{ "type": "module" }\n' : undefined);
    await run("generate");
    expect(Object.hasOwn(readFiles(), "generated/package.json")).toBe(marked);
  });
});

describe("init in a project with files", () => {
  const TAKEN = ["schemas/notes/v1/protocol.json", "fixtures/notes/v1/valid/a.json", "schemas/notes/v1"];

  it.each(TAKEN)("does not replace %s", async (file) => {
    const root = createTemporaryFolder({ [file]: "mine", "package.json": "{}" });
    const before = readTree(root);
    const stderr = expect.stringMatching(/notes\/v1 exists already; --name makes another/);
    expect(await runInit(root, "--name", "notes")).toMatchObject({ exitCode: 2, stderr });
    expect(readTree(root)).toEqual(before);
  });

  it("writes a workflow that fetches the whole history, which shows earlier releases", async () => {
    const root = createTemporaryFolder();
    await runInit(root, "--name", "notes");
    expect(readTree(root)[".github/workflows/contract.yml"]).toMatch(
      /uses: actions\/checkout@v4\n\s+with:\n(\s+#.*\n)?\s+fetch-depth: 0\n/,
    );
  });

  it("keeps a workflow, and adds a second protocol", async () => {
    const { root, read, run } = createTemporaryProject({ ".github/workflows/contract.yml": "mine" });
    await runInit(root, "--name", "one");
    const { exitCode, stdout } = await runInit(root, "--name", "two");
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("kept ")]);
    // The script check covers the streams of all protocols.
    expect(stdout).not.toContain("does not validate");
    expect(read(".github/workflows/contract.yml")).toBe("mine");
    expect((await run("lint")).stdout).toContain("2 valid protocols");
  });

  it("writes instructions for coding agents that name the folders and scripts of the project", async () => {
    const root = createTemporaryFolder({
      "accrete.config.json": '{"schemas":"contracts","out":"src/events"}',
      "package.json": '{"scripts":{"test":"jest"}}',
    });
    await runInit(root, "--name", "notes");
    const files = readTree(root);
    expect(files["AGENTS.md"]).toMatch(
      /^# [\s\S]*## Event contracts\n[\s\S]*`contracts\/`[\s\S]*`npm run contract:test`/,
    );
    expect(files["llms.txt"]).toMatch(
      /^# Events of notes\/v1\n\n> [\s\S]*\(src\/events\/notes\/v1\/catalog\.md\)/,
    );
    expect(files["llms.txt"]).toContain("(contracts/notes/v1/protocol.json)");
  });

  it("adds its section to an AGENTS.md that lacks it, once, and changes no llms.txt", async () => {
    const root = createTemporaryFolder({ "AGENTS.md": "# Rules\r\n\r\nBe kind.\r\n", "llms.txt": "mine" });
    const { stdout } = await runInit(root, "--name", "one");
    expect(stdout).toMatch(/changed .*AGENTS\.md\n[\s\S]*kept .*llms\.txt/);
    const first = readTree(root)["AGENTS.md"] ?? "";
    expect(first).toMatch(/^# Rules\r\n\r\nBe kind\.\r\n\r\n## Event contracts\r\n/);
    expect(first.replaceAll("\r\n", "")).not.toContain("\n");
    expect((await runInit(root, "--name", "two")).stdout).toMatch(/kept .*AGENTS\.md/);
    expect(readTree(root)).toMatchObject({ "AGENTS.md": first, "llms.txt": "mine" });
  });

  it("leaves an AGENTS.md that is a link alone", async () => {
    const root = createTemporaryFolder({ "CLAUDE.md": "mine" });
    symlinkSync("CLAUDE.md", path.join(root, "AGENTS.md"));
    expect((await runInit(root, "--name", "notes")).stdout).toMatch(/kept .*AGENTS\.md/);
    expect(readTree(root)["CLAUDE.md"]).toBe("mine");
  });

  it("writes the workflow at the root of the repository, for the package manager of its lock file", async () => {
    const root = createTemporaryFolder({ ".git": "gitdir: elsewhere", "pnpm-lock.yaml": "" });
    const { stdout } = await runInit(path.join(root, "services/tea"), "--name", "tea");
    expect(stdout).toContain(`made ${root}/.github/workflows/contract-services-tea.yml`);
    expect(stdout).toContain("pnpm exec accrete release 1.0");
    const workflow = readTree(root)[".github/workflows/contract-services-tea.yml"] ?? "";
    for (const line of [
      'working-directory: "services/tea"',
      "uses: pnpm/action-setup@v4",
      "run: pnpm install --frozen-lockfile",
      "run: pnpm exec accrete check --format github",
      "run: pnpm run test",
    ])
      expect(workflow).toContain(`${line}\n`);
    await runInit(root, "--name", "tea");
    expect(readTree(root)[".github/workflows/contract.yml"]).not.toContain("working-directory");
  });

  it.each([
    [
      "package-lock.json",
      'cache: npm\n          cache-dependency-path: "a/package-lock.json"\n',
      "npx accrete-cli",
    ],
    ["yarn.lock", 'cache: yarn\n          cache-dependency-path: "a/yarn.lock"\n', "yarn accrete"],
  ])("keeps the packages of a project whose own lock file is %s", async (file, cache, execute) => {
    const root = createTemporaryFolder({ ".git/HEAD": "", "pnpm-lock.yaml": "", [`a/${file}`]: "" });
    await runInit(path.join(root, "a"), "--name", "tea");
    const workflow = readTree(root)[".github/workflows/contract-a.yml"];
    expect(workflow).toContain(cache);
    expect(workflow).toContain(`run: ${execute} check --format github\n`);
  });

  it("reports places to forges from the root of the repository, and otherwise from the current folder", async () => {
    const root = createTemporaryFolder({ ".git/HEAD": "" });
    const project = path.join(root, "services/tea");
    await runInit(project, "--name", "tea");
    const before = process.cwd();
    process.chdir(project);
    try {
      for (const [format, folder] of Object.entries({
        ...{ github: "services/tea/", gitlab: "services/tea/", sarif: "services/tea/" },
        ...{ json: "", text: "" },
      })) {
        const { stdout } = await runAccrete(["check", "--format", format]);
        const places = stdout.match(/[\w/]*generated\/tea\/v1\/catalog.md/g);
        expect([format, [...new Set(places)]]).toEqual([format, [`${folder}generated/tea/v1/catalog.md`]]);
      }
    } finally {
      process.chdir(before);
    }
  });

  it.each([
    ["applies to a folder below it", {}, ["package.json", "contracts/notes/v1/protocol.json"]],
    ["applies to a package below it", { "app/package.json": "{}" }, ["contracts/notes/v1/protocol.json"]],
  ])("a configuration %s", async (_, own, made) => {
    const root = createTemporaryFolder({ "accrete.config.json": '{"schemas":"contracts"}', ...own });
    const { exitCode, stdout } = await runInit(path.join(root, "app"), "--name", "notes");
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining(`made ${path.join(root, "contracts")}/notes`),
    ]);
    const files = Object.keys(readTree(root));
    expect(files).toEqual(expect.arrayContaining(made));
    expect(files.includes("app/package.json")).toBe("app/package.json" in own);
    expect(files.some((file) => file.startsWith("app/fixtures"))).toBe(false);
  });

  it("does not follow a link out of the project", async () => {
    const elsewhere = createTemporaryFolder();
    const root = createTemporaryFolder();
    symlinkSync(elsewhere, path.join(root, "fixtures"));
    const stderr = expect.stringMatching(/fixtures is a file or a link, not a folder; nothing was changed/);
    expect(await runInit(root, "--name", "notes")).toMatchObject({ exitCode: 2, stderr });
    expect([readTree(elsewhere), Object.keys(readTree(root))]).toEqual([{}, ["fixtures"]]);
  });
});

it("changes files beside the project, and a package.json behind a link, with the others", async () => {
  const root = createTemporaryFolder({
    "shared.json": "{}",
    "project/accrete.config.json": '{"schemas":"../contracts"}',
  });
  symlinkSync("../shared.json", path.join(root, "project/package.json"));
  expect(await runInit(path.join(root, "project"), "--name", "tea")).toMatchObject({
    exitCode: 0,
    stderr: "",
  });
  const files = readTree(root);
  expect(JSON.parse(files["shared.json"] ?? "").scripts.generate).toBe("accrete generate");
  expect(files["project/package.json"]).toBe("(link)");
  expect(Object.keys(files)).toContain("contracts/tea/v1/protocol.json");
});

describe("questions of init", () => {
  const answerQuestions = async (replies: readonly string[], ...argv: readonly string[]) => {
    const root = path.join(createTemporaryFolder(), "My Board!");
    mkdirSync(root);
    const questions: string[] = [];
    const ask = async (question: string): Promise<string> => replies[questions.push(question) - 1] ?? "";
    const done = await runAccrete(["init", root, ...argv], "", { ask });
    return { ...done, questions, made: Object.keys(readTree(root)), root };
  };

  it("ask for what no option states, and ask again after an invalid answer", async () => {
    const replies = ["No Name", "tea", "keyd", "keyed", "data", " kind "];
    const { questions, stderr, made, root } = await answerQuestions(replies);
    expect(questions.map((question) => question.split(" ")[0]).join(" ")).toBe(
      "Name Name Where Where Field Field",
    );
    expect(stderr).toMatch(
      /"No Name" cannot name a protocol.*\n.*"keyd" is not a placement; did you mean "keyed"\?.*\nthe example event already has a field "data"/,
    );
    expect(made).toContain("schemas/tea/v1/protocol.json");
    expect(JSON.parse(readTree(root)["schemas/tea/v1/protocol.json"] ?? "").envelope).toEqual({
      discriminator: "kind",
      payload: { placement: "keyed" },
    });
  });

  it("have defaults; the default name is that of the folder", async () => {
    const { questions, made } = await answerQuestions(["", "", ""]);
    expect(questions[0]).toBe("Name of the protocol [my-board]: ");
    expect(made).toContain("schemas/my-board/v1/protocol.json");
  });

  it("are omitted if options answer them", async () => {
    const options = "--name tea --placement inline --discriminator kind";
    const { questions } = await answerQuestions([], ...options.split(" "));
    expect(questions).toEqual([]);
  });
});

it.each([
  [["--name", "../up"], /--name: "\.\.\/up" cannot name a protocol/],
  [["--name", "__proto__"], /--name: "__proto__" cannot name a protocol/],
  [["--placement", "neste"], /--placement: "neste" is not a placement; did you mean "nested"\?/],
  [["--placement", "toString"], /is not a placement/],
  [["--discriminator", "sequence"], /already has a field "sequence"/],
  [["--discriminator", "a\u001b[2J"], /"a\\u001b\[2J" cannot name a field/],
  [["--out", "x"], /init takes no --out: write the folder into accrete\.config\.json/],
])("refuses init %j", async (argv, message) => {
  const root = createTemporaryFolder();
  expect(await runInit(root, ...argv)).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(message) });
  expect(readTree(root)).toEqual({});
});

it("refuses a file in place of the project folder", async () => {
  const stderr = expect.stringMatching(/file is not a folder/);
  expect(await runInit(path.join(createTemporaryFolder({ file: "" }), "file"))).toMatchObject({
    exitCode: 2,
    stderr,
  });
});

const pseudoTerminal = spawnSync("script", ["--version"]).status === 0;
if (!pseudoTerminal) console.warn("skipped: without `script` there is no terminal to ask at");

describe.skipIf(!pseudoTerminal)("at a terminal", () => {
  const cli = path.join(import.meta.dirname, "../../generator/cli.ts");
  const tsx = import.meta.resolve("tsx");
  const script = `"${process.execPath}" --import "${tsx}" "${cli}" init`;
  it.each([
    [
      "reads lines that are typed ahead",
      "tea\nkeyed\n\n",
      0,
      /Name of the protocol \[.*made schemas\/tea\/v1/s,
    ],
    ["writes nothing if the answers end", "tea\n\u0004", 2, /There was no answer, so nothing was done\./],
  ])("%s", (_name, input, exitCode, output) => {
    const root = createTemporaryFolder();
    const options = { cwd: root, input, encoding: "utf8" } as const;
    const { status, stdout } = spawnSync("script", ["-qec", script, "/dev/null"], options);
    expect([status, stdout]).toEqual([exitCode, expect.stringMatching(output)]);
    expect(Object.keys(readTree(root)).length > 0).toBe(exitCode === 0);
  });
});

describe("an import into a project", () => {
  const folders = { schemas: "schemas", fixtures: "fixtures", out: "generated" };
  const owner = { stderr: () => {}, pid: 1, isRunning: () => false };

  it("gets scripts and a workflow without golden streams, and keeps what exists", () => {
    const root = createTemporaryFolder({ "package.json": '{ "scripts": { "test": "jest" } }' });
    const project = { root, ...folders };
    const first = planProjectSetUp(project, "shop/v1");
    expect(first.result.isChanged).toBe(true);
    changeFolder(findProjectTop(project), first.changes, owner);
    const files = readTree(root);
    expect(JSON.parse(files["package.json"] ?? "").scripts).toEqual({
      test: "jest",
      generate: "accrete generate",
      check: "accrete check",
      "contract:test": "vitest run",
    });
    expect(files[".github/workflows/contract.yml"]).toContain("npm run contract:test");
    expect(files[".github/workflows/contract.yml"]).not.toContain("validate");
    expect(planProjectSetUp(project, "other/v1").changes).toEqual([]);
  });
});
