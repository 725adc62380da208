/** If this fails, `accrete generate` destroys files of users, or `--check` misses stale ones. */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { BANNER } from "../../generator/emit/text.js";
import type { OutputFile, Protocol } from "../../generator/protocol/protocol.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryFolder, createTinySchemas, readTree, writeFiles } from "../folders.js";

/** The output and the argument of the mocked emitters. The real ones are slow and have their own tests. */
const emitterMock = vi.hoisted(() => ({
  extra: {} as { [name: string]: string },
  /** The folders of extra files that have their own. */
  folders: {} as { [name: string]: string },
  fixtures: "",
}));
vi.mock("../../generator/emit/emit.js", () => ({
  emitProtocol: async (
    { id, version, events }: Protocol,
    { fixtures }: { fixtures: string },
  ): Promise<OutputFile[]> => {
    emitterMock.fixtures = fixtures;
    const types = `${BANNER}// ${version}\n${events.map(({ type }) => `// ${type}\n`).join("")}`;
    return Object.entries({ "types.ts": types, "deep/er.ts": `${BANNER}x\n`, ...emitterMock.extra }).map(
      ([name, content]) => ({
        path: `${id}/${name}`,
        content,
        folder: emitterMock.folders[name],
      }),
    );
  },
}));
beforeEach(() => {
  emitterMock.extra = {};
  emitterMock.folders = {};
});

/** A project with schemas, and the command that generates its outputs. */
interface Setup {
  readonly root: string;
  readonly out: string;
  run(...args: string[]): ReturnType<typeof runAccrete>;
}

function createSetup(...names: string[]): Setup {
  const root = createTemporaryFolder();
  for (const name of names.length > 0 ? names : ["tiny"])
    writeFiles(path.join(root, "schemas"), createTinySchemas(name));
  const out = path.join(root, "generated");
  const folders = ["schemas", "fixtures"].flatMap((name) => [`--${name}`, path.join(root, name)]);
  const run: Setup["run"] = (...args) => runAccrete(["generate", ...folders, "--out", out, ...args]);
  return { root, out, run };
}

/** Returns the modification times of all files, which a run without changes keeps. */
function readTimes(out: string): { [file: string]: number } {
  return Object.fromEntries(
    Object.keys(readTree(out)).map((file) => [file, statSync(path.join(out, file)).mtimeMs]),
  );
}

