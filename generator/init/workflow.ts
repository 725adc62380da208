import path from "node:path";
import { findRepositoryRoot, lstatIfExists, toForwardSlashes } from "../io.js";
import { readBytes } from "../load/read-bytes.js";
import { formatValidateArguments } from "./package-scripts.js";

/** Where a project is in its repository, and how its packages are installed. */
export interface Surroundings {
  /** The path of the project from the root of the repository; empty at the root. */
  readonly folder: string;
  readonly packageManager: PackageManager;
  /** The path of the lock file from the root of the repository; undefined if there is none. */
  readonly lockFile: string | undefined;
  /** True if the package.json beside the lock file names the package manager and its version. */
  readonly hasVersion: boolean;
}

/** The commands of a package manager. */
interface PackageManager {
  readonly name: string;
  readonly lockFile: string;
  /** The step of a workflow that installs the package manager itself, in the version of `packageManager` in package.json. */
  readonly step?: string;
  /** What the step needs if package.json does not name a version. */
  readonly version?: string;
  readonly install: string;
  /** Starts a program of an installed package. */
  readonly execute: string;
}

const NPM: PackageManager = {
  name: "npm",
  lockFile: "package-lock.json",
  install: "npm ci",
  execute: "npx accrete-cli",
};

/** The package managers. The first one is used if there is no lock file. */
const PACKAGE_MANAGERS: readonly PackageManager[] = [
  NPM,
  {
    name: "pnpm",
    lockFile: "pnpm-lock.yaml",
    step: "uses: pnpm/action-setup@v4",
    version: "\n        with:\n          version: latest",
    install: "pnpm install --frozen-lockfile",
    execute: "pnpm exec accrete",
  },
  {
    name: "yarn",
    lockFile: "yarn.lock",
    step: "run: corepack enable",
    install: "yarn install --immutable",
    execute: "yarn accrete",
  },
];

/** Finds the repository and the package manager of a project. The nearest lock file decides. */
export function findSurroundings(project: string): Surroundings {
  const root = findRepositoryRoot(path.resolve(project)) ?? path.resolve(project);
  for (let folder = path.resolve(project); ; folder = path.dirname(folder)) {
    const packageManager = PACKAGE_MANAGERS.find((each) => lstatIfExists(path.join(folder, each.lockFile)));
    if (packageManager === undefined && folder !== root) continue;
    const relative = (file: string): string => toForwardSlashes(path.relative(root, file));
    return {
      folder: relative(path.resolve(project)),
      packageManager: packageManager ?? NPM,
      lockFile: packageManager && relative(path.join(folder, packageManager.lockFile)),
      hasVersion: namesPackageManager(path.join(folder, "package.json")),
    };
  }
}

function namesPackageManager(file: string): boolean {
  return (
    lstatIfExists(file)?.isFile() === true && /"packageManager"\s*:/.test(readBytes(file).toString("utf8"))
  );
}

/** Returns the path of the workflow from the project. GitHub reads workflows at the root of a repository only. */
export function getWorkflowPath({ folder }: Surroundings): string {
  const root = toForwardSlashes(path.relative(folder, ""));
  const name = ["contract", ...folder.split("/")].filter((part) => part !== "").join("-");
  return path.posix.join(root, ".github/workflows", `${name}.yml`);
}

/**
 * Returns a GitHub workflow that checks the contract. `test` is the script of package.json that runs the generated tests, and
 * `streams` matches the golden streams if there are some.
 */
export function renderWorkflow(
  {
    folder,
    packageManager: { name, step, version = "", install, execute },
    lockFile,
    hasVersion,
  }: Surroundings,
  test: string,
  streams: string | undefined,
): string {
  const validate =
    streams === undefined
      ? ""
      : `      - run: ${execute} ${formatValidateArguments(streams, "--format github ")}\n`;
  const workingDirectory =
    folder === "" ? "" : `    defaults:\n      run:\n        working-directory: ${JSON.stringify(folder)}\n`;
  const cachePath =
    lockFile === undefined || !lockFile.includes("/")
      ? ""
      : `\n          cache-dependency-path: ${JSON.stringify(lockFile)}`;
  return `name: ${folder === "" ? "contract" : JSON.stringify(`contract of ${folder}`)}
on:
  push:
    branches: [main]
  pull_request:
permissions:
  contents: read
jobs:
  contract:
    runs-on: ubuntu-latest
${workingDirectory}    steps:
      - uses: actions/checkout@v4
        with:
          # accrete check compares the release files with those of all earlier commits.
          fetch-depth: 0
${step === undefined ? "" : `      - ${step}${hasVersion ? "" : version}\n`}      - uses: actions/setup-node@v4
        with:
          node-version: 22
          cache: ${name}${cachePath}
      - run: ${install}
      - run: ${execute} check --format github
${validate}      - run: ${name} run ${test}
`;
}
