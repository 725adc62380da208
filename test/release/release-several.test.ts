/** If this fails, `accrete release` of several protocols releases only some of them. */

import { existsSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openProject, type Project } from "../compat/repository.js";
import { createTemporaryFolder } from "../folders.js";

/** Creates two protocols of version 1.0 whose generated files are up to date. */
async function createTwoProtocols(): Promise<Project> {
  const project = openProject(createTemporaryFolder());
  for (const name of ["alpha", "gamma"]) project.write("1.0", { name });
  expect(await project.run("generate")).toMatchObject({ exitCode: 0 });
  return project;
}

const listReleased = (project: Project): string[] =>
  ["alpha", "gamma"].filter((name) =>
    existsSync(project.resolvePath("schemas", name, "v1/releases/1.0.json")),
  );

it("releases all protocols that are named", async () => {
  const project = await createTwoProtocols();
  const outcome = await project.run("release", "1.0", "gamma/v1", "alpha/v1", "gamma/v1");
  expect(outcome).toMatchObject({ exitCode: 0, stderr: "" });
  expect(outcome.stdout).toMatch(/^released alpha\/v1 1\.0 as .*\nreleased gamma\/v1 1\.0 as .*\n$/);
  expect(listReleased(project)).toEqual(["alpha", "gamma"]);
  expect(await project.compat()).toMatchObject({ exitCode: 0, findings: [] });
});

it("releases the protocols that are not released yet", async () => {
  const project = await createTwoProtocols();
  await project.freezeContract("alpha/v1");
  const { stdout, exitCode } = await project.run("release", "1.0", "alpha/v1", "gamma/v1");
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringMatching(/^alpha\/v1 1\.0 is already released, .*\nreleased gamma\/v1 1\.0/),
  ]);
});

/** Changes of the project after which `accrete release` refuses to release two protocols. */
const REFUSALS: readonly (readonly [
  name: string,
  exitCode: number,
  output: RegExp,
  change: (project: Project) => unknown,
])[] = [
  [
    "one is at another version",
    2,
    /Not all of these protocols are at version 1\.0: gamma\/v1 is at 1\.1/,
    (project) => project.write("1.1", { name: "gamma" }),
  ],
  [
    "one has stale files",
    1,
    /alpha\/v1 and gamma\/v1 were not released/,
    (project) => project.write("1.0", { name: "gamma", fields: ["sort"] }),
  ],
  ["one is missing", 2, /no protocol "gamma\/v1"/, (project) => project.remove("schemas/gamma")],
  [
    "one has a damaged release",
    1,
    /1 error: alpha\/v1 and gamma\/v1 were not released/,
    async (project) => {
      await project.freezeContract("gamma/v1");
      writeFileSync(project.resolvePath("schemas/gamma/v1/releases/1.0.json"), "{}");
    },
  ],
];

describe("releases no protocol if", () => {
  it.each(REFUSALS)("%s", async (_name, exitCode, output, change) => {
    const project = await createTwoProtocols();
    await change(project);
    const before = listReleased(project);
    const outcome = await project.run("release", "1.0", "alpha/v1", "gamma/v1");
    expect(outcome.exitCode).toBe(exitCode);
    expect(outcome.stdout + outcome.stderr).toMatch(output);
    expect(listReleased(project)).toEqual(before);
  });

  it.each([
    ["no protocol is named", ["1.0"], /alpha\/v1 and gamma\/v1 are at 1\.0; name/],
    ["no version is named", [], /Name the version to release/],
    ["a protocol is named instead of the version", ["alpha/v1", "1.0"], /"alpha\/v1" is not a version/],
  ])("%s", async (_name, operands, message) => {
    const project = await createTwoProtocols();
    const { stderr, exitCode } = await project.run("release", ...operands);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(listReleased(project)).toEqual([]);
  });
});
