/** If this fails, `accrete lint` hides errors in schemas, or reports them without their location. */
import { spawn } from "node:child_process";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { watchFolders } from "../../generator/commands/watch-folders.js";
import { createTemporaryFolder, createTinySchemas } from "../folders.js";
import { getCommand } from "../package/build.js";
import { type Outcome, runAccrete } from "./run-in-process.js";

const EVENT = "tiny/v1/events/tea.served.schema.json";
const MISSPELT = ['"minimum"', '"minimun"'] as const;

/** Runs `accrete lint` on two valid protocols, after `changes` to an event of the first one. */
function lintChanged(
  changes: readonly (readonly [from: string | RegExp, to: string])[],
  argv: readonly string[] = [],
  colors = false,
): Promise<Outcome> {
  const files = { ...createTinySchemas(), ...createTinySchemas("other") };
  const event = changes.reduce((text, [from, to]) => text.replace(from, to), files[EVENT] ?? "");
  return runAccrete(["lint", ...argv, "--schemas", createTemporaryFolder({ ...files, [EVENT]: event })], "", {
    colors,
  });
}

it("accepts valid schemas", async () => {
  const outcome = { exitCode: 0, stdout: "0 errors, 0 warnings, 2 valid protocols\n", stderr: "" };
  expect(await lintChanged([])).toEqual(outcome);
});

it("prints every error with its location and fails", async () => {
  const { exitCode, stdout } = await lintChanged([MISSPELT, ['"title"', '"titel"']]);
  expect(exitCode).toBe(1);
  for (const pointer of ["titel", "properties/cups/minimun"])
    expect(stdout).toMatch(
      new RegExp(`tea\\.served\\.schema\\.json:\\d+:\\d+: error keyword-unknown /${pointer} `),
    );
  expect(stdout).toMatch(/\n\d+ errors, 0 warnings, 1 valid protocol\n$/);
});

it("does not fail for warnings", async () => {
  const { exitCode, stdout } = await lintChanged([[/,\s*"description": "How many cups."/, ""]]);
  expect(stdout).toMatch(
    /: warning description-missing \/properties\/cups [\s\S]*\n0 errors, 1 warning, 2 valid/,
  );
  expect(exitCode).toBe(0);
});

it("checks only the protocols that are named", async () => {
  expect((await lintChanged([MISSPELT], ["other/v1"])).exitCode).toBe(0);
  expect((await lintChanged([MISSPELT])).exitCode).toBe(1);
});

it("prints JSON for programs", async () => {
  const { stdout } = await lintChanged([MISSPELT], ["--format", "json"]);
  const { summary, findings } = JSON.parse(stdout);
  expect(summary).toEqual({ errors: 1, warnings: 0, protocols: ["other/v1"] });
  expect(findings[0]).toMatchObject({
    rule: "keyword-unknown",
    severity: "error",
    at: { pointer: "/properties/cups/minimun" },
  });
});

it("escapes control characters of a schema", async () => {
  for (const format of ["text", "json"]) {
    const hostile = ['"minimum"', '"mini\\u001b[31m\\u009b\\u202emum\\n"'] as const;
    const { stdout } = await lintChanged([hostile], ["--format", format]);
    expect(stdout).toContain("\\u001b[31m\\u009b\\u202emum\\n");
    expect(stdout).not.toMatch(/[^\P{C}\n]/u);
  }
});

it("uses colours only at a terminal", async () => {
  expect((await lintChanged([MISSPELT], [], true)).stdout).toContain("\u001b[31merror\u001b[39m");
  expect((await lintChanged([MISSPELT])).stdout).not.toContain("\u001b");
});

