/** If this fails, `accrete release --withdraw` takes back a stable release, or its history is reported wrongly. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createTemporaryFolder } from "../folders.js";
import {
  createReleasedProject,
  expectRules,
  openProject,
  type Project,
  playScenario,
  type Scenario,
  STEPS,
  type Step,
} from "./repository.js";

const MANIFEST = "schemas/tea/v1/protocol.json";
const NEWEST = "schemas/tea/v1/releases/1.1.json";
const FIRST = "schemas/tea/v1/releases/1.0.json";
const SERVED = "events/tea.served.schema.json";
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

it("deletes and records the release; its version can be released and withdrawn again", async () => {
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

it("keeps every other byte of protocol.json", async () => {
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

/** A withdrawal that is refused and changes nothing. The steps of `change` come before it. */
type Refusal = readonly [
  name: string,
  exitCode: number,
  output: RegExp,
  options: readonly string[],
  ...change: readonly Step[],
];

const REFUSALS: readonly Refusal[] = [
  [
    "a release that is not the newest",
    1,
    /1\.0 was not withdrawn: the release 1\.1 was made after it/,
    ["1.0", ...reason],
  ],
  [
    "a release with a stable event",
    1,
    /"tea\.served" is stable in it/,
    ["1.2", ...reason],
    release("1.2", ["sort"], { [SERVED]: STABLE }),
  ],
  [
    "a release with a stable field",
    1,
    /a part of "tea\.served" is stable in it/,
    ["1.2", ...reason],
    release("1.2", [], { [SERVED]: stableField }),
  ],
  ["a release beside another one that is missing", 1, /release-missing/, ["1.1", ...reason], remove(FIRST)],
  [
    "a release that there is not",
    2,
    /no release 1\.7 to withdraw.*tea\/v1 1\.0, tea\/v1 1\.1/,
    ["1.7", ...reason],
  ],
  ["a release without a reason", 2, /--withdraw needs a --reason/, ["1.1"]],
  ["a release with an empty reason", 2, /--withdraw needs a --reason/, ["1.1", "--reason", " "]],
  ["something that is not a version", 2, /"one" is not a version/, ["one", ...reason]],
  [
    "a release beside a protocol.json that cannot be read",
    2,
    /The schemas have errors/,
    ["1.1", ...reason],
    (p) => writeFileSync(p.resolvePath(MANIFEST), "<<<<<<< HEAD\n{}"),
  ],
  ["a protocol that there is not", 2, /no protocol "te\/v1"/, ["1.1", "te/v1", ...reason]],
];

describe("does not withdraw", () => {
  it.each(REFUSALS.map((refusal) => ({ name: refusal[0], refusal })))("$name", async ({ refusal }) => {
    const [, exitCode, output, options, ...change] = refusal;
    const project = await createReleasedProject();
    for (const step of change) await step(project);
    const read = () => [
      readFileSync(project.resolvePath(MANIFEST), "utf8"),
      readdirSync(project.resolvePath("schemas/tea/v1/releases")),
    ];
    const before = read();
    const outcome = await project.run("release", "--withdraw", ...options);
    expect(outcome.exitCode).toBe(exitCode);
    expect(outcome.stdout + outcome.stderr).toMatch(output);
    expect(read()).toEqual(before);
  });

  it("nothing, but for a reason", async () => {
    const { exitCode, stderr } = await (await createReleasedProject()).run("release", "1.1", ...reason);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/--reason belongs to --withdraw/)]);
  });
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
/** Deletes a release by hand, and records it. */
const recordDeleted = (version: string, withdrawn: string): Step[] => [
  recordWithdrawal(version, withdrawn),
  remove(`schemas/tea/v1/releases/${withdrawn}.json`),
];

const expectNoFindings = expectRules();

