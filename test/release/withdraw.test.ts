/** If this fails, `accrete release --withdraw` takes back a stable release, or its history is reported wrongly. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  createReleasedProject,
  expectRules,
  openProject,
  type Project,
  playScenario,
  type Scenario,
  STEPS,
  type Step,
} from "../compat/repository.js";
import { SERVED } from "../compat/tea.js";
import { chooseCases, quick } from "../depth.js";
import { createTemporaryFolder } from "../folders.js";

const MANIFEST = "schemas/tea/v1/protocol.json";
const NEWEST = "schemas/tea/v1/releases/1.1.json";
const FIRST = "schemas/tea/v1/releases/1.0.json";
const { commit, remove, release, addCoffee, git } = STEPS;

const withdraw = (project: Project, ...more: readonly string[]) =>
  project.run("release", "--withdraw", "1.1", "tea/v1", "--reason", "Misspelt.", ...more);

const readManifest = (project: Project) => JSON.parse(readFileSync(project.resolvePath(MANIFEST), "utf8"));

const readDigest = (project: Project, file = NEWEST): string =>
  JSON.parse(readFileSync(project.resolvePath(file), "utf8"))["x-release"].digest;

/** Sets the withdrawn releases of protocol.json, and the version and fields of the contract. */
function writeContract(
  project: Project,
  version: string,
  fields: readonly string[],
  withdrawn: unknown[],
): void {
  const list = JSON.parse(JSON.stringify(withdrawn));
  project.write(version, { fields, changes: { "protocol.json": { withdrawn: list } } });
}

quick.it("deletes and records the release; its version can be released and withdrawn again", async () => {
  const project = await createReleasedProject();
  const first = readDigest(project);
  const outcome = await withdraw(project);
  expect(outcome).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("withdrew tea/v1 1.1") });
  expect(existsSync(project.resolvePath(NEWEST))).toBe(false);
  expect(readManifest(project).withdrawn).toEqual([{ version: "1.1", digest: first, reason: "Misspelt." }]);
  expect(await project.compat()).toMatchObject({ exitCode: 0, rules: [] });
  project.commit();
  expect(await project.compat()).toMatchObject({ exitCode: 0, rules: [] });

  writeContract(project, "1.1", ["sorts"], readManifest(project).withdrawn);
  expect(await project.run("generate")).toMatchObject({ exitCode: 0 });
  expect(await project.run("release", "1.1")).toMatchObject({ exitCode: 0 });
  const second = readDigest(project);
  project.commit();
  expect(await project.compat()).toMatchObject({ exitCode: 0, rules: [] });

  expect(await withdraw(project)).toMatchObject({ exitCode: 0 });
  expect(readManifest(project).withdrawn.map(({ digest }: { digest: string }) => digest)).toEqual([
    first,
    second,
  ]);
  project.commit();
  writeContract(project, "1.1", ["kind"], readManifest(project).withdrawn);
  await project.freezeContract();
  project.commit();
  expect(await project.compat()).toMatchObject({ exitCode: 0, rules: [] });
  expect(new Set([first, second, readDigest(project)]).size).toBe(3);
});

quick.it("keeps every other byte of protocol.json", async () => {
  const project = await createReleasedProject();
  const before = readFileSync(project.resolvePath(MANIFEST), "utf8").replace(
    '"title": "Tea"',
    '"title" :\t"Tea"',
  );
  writeFileSync(project.resolvePath(MANIFEST), before);
  await withdraw(project);
  const after = readFileSync(project.resolvePath(MANIFEST), "utf8");
  expect(after.replace(/,\s*"withdrawn": \[[^\]]*\]/, "")).toBe(before);
});

const STABLE = { "x-stability": "stable" } as const;
const stableField = { properties: { sort: { type: "string", description: "A field.", ...STABLE } } };
const reason = ["--reason", "x"];
const NEEDS_REASON = /--withdraw needs a --reason/;

/** A withdrawal that is refused. The step comes before it. */
interface Refusal {
  readonly name: string;
  readonly options: readonly string[];
  readonly exitCode: number;
  readonly output: RegExp;
  readonly step?: Step;
}

