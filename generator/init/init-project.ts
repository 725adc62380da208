/** Creates a first protocol in a project, with the scripts and the CI workflow that check its contract. */
import { realpathSync } from "node:fs";
import path from "node:path";
import { UsageError } from "../failure.js";
import { formatLocatedMessage } from "../finding.js";
import { lstatIfExists, toForwardSlashes } from "../io.js";
import { isObject, type JsonObject } from "../json.js";
import { EDITOR_SCHEMAS, referToEditorSchemas } from "../load/editor-schemas.js";
import { readOwnManifest } from "../load/own-package.js";
import { readBytes, readJsonFile } from "../load/read-bytes.js";
import { listFormerNames } from "../load/releases/former-names.js";
import type { LockOwner } from "../output/lock.js";
import { findCommonFolder } from "../output/paths.js";
import { changeFolder, type FileChange, recoverInterruptedRun } from "../output/transaction.js";
import type { OutputFile } from "../protocol/protocol.js";
import { AGENTS_FILE, extendAgentsFile, LLMS_FILE, renderAgentsFile, renderLlmsFile } from "./agent-files.js";
import { addScripts, NEW_PACKAGE, type PackageScripts } from "./package-scripts.js";
import { createScaffold, type Scaffolding } from "./scaffold.js";
import { findSurroundings, getWorkflowPath, renderWorkflow, type Surroundings } from "./workflow.js";

/** The folders that `accrete init` writes into. */
export interface InitFolders {
  /** The folder of the project. It is created if it does not exist. */
  readonly root: string;
  /** The folder of the schemas. It is relative to the project, like the next two. */
  readonly schemas: string;
  readonly fixtures: string;
  readonly out: string;
}

/** The result of `accrete init`. */
export interface InitResult {
  readonly files: readonly OutputFile[];
  /** Files that existed and were not changed. */
  readonly unchanged: readonly OutputFile[];
  /** Files that existed and got a section. */
  readonly extended: readonly OutputFile[];
  readonly scripts: PackageScripts;
  readonly surroundings: Surroundings;
  /** True if package.json is new. */
  readonly isNew: boolean;
  /** True if a file was written. */
  readonly isChanged: boolean;
}

/** Matches the golden streams of all protocols below the folder of fixtures. */
export const GOLDEN_STREAMS = "*/*/streams/*.jsonl";

/** Writes a first protocol and its scripts, all or nothing. Replaces no file, and only adds to package.json and AGENTS.md. */
export function initProject(folders: InitFolders, scaffolding: Scaffolding, owner: LockOwner): InitResult {
  const top = findProjectTop(folders);
  recoverInterruptedRun(top, owner);
  const { result, changes } = planProjectSetUp(folders, `${scaffolding.name}/v1`, () => {
    refuseExisting(folders, scaffolding);
    return createScaffold(scaffolding);
  });
  if (changes.length > 0) changeFolder(top, changes, owner);
  return result;
}

/** The files of a first protocol, with paths below the folders of schemas and of fixtures. */
type ProtocolFiles = ReturnType<typeof createScaffold>;

/** The changes that set up a project. */
export interface ProjectSetUp {
  /** The result that `accrete init` reports. */
  readonly result: InitResult;
  /** The changes, with paths below the folder that `findProjectTop` returns. */
  readonly changes: readonly FileChange[];
}

/** Returns the folder below which all files are that setting up a project changes. */
export function findProjectTop({ root, schemas, fixtures, out }: InitFolders): string {
  const workflow = getWorkflowPath(findSurroundings(root));
  return findCommonFolder(root, [schemas, fixtures, out, findManifest(root), workflow]);
}

/** Returns the path of package.json, relative to the project; if it is a link, the absolute path of its target. */
function findManifest(root: string): string {
  const manifest = path.join(root, "package.json");
  return lstatIfExists(manifest)?.isSymbolicLink() ? realpathSync(manifest) : "package.json";
}

/**
 * Plans the scripts, the workflow and the instructions of a project whose first protocol is `id`, and the files of the
 * protocol unless they exist. Replaces no file, and only adds to package.json and AGENTS.md.
 */
