/** Reads a contract of any kind: a protocol folder, a release, a schema, or a folder of schemas. */
import { existsSync, mkdtempSync } from "node:fs";
import path from "node:path";
import type { BaselineSide } from "../compat/side.js";
import { UsageError } from "../failure.js";
import { formatLocatedMessage } from "../finding.js";
import { cutFileName } from "../import/bundle.js";
import { closesObjects } from "../import/closed-objects.js";
import { createOriginLocator } from "../import/locate-origin.js";
import { createProtocolFiles, listOrigins } from "../import/protocol-files.js";
import { findOwnFolder, readImport } from "../import/read-import.js";
import { toForwardSlashes } from "../io.js";
import { openProtocolFolder } from "../load/baseline/baseline.js";
import { BaselineError } from "../load/baseline/baseline-spec.js";
import { fetchGitPath, fetchNpmPackage } from "../load/baseline/fetch-baseline.js";
import { type LocatePlace, locateOnDisk, readIfPossible } from "../load/baseline/locate-place.js";
import { createFilesInMemory } from "../load/files.js";
import { loadFiles } from "../load/load.js";
import { CONTRACT_ONLY } from "../load/protocol.js";
import { readRelease } from "../load/releases/read-release.js";
import type { ContractOperand, ContractOrigin } from "./contract-operand.js";
import { declareRequiredFields } from "./declare-required.js";
import { readPackageManifest } from "./package-manifest.js";

/** A contract that can be compared. */
export interface Contract {
  readonly side: BaselineSide;
  /** True if the contract is one schema without an event type, which is named by its file. */
  readonly isNamedByFile?: boolean;
  /** Notes about parts of the schemas that the comparison reads in another way than their authors wrote them. */
  readonly notes: readonly string[];
}

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

/** Imports a schema, or a folder of schemas, in memory. */
async function importContract(
  file: string,
  { label, fragment }: Pick<ContractOperand, "label" | "fragment">,
): Promise<Contract> {
  // No event has this name, which would be that of the type of all events.
  const settings = { name: "compared-contract", version: "1.0", isCompared: true };
  const operand = fragment === undefined ? file : `${file}#${fragment}`;
  const { parts, readings, originals } = await readImport(operand, settings, createEmptyInput());
  const files = createProtocolFiles({ ...parts, stability: "stable" });
  const load = (loaded: typeof files) => loadFiles(createFilesInMemory("", loaded), "", [], CONTRACT_ONLY);
  const first = await load(files);
  const declared = declareRequiredFields(files, first.findings);
  const { protocols, findings } = declared ? await load(declared) : first;
  const [protocol] = protocols;
  if (!protocol) {
    const error = findings.find(({ severity }) => severity === "error");
    throw new UsageError(
      `${label} cannot be compared: ${error ? formatLocatedMessage(error) : "it is empty"}`,
    );
  }
  const locate = createOriginLocator(listOrigins(parts), findOwnFolder(file));
  const imported = { closesObjects: originals !== undefined && closesObjects(originals.bundle) };
  const side = { protocol, label, locate, imported };
  const errors = declared ? first.findings.filter(({ severity }) => severity === "error") : [];
  const undeclared = new Set(errors.map(({ message }) => `${message} Any value was taken for it.`));
  const isNamedByFile =
    protocol.events.length === 1 && protocol.events[0]?.type === cutFileName(toForwardSlashes(file));
  return { side, isNamedByFile, notes: [...readings, ...undeclared].map((note) => `${label}: ${note}`) };
}

/** Returns a contract under the type of another one, if both are single schemas in files with different names. */
export function adoptEventType(contract: Contract, { side: other, isNamedByFile }: Contract): Contract {
  const [event] = contract.side.protocol.events;
  const [otherEvent] = other.protocol.events;
  if (!contract.isNamedByFile || !isNamedByFile || !event || !otherEvent) return contract;
  const protocol = { ...contract.side.protocol, events: [{ ...event, type: otherEvent.type }] };
  return { ...contract, side: { ...contract.side, protocol } };
}

async function* createEmptyInput(): AsyncGenerator<Uint8Array> {}
