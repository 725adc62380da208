/** If this fails, a release or a protocol with releases can be deleted or changed without an error. */

import { chownSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { GIT_ENVIRONMENT, openProject, type Project, releasedProject } from "./repository.js";
import { createTemporaryFolder } from "./temporary-folder.js";

const NEWEST = "schemas/tea/v1/releases/1.1.json";
const FIRST = "schemas/tea/v1/releases/1.0.json";

/** Replaces the release 1.1 by one of another contract, whose digests are right. */
async function amend(project: Project, ...fields: readonly string[]): Promise<void> {
  project.write("1.1", fields);
  await project.freeze();
}

/** Makes a release 1.1 with `ours` on the branch main and one with `theirs` on the branch side. */
async function diverge(project: Project, ours: readonly string[], theirs: readonly string[]): Promise<void> {
  project.git("checkout", "--quiet", "-b", "side", "main~1");
  await amend(project, ...theirs);
  project.commit();
  project.git("checkout", "--quiet", "-B", "main", "main~1");
  await amend(project, ...ours);
  project.commit();
}

function merge(project: Project, ...options: readonly string[]): void {
  try {
    project.git("merge", "--quiet", "--no-edit", ...options, "side");
  } catch {
    // There is a conflict, which the scenario resolves.
  }
}

/** What happens to a project with two releases, and the rules of the errors that follow. */
type Scenario = readonly [name: string, rules: readonly string[], change: (project: Project) => unknown];

/** The same whether the change is committed or not. */
const CHANGES: readonly Scenario[] = [
  ["nothing happens", [], () => undefined],
  ["the newest release is deleted", ["release-missing"], (p) => p.remove(NEWEST)],
  ["the first release is deleted", ["release-missing"], (p) => p.remove(FIRST)],
  ["all releases are deleted", ["release-missing"], (p) => p.remove("schemas/tea/v1/releases")],
  [
    "a release is deleted and its contract broken",
    ["release-missing"],
    (p) => {
      p.remove("schemas/tea/v1/releases");
      p.write("1.1", ["other"]);
    },
  ],
  ["the newest release is amended", ["release-altered"], async (p) => await amend(p, "sort", "cup")],
  ["a release is damaged", ["release-altered"], (p) => writeFileSync(p.at(NEWEST), "{}")],
  [
    "a release gets the name of the next one",
    ["release-altered", "release-missing"],
    (p) => renameSync(p.at(NEWEST), p.at("schemas/tea/v1/releases/1.2.json")),
  ],
  [
    "a release is laid out anew, with other white space and line ends",
    [],
    (p) => writeFileSync(p.at(NEWEST), JSON.stringify(JSON.parse(readFileSync(p.at(NEWEST), "utf8")))),
  ],
  [
    "line ends become those of Windows",
    [],
    (p) => writeFileSync(p.at(NEWEST), readFileSync(p.at(NEWEST), "utf8").replaceAll("\n", "\r\n")),
  ],
  [
    "a protocol is removed beside its next major version",
    ["protocol-removed"],
    (p) => {
      p.write("2.0", ["sort"]);
      p.remove("schemas/tea/v1");
    },
  ],
  [
    "a protocol is removed beside another one",
    ["protocol-removed"],
    (p) => {
      p.write("1.0", [], {}, "coffee");
      p.remove("schemas/tea");
    },
  ],
  ["the schemas folder is removed", ["protocol-removed"], (p) => p.remove("schemas")],
  ["the only protocol is removed", ["protocol-removed"], (p) => p.remove("schemas/tea")],
  [
    "a protocol gets another name",
    ["protocol-removed"],
    (p) => {
      p.remove("schemas/tea");
      p.write("1.1", ["sort"], {}, "coffee");
    },
  ],
  [
    "only the releases of a protocol are left",
    ["protocol-removed"],
    (p) => {
      p.write("1.0", [], {}, "coffee");
      for (const name of ["protocol.json", "envelope.schema.json", "events"])
        p.remove("schemas/tea/v1", name);
    },
  ],
  [
    "a link to a copy takes the place of a protocol",
    ["file-outside"],
    (p) => {
      p.write("1.0", [], {}, "coffee");
      renameSync(p.at("schemas/tea"), p.at("elsewhere"));
      symlinkSync("../elsewhere", p.at("schemas/tea"));
    },
  ],
  ["the schemas folder is moved", [], (p) => renameSync(p.at("schemas"), p.at("contracts"))],
];

describe("committed or not", () => {
  it.each(CHANGES)("%s", async (_name, rules, change) => {
    const project = await releasedProject();
    await change(project);
    const schemas = project.git("status", "--porcelain").includes("contracts/") ? "contracts" : "schemas";
    const opened = openProject(project.root, schemas);
    const before = await opened.compat();
    project.commit();
    const after = await opened.compat();
    const expected = { exitCode: rules.length > 0 ? 1 : 0, rules };
    expect(before).toMatchObject(expected);
    expect(after).toMatchObject(expected);
  });
});

const HISTORIES: readonly Scenario[] = [
  [
    "a release is amended in a commit and deleted in the next",
    ["release-missing"],
    async (p) => {
      await amend(p, "cup");
      p.commit();
      p.remove(NEWEST);
    },
  ],
  [
    "a release is deleted in a commit and issued anew in the next",
    ["release-altered"],
    async (p) => {
      p.remove(NEWEST);
      p.commit();
      await amend(p, "cup");
      p.commit();
    },
  ],
  [
    "a release is amended twice",
    ["release-altered"],
    async (p) => {
      for (const field of ["cup", "pot"]) {
        await amend(p, field);
        p.commit();
      }
    },
  ],
  [
    "an amended release is restored",
    [],
    async (p) => {
      await amend(p, "cup");
      p.commit();
      await amend(p, "sort");
      p.commit();
    },
  ],
  [
    "a release that was issued anew is restored",
    [],
    async (p) => {
      p.remove(NEWEST);
      p.commit();
      await amend(p, "cup");
      p.commit();
      await amend(p, "sort");
      p.commit();
    },
  ],
  [
    "a damaged release is committed and restored",
    [],
    async (p) => {
      writeFileSync(p.at(NEWEST), "<<<<<<< ours\n");
      p.commit();
      await amend(p, "sort");
    },
  ],
  [
    "a conflict over a release is resolved with theirs, and the merge is under way",
    ["release-altered"],
    async (p) => {
      await diverge(p, ["sort"], ["cup"]);
      merge(p);
      p.git("checkout", "--quiet", "--theirs", ".");
    },
  ],
  [
    "a conflict over a release is resolved with theirs",
    ["release-altered"],
    async (p) => {
      await diverge(p, ["sort"], ["cup"]);
      merge(p, "-X", "theirs");
      p.git("checkout", "--quiet", "--theirs", ".");
      p.commit();
    },
  ],
  [
    "a conflict over a release is resolved with ours, and the merge is under way",
    ["release-altered"],
    async (p) => {
      await diverge(p, ["sort"], ["cup"]);
      merge(p);
      p.git("checkout", "--quiet", "--ours", ".");
    },
  ],
  [
    "a merge drops the release of a branch",
    ["release-missing"],
    async (p) => {
      p.git("checkout", "--quiet", "-b", "side");
      p.write("1.2", ["sort", "cup"]);
      await p.freeze();
      p.commit();
      p.git("checkout", "--quiet", "main");
      merge(p, "-s", "ours");
    },
  ],
  [
    "a merge writes a release that neither side has",
    ["release-altered"],
    async (p) => {
      p.git("checkout", "--quiet", "-b", "side");
      p.commit();
      p.git("checkout", "--quiet", "main");
      p.git("commit", "--quiet", "--allow-empty", "-m", "step");
      merge(p, "--no-commit");
      await amend(p, "cup");
      p.commit();
    },
  ],
  [
    "a merge writes a release that neither side has, which is then deleted",
    ["release-missing"],
    async (p) => {
      for (const [branch, name] of [
        ["side", "coffee"],
        ["main", "cocoa"],
      ] as const) {
        p.git("checkout", "--quiet", "-B", branch, "main");
        p.write("1.0", [], {}, name);
        await p.freeze(`${name}/v1`);
        p.commit();
      }
      merge(p, "--no-commit");
      p.write("1.2", ["sort", "cup"]);
      await p.freeze();
      p.commit();
      p.remove("schemas/tea/v1/releases/1.2.json");
    },
  ],
  [
    "the branches of a merge hold the same release",
    [],
    async (p) => {
      await diverge(p, ["sort"], ["sort"]);
      merge(p);
      p.commit();
    },
  ],
  ["a branch that is not merged holds another release", [], async (p) => await diverge(p, ["sort"], ["cup"])],
  [
    "a protocol without a release is removed",
    [],
    (p) => {
      p.write("1.0", [], {}, "coffee");
      p.commit();
      p.remove("schemas/coffee");
    },
  ],
  [
    "a release is deleted after the schemas folder was moved there",
    ["release-missing"],
    (p) => {
      renameSync(p.at("schemas"), p.at("contracts"));
      p.commit();
      renameSync(p.at("contracts"), p.at("schemas"));
      p.commit();
      p.remove(NEWEST);
    },
  ],
  [
    "a commit is hidden by a replacement",
    ["release-missing"],
    (p) => {
      p.remove(NEWEST);
      p.commit();
      p.git("replace", "--graft", "HEAD");
    },
  ],
];

it.each(HISTORIES)("%s", async (_name, rules, change) => {
  const project = await releasedProject();
  await change(project);
  expect(await project.compat()).toMatchObject({ exitCode: rules.length > 0 ? 1 : 0, rules });
});

it("misses the releases that did not move with their protocol", async () => {
  const project = await releasedProject();
  renameSync(project.at("schemas"), project.at("contracts"));
  project.remove("contracts/tea/v1/releases");
  project.commit();
  const moved = openProject(project.root, "contracts");
  expect(await moved.compat()).toMatchObject({ exitCode: 1, rules: ["release-missing"] });
});

it("misses no releases of another protocol of the same name that is gone", async () => {
  const project = await releasedProject();
  project.remove("schemas");
  project.commit();
  const other = openProject(project.root, "contracts");
  other.write("1.0", ["cup"]);
  other.commit();
  expect(await other.compat()).toMatchObject({ exitCode: 0, rules: [] });
});

it("knows the releases of a protocol under the folder that it was moved from", async () => {
  const project = await releasedProject();
  renameSync(project.at("schemas"), project.at("contracts"));
  project.commit();
  const moved = openProject(project.root, "contracts");
  moved.write("1.2", ["sort", "cup"]);
  await moved.freeze();
  project.commit();
  rmSync(project.at("contracts/tea/v1/releases/1.1.json"));
  expect(await moved.compat()).toMatchObject({ exitCode: 1, rules: ["release-missing"] });
});

it.each([["--against", "release:1.0"], ["--against", "git:HEAD"], ["tea/v1"]])(
  "reports it with %s %s as well",
  async (...options) => {
    const project = await releasedProject();
    project.remove(NEWEST);
    expect(await project.compat(...options)).toMatchObject({ exitCode: 1, rules: ["release-missing"] });
  },
);

it("reports once where the file was, which commit holds it and what to do", async () => {
  const project = await releasedProject();
  const commit = project.git("rev-parse", "--short=12", "HEAD").trim();
  project.write("2.0", ["sort"]);
  project.remove(NEWEST);
  const { findings } = await project.compat();
  expect(findings).toEqual([
    {
      rule: "release-missing",
      severity: "error",
      at: { file: project.at(NEWEST), pointer: "" },
      message: `The release 1.1 of tea/v1 was committed as ${commit} and is missing.`,
      hint: expect.stringMatching(`restore the file from version control \\(commit ${commit}\\).*--withdraw`),
    },
  ]);
});

it("reports a damaged release once, however many major versions there are", async () => {
  const project = await releasedProject();
  for (const version of ["2.0", "3.0"]) project.write(version, ["sort"]);
  writeFileSync(project.at(NEWEST), readFileSync(project.at(NEWEST), "utf8").replace("sort", "sork"));
  const { findings, exitCode } = await project.compat();
  expect([exitCode, findings.map(({ rule }) => rule)]).toEqual([1, ["release-altered"]]);
});

/** Places of a project that make it hard to find its history, each with the project as it is checked. */
const PLACES: readonly (readonly [name: string, place: () => Project | Promise<Project>])[] = [
  [
    "a project below the top of its repository",
    async () => await releasedProject(undefined, "packages/tea/schemas"),
  ],
  ["a schemas folder that is the top of its repository", async () => await releasedProject(undefined, ".")],
  ...["[a]*?", "-rf", ":(top)x", 'a"b', "a\nb", "ü\\n", "$(touch x)"].map(
    (name): readonly [string, () => Promise<Project>] => [
      `a folder called ${JSON.stringify(name)}`,
      async () => await releasedProject(path.join(createTemporaryFolder(), name), `${name}/schemas`),
    ],
  ),
  [
    "another worktree of the repository",
    async () => {
      const project = await releasedProject();
      const other = path.join(createTemporaryFolder(), "other");
      project.git("worktree", "add", "--quiet", "--detach", other);
      return openProject(other);
    },
  ],
  [
    "a submodule",
    async () => {
      const inner = await releasedProject();
      const root = createTemporaryFolder();
      const outer = openProject(root);
      outer.git("init", "--quiet");
      outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.root, "inner");
      return openProject(path.join(root, "inner"));
    },
  ],
  [
    "a link to the schemas folder",
    async () => {
      const project = await releasedProject(undefined, "contracts");
      symlinkSync("contracts", project.at("schemas"));
      return openProject(project.root);
    },
  ],
  [
    "a link from outside of the repository",
    async () => {
      const project = await releasedProject();
      const root = createTemporaryFolder();
      symlinkSync(project.at("schemas"), path.join(root, "schemas"));
      return openProject(root);
    },
  ],
  [
    "an environment that names another repository",
    async () => {
      const other = await releasedProject();
      other.remove("schemas");
      const { root } = await releasedProject();
      return openProject(root, "schemas", {
        GIT_DIR: other.at(".git"),
        GIT_WORK_TREE: other.root,
        GIT_OBJECT_DIRECTORY: other.at(".git/objects"),
        GIT_LITERAL_PATHSPECS: "1",
      });
    },
  ],
  [
    "a configuration that changes what git prints",
    async () => {
      const { root } = await releasedProject();
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
  it.each(PLACES)("%s", async (_name, place) => {
    const project = await place();
    expect(await project.compat()).toMatchObject({ exitCode: 0, findings: [] });
    rmSync(path.join(project.schemas, "tea/v1/releases/1.1.json"));
    expect(await project.compat()).toMatchObject({ exitCode: 1, rules: ["release-missing"] });
  });
});

it("knows what a schemas folder held that a link to another one replaces", async () => {
  const project = await releasedProject();
  renameSync(project.at("schemas"), project.at("old"));
  const fresh = openProject(project.root, "fresh");
  fresh.write("1.1", ["cup"]);
  symlinkSync("fresh", project.at("schemas"));
  expect((await project.compat()).rules).toEqual(["release-missing"]);
});

it("asks nothing of a folder without a history", async () => {
  const bare = openProject(createTemporaryFolder());
  bare.write("1.0");
  await bare.freeze();
  expect(await bare.compat()).toMatchObject({ exitCode: 0, findings: [], stderr: "" });
  bare.git("init", "--quiet");
  expect(await bare.compat()).toMatchObject({ exitCode: 0, findings: [], stderr: "" });
  writeFileSync(bare.at(".gitignore"), "schemas\n");
  bare.commit();
  bare.remove("schemas/tea/v1/releases");
  expect(await bare.compat()).toMatchObject({ exitCode: 0, findings: [], stderr: "" });
  const elsewhere = await releasedProject();
  const { compat } = openProject(elsewhere.root, path.relative(elsewhere.root, bare.at("schemas")));
  expect(await compat()).toMatchObject({ exitCode: 0, findings: [], stderr: "" });
});

describe("reports that it does not know the whole history", () => {
  const gap = { rule: "history-incomplete", severity: "note" };

  it("in a shallow clone, and checks what is there", async () => {
    const whole = await releasedProject();
    whole.remove(FIRST);
    whole.commit();
    whole.write("1.2", ["sort", "cup"]);
    await whole.freeze();
    whole.commit();
    const root = path.join(createTemporaryFolder(), "clone");
    whole.git("clone", "--quiet", "--depth", "1", `file://${whole.root}`, root);
    const shallow = openProject(root);
    const { findings, exitCode } = await shallow.compat();
    // The chain of digests knows the first release all the same.
    expect([exitCode, findings]).toMatchObject([1, [{ rule: "release-missing" }, gap]]);
    shallow.remove("schemas/tea/v1/releases/1.2.json");
    expect((await shallow.compat()).findings).toMatchObject([
      { rule: "release-missing", at: { file: expect.stringContaining("1.0.json") } },
      { rule: "release-missing", at: { file: expect.stringContaining("1.2.json") } },
      gap,
    ]);
  });

  it("where objects are missing", async () => {
    const project = await releasedProject();
    rmSync(project.at(".git/objects"), { recursive: true });
    project.git("init", "--quiet");
    expect(await project.compat()).toMatchObject({ exitCode: 0, findings: [gap] });
  });

  it("where the repository of a worktree is gone", async () => {
    const project = await releasedProject();
    const other = path.join(createTemporaryFolder(), "other");
    project.git("worktree", "add", "--quiet", "--detach", other);
    project.remove(".git");
    expect(await openProject(other).compat()).toMatchObject({ exitCode: 0, findings: [gap] });
  });

  // Only root can give a file to somebody else.
  it.runIf(process.getuid?.() === 0)("where git does not trust the repository of somebody else", async () => {
    const project = await releasedProject();
    chownSync(project.root, 12345, 12345);
    expect(await project.compat()).toMatchObject({ exitCode: 0, findings: [gap] });
  });

  it("where git is not installed", async () => {
    const { root } = await releasedProject();
    const { compat } = openProject(root, "schemas", { PATH: createTemporaryFolder() });
    expect(await compat()).toMatchObject({ exitCode: 0, findings: [gap] });
  });
});

it("takes files that are not checked out for present", async () => {
  const project = await releasedProject();
  project.write("1.0", [], {}, "coffee");
  await project.freeze("coffee/v1");
  project.commit();
  project.git("sparse-checkout", "set", "schemas/tea");
  expect(await project.compat()).toMatchObject({ exitCode: 0, findings: [] });
  project.remove(FIRST);
  expect(await project.compat()).toMatchObject({ exitCode: 1, rules: ["release-missing"] });
});

it("is the same after a checkout with the line ends of Windows", async () => {
  const { root } = await releasedProject();
  const clone = path.join(createTemporaryFolder(), "clone");
  openProject(root).git("clone", "--quiet", "--config", "core.autocrlf=true", root, clone);
  expect(readFileSync(path.join(clone, NEWEST), "utf8")).toContain("\r\n");
  expect(await openProject(clone).compat()).toMatchObject({ exitCode: 0, findings: [] });
  expect(GIT_ENVIRONMENT.GIT_CONFIG_GLOBAL).toBe("/dev/null");
});