export function planProjectSetUp(
  folders: InitFolders,
  id: string,
  createFiles?: () => ProtocolFiles,
): ProjectSetUp {
  const { root, schemas, fixtures, out } = folders;
  const manifest = path.join(root, "package.json");
  const top = findProjectTop(folders);
  const surroundings = findSurroundings(root);
  const oldManifest = lstatIfExists(manifest) ? readManifest(manifest) : undefined;
  // Only a protocol that is created here has golden streams.
  const streams = createFiles && path.posix.join(toForwardSlashes(fixtures), GOLDEN_STREAMS);
  const scripts = addScripts(oldManifest?.text ?? NEW_PACKAGE, listRequiredPackages(), streams);
  const scaffolded = createFiles?.() ?? { schemas: [], fixtures: [] };
  // Generated modules are ES modules, whatever type the project's package has.
  const isModule = oldManifest === undefined || oldManifest.document.type === "module";
  const optionalFiles = [
    {
      path: getWorkflowPath(surroundings),
      content: renderWorkflow(surroundings, scripts.names.test, streams),
    },
    { path: AGENTS_FILE, content: renderAgentsFile(folders, scripts) },
    { path: LLMS_FILE, content: renderLlmsFile(id, folders) },
    ...(isModule ? [] : moveBelow(out, [{ path: "package.json", content: '{ "type": "module" }\n' }])),
  ];
  const present = optionalFiles.filter((file) => lstatIfExists(path.join(root, file.path)));
  const extended = present.flatMap(({ path }) =>
    path === AGENTS_FILE ? extendAgentsFile(folders, scripts) : [],
  );
  const unchanged = present.filter((file) => !extended.some(({ path }) => path === file.path));
  const files = [
    ...moveBelow(schemas, referToEditorSchemas(scaffolded.schemas, findEditorSchemas(schemas))),
    ...moveBelow(fixtures, scaffolded.fixtures),
    ...optionalFiles.filter((file) => !present.includes(file)),
  ];
  const makeRelativeToTop = (file: string): string =>
    toForwardSlashes(path.relative(top, path.resolve(root, file)));
  const changes = [...files, ...extended].map((file) => ({
    path: makeRelativeToTop(file.path),
    content: file.content,
    exists: extended.includes(file),
  }));
  if (oldManifest?.text !== scripts.text)
    changes.push({
      path: makeRelativeToTop(findManifest(root)),
      content: scripts.text,
      exists: oldManifest !== undefined,
    });
  const result = {
    files,
    unchanged,
    extended,
    scripts,
    surroundings,
    isNew: oldManifest === undefined,
    isChanged: changes.length > 0,
  };
  return { result, changes };
}

/** Returns the folder of the published schemas, relative to the folder of schemas, which is relative to the project. */
function findEditorSchemas(schemas: string): string {
  return path.posix.relative(toForwardSlashes(path.normalize(schemas)), EDITOR_SCHEMAS);
}

function moveBelow(folder: string, files: readonly OutputFile[]): OutputFile[] {
  return files.map((file) => ({ ...file, path: path.posix.join(toForwardSlashes(folder), file.path) }));
}

function refuseExisting({ root, schemas, fixtures }: InitFolders, { name }: Scaffolding): void {
  const existing = [schemas, fixtures]
    .map((folder) => path.join(root, folder, `${name}/v1`))
    .filter((folder) => lstatIfExists(folder));
  if (existing.length > 0)
    throw new UsageError(
      `${existing.map(toForwardSlashes).join(" and ")} ${existing.length > 1 ? "exist" : "exists"} already; --name makes another protocol.`,
    );
  for (const [owner, formerNames] of listFormerNames(path.join(root, schemas)))
    if (formerNames.includes(name))
      throw new UsageError(
        `${name} is a former name of ${owner}, and releases of ${owner} hold it; --name makes another protocol.`,
      );
}

function readManifest(file: string): { readonly text: string; readonly document: JsonObject } {
  const { document, locate } = readJsonFile(file);
  const refuse = (pointer: string, subject: string): UsageError =>
    new UsageError(
      formatLocatedMessage({ at: locate(pointer), message: `${subject} is not a JSON object.` }),
    );
  if (!isObject(document)) throw refuse("", "This");
  for (const field of ["scripts", "devDependencies"])
    if (document[field] !== undefined && !isObject(document[field]))
      throw refuse(`/${field}`, JSON.stringify(field));
  return {
    text: readBytes(file)
      .toString("utf8")
      .replace(/^\ufeff/, ""),
    document,
  };
}

/** Returns the packages that the scripts call, in the versions that accrete is tested with. */
function listRequiredPackages(): { readonly [name: string]: string } {
  const { version, devDependencies } = readOwnManifest();
  return { "accrete-cli": `^${version}`, vitest: devDependencies.vitest };
}
