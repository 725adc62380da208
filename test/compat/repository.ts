/** Projects in git repositories below a temporary folder, for tests of the release history. */

import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { emitRelease } from "../../generator/emit/release.js";
import type { JsonObject } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import { readReleases } from "../../generator/load/releases/release-history.js";
import { compareVersions } from "../../generator/protocol/version.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryFolder } from "../folders.js";
import { SERVED, writeTea } from "./tea.js";

/** The environment of git without any configuration of the machine. */
export const GIT_ENVIRONMENT: { readonly [name: string]: string } = {
  PATH: String(process.env.PATH),
  HOME: tmpdir(),
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "Tea",
  GIT_AUTHOR_EMAIL: "tea@example.org",
  GIT_COMMITTER_NAME: "Tea",
  GIT_COMMITTER_EMAIL: "tea@example.org",
};

/** The contents of a protocol that a test writes. */
interface ProtocolContents {
  /** The name of the protocol; `tea` by default. */
  readonly name?: string;
  /** The fields of its event. */
  readonly fields?: readonly string[];
  /** Members to add to its files. */
  readonly changes?: ExampleFiles;
}

/** A project in a temporary folder. */
export interface Project {
  readonly root: string;
  readonly schemas: string;
  /** Runs git in the folder of the project. */
  git(...args: readonly string[]): string;
  /** Commits all files of the project. */
  commit(): void;
  /** Writes the files of a version of a protocol. */
  write(version: string, contents?: ProtocolContents): void;
  /** Writes the release of the current contract, like a successful `accrete release`. */
  freezeContract(id?: string): Promise<void>;
  /** Runs a command of accrete with the folders of the project. */
  run(command: string, ...argv: readonly string[]): ReturnType<typeof runAccrete>;
  /** Runs `accrete compat` on the schemas of the project. */
  compat(...more: readonly string[]): Promise<CompatOutcome>;
  /** Returns the absolute path of a file or folder of the project. */
  resolvePath(...names: readonly string[]): string;
  remove(...names: readonly string[]): void;
}

/** The result of `accrete compat`. */
export interface CompatOutcome {
  readonly exitCode: number;
  readonly stderr: string;
  /** The rules of errors and warnings, each once. */
  readonly rules: readonly string[];
  readonly findings: readonly JsonObject[];
}

/** Returns a project in the folder `root`, with its schemas in `schemas`. The environment is added for `accrete compat` alone. */
export function openProject(root: string, schemas = "schemas", environment = {}): Project {
  const resolvePath = (...names: readonly string[]): string => path.join(root, ...names);
  const git = (...args: readonly string[]): string =>
    execFileSync("git", [...args], {
      cwd: root,
      encoding: "utf8",
      env: GIT_ENVIRONMENT,
      stdio: ["ignore", "pipe", "pipe"],
    });
  return {
    root,
    schemas: resolvePath(schemas),
    git,
    resolvePath,
    remove: (...names) => rmSync(resolvePath(...names), { recursive: true, force: true }),
    commit() {
      git("add", "--all");
      git("commit", "--quiet", "--allow-empty", "--message", "step");
    },
    write(version, { name = "tea", fields = [], changes = {} } = {}) {
      const properties = Object.fromEntries(
        fields.map((field) => [field, { type: "string", description: "A field." }]),
      );
      const major = Number(version.split(".")[0]);
      writeTea(resolvePath(schemas), {
        ...changes,
        "protocol.json": { ...changes["protocol.json"], name, major, version },
        [SERVED]: { properties, ...changes[SERVED] },
      });
    },
    async freezeContract(id = "tea/v1") {
      const [protocol] = (await loadSchemas(resolvePath(schemas), [id])).protocols;
      if (!protocol) throw new Error(`${id} has errors`);
      const previous = readReleases(resolvePath(schemas), protocol.name)
        .releases.filter(({ version }) => compareVersions(version, protocol.version) < 0)
        .at(-1);
      const { path: file, content } = emitRelease(
        protocol,
        previous && { version: previous.version, digest: previous.digest },
      );
      mkdirSync(path.dirname(resolvePath(schemas, file)), { recursive: true });
      writeFileSync(resolvePath(schemas, file), content);
    },
    run(...argv) {
      const folders = [
        "--schemas",
        resolvePath(schemas),
        "--out",
        resolvePath("generated"),
        "--fixtures",
        resolvePath("fixtures"),
      ];
      return runAccrete([...argv, ...folders], "", { environment: GIT_ENVIRONMENT });
    },
    async compat(...more) {
      const argv = ["compat", "--schemas", resolvePath(schemas), "--format", "json", ...more];
      const io = { environment: { ...GIT_ENVIRONMENT, ...environment } };
      const { stdout, stderr, exitCode } = await runAccrete(argv, "", io);
      const findings: JsonObject[] = stdout.startsWith("{") ? JSON.parse(stdout).findings : [];
      const rules = findings.flatMap(({ rule, severity }) => (severity === "note" ? [] : [String(rule)]));
      return { exitCode, stderr, findings, rules: [...new Set(rules)].sort() };
    },
  };
}

/** Creates a project in a new repository. Its protocol `tea/v1` has the releases 1.0 and 1.1, each in a commit. */
export async function createReleasedProject(
  root = createTemporaryFolder(),
  schemas = "schemas",
): Promise<Project> {
  mkdirSync(root, { recursive: true });
  const project = openProject(root, schemas);
  project.git("init", "--quiet", "--initial-branch", "main");
  project.write("1.0");
  await project.freezeContract();
  project.commit();
  project.write("1.1", { fields: ["sort"] });
  await project.freezeContract();
  project.commit();
  return project;
}

/** One step of a scenario, which changes the project. */
export type Step = (project: Project) => unknown;

/** The steps that scenarios are made of. */
export const STEPS = {
  commit: (project: Project) => project.commit(),
  remove:
    (...names: readonly string[]): Step =>
    (project) =>
      project.remove(...names),
  move:
    (from: string, to: string): Step =>
    (project) =>
      renameSync(project.resolvePath(from), project.resolvePath(to)),
  /** Writes the files of a version; see `Project.write`. */
  write:
    (...args: Parameters<Project["write"]>): Step =>
    (project) =>
      project.write(...args),
  /** Writes a version of `tea` with these fields, and its release with a correct digest. */
  release:
    (version: string, fields: readonly string[], changes: ExampleFiles = {}): Step =>
    async (project) => {
      project.write(version, { fields, changes });
      await project.freezeContract(`tea/v${version.split(".")[0]}`);
    },
  /** Writes another protocol, which has no release. */
  addCoffee: (project: Project) => project.write("1.0", { name: "coffee" }),
  git:
    (...args: readonly string[]): Step =>
    (project) =>
      project.git(...args),
};

/** Steps, and the rules of the errors and warnings that they cause. */
export interface Scenario {
  readonly name: string;
  readonly rules: readonly string[];
  readonly steps: readonly Step[];
}

/** Returns a function that creates scenarios after which these rules are reported. */
export function expectRules(...rules: readonly string[]) {
  return (name: string, steps: readonly Step[] = []): Scenario => ({ name, rules, steps });
}

/** Runs the steps, and returns the result that `accrete compat` must have afterwards. */
export async function playScenario(project: Project, { steps, rules }: Scenario) {
  for (const step of steps) await step(project);
  return { exitCode: rules.length > 0 ? 1 : 0, rules };
}
