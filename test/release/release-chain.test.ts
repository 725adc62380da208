/** If this fails, a changed release passes where there is no version control. */

import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { openProject, type Project } from "../compat/repository.js";
import { createTemporaryFolder } from "../folders.js";

const getReleasePath = (version: string): string =>
  `schemas/tea/v${version.split(".")[0]}/releases/${version}.json`;

/** Creates a project outside of any repository with the releases 1.0, 1.1, 1.2 and 2.0. */
async function createFourReleases(): Promise<Project> {
  const project = openProject(createTemporaryFolder());
  for (const [version, ...fields] of [
    ["1.0"],
    ["1.1", "sort"],
    ["1.2", "sort", "cup"],
    ["2.0", "sort", "cup"],
  ]) {
    project.write(String(version), { fields });
    await project.freezeContract(`tea/v${version?.[0]}`);
  }
  return project;
}

/** Writes a release of v1 again with these fields and correct digests. The contract does not change. */
async function reissueRelease(
  project: Project,
  version: string,
  ...fields: readonly string[]
): Promise<void> {
  project.write(version, { fields });
  await project.freezeContract();
  project.write("1.2", { fields: ["sort", "cup"] });
}

type Errors = readonly (readonly [rule: string, message: string])[];

const createMissingError = (version: string, next: string): Errors => [
  [
    "release-missing",
    `The release ${version} of tea/v1 is missing, although the release ${next} was made after it.`,
  ],
];
const REMOVED: Errors = [["protocol-removed", "The protocol tea/v1 was removed, although it has releases."]];
const replaceInRelease =
  (version: string, from: RegExp, to: string) =>
  (project: Project): void => {
    const file = project.resolvePath(getReleasePath(version));
    writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
  };

/** Changes of the project, and the errors that they cause. */
const SCENARIOS: readonly (readonly [name: string, Errors, change: (project: Project) => unknown])[] = [
  ["nothing happens", [], () => undefined],
  ["the newest release is deleted", [], (project) => project.remove(getReleasePath("2.0"))],
  [
    "a release in the middle is deleted",
    createMissingError("1.1", "1.2"),
    (project) => project.remove(getReleasePath("1.1")),
  ],
  [
    "the last release of the major version before is deleted",
    createMissingError("1.2", "2.0"),
    (project) => project.remove(getReleasePath("1.2")),
  ],
  [
    "two releases are deleted",
    createMissingError("1.1", "1.2"),
    (project) => {
      project.remove(getReleasePath("1.0"));
      project.remove(getReleasePath("1.1"));
    },
  ],
  [
    "a release in the middle is issued again",
    [["release-altered", "The release 1.1 of tea/v1 is not the one that the release 1.2 was made after."]],
    async (project) => await reissueRelease(project, "1.1"),
  ],
  [
    "a release in the middle is issued again with the same contract",
    [],
    async (project) => await reissueRelease(project, "1.1", "sort"),
  ],
  [
    "a release in the middle is damaged",
    [["release-altered", 'The definition "TeaServedPayload" of this release was changed by hand.']],
    replaceInRelease("1.1", /sort/g, "sork"),
  ],
  ["the whole major version before is deleted", REMOVED, (project) => project.remove("schemas/tea/v1")],
  [
    "everything of the major version before is deleted, except its releases",
    REMOVED,
    (project) => {
      for (const name of ["protocol.json", "envelope.schema.json", "events"])
        project.remove("schemas/tea/v1", name);
    },
  ],
  [
    "the chain is changed by hand",
    [["release-altered", "The member x-release of this release was changed by hand."]],
    replaceInRelease("1.2", /("previous": \{\s*"version": ")1\.1/, "$11.0"),
  ],
];

it.each(SCENARIOS)("%s", async (_name, expected, change) => {
  const project = await createFourReleases();
  await change(project);
  const { findings, exitCode } = await project.compat();
  const errors = findings.filter(({ severity }) => severity === "error");
  expect(errors.map(({ rule, message }) => [rule, message])).toEqual(expected);
  expect(exitCode).toBe(expected.length > 0 ? 1 : 0);
});

it("accepts releases without the digest of the previous one, as accrete 0.1 wrote them", async () => {
  const project = openProject(createTemporaryFolder());
  project.write("1.1", { fields: ["sort"] });
  await project.freezeContract();
  project.write("1.0");
  await project.freezeContract();
  project.write("1.1", { fields: ["sort"] });
  expect(readFileSync(project.resolvePath(getReleasePath("1.1")), "utf8")).not.toContain('"previous"');
  expect(await project.compat()).toMatchObject({ exitCode: 0, findings: [] });
});