const REFUSALS: readonly Refusal[] = [
  {
    name: "a release that is not the newest",
    options: ["1.0", ...reason],
    exitCode: 1,
    output: /1\.0 was not withdrawn: the release 1\.1 was made after it/,
  },
  {
    name: "a release with a stable event",
    step: release("1.2", ["sort"], { [SERVED]: STABLE }),
    options: ["1.2", ...reason],
    exitCode: 1,
    output: /"tea\.served" is stable in it/,
  },
  {
    name: "a release with a stable field",
    step: release("1.2", [], { [SERVED]: stableField }),
    options: ["1.2", ...reason],
    exitCode: 1,
    output: /a part of "tea\.served" is stable in it/,
  },
  {
    name: "a release if another one is missing",
    step: remove(FIRST),
    options: ["1.1", ...reason],
    exitCode: 1,
    output: /release-missing/,
  },
  {
    name: "a release that does not exist",
    options: ["1.7", ...reason],
    exitCode: 2,
    output: /no release 1\.7 to withdraw.*tea\/v1 1\.0, tea\/v1 1\.1/,
  },
  { name: "a release without a reason", options: ["1.1"], exitCode: 2, output: NEEDS_REASON },
  {
    name: "a release with an empty reason",
    options: ["1.1", "--reason", " "],
    exitCode: 2,
    output: NEEDS_REASON,
  },
  {
    name: "something that is not a version",
    options: ["one", ...reason],
    exitCode: 2,
    output: /"one" is not a version/,
  },
  {
    name: "a release of a protocol whose protocol.json cannot be read",
    step: (project) => writeFileSync(project.resolvePath(MANIFEST), "<<<<<<< HEAD\n{}"),
    options: ["1.1", ...reason],
    exitCode: 2,
    output: /The schemas have errors/,
  },
  {
    name: "a protocol that does not exist",
    options: ["1.1", "te/v1", ...reason],
    exitCode: 2,
    output: /no protocol "te\/v1"/,
  },
];

describe("refuses to withdraw", () => {
  it.each(chooseCases(REFUSALS, 5))("$name", async ({ step, options, exitCode, output }) => {
    const project = await createReleasedProject();
    await step?.(project);
    const readState = () => [
      readFileSync(project.resolvePath(MANIFEST), "utf8"),
      readdirSync(project.resolvePath("schemas/tea/v1/releases")),
    ];
    const before = readState();
    const outcome = await project.run("release", "--withdraw", ...options);
    expect(outcome.exitCode).toBe(exitCode);
    expect(outcome.stdout + outcome.stderr).toMatch(output);
    expect(readState()).toEqual(before);
  });
});

quick.it("refuses a reason without --withdraw", async () => {
  const { exitCode, stderr } = await (await createReleasedProject()).run("release", "1.1", ...reason);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/--reason belongs to --withdraw/)]);
});

const withdrawNewest: Step = async (project) =>
  expect(await withdraw(project)).toMatchObject({ exitCode: 0 });
/** Writes a version 1.x with a record of one withdrawn release. By default its digest is that of the release file. */
const recordWithdrawal =
  (version: string, withdrawn: string, digest?: string): Step =>
  (project) => {
    const file = `schemas/tea/v1/releases/${withdrawn}.json`;
    const entry = { version: withdrawn, digest: digest ?? readDigest(project, file), reason: "x" };
    writeContract(project, version, ["sort"], [entry]);
  };
/** Records a release as withdrawn, and deletes it by hand. */
const withdrawByHand = (version: string, withdrawn: string): Step[] => [
  recordWithdrawal(version, withdrawn),
  remove(`schemas/tea/v1/releases/${withdrawn}.json`),
];

const expectNoFindings = expectRules();

