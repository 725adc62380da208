/** Compares an installed npm package with the newest version that the project accepts. */
import { existsSync, mkdtempSync } from "node:fs";
import path from "node:path";
import { type ContractDifferences, diffContracts } from "../compat/diff-contracts.js";
import type { TimeLimit } from "../compat/proof/time-limit.js";
import { BaselineError } from "../load/baseline/baseline-spec.js";
import { fetchNpmPackage } from "../load/baseline/fetch-baseline.js";
import { readPackageManifest } from "./package-manifest.js";
import { locateInPackage, readCopiedContract } from "./read-contract.js";

/** A contract in an installed package. */
export interface WatchedContract {
  readonly package: string;
  /** The path in the package. */
  readonly path: string;
  /** The pointer after `#`. */
  readonly fragment: string | undefined;
}

/** The versions of a watched package and, if they differ, the differences between their contracts. */
export interface WatchResult {
  readonly package: string;
  readonly installed: string;
  readonly newest: string;
  /** The range that the project accepts. */
  readonly range: string;
  readonly differences: ContractDifferences | undefined;
  /** Notes about parts of the schemas that the comparison reads in another way than their authors wrote them. */
  readonly notes: readonly string[];
}

/** Parses `NAME:PATH` or `NAME:PATH#/POINTER`. Throws a BaselineError for anything else. */
export function parseWatchedContract(text: string): WatchedContract {
  const [, name, file, fragment] = /^((?:@[^/:]+\/)?[^/:]+):([^#]+)(?:#(.*))?$/.exec(text) ?? [];
  if (name === undefined || file === undefined)
    throw new BaselineError(
      `"${text}" names no contract of a package; write NAME:PATH or NAME:PATH#/POINTER.`,
    );
  return { package: name, path: file, fragment };
}

/**
 * Compares the installed version of a package with the newest version in the range of the project's package.json.
 * `folder` is a folder of the project; copies are written into `temporary`. Throws a BaselineError or a UsageError for
 * what cannot be read or fetched. After `timeLimit`, everything is undecided.
 */
export async function watchPackage(
  watched: WatchedContract,
  folder: string,
  temporary: string,
  timeLimit?: TimeLimit,
): Promise<WatchResult> {
  const { package: name, fragment } = watched;
  const installedRoot = findInstalledPackage(name, folder);
  const range = findRange(name, folder);
  const newestRoot = await fetchNpmPackage(`${name}@${range}`, mkdtempSync(path.join(temporary, "newest-")));
  const installed = readPackageManifest(installedRoot).version;
  const newest = readPackageManifest(newestRoot).version;
  const versions = { package: name, installed, newest, range };
  if (installed === newest) return { ...versions, differences: undefined, notes: [] };
  const read = (root: string, version: string) =>
    readCopiedContract(locateInPackage(root, watched.path), { label: `${name}@${version}`, fragment });
  const before = await read(installedRoot, installed);
  const after = await read(newestRoot, newest);
  const differences = await diffContracts(before.side, after.side, [], timeLimit);
  return { ...versions, differences, notes: [...before.notes, ...after.notes] };
}

/** Returns the folder of an installed package, in `folder` or in a folder above it, as Node resolves packages. */
function findInstalledPackage(name: string, folder: string): string {
  const packageFolder = listFoldersAbove(folder)
    .map((each) => path.join(each, "node_modules", name))
    .find((each) => existsSync(path.join(each, "package.json")));
  if (packageFolder === undefined)
    throw new BaselineError(`The package ${name} is not installed; run \`npm ci\` first.`);
  return packageFolder;
}

/** Returns the range of a dependency in the nearest package.json that names it. */
function findRange(name: string, folder: string): string {
  for (const each of listFoldersAbove(folder)) {
    if (!existsSync(path.join(each, "package.json"))) continue;
    const range = readPackageManifest(each).dependencies.get(name);
    if (range !== undefined)
      return range.startsWith("file:") ? path.resolve(each, range.slice("file:".length)) : range;
  }
  throw new BaselineError(`No package.json here or above has ${name} in its dependencies.`);
}

/** Lists a folder and all folders above it, the nearest first. */
function listFoldersAbove(folder: string): string[] {
  const above = path.dirname(folder);
  return above === folder ? [folder] : [folder, ...listFoldersAbove(above)];
}
