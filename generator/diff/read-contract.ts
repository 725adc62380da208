/** Reads a contract of any kind: a protocol folder, a release, a schema, or a folder of schemas. */
import { existsSync, mkdtempSync } from "node:fs";
import path from "node:path";
import { UsageError } from "../failure.js";
import { createOriginLocator } from "../import/locate-origin.js";
import type { Origin } from "../import/protocol-files.js";
import { findOwnFolder, readImport } from "../import/read-import.js";
import { toForwardSlashes } from "../io.js";
import { openProtocolFolder } from "../load/baseline/baseline.js";
import { BaselineError } from "../load/baseline/baseline-spec.js";
import { fetchGitPath, fetchNpmPackage } from "../load/baseline/fetch-baseline.js";
import { type LocatePlace, locateOnDisk, readIfPossible } from "../load/baseline/locate-place.js";
import { readRelease } from "../load/releases/read-release.js";
import { COMPARED, type Contract, createContract } from "./contract.js";
import type { ContractOperand, ContractOrigin } from "./contract-operand.js";
import { readPackageManifest } from "./package-manifest.js";

/**
 * Reads the contract that an operand names. Copies of revisions and packages are written into the folder `temporary`,
 * which the caller removes after the comparison. Throws a BaselineError or a UsageError for what cannot be read.
 */
export async function readContract(operand: ContractOperand, temporary: string): Promise<Contract> {
  const { origin } = operand;
  if (origin === undefined) return readLocalContract(operand.path, operand);
  const folder = mkdtempSync(path.join(temporary, "contract-"));
  return readCopiedContract(await copyContract(origin, operand, folder), operand);
}

/** A file or folder in the copy of a revision or package. */
export interface ContractCopy {
  /** The root of the copy. */
  readonly root: string;
  /** The path of the file or folder. */
  readonly file: string;
  /** The name of the root in messages: `git:main:` or `npm:their-agent@1.0.4:`. */
  readonly prefix: string;
}

/** Reads a contract in a copy. Messages name the file in the revision or package instead of its copy. */
export async function readCopiedContract(
  { root, file, prefix }: ContractCopy,
  operand: Pick<ContractOperand, "label" | "fragment">,
): Promise<Contract> {
  const contract = await readLocalContract(file, operand).catch((error: unknown) => {
    if (!(error instanceof UsageError || error instanceof BaselineError)) throw error;
    throw new UsageError(error.message.replaceAll(`${toForwardSlashes(root)}/`, prefix));
  });
  const locate: LocatePlace = (...parameters) => {
    const at = contract.side.locate(...parameters);
    return { ...at, file: prefix + toForwardSlashes(path.relative(root, at.file)) };
  };
  return { ...contract, side: { ...contract.side, locate } };
}

/** Copies a file or folder into `folder`. */
async function copyContract(
  origin: ContractOrigin,
  { path: name, folder: base }: ContractOperand,
  folder: string,
): Promise<ContractCopy> {
  if (origin.kind === "git")
    return { root: folder, file: fetchGitPath(origin.ref, name, folder, base), prefix: `git:${origin.ref}:` };
  return locateInPackage(await fetchNpmPackage(origin.package, folder), name);
}

/** Returns the path of a file or folder in the folder of an npm package. Throws a BaselineError if it does not exist. */
export function locateInPackage(root: string, name: string): ContractCopy {
  const manifest = readPackageManifest(root);
  const id = `${manifest.name}@${manifest.version}`;
  const file = path.join(root, name === "" ? "schemas" : name);
  if (existsSync(file)) return { root, file, prefix: `npm:${id}:` };
  throw new BaselineError(
    name === ""
      ? `The package ${id} holds no folder schemas; write npm:${id}:PATH.`
      : `The package ${id} holds no ${name}.`,
  );
}

async function readLocalContract(
  file: string,
  operand: Pick<ContractOperand, "label" | "fragment">,
): Promise<Contract> {
  if (existsSync(path.join(file, "protocol.json")) && operand.fragment === undefined)
    return { side: { ...(await openProtocolFolder(file, "")), label: operand.label }, notes: [] };
  return readReleaseContract(file) ?? (await importContract(file, operand));
}

/** Reads a release file. Returns undefined for every other file. */
function readReleaseContract(file: string): Contract | undefined {
  if (path.basename(path.dirname(file)) !== "releases") return undefined;
  const bytes = readIfPossible(file);
  const { protocol } = bytes === undefined ? {} : readRelease(file, bytes);
  return protocol && { side: { protocol, label: file, locate: locateOnDisk() }, notes: [] };
}

/** Imports a schema, or a folder of schemas. */
async function importContract(
  file: string,
  { label, fragment }: Pick<ContractOperand, "label" | "fragment">,
): Promise<Contract> {
  const operand = fragment === undefined ? file : `${file}#${fragment}`;
  const imported = await readImport(operand, COMPARED, createEmptyInput());
  const createLocator = (origins: readonly Origin[]): LocatePlace =>
    createOriginLocator(origins, findOwnFolder(file));
  return createContract(imported, toForwardSlashes(file), label, createLocator);
}

async function* createEmptyInput(): AsyncGenerator<Uint8Array> {}
