import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { BANNER } from "../../generator/emit/text.js";
import { DISK, type Disk } from "../../generator/output/disk.js";
import { contentDigest } from "../../generator/output/journal.js";
import { LOCK, LOCK_EXPIRES_MS } from "../../generator/output/lock.js";
import { writeTree } from "../../generator/output/write-tree.js";
import { folder, put, tree } from "./folders.js";

const OLD = {
  "a/v1/1.ts": `${BANNER}1`,
  "a/v1/2.ts": `${BANNER}2`,
  "b/v1/gone/3.ts": `${BANNER}3`,
  "a/v1/mine.txt": "mine",
};
const NEW = {
  "a/v1/1.ts": `${BANNER}1`,
  "a/v1/2.ts": `${BANNER}two`,
  "c/v1/deep/4.ts": `${BANNER}4`,
  "a/v1/mine.txt": "mine",
};
const OUTPUTS = Object.entries(NEW)
  .filter(([, content]) => content !== "mine")
  .map(([path, content]) => ({ path, content }));

/** All versions that are here, before or after. */
const IDS = ["a/v1", "b/v1", "c/v1"];

const owner = { pid: process.pid, isRunning: () => true };
const write = (out: string, disk?: Disk) => writeTree(out, OUTPUTS, IDS, owner, disk);

/** Undoes what a crash left, and changes nothing else. */
const recover = (out: string) => writeTree(out, [], [], owner);

/** A disk whose step `fails` fails: once, or it and everything after it, as in a crash. Files are half written then. */
function broken(fails: number, forever: boolean): Disk & { steps: number } {
  const disk = { steps: 0 } as Disk & { steps: number };
  const step =
    <A extends string[]>(name: keyof Disk, real: (...args: A) => void) =>
    (...args: A): void => {
      disk.steps++;
      if (disk.steps < fails || (disk.steps > fails && !forever)) {
        real(...args);
        return;
      }
      if (name === "write" && disk.steps === fails) writeFileSync(args[0] ?? "", "half");
      throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC", syscall: name });
    };
  return Object.assign(disk, {
    makeFolder: step("makeFolder", DISK.makeFolder),
    write: step("write", DISK.write),
    rename: step("rename", DISK.rename),
    link: step("link", DISK.link),
    remove: step("remove", DISK.remove),
    settle: step("settle", DISK.settle),
  });
}

/** How many steps a whole run takes. */
function allSteps(): number {
  const out = folder(OLD);
  const disk = broken(Number.POSITIVE_INFINITY, false);
  write(out, disk);
  expect(tree(out)).toEqual(NEW);
  return disk.steps;
}