describe("--watch", () => {
  const files = createTinySchemas();
  const misspelt = files[EVENT]?.replace(...MISSPELT) ?? "";

  /** Starts `accrete lint --watch` in a folder with a tiny protocol. */
  function startWatching() {
    const root = createTemporaryFolder(
      Object.fromEntries(Object.entries(files).map(([file, text]) => [`schemas/${file}`, text])),
    );
    const child = spawn(process.execPath, [getCommand(), "lint", "--watch"], { cwd: root });
    onTestFinished(() => void child.kill("SIGKILL"));
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (piece) => {
      stdout += piece;
    });
    child.stderr.on("data", (piece) => {
      stderr += piece;
    });
    const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
    const countRuns = (): number => stderr.split("watching schemas and fixtures").length - 1;
    return {
      child,
      ended,
      countRuns,
      locate: (file: string) => path.join(root, "schemas", file),
      waitForRuns: (count: number) =>
        vi.waitFor(() => expect([countRuns(), stderr]).toEqual([count, expect.anything()]), {
          timeout: 30_000,
          interval: 20,
        }),
      readOutput: () => ({ stdout, stderr }),
    };
  }

  it("lints once after each burst of saves, whatever way an editor saves, and ends at Ctrl-C", async () => {
    const { child, ended, countRuns, locate, waitForRuns, readOutput } = startWatching();
    await waitForRuns(1);
    for (const text of ["{", "{}", misspelt]) writeFileSync(locate(EVENT), text);
    await waitForRuns(2);
    // Many editors write a new file and rename it, which a watcher of the old file would not see a second time.
    for (const [index, text] of [files[EVENT] ?? "", misspelt, files[EVENT] ?? ""].entries()) {
      writeFileSync(locate(`${EVENT}~`), text);
      renameSync(locate(`${EVENT}~`), locate(EVENT));
      await waitForRuns(3 + index);
    }
    mkdirSync(locate("tiny/v1/shared"));
    await waitForRuns(6);
    writeFileSync(locate("tiny/v1/shared/cups.schema.json"), "{");
    await waitForRuns(7);
    // A second run after one of the bursts would have been counted by now.
    expect(countRuns()).toBe(7);
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    const { stdout, stderr } = readOutput();
    const summaries = stdout.match(/^\d+ errors?, .*$/gm);
    expect(summaries).toEqual([
      "0 errors, 0 warnings, 1 valid protocol",
      "1 error, 0 warnings, 0 valid protocols",
      "0 errors, 0 warnings, 1 valid protocol",
      "1 error, 0 warnings, 0 valid protocols",
      "0 errors, 0 warnings, 1 valid protocol",
      "0 errors, 0 warnings, 1 valid protocol",
      "1 error, 0 warnings, 0 valid protocols",
    ]);
    expect(stdout).not.toContain("\u001b");
    expect(stderr).not.toContain("ended by");
  });

  it("takes saves that follow each other as one burst", async () => {
    const root = createTemporaryFolder(files);
    const watched = watchFolders([root]);
    onTestFinished(() => watched.close());
    let hasEnded = false;
    void watched.changed.then(() => {
      hasEnded = true;
    });
    for (let saves = 0; saves < 4; saves++) {
      writeFileSync(path.join(root, EVENT), "{}");
      await pause(60);
      expect([saves, hasEnded]).toEqual([saves, false]);
    }
    await watched.changed;
  });

  it("survives that the schemas folder is replaced, as git does when it changes branches", async () => {
    const { child, ended, locate, waitForRuns, readOutput } = startWatching();
    await waitForRuns(1);
    rmSync(locate(""), { recursive: true });
    await waitForRuns(2);
    expect(readOutput().stderr).toContain("The schemas folder schemas does not exist");
    mkdirSync(path.dirname(locate(EVENT)), { recursive: true });
    await waitForRuns(3);
    for (const [file, text] of Object.entries(files)) writeFileSync(locate(file), text);
    await waitForRuns(4);
    expect(readOutput().stdout).toMatch(/\n0 errors, 0 warnings, 1 valid protocol\n$/);
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });

  it("clears the screen before each run at a terminal, and only there", async () => {
    const schemas = createTemporaryFolder(files);
    const lint = (columns: number | undefined) =>
      runAccrete(["lint", "--watch", "--schemas", schemas], "", { columns });
    expect((await lint(80)).stdout.startsWith("\u001b[2J")).toBe(true);
    expect((await lint(undefined)).stdout).toMatch(/^0 errors/);
  });

  it("ends with the exit code of wrong usage if there is nothing to watch", async () => {
    const schemas = path.join(createTemporaryFolder(), "none");
    const { exitCode, stderr } = await runAccrete(["lint", "--watch", "--schemas", schemas]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("does not exist")]);
  });
});
