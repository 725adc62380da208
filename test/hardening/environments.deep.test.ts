/** If this fails, a read-only folder, a full disk, a second process or a wrong clock leaves a project half changed or without a message. */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { chdir, cwd } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { loadAllCommands } from "../../generator/commands/program.js";
import { createSaver } from "../../generator/monitor/state-file.js";
import { type Outcome, runAccrete } from "../commands/run-in-process.js";
import { thinCases } from "../depth.js";
import { createSharedFolder, createTemporaryFolder } from "../folders.js";
import { SENSIBLE_LINES } from "./command-lines.js";
import { createWriters, listDifferences, readContents, resetFolder, type Writer } from "./writers.js";

const writers = await createWriters();
const rows = writers.map((writer) => [writer.name, writer] as const);
const tea = writers.find(({ name }) => name === "redact")?.files ?? {};
const STREAM = "fixtures/tea/v1/streams/two-notes.jsonl";

/** Runs `use` in a folder with the files of a writer. */
async function inside<T>(root: string, { files }: Writer, use: () => Promise<T>): Promise<T> {
  const home = cwd();
  resetFolder(root, files);
  chdir(root);
  try {
    return await use();
  } finally {
    chdir(home);
  }
}

/** Returns the files before and after a complete run. */
async function runComplete(root: string, writer: Writer) {
  return await inside(root, writer, async () => {
    const before = readContents(root);
    expect((await runAccrete(writer.argv)).exitCode).toBe(0);
    return { before, after: readContents(root) };
  });
}

it("every command that changes files has a project in which it does", async () => {
  const commands = (await loadAllCommands()).filter(({ writes }) => writes);
  expect(commands.length).toBeGreaterThan(5);
  expect([...new Set(writers.map(({ argv }) => argv[0]))].sort()).toEqual(
    commands.map(({ name }) => name).sort(),
  );
});

const isSuperuser = process.getuid?.() === 0;

describe("a folder that nobody may write to", () => {
  it.each(rows)("%s", async (_name, writer) => {
    const root = createTemporaryFolder();
    const { before } = await runComplete(root, writer);
    await inside(root, writer, async () => {
      const folders = [
        root,
        ...readdirSync(root, { recursive: true }).map((name) => path.join(root, String(name))),
      ];
      for (const folder of folders.filter((each) => lstatSync(each).isDirectory())) chmodSync(folder, 0o555);
      // The superuser may write everywhere.
      if (isSuperuser) process.seteuid?.(65_534);
      try {
        const { exitCode, stderr } = await runAccrete(writer.argv);
        expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/^accrete: .*permission denied/)]);
      } finally {
        if (isSuperuser) process.seteuid?.(0);
        for (const folder of folders.filter((each) => lstatSync(each).isDirectory()))
          chmodSync(folder, 0o755);
      }
      expect(listDifferences(readContents(root), before)).toEqual([]);
    });
  });
});

/** Commands that write files which nothing else reads, and that may write although they have findings. */
const REPORTS: readonly Writer[] = [
  { name: "audit --output", argv: ["audit", STREAM, "--output", "findings.parquet"], files: tea },
  { name: "monitor --state", argv: ["monitor", STREAM, "--state", "monitor.json"], files: tea },
];