describe("writeTree", () => {
  it("leaves the old tree whichever step fails", () => {
    const steps = allSteps();
    expect(steps).toBeGreaterThan(15);
    for (let fails = 1; fails <= steps; fails++) {
      const out = folder(OLD);
      let failed = false;
      try {
        write(out, broken(fails, false));
      } catch {
        failed = true;
      }
      // Waiting for the disk after the journal is gone is the one step whose failure comes too late to matter.
      expect({ fails, failed, tree: tree(out) }).toEqual({
        fails,
        failed: true,
        tree: fails === steps ? NEW : OLD,
      });
    }
  });

  it("leaves the old tree or the new one to the next run whichever step is the last before a crash", () => {
    const steps = allSteps();
    const seen = new Set<string>();
    for (let fails = 1; fails <= steps; fails++) {
      const out = folder(OLD);
      expect(() => write(out, broken(fails, true))).toThrow("no space is left");
      recover(out);
      const left = JSON.stringify(tree(out));
      seen.add(left);
      expect([JSON.stringify(OLD), JSON.stringify(NEW)].map(sorted)).toContain(sorted(left));
      write(out);
      expect(tree(out)).toEqual(NEW);
    }
    expect(seen.size).toBe(2);
  });

  it("survives kill -9 between any two renames", { timeout: 120_000 }, () => {
    for (const step of ["link 1", "rename 3", "remove 1"]) {
      const out = folder(OLD);
      const script = path.join(import.meta.dirname, "killed-writer.ts");
      const child = spawnSync(process.execPath, [
        "--import",
        "tsx",
        script,
        out,
        step,
        JSON.stringify(OUTPUTS),
      ]);
      expect({ step, signal: child.signal, error: child.stderr.toString() }).toEqual({
        step,
        signal: "SIGKILL",
        error: "",
      });
      expect(existsSync(path.join(out, LOCK))).toBe(true);
      const later = { pid: 1, isRunning: (pid: number) => pid !== child.pid };
      writeTree(out, [], [], later);
      expect(tree(out)).toEqual(OLD);
      writeTree(out, OUTPUTS, IDS, later);
      expect(tree(out)).toEqual(NEW);
    }
  });

  it("does not believe a journal that leads out of the folder", () => {
    const root = folder({
      "victim.ts": `${BANNER}victim`,
      "out/.accrete-evil/journal.json": JSON.stringify([
        { path: "../victim.ts", action: "create" },
        { path: "../victim.ts", action: "replace" },
        { path: ".git/hooks/pre-commit", action: "replace" },
        { path: "deep/.GIT/config", action: "remove" },
        { path: "deep/mine.ts", action: "create", folders: 1e9, digest: "0" },
      ]),
      ...Object.fromEntries([0, 1, 2, 3].map((index) => [`out/.accrete-evil/old/${index}`, "evil"])),
      "out/deep/mine.ts": "mine",
    });
    recover(path.join(root, "out"));
    expect(tree(root)).toEqual({ "victim.ts": `${BANNER}victim`, "out/deep/mine.ts": "mine" });
  });

  it("undoes what was done and nothing else", () => {
    const journal = ["create", "create", "replace", "remove"].map((action, i) => ({
      ...{ path: `a/v1/${i}/x.ts`, action, folders: 1 },
      digest: contentDigest(`${BANNER}arrived`),
    }));
    const out = folder({
      ".accrete-x/journal.json": JSON.stringify(journal),
      ".accrete-x/new/0": "not there yet",
      ".accrete-x/old/3": "was removed",
      "a/v1/0/x.ts": `${BANNER}somebody else's`,
      "a/v1/1/x.ts": `${BANNER}arrived`,
      "a/v1/2/x.ts": "not replaced yet",
    });
    recover(out);
    expect(tree(out)).toEqual({
      "a/v1/0/x.ts": `${BANNER}somebody else's`,
      "a/v1/2/x.ts": "not replaced yet",
      "a/v1/3/x.ts": "was removed",
    });
  });

  it("moves the old file where links cannot be made", () => {
    const out = folder(OLD);
    write(out, {
      ...DISK,
      link: () => {
        throw Object.assign(new Error("EPERM"), { code: "EPERM" });
      },
    });
    expect(tree(out)).toEqual(NEW);
  });

  it("keeps the time of what it puts back", () => {
    const out = folder(OLD);
    const file = path.join(out, "a/v1/2.ts");
    utimesSync(file, 1_000_000, 1_000_000);
    const steps = allSteps();
    expect(() => write(out, broken(steps - 1, false))).toThrow();
    expect(statSync(file).mtimeMs).toBe(1_000_000_000);
  });

  it("removes a folder that it made for nothing", () => {
    const root = folder();
    expect(() => write(path.join(root, "x/y/out"), broken(3, false))).toThrow();
    expect(readdirSync(root)).toEqual([]);
  });

  it("takes outputs without banner, and two for one path, for bugs", () => {
    const out = folder();
    expect(() => writeTree(out, [{ path: "a/v1/x.ts", content: "x" }], IDS, owner)).toThrow("banner");
    const twice = { path: "a/v1/x.ts", content: BANNER };
    expect(() => writeTree(out, [twice, twice], IDS, owner)).toThrow("two outputs");
  });
});

describe("the lock", () => {
  const held = (out: string, lock: object | string, age = 0): void => {
    put(out, { [LOCK]: typeof lock === "string" ? lock : JSON.stringify(lock) });
    const time = (Date.now() - age) / 1000;
    utimesSync(path.join(out, LOCK), time, time);
  };
  const others = { pid: process.pid, isRunning: (pid: number) => pid === 4711 || pid === process.pid };

  it.each([
    ["a process that runs", { pid: 4711, host: hostname() }, 0, true],
    ["a process on another machine", { pid: 1, host: "elsewhere" }, 0, true],
    ["nobody yet", "", 0, true],
    ["a process that is gone", { pid: 4712, host: hostname() }, 0, false],
    ["an earlier process with our id", { pid: process.pid, host: hostname() }, 0, false],
    ["a process that runs, however long", { pid: 4711, host: hostname() }, 100 * LOCK_EXPIRES_MS, true],
    [
      "a process on another machine, for too long",
      { pid: 4711, host: "elsewhere" },
      LOCK_EXPIRES_MS + 1000,
      false,
    ],
    ["nobody, for some time", "", 6000, false],
  ] as const)("of %s", (_name, lock, age, refuses) => {
    const out = folder(OLD);
    held(out, lock, age);
    const run = () => writeTree(out, OUTPUTS, IDS, others);
    if (refuses) expect(run).toThrow(/^Another accrete .*is writing to .*try again when it is done/);
    else run();
    const { [LOCK]: left, ...rest } = tree(out);
    expect(rest).toEqual(refuses ? OLD : NEW);
    expect(left !== undefined).toBe(refuses);
  });
});

function sorted(text: string): string {
  return JSON.stringify(Object.entries(JSON.parse(text)).sort());
}
