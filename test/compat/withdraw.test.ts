/** If this fails, `accrete release --withdraw` takes back a stable release, or its history is reported wrongly. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { accrete } from "../cli/run-in-process.js";
import { GIT_ENVIRONMENT, openProject, type Project, releasedProject } from "./repository.js";
import { createTemporaryFolder } from "./temporary-folder.js";

const MANIFEST = "schemas/tea/v1/protocol.json";
const NEWEST = "schemas/tea/v1/releases/1.1.json";

function run(project: Project, ...argv: readonly string[]) {
  const folders = ["--schemas", project.schemas, "--out", project.at("generated")];
  const io = { environment: GIT_ENVIRONMENT };
  const fixtures = argv[0] === "compat" ? [] : ["--fixtures", project.at("fixtures")];
  return accrete([...argv, ...folders, ...fixtures], "", io);
}

const withdraw = (project: Project, ...more: readonly string[]) =>
  run(project, "release", "--withdraw", "1.1", "tea/v1", "--reason", "Misspelt.", ...more);

const manifest = (project: Project) => JSON.parse(readFileSync(project.at(MANIFEST), "utf8"));

const digestOf = (project: Project, file = NEWEST): string =>
  JSON.parse(readFileSync(project.at(file), "utf8"))["x-release"].digest;

/** Sets the withdrawn releases of protocol.json, and the version and fields of the contract. */
function write(project: Project, version: string, fields: readonly string[], withdrawn: unknown[]): void {
  const list = JSON.parse(JSON.stringify(withdrawn));
  project.write(version, fields, { "protocol.json": { withdrawn: list } });
}

it("deletes the release, records it, and allows its version to be released again, as often as needed", async () => {
  const project = await releasedProject();
  const first = digestOf(project);
  const outcome = await withdraw(project);
  expect(outcome).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("withdrew tea/v1 1.1") });
  expect(existsSync(project.at(NEWEST))).toBe(false);
  expect(manifest(project).withdrawn).toEqual([{ version: "1.1", digest: first, reason: "Misspelt." }]);
  expect(await project.compat()).toMatchObject({ exitCode: 0, rules: [] });
  project.commit();
  expect(await project.compat()).toMatchObject({ exitCode: 0, rules: [] });

  write(project, "1.1", ["sorts"], manifest(project).withdrawn);
  expect(await run(project, "generate")).toMatchObject({ exitCode: 0 });
  expect(await run(project, "release", "1.1")).toMatchObject({ exitCode: 0 });
  const second = digestOf(project);
  project.commit();
  expect(await project.compat()).toMatchObject({ exitCode: 0, rules: [] });

  expect(await withdraw(project)).toMatchObject({ exitCode: 0 });
  expect(manifest(project).withdrawn.map(({ digest }: { digest: string }) => digest)).toEqual([
    first,
    second,
  ]);
  project.commit();
  write(project, "1.1", ["kind"], manifest(project).withdrawn);
  await project.freeze();
  project.commit();
  expect(await project.compat()).toMatchObject({ exitCode: 0, rules: [] });
  expect(new Set([first, second, digestOf(project)]).size).toBe(3);
});

it("keeps every other byte of protocol.json", async () => {
  const project = await releasedProject();
  const before = readFileSync(project.at(MANIFEST), "utf8").replace('"title": "Tea"', '"title" :\t"Tea"');
  writeFileSync(project.at(MANIFEST), before);
  await withdraw(project);
  const after = readFileSync(project.at(MANIFEST), "utf8");
  expect(after.replace(/,\s*"withdrawn": \[[^\]]*\]/, "")).toBe(before);
});

const stable = { "x-stability": "stable" } as const;

/** What is withdrawn, the exit code and what is output; nothing is changed. */
type Refusal = readonly [
  name: string,
  exitCode: number,
  output: RegExp,
  options: readonly string[],
  change?: (project: Project) => unknown,
];

