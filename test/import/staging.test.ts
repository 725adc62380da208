import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { DISK, type Disk } from "../../generator/output/disk.js";
import { installFolders } from "../../generator/output/install-folders.js";
import { LOCK } from "../../generator/output/lock.js";
import { folder, tree } from "../cli/folders.js";
import { accrete } from "../cli/run-in-process.js";

const OWNER = { pid: 1, isRunning: () => true };
const SAMPLES = '{"type":"a"}\n{"type":"b"}\n';
const at = (root: string, name: string): string => path.join(root, name);
const argv = (root: string, ...more: string[]): string[] => [
  ...["import", at(root, "my.jsonl"), "--out", at(root, "schemas"), "--fixtures", at(root, "fixtures")],
  ...more,
];

/** A disk that fails, or dies, at one of the steps that can fail. */
function faulty(step: number, dies: boolean): { readonly disk: Disk; readonly reached: () => boolean } {
  let steps = 0;
  let dead = false;
  const wrap =
    <A extends readonly unknown[]>(run: (...args: A) => void) =>
    (...args: A): void => {
      if (dead || steps++ === step) {
        dead = dies;
        throw Object.assign(new Error("no space"), { code: "ENOSPC", syscall: "write" });
      }
      run(...args);
    };
  const disk = {
    makeFolder: wrap(DISK.makeFolder),
    write: wrap(DISK.write),
    rename: wrap(DISK.rename),
    link: wrap(DISK.link),
    remove: wrap(DISK.remove),
    settle: DISK.settle,
  };
  return { disk, reached: () => steps > step };
}

const OLD = {
  "a/p/v1/x.json": "old x",
  "a/p/v1/z.json": "old z",
  "b/p/v1/y.json": "old y",
  "a/q/v1/k": "kept",
};
const NEW = { "a/p/v1/x.json": "new x", "b/p/v1/y.json": "new y", "a/q/v1/k": "kept" };
const newFolders = (root: string) =>
  ["b", "a"].map((each) => ({
    root: at(root, each),
    folder: "p/v1",
    files: [{ path: `p/v1/${each === "a" ? "x" : "y"}.json`, content: `new ${each === "a" ? "x" : "y"}` }],
  }));

for (const dies of [false, true])
  it(`leaves the old folders or the new ones, whichever step of writing ${dies ? "is the last" : "fails"}`, async () => {
    let step = 0;
    for (; ; step++) {
      const root = folder(OLD);
      const { disk, reached } = faulty(step, dies);
      const run = installFolders(newFolders(root), true, async () => true, OWNER, disk);
      const fault = await run.then(() => undefined, String);
      const failed = fault !== undefined;
      const state = dies ? "(they are as they were|the next run puts back .*)" : "they are as they were";
      const says = new RegExp(
        `^Error: Could not write to .*b and .*a; ${state}\\. The reason: no space is left`,
      );
      if (failed) expect(fault).toMatch(says);
      if (!reached()) {
        expect(tree(root)).toEqual(NEW);
        break;
      }
      expect(failed || !dies).toBe(true);
      // A later run tidies up after one that died; it changes nothing itself.
      if (dies) await installFolders(newFolders(root), true, async () => false, OWNER);
      const left = tree(root);
      expect([OLD, NEW]).toContainEqual(left);
      if (!dies && failed) expect(left).toEqual(OLD);
    }
    expect(step).toBeGreaterThan(8);
  });

it("leaves nothing behind of an import that the result of which is not wanted", async () => {
  const root = folder({ "a/q/v1/k": "kept" });
  const staged = await installFolders(newFolders(root), false, async () => false, OWNER);
  expect(staged).toBe(false);
  expect(tree(root)).toEqual({ "a/q/v1/k": "kept" });
});