describe("generate", () => {
  it("writes all files, and then no unchanged file", async () => {
    const { out, run } = createSetup("tiny", "other");
    expect(await run()).toEqual({
      exitCode: 0,
      stdout: "generated 2 protocols, 2 event types: 4 files written, 0 unchanged\n",
      stderr: "",
    });
    expect(Object.keys(readTree(out))).toEqual(
      ["other", "tiny"].flatMap((name) => [`${name}/v1/deep/er.ts`, `${name}/v1/types.ts`]),
    );
    expect(emitterMock.fixtures).toBe("../../../fixtures/tiny/v1");
    for (const file of Object.keys(readTree(out))) utimesSync(path.join(out, file), 1_000_000, 1_000_000);
    const before = readTimes(out);
    expect((await run()).stdout).toBe("generated 2 protocols, 2 event types: 0 files written, 4 unchanged\n");
    expect(readTimes(out)).toEqual(before);
  });

  it("writes changed files, removes stale ones, and keeps files that it did not generate", async () => {
    const { out, run } = createSetup("tiny");
    await run();
    const own = {
      "tiny/v1/README.md": "mine",
      "notes/v1/list.ts": "mine",
      "copies/of/types.ts": `${BANNER}x`,
      "other.ts": `${BANNER}x`,
    };
    writeFiles(out, {
      ...own,
      "tiny/v1/old.ts": `${BANNER}old`,
      "tiny/v1/stale/er.ts": `${BANNER}old`,
      "tiny/v1/types.ts": `${BANNER}x`,
    });
    const { stdout } = await run("--format", "json");
    expect(JSON.parse(stdout)).toEqual({
      summary: {
        protocols: ["tiny/v1"],
        eventTypes: 1,
        written: ["tiny/v1/types.ts"],
        removed: ["tiny/v1/old.ts", "tiny/v1/stale/er.ts"],
        unchanged: 1,
      },
      findings: [],
    });
    const { "tiny/v1/types.ts": types, "tiny/v1/deep/er.ts": _deep, ...rest } = readTree(out);
    expect(rest).toEqual(own);
    expect(types).toContain("tea.served");
  });

  it("keeps and reports the generated code of other schemas, which may share the folder", async () => {
    const [one, other] = [createSetup("one"), createSetup("other")];
    const shared = ["--out", one.out];
    await one.run();
    await other.run(...shared);
    const both = readTree(one.out);
    expect(Object.keys(both).filter((file) => file.endsWith("types.ts"))).toHaveLength(2);
    for (const run of [() => one.run(), () => other.run(...shared), () => one.run("--check")]) {
      const { exitCode, stdout } = await run();
      expect([
        exitCode,
        stdout.match(/: note generated-unknown These schemas have no (one|other)\/v1; /g),
      ]).toEqual([0, [expect.anything()]]);
      expect(readTree(one.out)).toEqual(both);
    }
    expect((await one.run("one/v1")).stdout).not.toContain("generated-unknown");
  });

  it("moves an output into its own folder, and changes no folder if there is a conflict in one", async () => {
    const { root, out, run: runCached } = createSetup("tiny");
    // The results of the mocked emitters depend on more than the cache knows.
    const run: Setup["run"] = (...args) => runCached("--no-cache", ...args);
    emitterMock.extra = { "go/events.go": `${BANNER}1` };
    await run();
    const services = path.join(root, "services");
    emitterMock.folders = { "go/events.go": services };
    const { stdout } = await run("--format", "json");
    expect(JSON.parse(stdout).summary).toMatchObject({
      written: ["../services/tiny/v1/go/events.go"],
      removed: ["tiny/v1/go/events.go"],
      unchanged: 2,
    });
    expect(readTree(services)).toEqual({ "tiny/v1/go/events.go": `${BANNER}1` });
    expect((await run("--check")).stdout).toContain("3 files up to date\n");
    writeFiles(services, { "tiny/v1/go/events.go": `${BANNER}2`, "tiny/v1/go/old.go": BANNER });
    const found = await run("--check");
    expect(found.exitCode).toBe(1);
    expect(found.stdout).toMatch(
      /events\.go:\d+: error generated-stale .*[\s\S]*old\.go: error generated-superfluous/,
    );
    writeFiles(services, { "tiny/v1/go/events.go": "mine" });
    writeFiles(out, { "tiny/v1/types.ts": `${BANNER}changed` });
    const before = readTree(root);
    const refused = await run();
    expect(refused).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("output-foreign") });
    expect(refused.stdout).toContain("nothing was written");
    expect(readTree(root)).toEqual(before);
  });

  it("changes only the protocols that are named", async () => {
    const { out, run } = createSetup("tiny", "other");
    writeFiles(out, {
      "gone/v1/types.ts": `${BANNER}old`,
      "other/v1/old.ts": `${BANNER}old`,
      "tiny/v1/old.ts": `${BANNER}old`,
    });
    expect((await run("tiny/v1")).exitCode).toBe(0);
    expect(Object.keys(readTree(out))).toEqual([
      "gone/v1/types.ts",
      "other/v1/old.ts",
      "tiny/v1/deep/er.ts",
      "tiny/v1/types.ts",
    ]);
  });

  it("writes nothing if a schema has an error", async () => {
    const { root, out, run } = createSetup("tiny", "other");
    writeFileSync(path.join(root, "schemas/tiny/v1/envelope.schema.json"), "{");
    const { exitCode, stdout } = await run();
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/error json-syntax[\s\S]*nothing was generated\n$/);
    expect(readdirSync(root)).toEqual(["schemas"]);
    expect(() => statSync(out)).toThrow();
  });

  it.each(["tiny/v1/types.ts", "tiny/v1/deep"])("refuses to overwrite the foreign file %s", async (file) => {
    const { out, run } = createSetup();
    writeFiles(out, { [file]: "mine" });
    const { exitCode, stdout } = await run();
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/: error output-foreign [\s\S]*1 conflict: nothing was written\n$/);
    expect(readTree(out)).toEqual({ [file]: "mine" });
  });

  it.each([
    "../evil.ts",
    "/evil.ts",
    "a/../../../../evil.ts",
    "a\\..\\evil.ts",
    ".accrete-x/evil.ts",
    "c:/evil.ts",
  ])("refuses the output %s", async (name) => {
    const { root, run } = createSetup();
    emitterMock.extra = { [name]: `${BANNER}evil` };
    const { exitCode, stdout } = await run();
    expect({ exitCode, escapes: stdout.includes("error output-escapes") }).toEqual({
      exitCode: 1,
      escapes: true,
    });
    expect(JSON.stringify(readTree(root))).not.toContain("evil");
  });

  it("replaces a link and does not write through it", async () => {
    const { root, out, run } = createSetup();
    writeFiles(root, { "elsewhere.ts": "mine", "generated/tiny/v1/.keep": "" });
    symlinkSync(path.join(root, "elsewhere.ts"), path.join(out, "tiny/v1/types.ts"));
    expect((await run()).exitCode).toBe(0);
    expect(readFileSync(path.join(root, "elsewhere.ts"), "utf8")).toBe("mine");
    expect(readTree(out)["tiny/v1/types.ts"]).toContain("tea.served");
  });

  it("does not follow a folder that is a link", async () => {
    const { root, out, run } = createSetup();
    writeFiles(root, { "elsewhere/v1/old.ts": `${BANNER}old` });
    mkdirSync(out);
    symlinkSync(path.join(root, "elsewhere"), path.join(out, "tiny"));
    const { exitCode, stdout } = await run();
    expect({ exitCode, link: stdout.includes("error output-link") }).toEqual({ exitCode: 1, link: true });
    expect(readTree(path.join(root, "elsewhere"))).toEqual({ "v1/old.ts": `${BANNER}old` });
  });

  it("shows progress only at a terminal", async () => {
    const { root } = createSetup();
    const args = ["generate", "--schemas", path.join(root, "schemas"), "--out", path.join(root, "out")];
    expect((await runAccrete(args, "", { showsProgress: true })).stderr).toBe("generating tiny/v1 …\n");
  });
});