const REFUSALS: readonly Refusal[] = [
  [
    "a release that is not the newest",
    1,
    /1\.0 was not withdrawn: the release 1\.1 was made after it/,
    ["--withdraw", "1.0", "--reason", "x"],
  ],
  [
    "a release with a stable event",
    1,
    /"tea\.served" is stable in it/,
    ["--withdraw", "1.2", "--reason", "x"],
    async (p) => {
      p.write("1.2", ["sort"], { "events/tea.served.schema.json": stable });
      await p.freeze();
    },
  ],
  [
    "a release with a stable field",
    1,
    /a part of "tea\.served" is stable in it/,
    ["--withdraw", "1.2", "--reason", "x"],
    async (p) => {
      const properties = { sort: { type: "string", description: "A field.", ...stable } };
      p.write("1.2", [], { "events/tea.served.schema.json": { properties } });
      await p.freeze();
    },
  ],
  [
    "a release beside another one that is missing",
    1,
    /release-missing/,
    ["--withdraw", "1.1", "--reason", "x"],
    (p) => p.remove("schemas/tea/v1/releases/1.0.json"),
  ],
  [
    "a release that there is not",
    2,
    /no release 1\.7 to withdraw.*tea\/v1 1\.0, tea\/v1 1\.1/,
    ["--withdraw", "1.7", "--reason", "x"],
  ],
  ["a release without a reason", 2, /--withdraw needs a --reason/, ["--withdraw", "1.1"]],
  [
    "a release with an empty reason",
    2,
    /--withdraw needs a --reason/,
    ["--withdraw", "1.1", "--reason", " "],
  ],
  ["something that is not a version", 2, /"one" is not a version/, ["--withdraw", "one", "--reason", "x"]],
  [
    "a release beside a protocol.json that cannot be read",
    2,
    /The schemas have errors/,
    ["--withdraw", "1.1", "--reason", "x"],
    (p) => writeFileSync(p.at(MANIFEST), "<<<<<<< HEAD\n{}"),
  ],
  [
    "a protocol that there is not",
    2,
    /no protocol "te\/v1"/,
    ["te/v1", "--withdraw", "1.1", "--reason", "x"],
  ],
  ["nothing, but for a reason", 2, /--reason belongs to --withdraw/, ["1.1", "--reason", "x"]],
];

describe("does not withdraw", () => {
  it.each(REFUSALS.map((refusal) => ({ name: refusal[0], refusal })))("$name", async ({ refusal }) => {
    const [, exitCode, output, options, change] = refusal;
    const project = await releasedProject();
    await change?.(project);
    const before = [
      readFileSync(project.at(MANIFEST), "utf8"),
      readdirSync(project.at("schemas/tea/v1/releases")),
    ];
    const outcome = await run(project, "release", ...options);
    expect(outcome.exitCode).toBe(exitCode);
    expect(outcome.stdout + outcome.stderr).toMatch(output);
    expect([
      readFileSync(project.at(MANIFEST), "utf8"),
      readdirSync(project.at("schemas/tea/v1/releases")),
    ]).toEqual(before);
  });
});