/** Changes of the record of withdrawn releases in protocol.json. */
const RECORDS: readonly Scenario[] = [
  expectRules("release-missing")(
    "the record is removed, and the version not released again",
    ...[withdrawNewest, STEPS.write("1.1", { fields: ["sort"] })],
  ),
  expectRules("release-altered")(
    "the record is removed, and the version released again",
    ...[withdrawNewest, release("1.1", ["sorts"])],
  ),
  expectRules("release-missing")(
    "the record of another content stands in its place",
    ...[withdrawNewest, recordWithdrawal("1.1", "1.1", "0".repeat(64))],
  ),
  expectRules("withdrawal-missing")(
    "the record is removed after the version was released again, in a folder without a repository",
    ...([
      remove(".git"),
      withdrawNewest,
      (project) => project.freezeContract(),
      STEPS.write("1.1", { fields: ["sort"] }),
    ] as Step[]),
  ),
  expectRules("withdrawal-invalid")(
    "a release is recorded as withdrawn, but is there",
    recordWithdrawal("1.1", "1.1"),
  ),
  expectRules("withdrawal-invalid")(
    "a release with a stable event is recorded as withdrawn by hand",
    ...[release("1.2", ["sort"], { [SERVED]: STABLE }), commit, ...recordDeleted("1.2", "1.2")],
  ),
  expectRules("release-missing")(
    "a release that another one follows is recorded as withdrawn by hand",
    ...recordDeleted("1.1", "1.0"),
  ),
  expectNoFindings(
    "the release of the major version before is withdrawn after the next major version began",
    ...[release("2.0", ["sort"]), commit, withdrawNewest],
  ),
  expectNoFindings(
    "a protocol is removed after all of its releases were withdrawn",
    ...([
      withdrawNewest,
      commit,
      (project) => project.run("release", "--withdraw", "1.0", ...reason),
    ] as Step[]),
    ...[commit, addCoffee, remove("schemas/tea")],
  ),
  expectRules("protocol-removed")(
    "a protocol is removed after one of its releases was withdrawn",
    ...[withdrawNewest, commit, addCoffee, remove("schemas/tea")],
  ),
  expectNoFindings(
    "one of two contents of a version is withdrawn, and the other one restored",
    ...[git("checkout", "--quiet", "-b", "side", "main~1"), release("1.1", ["cup"]), commit],
    git("merge", "--quiet", "--no-edit", "-s", "ours", "main"),
    async (project) => expect((await project.compat()).rules).toEqual(["release-altered"]),
    ...[withdrawNewest, git("checkout", "main", "--", NEWEST)],
    (project) => writeContract(project, "1.1", ["sort"], readManifest(project).withdrawn),
  ),
];

it.each(RECORDS)("$name", async (scenario) => {
  const project = await createReleasedProject();
  const expected = await playScenario(project, scenario);
  expect(await project.compat()).toMatchObject(expected);
  if (existsSync(project.resolvePath(".git"))) project.commit();
  expect(await project.compat()).toMatchObject(expected);
});

/** Records that protocol.json cannot hold. */
const MALFORMED: readonly (readonly [name: string, withdrawn: unknown])[] = [
  ["no list", {}],
  ["an entry without a digest", [{ version: "1.1", reason: "x" }]],
  ["a digest that is cut off", [{ version: "1.1", digest: "0123", reason: "x" }]],
  ["an empty reason", [{ version: "1.1", digest: "0".repeat(64), reason: "" }]],
  ["a release of another major version", [{ version: "2.0", digest: "0".repeat(64), reason: "x" }]],
  ["an entry twice", Array(2).fill({ version: "1.1", digest: "0".repeat(64), reason: "x" })],
  ["a member too many", [{ version: "1.1", digest: "0".repeat(64), reason: "x", by: "me" }]],
];

it.each(MALFORMED)("lint refuses a record with %s", async (_name, withdrawn) => {
  const project = openProject(createTemporaryFolder());
  project.write("1.0", {
    changes: { "protocol.json": { withdrawn: JSON.parse(JSON.stringify(withdrawn)) } },
  });
  const { stdout, exitCode } = await project.run("lint");
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining("error protocol-invalid")]);
});

/** Steps about the release 1.1 after which version 1.1 cannot be released with other content. */
const REISSUES: readonly (readonly [name: string, output: RegExp, ...steps: readonly Step[]])[] = [
  ["its file was deleted", /release-missing.*\n.*\n?1 error: tea\/v1 was not released/, remove(NEWEST)],
  ["its file was deleted in a commit", /release-missing/, remove(NEWEST), commit],
  ["it was amended in a commit", /release-altered/, (project) => project.freezeContract(), commit],
  ["it is there", /tea\/v1 1\.1 is already released/],
];

describe("a version is not released with other content where", () => {
  it.each(REISSUES.map((reissue) => ({ name: reissue[0], reissue })))("$name", async ({ reissue }) => {
    const [, output, ...steps] = reissue;
    const project = await createReleasedProject();
    project.write("1.1", { fields: ["sort", "cup"] });
    for (const step of steps) await step(project);
    await project.run("generate");
    const { stdout, exitCode } = await project.run("release", "1.1", "tea/v1");
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(output)]);
  });
});
