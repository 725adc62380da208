/** If this fails, users compare with another baseline than the one they named. */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { openBaseline } from "../../generator/load/baseline/baseline.js";
import { BaselineError, parseBaseline } from "../../generator/load/baseline/baseline-spec.js";
import { fetchNpm } from "../../generator/load/baseline/fetch-baseline.js";
import { createTemporaryFolder } from "../folders.js";
import { openProject, type Project } from "./repository.js";
import { writeTea } from "./tea.js";
import { createVersion, runCompat, text } from "./tea-history.js";

const WITH_FIELD = createVersion("1.0", { sort: text });
const WITHOUT_FIELD = createVersion("1.0", {});

/** Creates a repository whose first commit, tagged "first", has a field that its working tree lacks. */
function createRepository(): Project {
  const project = openProject(createTemporaryFolder());
  project.git("init", "--quiet");
  project.write("1.0", { fields: ["sort"] });
  project.commit();
  project.git("tag", "first");
  project.write("1.0");
  project.commit();
  return project;
}

const compareWith = (schemas: string, baseline: string) =>
  runCompat(schemas, "tea/v1", "--against", baseline);

it("compares with a protocol folder, and with a folder of all protocols", async () => {
  const schemas = createTemporaryFolder();
  writeTea(schemas, WITHOUT_FIELD);
  const allProtocols = createTemporaryFolder();
  const folder = writeTea(allProtocols, WITH_FIELD);
  for (const baseline of [`dir:${folder}`, `dir:${allProtocols}`]) {
    const { findings, exitCode } = await compareWith(schemas, baseline);
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
  const { root, schemas } = createRepository();
  const { findings, exitCode } = await compareWith(schemas, "git:first");
  expect(exitCode).toBe(1);
  const baseline = { line: 8, file: `first:${root}/schemas/tea/v1/events/tea.served.schema.json` };
  expect(findings).toMatchObject([{ rule: "field-removed-optional", baseline }]);
});

it("prints the git command that fetches a revision which a shallow clone lacks", async () => {
  const clone = path.join(createTemporaryFolder(), "clone");
  const { root, git } = createRepository();
  git("clone", "--quiet", "--depth=1", `file://${root}`, clone);
  const { stderr, exitCode } = await compareWith(path.join(clone, "schemas"), "git:origin/release");
  expect(exitCode).toBe(2);
  expect(stderr).toContain("git fetch --depth=1 origin +release:refs/remotes/origin/release");
});

it("reads the schemas of an npm package, and runs none of its scripts", async () => {
  const root = createTemporaryFolder();
  mkdirSync(path.join(root, "package-source"));
  writeTea(path.join(root, "package-source/schemas"), WITH_FIELD);
  const script = "node -e \"require('fs').writeFileSync('ran','')\"";
  const scripts = { prepack: script, prepare: script, postpack: script, postinstall: script };
  writeFileSync(
    path.join(root, "package-source/package.json"),
    JSON.stringify({ name: "tea-contract", version: "1.0.0", scripts }),
  );
  const into = path.join(root, "into");
  mkdirSync(into);
  const schemas = await fetchNpm(path.join(root, "package-source"), into);
  expect((await openBaseline({ kind: "dir", path: schemas }, "tea/v1", ".")).protocol.id).toBe("tea/v1");
  expect(existsSync(path.join(root, "package-source/ran"))).toBe(false);
});

it.each(["", "main", "dir:", "release:one", "git:--output=x", "npm:../x", "svn:trunk"])(
  "refuses %j as a baseline",
  (spec) => {
    expect(() => parseBaseline(spec)).toThrow(BaselineError);
  },
);
