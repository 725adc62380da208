/** If this fails, a crash, a full disk or a second process leaves a project half changed, or destroys a file. */
import fs, { readdirSync, statSync, utimesSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { hostname } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { BANNER } from "../../generator/emit/text.js";
import { LOCK, LOCK_EXPIRES_MS } from "../../generator/output/lock.js";
import { writeTree } from "../../generator/output/output-tree.js";
import { changeFolder, type FileChange } from "../../generator/output/transaction.js";
import { createTemporaryFolder, readTree, writeFiles } from "../folders.js";
import { breakDisk, CLEANUP_STEPS, type DiskFault } from "../hardening/broken-disk.js";

const owner = { pid: process.pid, isRunning: () => true };

/** The files before and after CHANGES, which contain each kind of change. */
const OLD = {
  "a/p/v1/1.ts": "1",
  "a/p/v1/2.ts": "2",
  "a/p/v1/gone/3.ts": "3",
  "a/mine.txt": "mine",
  "b/x.json": "old x",
};
const NEW = {
  "a/p/v1/1.ts": "1",
  "a/p/v1/2.ts": "two",
  "a/q/v1/deep/4.ts": "4",
  "a/mine.txt": "mine",
  "b/x.json": "new x",
  "b/y.json": "new y",
};
const CHANGES: readonly FileChange[] = [
  { path: "a/p/v1/2.ts", content: "two", exists: true },
  { path: "a/q/v1/deep/4.ts", content: "4", exists: false },
  { path: "a/p/v1/gone/3.ts", content: undefined, exists: true },
  { path: "b/x.json", content: "new x", exists: true },
  { path: "b/y.json", content: "new y", exists: false },
];
const X_AND_Y = CHANGES.slice(3).map((applyChanges) => ({
  ...applyChanges,
  path: path.basename(applyChanges.path),
}));
const change = (root: string, changes = CHANGES): void => changeFolder(root, changes, owner);

/** Returns the files below a folder, without empty folders, which a failing disk may leave. */
const readFiles = (root: string) =>
  Object.fromEntries(Object.entries(readTree(root)).filter(([name]) => !name.endsWith("/")));

/** Runs without changes after all locks have expired. This rolls back the changes before a crash. */
const recoverFolder = (root: string): void => {
  const past = Date.now() / 1000 - 6;
  if (fs.existsSync(path.join(root, LOCK))) utimesSync(path.join(root, LOCK), past, past);
  change(root, []);
};

/** Changes the folders while the disk breaks at a step; returns the error and the name of the step. */
function changeOnBrokenDisk(root: string, at: number, diskFault: DiskFault) {
  const repair = breakDisk(at, diskFault);
  let error: unknown;
  let taken: ReturnType<typeof repair>;
  try {
    change(root);
  } catch (thrown) {
    error = thrown;
  } finally {
    taken = repair();
  }
  return { error, ...taken };
}

/** Returns the number of steps of a run that succeeds. */
function countSteps(): number {
  const root = createTemporaryFolder(OLD);
  const { error, steps } = changeOnBrokenDisk(root, Number.POSITIVE_INFINITY, "fails");
  expect([error, readTree(root)]).toEqual([undefined, NEW]);
  expect(steps).toBeGreaterThan(25);
  return steps;
}

describe("changeFolder", () => {
  it("leaves the old state if it fails and the new one otherwise, whichever step fails", () => {
    const failing = new Set<string>();
    for (let at = 0, steps = countSteps(); at < steps; at++) {
      const root = createTemporaryFolder(OLD);
      const { error, broken = "" } = changeOnBrokenDisk(root, at, "fails");
      if (error) failing.add(broken);
      if (error) expect(String(error)).toMatch(/; it is as it was\..* no space is left/);
      if (CLEANUP_STEPS.includes(broken)) recoverFolder(root);
      expect({ at, broken, tree: readFiles(root) }).toEqual({ at, broken, tree: error ? OLD : NEW });
    }
    const failures = ["fsync", "mkdir", "mkdtemp", "open", "rename", "unlink", "writeFile"];
    expect([...failing].sort()).toEqual(failures.map((name) => `${name}Sync`));
  });

  it("leaves the old state or the new one to the next run, whichever step is the last before a crash", () => {
    const seen = new Set<object>();
    for (let at = 0, steps = countSteps(); at < steps; at++) {
      const root = createTemporaryFolder(OLD);
      changeOnBrokenDisk(root, at, "dies");
      recoverFolder(root);
      const left = readFiles(root);
      expect([OLD, NEW]).toContainEqual(left);
      seen.add("b/y.json" in left ? NEW : OLD);
      if (!("b/y.json" in left)) change(root);
      expect(readFiles(root)).toEqual(NEW);
    }
    expect(seen.size).toBe(2);
  });

  it("survives a second crash while it rolls the first one back", () => {
    for (let at = 24, steps = countSteps(); at < steps; at += 5)
      for (let again = 2; again < 14; again += 2) {
        const root = createTemporaryFolder(OLD);
        changeOnBrokenDisk(root, at, "dies");
        const repair = breakDisk(again, "dies");
        try {
          recoverFolder(root);
        } catch {
          // This is the second crash.
        } finally {
          repair();
        }
        recoverFolder(root);
        // A crash may leave the stale lock that it was taking over.
        fs.rmSync(path.join(root, `${LOCK}-${owner.pid}`), { force: true });
        expect([OLD, NEW]).toContainEqual(readFiles(root));
      }
  });

  it("flushes contents, journals and names before a step that depends on them", () => {
    const root = createTemporaryFolder(OLD);
    const steps = recordSteps(() => change(root));
    const position = (step: RegExp): number => steps.findIndex((each) => step.test(each));
    const moves = steps.flatMap((step, index) => (/^(renameSync|linkSync) /.test(step) ? [index] : []));
    const written = steps.filter((step) => /^openSync .*(\.new|journal\.json)$/.test(step));
    expect(written).toHaveLength(5);
    for (const step of written) {
      const flushed = position(new RegExp(`^fsyncSync ${step.slice("openSync ".length)}$`));
      expect(flushed).toBeGreaterThan(position(new RegExp(`^${step}$`)));
      expect(flushed).toBeLessThan(moves[0] as number);
    }
    const committed = position(/^unlinkSync .*journal\.json$/);
    expect(committed).toBeGreaterThan(moves.at(-1) as number);
    // Every folder in which a name changed is flushed before the journal goes.
    const flushed = steps.slice(moves[0], committed).filter((step) => step.startsWith("fsyncSync"));
    for (const name of ["a/p/v1", "a/q/v1/deep", "a/p/v1/gone", "b"])
      expect(flushed).toContain(`fsyncSync ${name}`);
    expect(steps.slice(committed).some((step) => /^fsyncSync .accrete-/.test(step))).toBe(true);
  });

  it("ignores a journal that leads out of the folder or was cut off", () => {
    const entries = [
      { path: "../victim.ts", digest: "0" },
      { path: "../victim.ts" },
      { path: ".git/hooks/pre-commit" },
      { path: "deep/.GIT/config" },
      { path: "deep/mine.ts", digest: "0" },
    ];
    const root = createTemporaryFolder({
      "victim.ts": "victim",
      "a/.accrete-evil/journal.json": JSON.stringify(entries),
      ...Object.fromEntries([0, 1, 2, 3].map((index) => [`a/.accrete-evil/${index}.old`, "evil"])),
      "a/deep/mine.ts": "mine",
      "a/.accrete-cut/journal.json": '[{"path":"deep/mi',
    });
    recoverFolder(path.join(root, "a"));
    expect(readTree(root)).toEqual({ "victim.ts": "victim", "a/deep/mine.ts": "mine" });
  });

  it("moves the old file where links cannot be made, and keeps the time of what it puts back", () => {
    const root = createTemporaryFolder(OLD);
    utimesSync(path.join(root, "a/p/v1/2.ts"), 1_000_000, 1_000_000);
    const refuse = () => {
      throw Object.assign(new Error("EPERM"), { code: "EPERM", syscall: "link" });
    };
    vi.spyOn(fs, "linkSync").mockImplementation(refuse);
    vi.spyOn(fs, "unlinkSync").mockImplementationOnce(refuse);
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    expect(() => change(root)).toThrow("as it was");
    expect(readTree(root)).toEqual(OLD);
    expect(statSync(path.join(root, "a/p/v1/2.ts")).mtimeMs).toBe(1_000_000_000);
    change(root);
    expect(readTree(root)).toEqual(NEW);
  });

  it("removes the folders that a failed run made", () => {
    const root = createTemporaryFolder();
    const repair = breakDisk(".new", "fails");
    const run = () => changeFolder(path.join(root, "x/y/out"), X_AND_Y, owner);
    try {
      expect(run).toThrow("it is as it was");
    } finally {
      repair();
    }
    expect(readdirSync(root)).toEqual([]);
  });

  it("does not replace or remove a file that appears meanwhile", () => {
    const root = createTemporaryFolder({ "b/x.json": "old x" });
    const repair = breakDisk("journal.json", () => writeFiles(root, { "b/y.json": "theirs" }));
    try {
      expect(() => changeFolder(path.join(root, "b"), X_AND_Y, owner)).toThrow(
        "something else has that name",
      );
    } finally {
      repair();
    }
    expect(readTree(root)).toEqual({ "b/x.json": "old x", "b/y.json": "theirs" });
  });
});

/** Returns the steps of `run` in their order, each with the path that it concerns. */
function recordSteps(run: () => void): string[] {
  const steps: string[] = [];
  const names = new Map<unknown, string>();
  const repairs = ["openSync", "fsyncSync", "renameSync", "linkSync", "unlinkSync"].map((name) => {
    const functions = fs as unknown as { [name: string]: (...args: unknown[]) => unknown };
    const real = functions[name] as (...args: unknown[]) => unknown;
    functions[name] = (...args) => {
      const file = String(names.get(args[0]) ?? args[0]);
      steps.push(`${name} ${file.replace(/^.*?accrete-test-[^/]+\//, "")}`);
      const result = real(...args);
      if (name === "openSync") names.set(result, String(args[0]));
      return result;
    };
    return () => {
      functions[name] = real;
    };
  });
  const restore = (): void => {
    for (const repair of repairs) repair();
    syncBuiltinESMExports();
  };
  onTestFinished(restore);
  syncBuiltinESMExports();
  run();
  restore();
  return steps;
}

describe("writeTree", () => {
  it("makes the folder hold the outputs and removes other generated files of these versions", () => {
    const text = (content: string): string => `${BANNER}${content}`;
    const out = createTemporaryFolder({
      "a/v1/1.ts": text("1"),
      "a/v1/2.ts": text("2"),
      "b/v1/gone/3.ts": text("3"),
      "a/v1/mine.txt": "mine",
      "c/v1/other.ts": text("c"),
    });
    const outputs = [
      { path: "a/v1/1.ts", content: text("1") },
      { path: "a/v1/2.ts", content: text("two") },
    ];
    expect(writeTree(out, outputs, ["a/v1", "b/v1"], owner)).toEqual({
      written: ["a/v1/2.ts"],
      removed: ["b/v1/gone/3.ts"],
      unchanged: 1,
      findings: [],
    });
    expect(readTree(out)).toEqual({
      "a/v1/1.ts": text("1"),
      "a/v1/2.ts": text("two"),
      "a/v1/mine.txt": "mine",
      "c/v1/other.ts": text("c"),
    });
  });

  it("throws for an output without banner, and for two outputs of one path", () => {
    const out = createTemporaryFolder();
    const ids = ["a/v1"];
    expect(() => writeTree(out, [{ path: "a/v1/x.ts", content: "x" }], ids, owner)).toThrow("banner");
    const twice = { path: "a/v1/x.ts", content: BANNER };
    expect(() => writeTree(out, [twice, twice], ids, owner)).toThrow("two outputs");
  });
});

describe("the lock", () => {
  const writeLock = (out: string, lock: object | string, age = 0): void => {
    writeFiles(out, { [LOCK]: typeof lock === "string" ? lock : JSON.stringify(lock) });
    const time = (Date.now() - age) / 1000;
    utimesSync(path.join(out, LOCK), time, time);
  };
  const otherOwner = { pid: process.pid, isRunning: (pid: number) => pid === 4711 || pid === process.pid };
  const LOCAL_HOST = hostname();

  it.each([
    ["a process that runs", { pid: 4711, host: LOCAL_HOST }, 0, true],
    ["a process on another machine", { pid: 1, host: "elsewhere" }, 0, true],
    ["a process that was killed before it wrote its id", "", 0, false],
    ["a process that has ended", { pid: 4712, host: LOCAL_HOST }, 0, false],
    ["an earlier process with our id", { pid: process.pid, host: LOCAL_HOST }, 0, false],
    ["a process that runs, however long", { pid: 4711, host: LOCAL_HOST }, 100 * LOCK_EXPIRES_MS, true],
    ["a process elsewhere, for too long", { pid: 4711, host: "elsewhere" }, LOCK_EXPIRES_MS + 1000, false],
    ["a process that never wrote its id", "", 6000, false],
    ["a process that never wrote its id, before the clock went back", "", -86_400_000, false],
  ] as const)("of %s", (_name, lock, age, isRefused) => {
    const out = createTemporaryFolder({ "x.json": "old x" });
    writeLock(out, lock, age);
    const run = () => changeFolder(out, X_AND_Y, otherOwner);
    if (isRefused) expect(run).toThrow(/^Another accrete .*is writing to .*try again when it is done/);
    else run();
    const { [LOCK]: left, ...rest } = readTree(out);
    expect(rest).toEqual(isRefused ? { "x.json": "old x" } : { "x.json": "new x", "y.json": "new y" });
    expect(left !== undefined).toBe(isRefused);
  });
});
