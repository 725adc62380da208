/** Reads a contract of any kind: a protocol folder, a release, a schema, or a folder of schemas. */
import { existsSync, mkdtempSync, statSync } from "node:fs";
import path from "node:path";
import type { BaselineSide } from "../compat/side.js";
import { UsageError } from "../failure.js";
import { formatLocatedMessage } from "../finding.js";
import { createProtocolFiles, listOrigins } from "../import/protocol-files.js";
import { readImport } from "../import/read-import.js";
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
import { createOriginLocator } from "./locate-origin.js";

/** A contract that can be compared. */
export interface Contract {
  readonly side: BaselineSide;
  /** Sentences about what the comparison does not see as the schemas state it. */
  readonly notes: readonly string[];
}

/**
 * Reads the contract that an operand names. Copies of revisions and packages are written into the folder `temporary`,
 * which the caller removes after the comparison. Throws a BaselineError or a UsageError for what cannot be read.
 */
export async function readContract(operand: ContractOperand, temporary: string): Promise<Contract> {
  const { label, origin } = operand;
  if (origin === undefined) return readLocalContract(operand.path, operand);
  const { root, file } = fetchContract(origin, operand.path, mkdtempSync(path.join(temporary, "contract-")));
  // Messages name the file in the revision or package instead of its copy.
  const prefix = origin.kind === "git" ? `git:${origin.ref}:` : `npm:${origin.package}:`;
  const { side, notes } = await readLocalContract(file, operand).catch((error: unknown) => {
    if (!(error instanceof UsageError || error instanceof BaselineError)) throw error;
    throw new UsageError(error.message.replaceAll(`${toForwardSlashes(root)}/`, prefix));
  });
  const locate: LocatePlace = (...place) => {
    const at = side.locate(...place);
    return { ...at, file: prefix + toForwardSlashes(path.relative(root, at.file)) };
  };
  return { side: { ...side, label, locate }, notes };
}

/** Copies a file or folder into the folder `into`. Returns the root of the copy, and the path of the file or folder in it. */
function fetchContract(
  origin: ContractOrigin,
  name: string,
  into: string,
): { readonly root: string; readonly file: string } {
  if (origin.kind === "git") return { root: into, file: fetchGitPath(origin.ref, name, into) };
  const root = fetchNpmPackage(origin.package, into);
  const file = path.join(root, name === "" ? "schemas" : name);
  if (existsSync(file)) return { root, file };
  throw new BaselineError(
    name === ""
      ? `The package ${origin.package} holds no folder schemas; write npm:${origin.package}:PATH.`
      : `The package ${origin.package} holds no ${name}.`,
  );
}

async function readLocalContract(file: string, operand: ContractOperand): Promise<Contract> {
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
async function importContract(file: string, { label, fragment }: ContractOperand): Promise<Contract> {
  const settings = { name: "contract", version: "1.0", allowsSingleEvent: true };
  const operand = fragment === undefined ? file : `${file}#${fragment}`;
  const { parts, notes } = await readImport(operand, settings, noInput());
  const files = createProtocolFiles({ ...parts, stability: "stable" });
  const { protocols, findings } = await loadFiles(createFilesInMemory("", files), "", [], CONTRACT_ONLY);
  const [protocol] = protocols;
  if (!protocol) {
    const error = findings.find(({ severity }) => severity === "error");
    throw new UsageError(
      `${label} cannot be compared: ${error ? formatLocatedMessage(error) : "it is empty"}`,
    );
  }
  const folder = statSync(file).isDirectory() ? file : path.dirname(file);
  const side = { protocol, label, locate: createOriginLocator(listOrigins(parts), folder) };
  return { side, notes: notes.filter((note) => NOTED_CHANGE.test(note)).map((note) => `${label}: ${note}`) };
}

/** Matches the notes of an import about lost constraints, and about messages that it wraps in an envelope. */
const NOTED_CHANGE = /^LOST:|wrapped in an envelope/;

async function* noInput(): AsyncGenerator<Uint8Array> {}
