/** If this fails, users compare with another baseline than the one they named. */

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { openBaseline } from "../../generator/load/baseline/baseline.js";
import { BaselineError, parseBaseline } from "../../generator/load/baseline/baseline-spec.js";
import { fetchNpm } from "../../generator/load/baseline/fetch-baseline.js";
import { runAccrete } from "../cli/run-in-process.js";
import { createTemporaryFolder } from "../folders.js";
import { writeTea } from "./tea.js";

const text = { type: "string", description: "Which." };
const createServedSchema = (properties: { [name: string]: object }) => ({
  "events/tea.served.schema.json": JSON.parse(JSON.stringify({ properties })),
});

function git(cwd: string, ...args: string[]): void {
  const who = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "init.defaultBranch=main"];
  execFileSync("git", [...who, ...args], { cwd, stdio: "pipe" });
}

/** Creates a repository whose first commit, tagged "first", has a field that its working tree lacks. */
function createRepository(): string {
  const root = createTemporaryFolder();
  git(root, "init", "--quiet");
  writeTea(path.join(root, "schemas"), createServedSchema({ sort: text }));
  git(root, "add", ".");
  git(root, "commit", "--quiet", "-m", "one");
  git(root, "tag", "first");
  writeTea(path.join(root, "schemas"), createServedSchema({}));
  git(root, "commit", "--quiet", "-a", "-m", "two");
  return root;
}

async function compareWith(schemas: string, baseline: string) {
  const { stdout, stderr, exitCode } = await runAccrete([
    "compat",
    "tea/v1",
    "--schemas",
    schemas,
    "--against",
    baseline,
    "--format",
    "json",
  ]);
  return { stderr, exitCode, findings: stdout === "" ? [] : JSON.parse(stdout).findings };
}

it("compares with a protocol folder, and with a folder of all protocols", async () => {
  const [mine, other] = [createTemporaryFolder(), createTemporaryFolder()];
  writeTea(mine, createServedSchema({}));
  const folder = writeTea(other, createServedSchema({ sort: text }));
  for (const baseline of [`dir:${folder}`, `dir:${other}`]) {
    const { findings, exitCode } = await compareWith(mine, baseline);
    expect(exitCode).toBe(1);
    expect(findings).toMatchObject([
      {
        rule: "field-removed-optional",
        baseline: { file: `${folder}/events/tea.served.schema.json`, line: 8 },
      },
    ]);
  }
});

it("compares with a git revision, and prefixes the files of its locations with the revision", async () => {
  const root = createRepository();
  const { findings, exitCode } = await compareWith(path.join(root, "schemas"), "git:first");
  expect(exitCode).toBe(1);
  expect(findings).toMatchObject([{ rule: "field-removed-optional", baseline: { line: 8 } }]);
  expect(findings[0].baseline.file).toBe(`first:${root}/schemas/tea/v1/events/tea.served.schema.json`);
});

it("prints the git command that fetches a revision which a shallow clone lacks", async () => {
  const clone = path.join(createTemporaryFolder(), "clone");
  git(tmpdir(), "clone", "--quiet", "--depth=1", `file://${createRepository()}`, clone);
  const { stderr, exitCode } = await compareWith(path.join(clone, "schemas"), "git:origin/release");
  expect(exitCode).toBe(2);
  expect(stderr).toContain("git fetch --depth=1 origin +release:refs/remotes/origin/release");
});

it("reads the schemas of an npm package", async () => {
  const root = createTemporaryFolder();
  mkdirSync(path.join(root, "package-source"));
  writeTea(path.join(root, "package-source/schemas"), createServedSchema({ sort: text }));
  writeFileSync(path.join(root, "package-source/package.json"), '{"name":"tea-contract","version":"1.0.0"}');
  const into = path.join(root, "into");
  mkdirSync(into);
  const schemas = fetchNpm(path.join(root, "package-source"), into);
  expect((await openBaseline({ kind: "dir", path: schemas }, "tea/v1", ".")).protocol.id).toBe("tea/v1");
});

it.each(["", "main", "dir:", "release:one", "git:--output=x", "npm:../x", "svn:trunk"])(
  "refuses %j as a baseline",
  (spec) => {
    expect(() => parseBaseline(spec)).toThrow(BaselineError);
  },
);

it.each([
  ["dir:nowhere", /nowhere is not a protocol folder/],
  ["release:9.9", /There is no release 9\.9 of tea/],
  ["git:HEAD", /is not in a git repository/],
] as const)("ends with exit code 2 and a message for %s", async (baseline, sentence) => {
  const schemas = createTemporaryFolder();
  writeTea(schemas, {});
  const { stderr, exitCode } = await compareWith(schemas, baseline);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(sentence);
});

it("names the line of the syntax error in a baseline", async () => {
  const [mine, other] = [createTemporaryFolder(), createTemporaryFolder()];
  writeTea(mine, {});
  const folder = writeTea(other, {});
  writeFileSync(path.join(folder, "envelope.schema.json"), '{\n  "title": "Cut');
  const { stderr, exitCode } = await compareWith(mine, `dir:${folder}`);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/cannot be read: .*envelope\.schema\.json:2:\d+:/);
});
