/** Projects in git repositories below a temporary folder, for tests of the release history. */

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { emitRelease } from "../../generator/emit/release.js";
import type { JsonObject } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import { readReleases } from "../../generator/load/releases/release-history.js";
import { compareVersions } from "../../generator/protocol/version.js";
import { runAccrete } from "../cli/run-in-process.js";
import { teaFiles } from "./tea.js";
import { createTemporaryFolder } from "./temporary-folder.js";

/** A user of git without any configuration of the machine. */
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

/** A project in a temporary folder. */
export interface Project {
  readonly root: string;
  readonly schemas: string;
  /** Runs git in the folder of the project. */
  git(...args: readonly string[]): string;
  /** Commits everything that stands in the folder. */
  commit(): void;
  /** Writes the files of `tea/v1`, or of another protocol, at a version; `fields` are those of its event. */
  write(version: string, fields?: readonly string[], over?: ExampleFiles, name?: string): void;
  /** Writes the release of the present contract, as `accrete release` does where all is well. */
  freeze(id?: string): Promise<void>;
  /** Runs a command of accrete with the folders of the project. */
  run(command: string, ...argv: readonly string[]): ReturnType<typeof runAccrete>;
  /** Runs `accrete compat` on a schemas folder. */
  compat(...more: readonly string[]): Promise<CompatOutcome>;
  /** The path of something below the project. */
  at(...names: readonly string[]): string;
  remove(...names: readonly string[]): void;
}

/** What `accrete compat` reported. */
export interface CompatOutcome {
  readonly exitCode: number;
  readonly stderr: string;
  /** The rules of errors and warnings, each once. */
  readonly rules: readonly string[];
  readonly findings: readonly JsonObject[];
}

/** An empty project in `root`, its schemas in the folder `schemas`. */
export function openProject(root: string, schemas = "schemas", environment = {}): Project {
  const at = (...names: readonly string[]): string => path.join(root, ...names);
  const git = (...args: readonly string[]): string =>
    execFileSync("git", [...args], {
      cwd: root,
      encoding: "utf8",
      env: GIT_ENVIRONMENT,
      stdio: ["ignore", "pipe", "pipe"],
    });
  return {
    root,
    schemas: at(schemas),
    git,
    at,
    remove: (...names) => rmSync(at(...names), { recursive: true, force: true }),
    commit() {
      git("add", "--all");
      git("commit", "--quiet", "--allow-empty", "--message", "step");
    },
    write(version, fields = [], over = {}, name = "tea") {
      const major = Number(version.split(".")[0]);
      const folder = at(schemas, name, `v${major}`);
      const properties = Object.fromEntries(
        fields.map((field) => [field, { type: "string", description: "A field." }]),
      );
      const files = teaFiles({
        ...over,
        "protocol.json": { ...over["protocol.json"], name, major, version },
        "events/tea.served.schema.json": { properties, ...over["events/tea.served.schema.json"] },
      });
      for (const [file, content] of Object.entries(files)) {
        mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
        writeFileSync(path.join(folder, file), `${JSON.stringify(content, null, 2)}\n`);
      }
    },
    async freeze(id = "tea/v1") {
      const [protocol] = (await loadSchemas(at(schemas), [id])).protocols;
      if (!protocol) throw new Error(`${id} has errors`);
      const previous = readReleases(at(schemas), protocol.name)
        .releases.filter(({ version }) => compareVersions(version, protocol.version) < 0)
        .at(-1);
      const { path: file, content } = emitRelease(
        protocol,
        previous && { version: previous.version, digest: previous.digest },
      );
      mkdirSync(path.dirname(at(schemas, file)), { recursive: true });
      writeFileSync(at(schemas, file), content);
    },
    run(...argv) {
      const folders = ["--schemas", at(schemas), "--out", at("generated"), "--fixtures", at("fixtures")];
      return runAccrete([...argv, ...folders], "", { environment: GIT_ENVIRONMENT });
    },
    async compat(...more) {
      const argv = ["compat", "--schemas", at(schemas), "--format", "json", ...more];
      const io = { environment: { ...GIT_ENVIRONMENT, ...environment } };
      const { stdout, stderr, exitCode } = await runAccrete(argv, "", io);
      const findings: JsonObject[] = stdout.startsWith("{") ? JSON.parse(stdout).findings : [];
      const serious = findings.filter(({ severity }) => severity !== "note");
      return {
        exitCode,
        stderr,
        findings,
        rules: [...new Set(serious.map(({ rule }) => String(rule)))].sort(),
      };
    },
  };
}

/** A project in a repository of its own, whose protocol `tea/v1` has the releases 1.0 and 1.1, each in a commit. */
export async function releasedProject(root = createTemporaryFolder(), schemas = "schemas"): Promise<Project> {
  mkdirSync(root, { recursive: true });
  const project = openProject(root, schemas);
  project.git("init", "--quiet", "--initial-branch", "main");
  project.write("1.0");
  await project.freeze();
  project.commit();
  project.write("1.1", ["sort"]);
  await project.freeze();
  project.commit();
  return project;
}

/** What happens to a project; the steps of a scenario follow one another. */
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
      renameSync(project.at(from), project.at(to)),
  /** Writes the files of a version; see `Project.write`. */
  write:
    (...args: Parameters<Project["write"]>): Step =>
    (project) =>
      project.write(...args),
  /** Writes a version of `tea` with these fields, and its release with a right digest. */
  release:
    (version: string, fields: readonly string[], over?: ExampleFiles): Step =>
    async (project) => {
      project.write(version, fields, over);
      await project.freeze(`tea/v${version.split(".")[0]}`);
    },
  /** Writes another protocol, which has no release. */
  addCoffee: (project: Project) => project.write("1.0", [], {}, "coffee"),
  git:
    (...args: readonly string[]): Step =>
    (project) =>
      project.git(...args),
};

/** A scenario: the rules of the errors and warnings that follow its steps. */
export interface Scenario {
  readonly name: string;
  readonly rules: readonly string[];
  readonly steps: readonly Step[];
}

/** Returns a function that creates scenarios after which these rules are reported. */
export function reports(...rules: readonly string[]) {
  return (name: string, ...steps: readonly Step[]): Scenario => ({ name, rules, steps });
}

/** Runs the steps, and returns what `accrete compat` must report then. */
export async function play(project: Project, { steps, rules }: Scenario) {
  for (const step of steps) await step(project);
  return { exitCode: rules.length > 0 ? 1 : 0, rules };
}

/** The same folder without its repository. */
export function withoutRepository(project: Project): Project {
  project.remove(".git");
  return project;
}

/** Copies a file of the project. */
export function copy(project: Project, from: string, to: string): void {
  cpSync(project.at(from), project.at(to), { recursive: true });
}
