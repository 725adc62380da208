/** If this fails, a contributor gets a skeleton that does not compile, has no case, or is not listed in docs/. */
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { createSharedFolder } from "../folders.js";

const root = path.join(import.meta.dirname, "../..");
const copy = createSharedFolder();
const FOLDERS = ["generator", "scripts", "test", "docs", "schemas", "fixtures"];
const FILES = ["package.json", "biome.json", "tsconfig.json"];

for (const name of [...FOLDERS, ...FILES])
  cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
for (const name of ["node_modules", "generated"]) symlinkSync(path.join(root, name), path.join(copy, name));

function runTool(command: string, ...args: readonly string[]): string {
  return execFileSync("npx", [command, ...args], { cwd: copy, encoding: "utf8" });
}

const listFiles = (output: string, what: string): string[] =>
  output.split("\n").flatMap((line) => (line.startsWith(`${what} `) ? [line.slice(8)] : []));

it("adds a rule, an emitter and a stream rule that compile, with cases and rows of docs", () => {
  const rule = runTool("tsx", "scripts/new.ts", "rule", "comment-changed");
  const emitter = runTool("tsx", "scripts/new.ts", "emitter", "event-list");
  const streamRule = runTool("tsx", "scripts/new.ts", "stream-rule", "once-only");
  expect(listFiles(rule, "changed")).toEqual(["generator/compat/rules/rules.ts"]);
  expect(listFiles(emitter, "changed")).toEqual(["generator/emit/optional-emitters.ts"]);
  expect(listFiles(streamRule, "changed")).toEqual([
    "generator/conform/stream-rules.ts",
    "generator/protocol/stream-rules.ts",
  ]);
  expect(listFiles(streamRule, "added  ")).toHaveLength(3);
  const page = (name: string): string => readFileSync(path.join(copy, "docs", name), "utf8");
  expect(page("rules.md")).toContain("## comment-changed\n");
  expect(page("outputs.md")).toContain("| `event-list` |");
  expect(page("stream-rules.md")).toContain("### onceOnly\n");
  const include = ["generator", "scripts", "test/compat/cases.test.ts", "test/emit", "test/conform"];
  const exclude = ["generator/scan/assembly"];
  writeFileSync(
    path.join(copy, "tsconfig.new.json"),
    JSON.stringify({ extends: "./tsconfig.json", include, exclude }),
  );
  expect(runTool("tsc", "--noEmit", "-p", "tsconfig.new.json")).toBe("");
}, 300_000);

it("refuses other kinds and names", () => {
  for (const args of [["law", "x"], ["rule", "Bad Name"], []])
    expect(() =>
      execFileSync("npx", ["tsx", "scripts/new.ts", ...args], { cwd: copy, stdio: "pipe" }),
    ).toThrow("Usage: npm run new");
});
