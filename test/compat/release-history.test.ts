/** If this fails, a release or a protocol with releases can be deleted or changed without an error. */

import { chownSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { chooseCases, quick } from "../depth.js";
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

const RELEASES = "schemas/tea/v1/releases";
const NEWEST = `${RELEASES}/1.1.json`;
const FIRST = `${RELEASES}/1.0.json`;

const { commit, remove, move, write, release, addCoffee, git } = STEPS;
/** Replaces the release 1.1 by one of another contract, whose digests are correct. */
const amend = (...fields: readonly string[]): Step => release("1.1", fields);
const writeNewest =
  (change: (text: string) => string): Step =>
  (project) =>
    writeFileSync(project.resolvePath(NEWEST), change(readFileSync(project.resolvePath(NEWEST), "utf8")));

/** Commits a release 1.1 with the field `ours` on the branch main, and one with `theirs` on the branch side. */
const divergeBranches = (ours: string, theirs: string): Step[] => [
  git("checkout", "--quiet", "-b", "side", "main~1"),
  amend(theirs),
  commit,
  git("checkout", "--quiet", "-B", "main", "main~1"),
  amend(ours),
  commit,
];

/** Merges the branch side. The next steps resolve a conflict. */
const mergeSide =
  (...options: readonly string[]): Step =>
  (project) => {
    try {
      project.git("merge", "--quiet", "--no-edit", ...options, "side");
    } catch {
      // Git fails if there is a conflict.
    }
  };

/** Commits a release of another protocol on a branch that starts at main. */
const releaseOnBranch = (branch: string, name: string): Step[] => [
  git("checkout", "--quiet", "-B", branch, "main"),
  write("1.0", { name }),
  (project) => project.freezeContract(`${name}/v1`),
  commit,
];

const expectNoFindings = expectRules();
const expectMissing = expectRules("release-missing");
const expectAltered = expectRules("release-altered");
const expectRemoved = expectRules("protocol-removed");

/** Changes of a project that have the same findings before and after they are committed. */
const CHANGES: readonly Scenario[] = [
  expectNoFindings("nothing happens"),
  expectMissing("the newest release is deleted", [remove(NEWEST)]),
  expectMissing("the first release is deleted", [remove(FIRST)]),
  expectMissing("all releases are deleted", [remove(RELEASES)]),
  expectMissing("a release is deleted and its contract broken", [
    remove(RELEASES),
    write("1.1", { fields: ["other"] }),
  ]),
  expectAltered("the newest release is amended", [amend("sort", "cup")]),
  expectAltered("a release is damaged", [writeNewest(() => "{}")]),
  expectRules("release-altered", "release-missing")("a release gets the name of the next one", [
    move(NEWEST, `${RELEASES}/1.2.json`),
  ]),
  expectNoFindings("a release is laid out anew, with other white space and line ends", [
    writeNewest((text) => JSON.stringify(JSON.parse(text))),
  ]),
  expectNoFindings("line ends become those of Windows", [
    writeNewest((text) => text.replaceAll("\n", "\r\n")),
  ]),
  expectRemoved("a protocol is removed beside its next major version", [
    write("2.0", { fields: ["sort"] }),
    remove("schemas/tea/v1"),
  ]),
  expectRemoved("a protocol is removed beside another one", [addCoffee, remove("schemas/tea")]),
  expectRemoved("the schemas folder is removed", [remove("schemas")]),
  expectRemoved("the only protocol is removed", [remove("schemas/tea")]),
  expectRemoved("a protocol gets another name", [
    remove("schemas/tea"),
    write("1.1", { name: "coffee", fields: ["sort"] }),
  ]),
  expectRemoved("only the releases of a protocol are left", [
    addCoffee,
    ...["protocol.json", "envelope.schema.json", "events"].map((name) => remove("schemas/tea/v1", name)),
  ]),
  expectRules("file-outside")("a link to a copy takes the place of a protocol", [
    addCoffee,
    move("schemas/tea", "elsewhere"),
    (project) => symlinkSync("../elsewhere", project.resolvePath("schemas/tea")),
  ]),
  expectNoFindings("the schemas folder is moved", [move("schemas", "contracts")]),
];

describe("committed or not", () => {
  it.each(chooseCases(CHANGES, 4))("$name", async (scenario) => {
    const project = await createReleasedProject();
    const expected = await playScenario(project, scenario);
    // One scenario moves the schemas folder to "contracts".
    const schemas = existsSync(project.resolvePath("contracts")) ? "contracts" : "schemas";
    const opened = openProject(project.root, schemas);
    const before = await opened.compat();
    project.commit();
    expect(before).toMatchObject(expected);
    expect(await opened.compat()).toMatchObject(expected);
  });
});

const commitOnSide = [git("checkout", "--quiet", "-b", "side"), commit];
const checkOutMain = git("checkout", "--quiet", "main");

const HISTORIES: readonly Scenario[] = [
  expectMissing("a release is amended in a commit and deleted in the next", [
    amend("cup"),
    commit,
    remove(NEWEST),
  ]),
  expectAltered("a release is deleted in a commit and issued anew in the next", [
    remove(NEWEST),
    commit,
    amend("cup"),
    commit,
  ]),
  expectAltered("a release is amended twice", [amend("cup"), commit, amend("pot"), commit]),
  expectNoFindings("an amended release is restored", [amend("cup"), commit, amend("sort"), commit]),
  expectNoFindings("a release that was issued anew is restored", [
    remove(NEWEST),
    commit,
    amend("cup"),
    commit,
    amend("sort"),
    commit,
  ]),
  expectNoFindings("a damaged release is committed and restored", [
    writeNewest(() => "<<<<<<< ours\n"),
    commit,
    amend("sort"),
  ]),
  expectAltered("a conflict over a release is resolved with theirs, and the merge is under way", [
    ...divergeBranches("sort", "cup"),
    mergeSide(),
    git("checkout", "--quiet", "--theirs", "."),
  ]),
  expectAltered("a conflict over a release is resolved with theirs", [
    ...divergeBranches("sort", "cup"),
    mergeSide("-X", "theirs"),
    git("checkout", "--quiet", "--theirs", "."),
    commit,
  ]),
  expectAltered("a conflict over a release is resolved with ours, and the merge is under way", [
    ...divergeBranches("sort", "cup"),
    mergeSide(),
    git("checkout", "--quiet", "--ours", "."),
  ]),
  expectMissing("a merge drops the release of a branch", [
    git("checkout", "--quiet", "-b", "side"),
    release("1.2", ["sort", "cup"]),
    commit,
    checkOutMain,
    mergeSide("-s", "ours"),
  ]),
  expectAltered("a merge writes a release that neither side has", [
    ...commitOnSide,
    checkOutMain,
    git("commit", "--quiet", "--allow-empty", "-m", "step"),
    mergeSide("--no-commit"),
    amend("cup"),
    commit,
  ]),
  expectMissing("a merge writes a release that neither side has, which is then deleted", [
    ...releaseOnBranch("side", "coffee"),
    ...releaseOnBranch("main", "cocoa"),
    mergeSide("--no-commit"),
    release("1.2", ["sort", "cup"]),
    commit,
    remove(`${RELEASES}/1.2.json`),
  ]),
  expectNoFindings("the branches of a merge hold the same release", [
    ...divergeBranches("sort", "sort"),
    mergeSide(),
    commit,
  ]),
  expectNoFindings("a branch that is not merged holds another release", divergeBranches("sort", "cup")),
  expectNoFindings("a protocol without a release is removed", [addCoffee, commit, remove("schemas/coffee")]),
  expectMissing("a release is deleted after the schemas folder was moved there", [
    move("schemas", "contracts"),
    commit,
    move("contracts", "schemas"),
    commit,
    remove(NEWEST),
  ]),
  expectMissing("a commit is hidden by a replacement", [
    remove(NEWEST),
    commit,
    git("replace", "--graft", "HEAD"),
  ]),
];

it.each(chooseCases(HISTORIES, 6))("$name", async (scenario) => {
  const project = await createReleasedProject();
  const expected = await playScenario(project, scenario);
  expect(await project.compat()).toMatchObject(expected);
});

quick.it("reports the releases that did not move with their protocol", async () => {
  const project = await createReleasedProject();
  renameSync(project.resolvePath("schemas"), project.resolvePath("contracts"));
  project.remove("contracts/tea/v1/releases");
  project.commit();
  const moved = openProject(project.root, "contracts");
  expect(await moved.compat()).toMatchObject({ exitCode: 1, rules: ["release-missing"] });
});

quick.it(
  "does not ask for the releases of a deleted protocol of the same name in another folder",
  async () => {
    const project = await createReleasedProject();
    project.remove("schemas");
    project.commit();
    const other = openProject(project.root, "contracts");
    other.write("1.0", { fields: ["cup"] });
    other.commit();
    expect(await other.compat()).toMatchObject({ exitCode: 0, rules: [] });
  },
);

quick.it("reports the missing release of a protocol that was moved from another folder", async () => {
  const project = await createReleasedProject();
  renameSync(project.resolvePath("schemas"), project.resolvePath("contracts"));
  project.commit();
  const moved = openProject(project.root, "contracts");
  moved.write("1.2", { fields: ["sort", "cup"] });
  await moved.freezeContract();
  project.commit();
  rmSync(project.resolvePath("contracts/tea/v1/releases/1.1.json"));
  expect(await moved.compat()).toMatchObject({ exitCode: 1, rules: ["release-missing"] });
});

quick.it.each([["--against", "release:1.0"], ["--against", "git:HEAD"], ["tea/v1"]])(
  "reports a missing release with %s %s as well",
  async (...options) => {
    const project = await createReleasedProject();
    project.remove(NEWEST);
    expect(await project.compat(...options)).toMatchObject({ exitCode: 1, rules: ["release-missing"] });
  },
);

quick.it(
  "reports a missing release once, with the path of its file, the commit that has it, and the fix",
  async () => {
    const project = await createReleasedProject();
    const commit = project.git("rev-parse", "--short=12", "HEAD").trim();
    project.write("2.0", { fields: ["sort"] });
    project.remove(NEWEST);
    const { findings } = await project.compat();
    expect(findings).toEqual([
      {
        rule: "release-missing",
        severity: "error",
        at: { file: project.resolvePath(NEWEST), pointer: "" },
        message: `The release 1.1 of tea/v1 was committed as ${commit} and is missing.`,
        hint: expect.stringMatching(
          `restore the file from version control \\(commit ${commit}\\).*--withdraw`,
        ),
      },
    ]);
  },
);

quick.it("reports a damaged release once, however many major versions there are", async () => {
  const project = await createReleasedProject();
  for (const version of ["2.0", "3.0"]) project.write(version, { fields: ["sort"] });
  writeFileSync(
    project.resolvePath(NEWEST),
    readFileSync(project.resolvePath(NEWEST), "utf8").replace("sort", "sork"),
  );
  const { findings, exitCode } = await project.compat();
  expect([exitCode, findings.map(({ rule }) => rule)]).toEqual([1, ["release-altered"]]);
});

/** Locations in which the history of a project is hard to find, each with a function that creates a project there. */
const LOCATIONS: readonly (readonly [name: string, createProject: () => Project | Promise<Project>])[] = [
  [
    "a project below the top of its repository",
    async () => await createReleasedProject(undefined, "packages/tea/schemas"),
  ],
  [
    "a schemas folder that is the top of its repository",
    async () => await createReleasedProject(undefined, "."),
  ],
  ...["[a]*?", "-rf", ":(top)x", 'a"b', "a\nb", "ü\\n", "$(touch x)"].map(
    (name): readonly [string, () => Promise<Project>] => [
      `a folder called ${JSON.stringify(name)}`,
      async () => await createReleasedProject(path.join(createTemporaryFolder(), name), `${name}/schemas`),
    ],
  ),
  [
    "another worktree of the repository",
    async () => {
      const project = await createReleasedProject();
      const other = path.join(createTemporaryFolder(), "other");
      project.git("worktree", "add", "--quiet", "--detach", other);
      return openProject(other);
    },
  ],
  [
    "a submodule",
    async () => {
      const submodule = await createReleasedProject();
      const root = createTemporaryFolder();
      const { git } = openProject(root);
      git("init", "--quiet");
      git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", submodule.root, "inner");
      return openProject(path.join(root, "inner"));
    },
  ],
  [
    "a link to the schemas folder",
    async () => {
      const project = await createReleasedProject(undefined, "contracts");
      symlinkSync("contracts", project.resolvePath("schemas"));
      return openProject(project.root);
    },
  ],
  [
    "a link from outside of the repository",
    async () => {
      const project = await createReleasedProject();
      const root = createTemporaryFolder();
      symlinkSync(project.resolvePath("schemas"), path.join(root, "schemas"));
      return openProject(root);
    },
  ],
  [
    "an environment that names another repository",
    async () => {
      const other = await createReleasedProject();
      other.remove("schemas");
      const { root } = await createReleasedProject();
      return openProject(root, "schemas", {
        GIT_DIR: other.resolvePath(".git"),
        GIT_WORK_TREE: other.root,
        GIT_OBJECT_DIRECTORY: other.resolvePath(".git/objects"),
        GIT_LITERAL_PATHSPECS: "1",
      });
    },
  ],
  [
    "a configuration that changes what git prints",
    async () => {
      const { root } = await createReleasedProject();
      const settings = { "log.showSignature": "true", "diff.noprefix": "true", "core.quotePath": "true" };
      const config = Object.entries(settings).flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]);
      return openProject(root, "schemas", { GIT_CONFIG_COUNT: "3", ...Object.fromEntries(config) });
    },
  ],
];