/** Changes of the record of withdrawn releases in protocol.json. */
const RECORDS: readonly Scenario[] = [
  expectRules("release-missing")("the record is removed, and the version not released again", [
    withdrawNewest,
    STEPS.write("1.1", { fields: ["sort"] }),
  ]),
  expectRules("release-altered")("the record is removed, and the version released again", [
    withdrawNewest,
    release("1.1", ["sorts"]),
  ]),
  expectRules("release-missing")("the record has another digest than the release", [
    withdrawNewest,
    recordWithdrawal("1.1", "1.1", "0".repeat(64)),
  ]),
  expectRules("withdrawal-missing")(
    "the record is removed after the version was released again, in a folder without a repository",
    [
      remove(".git"),
      withdrawNewest,
      (project) => project.freezeContract(),
      STEPS.write("1.1", { fields: ["sort"] }),
    ],
  ),
  expectRules("withdrawal-invalid")("a release is recorded as withdrawn, but exists", [
    recordWithdrawal("1.1", "1.1"),
  ]),
  expectRules("withdrawal-invalid")("a release with a stable event is recorded as withdrawn by hand", [
    release("1.2", ["sort"], { [SERVED]: STABLE }),
    commit,
    ...withdrawByHand("1.2", "1.2"),
  ]),
  expectRules("release-missing")("a release that another one follows is recorded as withdrawn by hand", [
    ...withdrawByHand("1.1", "1.0"),
  ]),
  expectNoFindings(
    "the release of the major version before is withdrawn after the next major version began",
    [release("2.0", ["sort"]), commit, withdrawNewest],
  ),
  expectNoFindings("a protocol is removed after all of its releases were withdrawn", [
    withdrawNewest,
    commit,
    (project) => project.run("release", "--withdraw", "1.0", ...reason),
    commit,
    addCoffee,
    remove("schemas/tea"),
  ]),
  expectRules("protocol-removed")("a protocol is removed after one of its releases was withdrawn", [
    withdrawNewest,
    commit,
    addCoffee,
    remove("schemas/tea"),
  ]),
  expectNoFindings("one of two contents of a version is withdrawn, and the other one restored", [
    git("checkout", "--quiet", "-b", "side", "main~1"),
    release("1.1", ["cup"]),
    commit,
    git("merge", "--quiet", "--no-edit", "-s", "ours", "main"),
    async (project) => expect((await project.compat()).rules).toEqual(["release-altered"]),
    withdrawNewest,
    git("checkout", "main", "--", NEWEST),
    (project) => writeContract(project, "1.1", ["sort"], readManifest(project).withdrawn),
  ]),
];

it.each(chooseCases(RECORDS, 4))("$name", async (scenario) => {
  const project = await createReleasedProject();
  const expected = await playScenario(project, scenario);
  expect(await project.compat()).toMatchObject(expected);
  if (existsSync(project.resolvePath(".git"))) project.commit();
  expect(await project.compat()).toMatchObject(expected);
});

/** Records that protocol.json cannot hold. */
const MALFORMED: readonly (readonly [name: string, withdrawn: unknown])[] = [
  ["an object instead of a list", {}],
  ["an entry without a digest", [{ version: "1.1", reason: "x" }]],
  ["a digest that is cut off", [{ version: "1.1", digest: "0123", reason: "x" }]],
  ["an empty reason", [{ version: "1.1", digest: "0".repeat(64), reason: "" }]],
  ["a release of another major version", [{ version: "2.0", digest: "0".repeat(64), reason: "x" }]],
  ["an entry twice", Array(2).fill({ version: "1.1", digest: "0".repeat(64), reason: "x" })],
  ["an unknown member", [{ version: "1.1", digest: "0".repeat(64), reason: "x", by: "me" }]],
];

quick.it.each(MALFORMED)("lint refuses a record with %s", async (_name, withdrawn) => {
  const project = openProject(createTemporaryFolder());
  project.write("1.0", {
    changes: { "protocol.json": { withdrawn: JSON.parse(JSON.stringify(withdrawn)) } },
  });
  const { stdout, exitCode } = await project.run("lint");
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining("error protocol-invalid")]);
});

/** Steps about the release 1.1 after which version 1.1 cannot be released with other content. */
const REISSUES: readonly (readonly [name: string, output: RegExp, steps: readonly Step[]])[] = [
  ["its file was deleted", /release-missing.*\n.*\n?1 error: tea\/v1 was not released/, [remove(NEWEST)]],
  ["its file was deleted in a commit", /release-missing/, [remove(NEWEST), commit]],
  ["it was amended in a commit", /release-altered/, [(project) => project.freezeContract(), commit]],
  ["it exists", /tea\/v1 1\.1 is already released/, []],
];

describe("a release 1.1 with other content is refused because of the release 1.1:", () => {
  quick.it.each(REISSUES)("%s", async (_name, output, steps) => {
    const project = await createReleasedProject();
    project.write("1.1", { fields: ["sort", "cup"] });
    for (const step of steps) await step(project);
    await project.run("generate");
    const { stdout, exitCode } = await project.run("release", "1.1", "tea/v1");
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(output)]);
  });
});
