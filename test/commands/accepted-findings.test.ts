/** If this fails, a project that adopts accrete cannot begin with its old findings, or a new finding is hidden among them. */
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { Finding } from "../../generator/finding.js";
import { runAccrete } from "./run-in-process.js";
import { createTemporaryProject, type TemporaryProject } from "./temporary-project.js";

const MISTAKE = '{ "type": "tea.poured" }';

/** Creates a project with a mistake in its fixtures. */
async function createProject(): Promise<TemporaryProject> {
  const project = createTemporaryProject();
  await runAccrete(["init", project.root, "--name", "tea"]);
  await project.run("generate");
  writeFixture(project, "a");
  return project;
}

function writeFixture({ locateFile }: TemporaryProject, name: string, text = MISTAKE): void {
  writeFileSync(locateFile(`fixtures/tea/v1/valid/${name}.json`), text);
}

it("reports new findings only, also if the accepted ones are on other lines", async () => {
  const project = await createProject();
  const { run } = project;
  expect(await run("check")).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("valid/a.json") });
  const counted = Number(/^(\d+) errors?/m.exec((await run("lint")).stdout)?.[1]);
  expect(await run("check --accept")).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^\d+ findings? accepted in schemas\/accepted-findings\.json\n$/),
  });
  writeFixture(project, "a", `\n\n${MISTAKE}`);
  const accepted = await run("check");
  expect([accepted.exitCode, accepted.stdout]).toEqual([0, expect.not.stringContaining("valid/a.json")]);
  writeFixture(project, "b");
  const again = await run("check --format json");
  const { findings, summary } = JSON.parse(again.stdout);
  expect([again.exitCode, findings.map(({ at }: { at: { file: string } }) => at.file)]).toEqual([
    1,
    Array(counted).fill("fixtures/tea/v1/valid/b.json"),
  ]);
  expect(summary.accepted.gone).toBe(0);
  rmSync(project.locateFile("fixtures/tea/v1/valid/a.json"));
  expect((await run("check")).stdout).toContain(
    "1 accepted finding no longer there: check --accept removes them",
  );
});

it("accepts no error of a schema, and no breaking change, even if the file names it", async () => {
  const { run, locateFile, read, readFiles } = await createProject();
  await run("release 1.0");
  const schema =
    Object.keys(readFiles()).find((file) => file.endsWith(".schema.json") && file.includes("/events/")) ?? "";
  const [name = ""] = Object.keys(JSON.parse(read(schema)).properties);
  writeFileSync(locateFile(schema), read(schema).replaceAll(`"${name}"`, '"renamed"'));
  await run("generate");
  const accepted = await run("check --accept");
  expect([accepted.exitCode, accepted.stdout]).toEqual([
    1,
    expect.stringMatching(/error field-removed-required[\s\S]*; \d errors? left: fix them/),
  ]);
  rmSync(locateFile("schemas/accepted-findings.json"));
  const check = await run("check --format json");
  const { findings } = JSON.parse(check.stdout) as { findings: readonly Finding[] };
  const rows = findings.map(({ rule, at: { file, pointer }, message }) => ({
    ...{ rule, file: path.posix.relative("schemas", file), pointer, message },
  }));
  writeFileSync(locateFile("schemas/accepted-findings.json"), JSON.stringify({ findings: rows }));
  const again = await run("check --format json");
  const errors = findings.map(({ rule }) => rule).filter((rule) => /^field-/.test(rule));
  expect(errors).toContain("field-removed-required");
  expect([again.exitCode, JSON.parse(again.stdout).findings.map(({ rule }: Finding) => rule)]).toEqual([
    1,
    errors,
  ]);
});

it("says what is wrong with a file of accepted findings", async () => {
  const { run, locateFile } = await createProject();
  writeFileSync(locateFile("schemas/accepted-findings.json"), "[]");
  expect(await run("check")).toMatchObject({
    exitCode: 2,
    stderr:
      "accrete: schemas/accepted-findings.json is no list of accepted findings. `accrete check --accept` writes it.\n",
  });
});

it("only reports with --fail-on never, and is quiet if there is nothing to report", async () => {
  const { run, locateFile } = await createProject();
  expect((await run("check --fail-on never")).exitCode).toBe(0);
  expect((await run("check --quiet")).stdout).toContain("valid/a.json");
  rmSync(locateFile("fixtures/tea/v1/valid/a.json"));
  expect(await run("check --quiet")).toEqual({ exitCode: 0, stdout: "", stderr: "" });
});
