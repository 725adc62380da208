/** If this fails, commands break in folders with unusual names, on full or read-only disks, or beside another run. */
import { spawn, spawnSync } from "node:child_process";
import { readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { chdir, cwd } from "node:process";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { readConsumers, recordConsumer } from "../../generator/load/consumer-records.js";
import { LOCK } from "../../generator/output/lock.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryFolder, writeFiles } from "../folders.js";
import { enterProject } from "./inside.js";
import { createProject, type Files } from "./project.js";
import { listDifferences, readContents } from "./writers.js";

let tea: Files = {};
beforeAll(async () => {
  tea = await createProject("nested");
});

describe("folders with unusual names", () => {
  /** Every command, each with its exit code in a valid project. */
  const COMMANDS: readonly (readonly [argv: readonly string[], exitCode: number])[] = [
    [["init", "nächste Sache", "--name", "mugs"], 0],
    [["import", "union.json", "--name", "trees"], 0],
    [["import", "samples.jsonl", "--name", "shop"], 0],
    [["lint"], 0],
    [["generate"], 0],
    [["generate", "--check"], 0],
    [["validate", "fixtures/tea/v1/streams/two-notes.jsonl"], 0],
    [["serve", "--port", "0"], 0],
    [["replay", "fixtures/tea/v1/streams/two-notes.jsonl"], 0],
    [["compat"], 0],
    [["compat", "--against", "dir:schemas"], 0],
    [["subset", "one.json", "two.json"], 0],
    [["status"], 0],
    [["release", "1.0", "shop/v1"], 0],
    [["release", "1.0", "tea/v1"], 0],
    [["changelog"], 0],
  ];

  it.each(["日本語 📦 und ä", "a'b\"c$(d)`e`&;#%20!"])("%s", async (name) => {
    enterProject(name, tea);
    const done = [];
    for (const [argv] of COMMANDS) {
      const { exitCode, stderr } = await runAccrete(argv);
      done.push([argv, exitCode, stderr]);
    }
    expect(done).toEqual(COMMANDS.map(([argv, exitCode]) => [argv, exitCode, ""]));
  });

  it("can be the values of options", async () => {
    const root = enterProject("x", {});
    const odd = "Ordner – ñ 文件";
    writeFiles(root, Object.fromEntries(Object.entries(tea).map(([file, text]) => [`${odd}/${file}`, text])));
    const folders = ["schemas", "out", "fixtures"].flatMap((name) => [
      `--${name}`,
      `${odd}/${name === "out" ? "erzeugt ö" : name}`,
    ]);
    for (const argv of [["generate"], ["generate", "--check"], ["status"], ["release", "1.0"]])
      expect([argv, await runAccrete([...argv, ...folders])]).toMatchObject([
        argv,
        { exitCode: 0, stderr: "" },
      ]);
    expect(readdirSync(path.join(root, odd, "erzeugt ö/tea/v1"))).toContain("index.js");
  });
});

/** Mounts a new file system with these files. Returns its folder, or undefined if this machine cannot mount one. */
function mountFileSystem(files: Files): string | undefined {
  const place = createTemporaryFolder();
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", place]).status !== 0) return undefined;
  onTestFinished(() => void spawnSync("umount", ["-l", place]));
  writeFiles(place, files);
  return place;
}

describe("a file system that cannot be written to", () => {
  /** Commands with their exit codes. Those that only read still work. */
  const COMMANDS: readonly (readonly [argv: readonly string[], exitCode: number])[] = [
    [["lint"], 0],
    [["generate", "--check"], 0],
    [["compat"], 0],
    [["status"], 0],
    [["release", "1.0"], 0],
    [["generate", "--emit", "go"], 2],
    [["generate", "--out", "elsewhere"], 2],
    [["init", "--name", "mugs"], 2],
    [["init", "deeper/project", "--name", "mugs"], 2],
    [["import", "samples.jsonl", "--name", "shop"], 2],
    [["import", "samples.jsonl", "--name", "tea", "--force"], 2],
  ];

  it.each([
    ["read-only", "mount -o remount,ro .", "the file system is read-only"],
    ["full", "cat /dev/zero > filler", "no space is left on the device"],
  ] as const)("is named as the reason if it is %s", async (_state, command, reason) => {
    const root = mountFileSystem(tea);
    if (root === undefined) return console.log("skipped: no file system can be mounted here");
    const home = cwd();
    onTestFinished(() => chdir(home));
    chdir(root);
    spawnSync("sh", ["-c", command]);
    const before = readContents(root);
    for (const [argv, wanted] of COMMANDS) {
      const { exitCode, stderr } = await runAccrete(argv);
      expect([argv, exitCode, stderr]).toEqual([
        argv,
        wanted,
        wanted === 0 ? "" : expect.stringContaining(reason),
      ]);
      expect([argv, listDifferences(readContents(root), before)]).toEqual([argv, []]);
    }
  });
});

describe("two runs at once", () => {
  const cli = path.join(import.meta.dirname, "../../generator/cli.ts");
  const run = (...argv: readonly string[]): Promise<{ code: number | null; stderr: string }> => {
    const child = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), ...argv], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let stderr = "";
    child.stderr.on("data", (piece) => {
      stderr += piece;
    });
    return new Promise((resolve) => child.on("close", (code) => resolve({ code, stderr })));
  };

  it("of generate succeed or report the other run, and the result is complete", async () => {
    const root = enterProject(
      "project",
      Object.fromEntries(Object.entries(tea).filter(([file]) => !file.startsWith("generated"))),
    );
    const both = await Promise.all([run(cli, "generate"), run(cli, "generate")]);
    for (const { code, stderr } of both)
      if (code !== 0)
        expect([code, stderr]).toEqual([
          2,
          expect.stringMatching(/^accrete: `accrete generate` \(process \d+\) is writing to generated/),
        ]);
    expect(both.map(({ code }) => code)).toContain(0);
    expect((await runAccrete(["generate", "--check"])).exitCode).toBe(0);
    expect(readdirSync(path.join(root, "generated"))).toEqual(["tea"]);
  });

  it("lose no record of a frontend", async () => {
    const root = enterProject("project", {});
    const source = path.join(import.meta.dirname, "../../generator/load/consumer-records.ts");
    const script = `import { recordConsumer } from ${JSON.stringify(source)};
      const record = recordConsumer("fixtures/consumers.json");
      for (let i = 0; i < 20; i++)
        record({ consumer: process.argv[2] + i, protocol: "__proto__", version: "1.0", events: ["a"] });
      if ("version" in {} || Object.hasOwn(Object.prototype, "A0")) process.exitCode = 9;`;
    writeFiles(root, { "record.mts": script });
    const codes = await Promise.all(["A", "B", "C"].map((name) => run("record.mts", name)));
    expect(codes.map(({ code, stderr }) => [code, stderr])).toEqual([0, 0, 0].map((code) => [code, ""]));
    const { records, findings } = readConsumers(path.join(root, "fixtures/consumers.json"));
    expect([findings, records.length]).toEqual([[], 60]);
    expect(readdirSync(path.join(root, "fixtures"))).toEqual(["consumers.json"]);
  });

  it.each([
    ["5 s for a lock that stays", undefined, 500],
    ["another 5 s for a lock that was created meanwhile", 499, 999],
    ["no longer for a lock that is removed", -1, 700],
  ])("wait for the record of frontends: %s", (_, renewed, waits) => {
    const root = enterProject("project", { "fixtures/consumers.json.lock": "" });
    const lock = path.join(root, "fixtures/consumers.json.lock");
    const wait = vi.spyOn(Atomics, "wait").mockImplementation(() => {
      const count = wait.mock.calls.length;
      if (count === renewed || (renewed === -1 && count % 300 === 0)) utimesSync(lock, count, count);
      if (count === 700 && renewed === -1) rmSync(lock);
      return "timed-out";
    });
    onTestFinished(() => wait.mockRestore());
    recordConsumer("fixtures/consumers.json")({ consumer: "a", protocol: "b", version: "1.0", events: [] });
    expect(wait).toHaveBeenCalledTimes(waits);
    expect(readdirSync(path.join(root, "fixtures"))).toEqual(["consumers.json"]);
  });

  it("are refused while the lock of another machine exists", async () => {
    const root = enterProject("project", tea);
    writeFileSync(path.join(root, "generated", LOCK), JSON.stringify({ pid: 1, host: "elsewhere" }));
    for (const argv of [["generate"], ["generate", "--emit", "go"]]) {
      const { exitCode, stderr } = await runAccrete(argv);
      expect([exitCode, stderr]).toEqual([
        2,
        expect.stringMatching(/\(process 1\) is writing to generated; try again/),
      ]);
    }
  });
});
