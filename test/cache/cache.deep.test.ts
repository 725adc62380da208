/** If this fails, `accrete generate` writes other files because of its cache: after edits, kills, or beside another process. */
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createRandom } from "../../generator/random.js";
import { writeProtocol } from "../../scripts/scale-protocol.js";
import { createTemporaryFolder, readTree } from "../folders.js";
import { getCommand } from "../package/build.js";
import { anySequence, CACHE, checkSequence, damageFile, listEntries } from "./run-sequence.js";

/** Runs few edits and kills, or with ACCRETE_TEST_CACHE=all as many as a change of the cache needs. */
const isLong = process.env.ACCRETE_TEST_CACHE === "all";

it("the outputs are the same with and without the cache, after sequences of edits", async () => {
  await fc.assert(fc.asyncProperty(anySequence, checkSequence), { numRuns: isLong ? 300 : 5 });
}, 1_800_000);

/** The number of event types: so many that most kills hit a run at work. */
const TYPES = 60;

/** A project for processes. */
function createSetup() {
  const root = createTemporaryFolder({ "package.json": "{}" });
  writeProtocol(root, TYPES);
  const events = path.join(root, "schemas/scale/v1/events");
  const files = readdirSync(events).map((name) => path.join(events, name));
  const start = (...args: string[]): ChildProcess =>
    spawn(process.execPath, [getCommand(), "generate", ...args], { cwd: root });
  return {
    root,
    start,
    /** Runs to the end, and returns what the process wrote to stderr. */
    run: async (...args: string[]): Promise<string> => {
      const child = start(...args);
      let stderr = "";
      child.stderr?.on("data", (piece) => {
        stderr += piece;
      });
      const code = await new Promise((resolve) => child.on("close", resolve));
      expect([code, stderr.includes("error")]).toEqual([0, false]);
      return stderr;
    },
    /** Changes a number in one of the schemas. */
    edit: (random: () => number): void => {
      const file = files[Math.floor(random() * files.length)] ?? "";
      const text = readFileSync(file, "utf8").replace(
        /"maxLength": \d+/,
        `"maxLength": ${4000 + Math.floor(random() * 100)}`,
      );
      writeFileSync(file, text.replace(/"title": "[^"]*"/, `"title": "Title ${random()}"`));
    },
    /** Compares the outputs below `out` with those of a run without the cache. */
    compare: (out: string): void => {
      expect(readTree(path.join(root, out))).toEqual(readTree(path.join(root, "plain")));
    },
  };
}

it("the outputs are right after kills", async () => {
  const { root, start, run, edit, compare } = createSetup();
  const { next } = createRandom(41);
  await run();
  for (let kill = 0; kill < (isLong ? 50 : 2); kill++) {
    edit(next);
    const child = start();
    const ended = new Promise((resolve) => child.on("close", resolve));
    await Promise.race([pause(next() * 1500), ended]);
    child.kill("SIGKILL");
    await ended;
    // A kill leaves at most unfinished files, which no run reads.
    expect(await run()).toBe("");
    await run("--out", "plain", "--no-cache");
    compare("generated");
  }
  expect(listEntries(path.join(root, CACHE)).length).toBeLessThan(10);
}, 1_800_000);

it("the outputs are right if two processes share the cache", async () => {
  const { run, edit, compare } = createSetup();
  const { next } = createRandom(42);
  for (let round = 0; round < (isLong ? 10 : 1); round++) {
    edit(next);
    const outs = ["generated", "second"];
    expect(await Promise.all(outs.map((out) => run("--out", out)))).toEqual(["", ""]);
    await run("--out", "plain", "--no-cache");
    for (const out of outs) compare(out);
  }
}, 1_800_000);

it("each damaged entry is ignored with a note", async () => {
  const { root, run, edit, compare } = createSetup();
  const { next } = createRandom(43);
  const cache = path.join(root, CACHE);
  await run();
  // An edit adds the entries of new pieces.
  edit(next);
  await run();
  const entries = listEntries(cache);
  const chosen = isLong ? entries : [entries.at(0), entries.at(-1)].flatMap((file) => file ?? []);
  for (const file of chosen)
    for (const truncates of [false, true]) {
      // Without an edit, only the entry of the whole run is read.
      if (!path.basename(file).startsWith("generate-")) edit(next);
      damageFile(file, next(), truncates);
      expect(await run()).toBe(
        `accrete: note: The cache entry ${path.join(root, CACHE, path.basename(file))} is damaged and was ignored.\n`,
      );
      rmSync(path.join(root, "plain"), { recursive: true, force: true });
      await run("--out", "plain", "--no-cache");
      compare("generated");
    }
}, 1_800_000);