it("refuses what is there, schemas and fixtures alike, and replaces it when told to", async () => {
  const root = folder({ "my.jsonl": SAMPLES, "fixtures/my/v1/valid/a/mine.json": "{}" });
  const refused = await accrete(argv(root));
  expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
  expect(refused.stderr).toContain("my/v1 is there already; --force replaces it.");
  expect(Object.keys(tree(root))).toEqual(["fixtures/my/v1/valid/a/mine.json", "my.jsonl"]);
  expect((await accrete(argv(root, "--force"))).exitCode).toBe(0);
  expect(readdirSync(at(root, "fixtures/my/v1/valid/a"))).toEqual(["sample-1.json"]);
  expect(readdirSync(at(root, "schemas"))).toEqual(["my"]);
});

it("keeps the releases of what it replaces: a release never goes away", async () => {
  const root = folder({ "my.jsonl": SAMPLES });
  expect((await accrete(argv(root))).exitCode).toBe(0);
  const folders = [
    "--schemas",
    at(root, "schemas"),
    "--out",
    at(root, "out"),
    "--fixtures",
    at(root, "fixtures"),
  ];
  for (const command of [["generate"], ["release", "1.0"]])
    expect(await accrete([...command, ...folders])).toMatchObject({ exitCode: 0, stderr: "" });
  const released = tree(root)["schemas/my/v1/releases/1.0.json"];
  expect(released).toContain('"x-release"');
  writeFileSync(at(root, "my.jsonl"), '{"type":"a"}\n{"type":"c"}\n');
  expect(await accrete(argv(root, "--force"))).toMatchObject({ exitCode: 0 });
  expect(tree(root)["schemas/my/v1/releases/1.0.json"]).toBe(released);
  expect((await accrete(["compat", "--schemas", at(root, "schemas")])).stdout).toContain(
    "against release 1.0",
  );
});

const OBSTACLES: readonly (readonly [what: string, put: (root: string) => void, message: RegExp])[] = [
  [
    "a link where the protocol's folder would be",
    (root) => {
      mkdirSync(at(root, "elsewhere"));
      mkdirSync(at(root, "schemas"));
      symlinkSync(at(root, "elsewhere"), at(root, "schemas/my"));
    },
    /schemas\/my is no folder, but a file or a link; nothing was imported/,
  ],
  [
    "a file where the schemas would be",
    (root) => writeFileSync(at(root, "schemas"), ""),
    /Could not write to .*schemas; they are as they were\. The reason: .*schemas/,
  ],
  [
    "a link to nothing as the version's folder",
    (root) => {
      mkdirSync(at(root, "schemas/my"), { recursive: true });
      symlinkSync(at(root, "nothing"), at(root, "schemas/my/v1"));
    },
    /is no folder, but a file or a link/,
  ],
  [
    "another import at work",
    (root) => {
      mkdirSync(at(root, "schemas"));
      writeFileSync(at(root, `schemas/${LOCK}`), JSON.stringify({ pid: 7, host: "elsewhere" }));
    },
    /Another accrete \(process 7\) is writing/,
  ],
];

for (const [what, prepare, message] of OBSTACLES)
  it(`stops with a sentence before ${what}`, async () => {
    const root = folder({ "my.jsonl": SAMPLES });
    prepare(root);
    const before = tree(root);
    for (const force of [[], ["--force"]]) {
      const done = await accrete(argv(root, ...force));
      expect(done).toMatchObject({ exitCode: 2, stdout: "" });
      expect(done.stderr).toMatch(message);
      expect(done.stderr).not.toContain("unexpected");
      expect(tree(root)).toEqual(before);
    }
  });

it("does not follow a link out of the folder that is imported", async () => {
  const root = folder({
    "in/a.json": '{"properties":{"x":{"$ref":"b.json"}}}',
    "secret.json": '{"type":"string"}',
  });
  symlinkSync(at(root, "secret.json"), at(root, "in/b.json"));
  const done = await accrete(["import", at(root, "in"), "--out", at(root, "schemas")]);
  expect(done).toMatchObject({ exitCode: 2, stdout: "" });
  expect(done.stderr).toContain("leads out of the schemas folder");
});

it("wants two folders for schemas and fixtures", async () => {
  const root = folder({ "my.jsonl": SAMPLES });
  const done = await accrete([
    "import",
    at(root, "my.jsonl"),
    "--out",
    at(root, "x"),
    "--fixtures",
    at(root, "x"),
  ]);
  expect(done).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("need two folders") });
});