describe("finds the history of", () => {
  it.each(chooseCases(LOCATIONS, 4))("%s", async (_name, createProject) => {
    const project = await createProject();
    expect(await project.compat()).toMatchObject({ exitCode: 0, findings: [] });
    rmSync(path.join(project.schemas, "tea/v1/releases/1.1.json"));
    expect(await project.compat()).toMatchObject({ exitCode: 1, rules: ["release-missing"] });
  });
});

quick.it("reports the missing release if a link to another folder replaces the schemas folder", async () => {
  const project = await createReleasedProject();
  renameSync(project.resolvePath("schemas"), project.resolvePath("old"));
  const fresh = openProject(project.root, "fresh");
  fresh.write("1.1", { fields: ["cup"] });
  symlinkSync("fresh", project.resolvePath("schemas"));
  expect((await project.compat()).rules).toEqual(["release-missing"]);
});

quick.it("reports nothing in a folder without a history", async () => {
  const project = openProject(createTemporaryFolder());
  project.write("1.0");
  await project.freezeContract();
  expect(await project.compat()).toMatchObject({ exitCode: 0, findings: [], stderr: "" });
  project.git("init", "--quiet");
  expect(await project.compat()).toMatchObject({ exitCode: 0, findings: [], stderr: "" });
  writeFileSync(project.resolvePath(".gitignore"), "schemas\n");
  project.commit();
  project.remove("schemas/tea/v1/releases");
  expect(await project.compat()).toMatchObject({ exitCode: 0, findings: [], stderr: "" });
  const elsewhere = await createReleasedProject();
  const { compat } = openProject(
    elsewhere.root,
    path.relative(elsewhere.root, project.resolvePath("schemas")),
  );
  expect(await compat()).toMatchObject({ exitCode: 0, findings: [], stderr: "" });
});