describe("a full disk", () => {
  const disk = createSharedFolder();
  const mount = () => spawnSync("mount", ["-t", "tmpfs", "-o", "size=8m", "accrete-test", disk]).status === 0;
  const unmount = () => void spawnSync("umount", [disk]);
  const canMount = mount();
  if (canMount) unmount();
  else console.warn("a small disk cannot be mounted: full disks are not tested");
  beforeAll(() => void (canMount && mount()));
  afterAll(() => canMount && unmount());

  /** The bytes that are free: none, too few for a file, too few for all files. */
  const FREE = [0, 4096, 16_384];

  /** Runs the writer on a disk with so many bytes. */
  async function runOnFullDisk(writer: Writer, free: number): Promise<Outcome> {
    const { bavail, bsize } = statfsSync(disk);
    const filler = path.join(disk, "filler");
    writeFileSync(filler, Buffer.alloc(bavail * bsize - free));
    try {
      return await runAccrete(writer.argv);
    } finally {
      rmSync(filler);
    }
  }

  it.skipIf(!canMount).each(rows)("%s", async (_name, writer) => {
    const root = path.join(disk, "project");
    mkdirSync(root, { recursive: true });
    const { before, after } = await runComplete(root, writer);
    for (const free of FREE)
      await inside(root, writer, async () => {
        const { exitCode, stderr } = await runOnFullDisk(writer, free);
        if (free === 0) expect(exitCode).toBe(2);
        if (exitCode !== 0)
          expect([exitCode, stderr]).toEqual([
            2,
            expect.stringMatching(/^accrete: .*no space is left on the device/),
          ]);
        const left = listDifferences(readContents(root), exitCode === 0 ? after : before);
        expect([free, left]).toEqual([free, []]);
        await runAccrete(writer.argv);
        expect(listDifferences(readContents(root), after)).toEqual([]);
      });
  });

  it.skipIf(!canMount).each(REPORTS)("$name", async (writer) => {
    const root = path.join(disk, "project");
    mkdirSync(root, { recursive: true });
    await inside(root, writer, async () => {
      const before = readContents(root);
      const { exitCode, stderr } = await runOnFullDisk(writer, 0);
      expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/^accrete: .*no space is left/)]);
      expect(stderr).not.toContain("unexpected");
      expect(listDifferences(readContents(root), before)).toEqual([]);
    });
  });
});

const CLI = [
  "--import",
  import.meta.resolve("tsx"),
  path.join(import.meta.dirname, "../../generator/cli.ts"),
];

function startProcess(
  root: string,
  argv: readonly string[],
): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, [...CLI, ...argv], {
    cwd: root,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (piece) => {
    stderr += piece;
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stderr })));
}

/** What a process says that finds another one at work, or the work done. */
const REFUSALS = /is writing to .*; try again|already|no protocol "tea"|something else has that name/;

describe("two processes at once", () => {
  it.each(thinCases(rows, 3))("%s", async (_name, writer) => {
    const root = createTemporaryFolder();
    const { after } = await runComplete(root, writer);
    await inside(root, writer, async () => {
      const results = await Promise.all([startProcess(root, writer.argv), startProcess(root, writer.argv)]);
      expect(results.map(({ code }) => code)).toContain(0);
      for (const { code, stderr } of results)
        if (code !== 0) expect([code, stderr]).toEqual([2, expect.stringMatching(REFUSALS)]);
      expect(listDifferences(readContents(root), after)).toEqual([]);
    });
  });
});

describe("a clock that goes back", () => {
  it.each(rows)("%s", async (_name, writer) => {
    const root = createTemporaryFolder();
    const { after } = await runComplete(root, writer);
    await inside(root, writer, async () => {
      let now = Date.now();
      vi.spyOn(Date, "now").mockImplementation(() => (now -= 3_600_000));
      onTestFinished(() => void vi.restoreAllMocks());
      expect((await runAccrete(writer.argv)).exitCode).toBe(0);
      expect(listDifferences(readContents(root), after)).toEqual([]);
    });
  });

  it("does not keep a monitor from saving its state", async () => {
    let count = 0;
    const saver = createSaver(() => count++);
    saver.saveNow();
    const now = Date.now() - 3_600_000;
    vi.spyOn(Date, "now").mockImplementation(() => now);
    onTestFinished(() => void vi.restoreAllMocks());
    await Promise.race([saver.save(), sleep(10_000)]);
    expect(count).toBe(2);
  });
});

describe("what an interrupted command left", () => {
  const LEFT = {
    "generated/.accrete-lock": JSON.stringify({ pid: 1, host: hostname(), command: "accrete generate" }),
    "generated/.accrete-x/journal.json": "[]",
  };

  it.each(Object.entries(SENSIBLE_LINES))("is explained by accrete %s", async (name, [line = ""]) => {
    const files = { ...tea, ...LEFT };
    await inside(createTemporaryFolder(), { name, argv: [], files }, async () => {
      const { stderr } = await runAccrete(line.split(" "), "", { isRunning: (pid) => pid !== 1 });
      expect(stderr).toContain("`accrete generate` was interrupted while it wrote to generated.");
    });
  });
});
