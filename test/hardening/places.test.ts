import { spawn, spawnSync } from "node:child_process";
import { readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { chdir, cwd } from "node:process";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { readConsumers, recordConsumer } from "../../generator/load/consumer-records.js";
import { LOCK } from "../../generator/output/lock.js";
import { createTemporaryFolder, writeFiles } from "../cli/folders.js";
import { runAccrete } from "../cli/run-in-process.js";
import { inside } from "./inside.js";
import { type Files, project } from "./project.js";
import { contents, difference } from "./writers.js";

let tea: Files = {};
beforeAll(async () => {
  tea = await project("nested");
});

describe("folders whose names need care", () => {
  /** Every command, each with what it exits with in a sound project. */
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
    inside(name, tea);
    const done = [];
    for (const [argv] of COMMANDS) {
      const { exitCode, stderr } = await runAccrete(argv);
      done.push([argv, exitCode, stderr]);
    }
    expect(done).toEqual(COMMANDS.map(([argv, exitCode]) => [argv, exitCode, ""]));
  });

  it("as options and operands", async () => {
    const root = inside("x", {});
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

/** A file system of its own, where that can be had. */
function mounted(files: Files): string | undefined {
  const place = createTemporaryFolder();
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", place]).status !== 0) return undefined;
  onTestFinished(() => void spawnSync("umount", ["-l", place]));
  writeFiles(place, files);
  return place;
}

describe("a file system that takes nothing", () => {
  /** Commands that write, and those that only read, which need no place to write. */
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
  ] as const)("because it is %s", async (_state, command, reason) => {
    const root = mounted(tea);
    if (root === undefined) return console.log("skipped: no file system can be mounted here");
    const home = cwd();
    onTestFinished(() => chdir(home));
    chdir(root);
    spawnSync("sh", ["-c", command]);
    const before = contents(root);
    for (const [argv, wanted] of COMMANDS) {
      const { exitCode, stderr } = await runAccrete(argv);
      expect([argv, exitCode, stderr]).toEqual([
        argv,
        wanted,
        wanted === 0 ? "" : expect.stringContaining(reason),
      ]);
      expect([argv, difference(contents(root), before)]).toEqual([argv, []]);
    }
  });
});

describe("two at once", () => {
  const cli = path.join(import.meta.dirname, "../../generator/cli.ts");
  const start = (argv: readonly string[]) => run(cli, ...argv);
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

  it("generate: each ends well or says that the other is at work, and the result is right", async () => {
    const root = inside(
      "project",
      Object.fromEntries(Object.entries(tea).filter(([file]) => !file.startsWith("generated"))),
    );
    const both = await Promise.all([start(["generate"]), start(["generate"])]);
    for (const { code, stderr } of both)
      if (code !== 0)
        expect([code, stderr]).toEqual([
          2,
          expect.stringMatching(/Another accrete .*is writing to generated/),
        ]);
    expect(both.map(({ code }) => code)).toContain(0);
    expect((await runAccrete(["generate", "--check"])).exitCode).toBe(0);
    expect(readdirSync(path.join(root, "generated"))).toEqual(["tea"]);
  });

  it("records of frontends: none is lost", async () => {
    const root = inside("project", {});
    const module_ = path.join(import.meta.dirname, "../../generator/load/consumer-records.ts");
    const script = `import { recordConsumer } from ${JSON.stringify(module_)};
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
    ["that stays is taken away after 5 s", undefined, 500],
    ["that was made meanwhile has its own 5 s", 499, 999],
    ["that is removed is waited for no more", -1, 700],
  ])("records of frontends: a lock %s", (_, renewed, waits) => {
    const root = inside("project", { "fixtures/consumers.json.lock": "" });
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

  it("a run that waits for its turn finds what the other left", async () => {
    const root = inside("project", tea);
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