/** What is done to the record of withdrawn releases, and the rules of the errors that follow. */
const RECORDS: readonly (readonly [
  name: string,
  rules: readonly string[],
  change: (project: Project) => unknown,
])[] = [
  [
    "the record is removed, and the version not released again",
    ["release-missing"],
    async (p) => {
      await withdraw(p);
      p.write("1.1", ["sort"]);
    },
  ],
  [
    "the record is removed, and the version released again",
    ["release-altered"],
    async (p) => {
      await withdraw(p);
      p.write("1.1", ["sorts"]);
      await p.freeze();
    },
  ],
  [
    "the record of another content stands in its place",
    ["release-missing"],
    async (p) => {
      await withdraw(p);
      write(p, "1.1", ["sort"], [{ version: "1.1", digest: "0".repeat(64), reason: "x" }]);
    },
  ],
  [
    "the record is removed after the version was released again, in a folder without a repository",
    ["withdrawal-missing"],
    async (p) => {
      p.remove(".git");
      await withdraw(p);
      await p.freeze();
      p.write("1.1", ["sort"]);
    },
  ],
  [
    "a release is recorded as withdrawn, but is there",
    ["withdrawal-invalid"],
    (p) => write(p, "1.1", ["sort"], [{ version: "1.1", digest: digestOf(p), reason: "x" }]),
  ],
  [
    "a release with a stable event is recorded as withdrawn by hand",
    ["withdrawal-invalid"],
    async (p) => {
      p.write("1.2", ["sort"], { "events/tea.served.schema.json": stable });
      await p.freeze();
      p.commit();
      const digest = digestOf(p, "schemas/tea/v1/releases/1.2.json");
      p.remove("schemas/tea/v1/releases/1.2.json");
      write(p, "1.2", ["sort"], [{ version: "1.2", digest, reason: "x" }]);
    },
  ],
  [
    "a release that another one follows is recorded as withdrawn by hand",
    ["release-missing"],
    (p) => {
      const first = "schemas/tea/v1/releases/1.0.json";
      const digest = digestOf(p, first);
      p.remove(first);
      write(p, "1.1", ["sort"], [{ version: "1.0", digest, reason: "x" }]);
    },
  ],
  [
    "the release of the major version before is withdrawn after the next major version began",
    [],
    async (p) => {
      p.write("2.0", ["sort"]);
      await p.freeze("tea/v2");
      p.commit();
      expect(await withdraw(p)).toMatchObject({ exitCode: 0 });
    },
  ],
  [
    "a protocol is removed after all of its releases were withdrawn",
    [],
    async (p) => {
      await withdraw(p);
      p.commit();
      await run(p, "release", "--withdraw", "1.0", "--reason", "Nobody reads it.");
      p.commit();
      p.write("1.0", [], {}, "coffee");
      p.remove("schemas/tea");
    },
  ],
  [
    "a protocol is removed after one of its releases was withdrawn",
    ["protocol-removed"],
    async (p) => {
      await withdraw(p);
      p.commit();
      p.write("1.0", [], {}, "coffee");
      p.remove("schemas/tea");
    },
  ],
  [
    "one of two contents of a version is withdrawn, and the other one restored",
    [],
    async (p) => {
      p.git("checkout", "--quiet", "-b", "side", "main~1");
      p.write("1.1", ["cup"]);
      await p.freeze();
      p.commit();
      p.git("merge", "--quiet", "--no-edit", "-s", "ours", "main");
      expect((await p.compat()).rules).toEqual(["release-altered"]);
      expect(await withdraw(p)).toMatchObject({ exitCode: 0 });
      p.git("checkout", "main", "--", NEWEST);
      write(p, "1.1", ["sort"], manifest(p).withdrawn);
    },
  ],
];

it.each(RECORDS)("%s", async (_name, rules, change) => {
  const project = await releasedProject();
  await change(project);
  const expected = { exitCode: rules.length > 0 ? 1 : 0, rules };
  expect(await project.compat()).toMatchObject(expected);
  if (existsSync(project.at(".git"))) project.commit();
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
  project.write("1.0", [], { "protocol.json": { withdrawn: JSON.parse(JSON.stringify(withdrawn)) } });
  const { stdout, exitCode } = await run(project, "lint");
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining("error protocol-invalid")]);
});

/** What was done to the release 1.1 before version 1.1 is released again; it never is. */
const REISSUES: readonly (readonly [name: string, output: RegExp, change: (project: Project) => unknown])[] =
  [
    [
      "its file was deleted",
      /release-missing.*\n.*\n?1 error: tea\/v1 was not released/,
      (p) => p.remove(NEWEST),
    ],
    [
      "its file was deleted in a commit",
      /release-missing/,
      (p) => {
        p.remove(NEWEST);
        p.commit();
      },
    ],
    [
      "it was amended in a commit",
      /release-altered/,
      async (p) => {
        await p.freeze();
        p.commit();
      },
    ],
    ["it is there", /tea\/v1 1\.1 is already released/, () => undefined],
  ];

it.each(REISSUES)("a version is not released with other content where %s", async (_name, output, change) => {
  const project = await releasedProject();
  project.write("1.1", ["sort", "cup"]);
  await change(project);
  await run(project, "generate");
  const { stdout, exitCode } = await run(project, "release", "1.1", "tea/v1");
  expect([exitCode, stdout]).toEqual([1, expect.stringMatching(output)]);
});
