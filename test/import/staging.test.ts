/** If this fails, an import destroys releases or files of users, or follows a link out of the project. */
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { LOCK } from "../../generator/output/lock.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryProject, type TemporaryProject } from "../commands/temporary-project.js";

const SAMPLES = '{"type":"a"}\n{"type":"b"}\n';
const IMPORT = "import @/my.jsonl";

it("refuses existing folders of schemas or fixtures, and replaces all but fixtures of a person with --force", async () => {
  const { locateFile, readFiles, run } = createTemporaryProject({
    "my.jsonl": SAMPLES,
    "fixtures/my/v1/valid/a/mine.json": "{}",
  });
  const refused = await run(IMPORT);
  expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
  expect(refused.stderr).toContain("my/v1 exists already; --force replaces it.");
  expect(Object.keys(readFiles())).toEqual(["fixtures/my/v1/valid/a/mine.json", "my.jsonl"]);
  expect((await run(`${IMPORT} --force`)).exitCode).toBe(0);
  expect(readdirSync(locateFile("fixtures/my/v1/valid/a"))).toEqual(["mine.json", "sample-1.json"]);
  expect(readdirSync(locateFile("schemas"))).toEqual(["my"]);
});

it("keeps the releases of a protocol that it replaces", async () => {
  const { locateFile, readFiles, read, run } = createTemporaryProject({ "my.jsonl": SAMPLES });
  for (const line of [IMPORT, "generate", "release 1.0"])
    expect(await run(line)).toMatchObject({ exitCode: 0, stderr: "" });
  const released = read("schemas/my/v1/releases/1.0.json");
  expect(released).toContain('"x-release"');
  writeFileSync(locateFile("my.jsonl"), '{"type":"a"}\n{"type":"c"}\n');
  writeFileSync(locateFile("schemas/my/v1/notes.md"), "of the old protocol");
  expect(await run(`${IMPORT} --force`)).toMatchObject({ exitCode: 0 });
  expect(read("schemas/my/v1/releases/1.0.json")).toBe(released);
  const names = Object.keys(readFiles()).filter((file) => !file.startsWith("generated/"));
  expect(names.filter((file) => /b\.schema|notes|v1\/$/.test(file))).toEqual([]);
  expect((await run("compat")).stdout).toContain("against release 1.0");
});

/** Obstructions of an import, and the messages. */
const BLOCKED: readonly (readonly [
  what: string,
  block: (at: TemporaryProject["locateFile"]) => void,
  message: RegExp,
])[] = [
  [
    "a link in place of the folder of the protocol",
    (at) => {
      mkdirSync(at("elsewhere"));
      mkdirSync(at("schemas"));
      symlinkSync(at("elsewhere"), at("schemas/my"));
    },
    /schemas\/my is a file or a link, not a folder. Nothing was imported/,
  ],
  [
    "a file in place of the schemas",
    (at) => writeFileSync(at("schemas"), ""),
    /schemas is a file or a link, not a folder; nothing was changed/,
  ],
  [
    "a dangling link in place of the folder of the version",
    (at) => {
      mkdirSync(at("schemas/my"), { recursive: true });
      symlinkSync(at("nothing"), at("schemas/my/v1"));
    },
    /is a file or a link, not a folder/,
  ],
  [
    "the lock of another import",
    (at) => writeFileSync(at(LOCK), JSON.stringify({ pid: 7, host: "elsewhere" })),
    /Another accrete \(process 7\) is writing/,
  ],
];

it.each(BLOCKED)("refuses to import where there is %s", async (_what, block, message) => {
  const { locateFile, readFiles, run } = createTemporaryProject({ "my.jsonl": SAMPLES });
  block(locateFile);
  const before = readFiles();
  for (const line of [IMPORT, `${IMPORT} --force`]) {
    const done = await run(line);
    expect(done).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringMatching(message) });
    expect(done.stderr).not.toContain("unexpected");
    expect(readFiles()).toEqual(before);
  }
});

it("does not follow a link out of the folder that is imported", async () => {
  const { locateFile, run } = createTemporaryProject({
    "in/a.json": '{"properties":{"x":{"$ref":"b.json"}}}',
    "secret.json": '{"type":"string"}',
  });
  symlinkSync(locateFile("secret.json"), locateFile("in/b.json"));
  const done = await run("import @/in");
  expect(done).toMatchObject({ exitCode: 2, stdout: "" });
  expect(done.stderr).toContain("leads out of the schemas folder");
});

it("refuses one folder for both schemas and fixtures", async () => {
  const { locateFile } = createTemporaryProject({ "my.jsonl": SAMPLES });
  const done = await runAccrete([
    "import",
    locateFile("my.jsonl"),
    "--schemas",
    locateFile("x"),
    "--fixtures",
    locateFile("x"),
  ]);
  expect(done).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("need two folders") });
});