describe("notes that the history is incomplete", () => {
  const INCOMPLETE = { rule: "history-incomplete", severity: "note" };

  quick.it("in a shallow clone, and checks the releases that it has", async () => {
    const whole = await createReleasedProject();
    whole.remove(FIRST);
    whole.commit();
    whole.write("1.2", { fields: ["sort", "cup"] });
    await whole.freezeContract();
    whole.commit();
    const root = path.join(createTemporaryFolder(), "clone");
    whole.git("clone", "--quiet", "--depth", "1", `file://${whole.root}`, root);
    const shallow = openProject(root);
    const { findings, exitCode } = await shallow.compat();
    // The digest in the release 1.1 shows that the first release is missing.
    expect([exitCode, findings]).toMatchObject([1, [{ rule: "release-missing" }, INCOMPLETE]]);
    shallow.remove("schemas/tea/v1/releases/1.2.json");
    expect((await shallow.compat()).findings).toMatchObject([
      { rule: "release-missing", at: { file: expect.stringContaining("1.0.json") } },
      { rule: "release-missing", at: { file: expect.stringContaining("1.2.json") } },
      INCOMPLETE,
    ]);
  });

  quick.it("if objects are missing", async () => {
    const project = await createReleasedProject();
    rmSync(project.resolvePath(".git/objects"), { recursive: true });
    project.git("init", "--quiet");
    expect(await project.compat()).toMatchObject({ exitCode: 0, findings: [INCOMPLETE] });
  });

  quick.it("if the repository of a worktree was deleted", async () => {
    const project = await createReleasedProject();
    const other = path.join(createTemporaryFolder(), "other");
    project.git("worktree", "add", "--quiet", "--detach", other);
    project.remove(".git");
    expect(await openProject(other).compat()).toMatchObject({ exitCode: 0, findings: [INCOMPLETE] });
  });

  // Only root can give a file to somebody else.
  it.runIf(process.getuid?.() === 0)(
    "if the repository belongs to another user, so that git refuses it",
    async () => {
      const project = await createReleasedProject();
      chownSync(project.root, 12345, 12345);
      expect(await project.compat()).toMatchObject({ exitCode: 0, findings: [INCOMPLETE] });
    },
  );

  quick.it("if git is not installed", async () => {
    const { root } = await createReleasedProject();
    const { compat } = openProject(root, "schemas", { PATH: createTemporaryFolder() });
    expect(await compat()).toMatchObject({ exitCode: 0, findings: [INCOMPLETE] });
  });
});

quick.it("does not report files that a sparse checkout leaves out", async () => {
  const project = await createReleasedProject();
  project.write("1.0", { name: "coffee" });
  await project.freezeContract("coffee/v1");
  project.commit();
  project.git("sparse-checkout", "set", "schemas/tea");
  expect(await project.compat()).toMatchObject({ exitCode: 0, findings: [] });
  project.remove(FIRST);
  expect(await project.compat()).toMatchObject({ exitCode: 1, rules: ["release-missing"] });
});

quick.it("reports nothing if git converts line ends to those of Windows", async () => {
  const { root } = await createReleasedProject();
  const clone = path.join(createTemporaryFolder(), "clone");
  openProject(root).git("clone", "--quiet", "--config", "core.autocrlf=true", root, clone);
  expect(readFileSync(path.join(clone, NEWEST), "utf8")).toContain("\r\n");
  expect(await openProject(clone).compat()).toMatchObject({ exitCode: 0, findings: [] });
});