describe("generate --check", () => {
  it("accepts what generate wrote", async () => {
    const { run } = createSetup();
    await run();
    expect(await run("--check")).toEqual({
      exitCode: 0,
      stdout: "checked 1 protocol, 1 event type: 2 files up to date\n",
      stderr: "",
    });
  });

  it("ignores line ends of Windows, as generate does, but no other difference", async () => {
    const { out, run } = createSetup();
    await run();
    for (const [file, text] of Object.entries(readTree(out)))
      writeFiles(out, { [file]: text.replaceAll("\n", "\r\n") });
    const before = readTimes(out);
    expect((await run("--check")).exitCode).toBe(0);
    expect((await run()).stdout).toContain(": 0 files written, 2 unchanged");
    expect(readTimes(out)).toEqual(before);
    writeFiles(out, { "tiny/v1/types.ts": `${BANNER}// 1.1\n`.replaceAll("\n", "\r\n") });
    expect((await run("--check")).exitCode).toBe(1);
  });

  it("lists every difference with the first line, and writes nothing", async () => {
    const { out, run } = createSetup();
    await run();
    writeFiles(out, {
      "tiny/v1/types.ts": `${BANNER}// 1.0\n// tea.\u001b[31mspilled\n`,
      "tiny/v1/old.ts": `${BANNER}old`,
      "tiny/v1/deep/er.ts": `${BANNER}`,
      "tiny/v1/foreign.ts": "mine",
    });
    emitterMock.extra = { "new.ts": `${BANNER}new` };
    const before = readTree(out);
    const { exitCode, stdout } = await run("--check", "--format", "json");
    expect(exitCode).toBe(1);
    const { findings, summary } = JSON.parse(stdout);
    expect(summary).toMatchObject({ unchanged: 0, differing: 4 });
    const shown = findings.map(
      ({ rule, at, message }: { rule: string; at: { file: string; line?: number }; message: string }) => [
        rule,
        path.posix.basename(at.file),
        at.line,
        message.replace("The first difference is here: ", ""),
      ],
    );
    expect(shown).toEqual([
      ["generated-stale", "er.ts", 3, 'expected "x", found "".'],
      ["generated-missing", "new.ts", undefined, "The file is missing."],
      ["generated-superfluous", "old.ts", undefined, "No schema generates this file any more."],
      ["generated-stale", "types.ts", 4, 'expected "// tea.served", found "// tea.\\u001b[31mspilled".'],
    ]);
    expect(readTree(out)).toEqual(before);
  });

  it("reports an interrupted run", async () => {
    const { out, run } = createSetup();
    await run();
    writeFiles(out, { ".accrete-abc/journal.json": "[]" });
    const { exitCode, stdout } = await run("--check");
    expect({ exitCode, found: stdout.includes(".accrete-abc: error generated-unfinished ") }).toEqual({
      exitCode: 1,
      found: true,
    });
    await run();
    expect((await run("--check")).exitCode).toBe(0);
  });

  it("does not create the folder of outputs", async () => {
    const { root, run } = createSetup();
    expect((await run("--check")).exitCode).toBe(1);
    expect(readdirSync(root)).toEqual(["schemas"]);
  });
});
