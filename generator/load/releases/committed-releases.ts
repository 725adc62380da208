/** Reads the release files in the commits of a git repository, up to the commit that is checked out. */
import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { type Environment, toForwardSlashes } from "../../io.js";
import { type FormerNames, listFormerNames } from "./former-names.js";
import { type GitResult, runGit } from "./git.js";

/** A commit that created a file or changed its content. */
export interface Introduction {
  readonly commit: string;
  /** The id of the content in git. */
  readonly object: string;
}

/** The files of a schemas folder in the history of its repository. */
export interface CommittedFiles {
  /** The contents that commits gave to each file, by its path below the schemas folder. */
  readonly files: ReadonlyMap<string, readonly Introduction[]>;
  /** A sentence that says why the history is incomplete or cannot be read. */
  readonly problem?: string;
  /** Returns whether commit `a` is an ancestor of commit `b`. */
  isBefore(a: string, b: string): boolean;
  /** Returns the bytes of contents by their ids, without those that git does not hold. */
  read(objects: readonly string[]): ReadonlyMap<string, Buffer>;
  /** Returns which of the files are not checked out on purpose (git sparse-checkout). */
  findNotCheckedOut(files: readonly string[]): ReadonlySet<string>;
}

/** The history of a folder without a repository. */
const NO_HISTORY: CommittedFiles = {
  files: new Map(),
  isBefore: () => false,
  read: () => new Map(),
  findNotCheckedOut: () => new Set(),
};

/** The git repository around a folder. */
interface Repository {
  readonly git: (args: readonly string[], input?: string | Buffer) => GitResult | undefined;
  readonly top: string;
  readonly isShallow: boolean;
}

/** The pattern of release files below a schemas folder. */
export const RELEASE_FILES = "*/v*/releases/*.json";

/**
 * Reads which files below `schemas` match `pattern` in any commit that leads to the one that is checked out, branches
 * that were merged included. The folder need not exist any more. Outside of a repository there is no history, and no gap.
 */
export function readCommittedFiles(
  schemas: string,
  pattern: string,
  environment: Environment | undefined,
): CommittedFiles {
  const repository = openRepository(findExistingFolder(schemas), environment);
  if (repository === undefined) return NO_HISTORY;
  if (typeof repository === "string") return { ...NO_HISTORY, problem: repository };
  const { git, top, isShallow } = repository;
  const current = findCurrentFolders(schemas, top);
  const log = readLogAcrossMoves(repository, current, { pattern, formerNames: listFormerNames(schemas) });
  if (typeof log === "string") return { ...NO_HISTORY, problem: log };
  return {
    files: log.files,
    ...(isShallow && { problem: SHALLOW_MESSAGE }),
    isBefore: (a, b) => collectAncestors(log.parents, b).has(a),
    read: (objects) => readObjects(git, objects),
    findNotCheckedOut: (files) => findSkippedFiles(git, current, files),
  };
}

const SHALLOW_MESSAGE =
  "The clone is shallow, so that releases of earlier commits are not known. Fetch the whole history: `git fetch --unshallow`, or `fetch-depth: 0` for actions/checkout.";

/** Returns whether a commit gave a file this content. Windows line ends count as Unix line ends, because git may convert them. */
export function hasContent({ object }: Introduction, bytes: Buffer): boolean {
  const algorithm = object.length === 40 ? "sha1" : "sha256";
  const hashContent = (content: Buffer): string =>
    createHash(algorithm).update(`blob ${content.length}\0`).update(content).digest("hex");
  return (
    hashContent(bytes) === object ||
    (bytes.includes("\r\n") &&
      hashContent(Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1")) === object)
  );
}

/** Returns the real path of the folder, or of the nearest folder above it that exists. */
function findExistingFolder(folder: string): string {
  const resolved = path.resolve(folder);
  if (existsSync(resolved)) return realpathSync(resolved);
  return findExistingFolder(path.dirname(resolved));
}

/** Returns the repository around `folder`; undefined if there is none, a sentence if there is one that git cannot read. */
function openRepository(
  folder: string,
  environment: Environment | undefined,
): Repository | string | undefined {
  const git: Repository["git"] = (args, input) => runGit(folder, args, environment, input);
  const found = git(["rev-parse", "--is-shallow-repository", "--show-toplevel"]);
  if (found === undefined)
    return hasRepository(folder)
      ? "git cannot be run, so that releases of earlier commits are not known."
      : undefined;
  if (found.status === 0) {
    const [shallow, ...top] = found.stdout.toString().replace(/\n$/, "").split("\n");
    return { git, top: realpathSync(top.join("\n")), isShallow: shallow === "true" };
  }
  if (/not a git repository \(or any|must be run in a work tree/.test(found.stderr)) return undefined;
  return describeFailure(found);
}

function hasRepository(folder: string): boolean {
  if (existsSync(path.join(folder, ".git"))) return true;
  const above = path.dirname(folder);
  return above !== folder && hasRepository(above);
}

function describeFailure(result: GitResult | undefined): string {
  const reason = result?.stderr.split("\n")[0]?.replace(/^fatal: /, "") || "it does not say why";
  return `git cannot read the history, so that releases of earlier commits are not known: ${reason}.`;
}

/** A folder of the repository that is, or once was, the schemas folder or one of the folders right below it. */
interface HistoricFolder {
  /** The path below the top of the repository; empty for the top itself. */
  readonly folder: string;
  /** The path below the schemas folder; empty for the schemas folder itself. */
  readonly name: string;
}

/** Returns the folders of the repository that are the schemas folder: its own path, and the target of a link at this path. */
function findCurrentFolders(schemas: string, top: string): readonly HistoricFolder[] {
  const resolved = path.resolve(schemas);
  const parent = path.dirname(resolved);
  const ownPath = path.join(findExistingFolder(parent), path.relative(findExistingPart(parent), resolved));
  const paths = existsSync(resolved) ? [ownPath, realpathSync(resolved)] : [ownPath];
  const relativePaths = paths.map((file) => toForwardSlashes(path.relative(top, file)));
  return [...new Set(relativePaths)]
    .filter((folder) => folder !== ".." && !folder.startsWith("../../"))
    .map((folder) => ({ folder, name: "" }));
}

/** Returns the part of the path of `folder` that exists. */
function findExistingPart(folder: string): string {
  return existsSync(folder) ? folder : findExistingPart(path.dirname(folder));
}

/** The commits that touch matching files. */
interface Log {
  readonly files: ReadonlyMap<string, readonly Introduction[]>;
  /** The parents of each commit that touches such a file, and of each merge. */
  readonly parents: ReadonlyMap<string, readonly string[]>;
}

/** Returns the contents that commits gave to matching files in the folders. */
function readLog({ git }: Repository, folders: readonly HistoricFolder[], pattern: string): Log | string {
  const files = new Map<string, Introduction[]>();
  const parents = new Map<string, readonly string[]>();
  if (folders.length === 0) return { files, parents };
  const paths = ["--", ...folders.map((folder) => createPathspec(folder, pattern))];
  // During a merge, the commits of MERGE_HEAD count as merged.
  const heads = ["--ignore-missing", "HEAD", "MERGE_HEAD"];
  const commits = git(["rev-list", "--full-history", "--parents", ...heads, ...paths]);
  if (commits?.status !== 0) return describeFailure(commits);
  const first = commits.stdout.length === 0 ? git(["rev-list", "-1", "HEAD", "--"]) : commits;
  // A repository without a commit is complete; one whose commits are damaged is not.
  if (first === undefined || /bad object|corrupt|missing/.test(first.stderr)) return describeFailure(first);
  for (const line of commits.stdout.toString().split("\n")) {
    const [commit, ...parentCommits] = line.split(" ");
    if (commit) parents.set(commit, parentCommits);
  }
  const options = ["--stdin", "-r", "-m", "--root", "--raw", "-z", "--no-renames", "--no-abbrev"];
  const changes = git(["diff-tree", ...options, ...paths], commits.stdout);
  if (changes?.status !== 0) return describeFailure(changes);
  for (const change of parseRaw(changes.stdout, 1)) {
    const [changedPath = ""] = change.paths;
    const file = findRelativePath(folders, changedPath);
    if (file === undefined || /^0+$/.test(change.object)) continue;
    files.set(file, [...(files.get(file) ?? []), change]);
  }
  return { files, parents };
}

/** Returns the pathspec of the files that match a pattern, whose first part is a folder directly below the schemas folder. */
function createPathspec({ folder, name }: HistoricFolder, pattern: string): string {
  const rest = name === "" ? pattern : pattern.slice(pattern.indexOf("/") + 1);
  return `:(top,glob)${joinPath(folder.replace(/[\\*?[]/g, "\\$&"), rest)}`;
}

/** Returns the path below the schemas folder of a file in one of the folders; undefined if it is in none of them. */
function findRelativePath(folders: readonly HistoricFolder[], file: string): string | undefined {
  const [innermost] = folders
    .filter(({ folder }) => file.startsWith(joinPath(folder, "")))
    .sort((a, b) => b.folder.length - a.folder.length);
  return innermost && joinPath(innermost.name, file.slice(joinPath(innermost.folder, "").length));
}

/** The files whose history is read, and the former names of their protocols. */
interface HistoryQuery {
  readonly pattern: string;
  readonly formerNames: FormerNames;
}

/** Reads the log of the folders, and of the folders from which protocols were moved there or that had a former name. */
function readLogAcrossMoves(
  repository: Repository,
  current: readonly HistoricFolder[],
  query: HistoryQuery,
): Log | string {
  const folders = addFormerFolders(current, query.formerNames);
  const log = readLog(repository, folders, query.pattern);
  if (typeof log === "string") return log;
  const earlier = findEarlierFolders(repository, log, folders, query.formerNames);
  return earlier.length === 0 ? log : readLogAcrossMoves(repository, [...folders, ...earlier], query);
}

/** Adds the folders that protocols had under their former names. */
function addFormerFolders(folders: readonly HistoricFolder[], formerNames: FormerNames): HistoricFolder[] {
  const former = folders.flatMap(({ folder, name }) => {
    const parent = name === "" ? folder : path.posix.dirname(folder).replace(/^\.$/, "");
    return [...formerNames]
      .filter(([current]) => name === "" || name === current)
      .flatMap(([current, names]) =>
        names.map((each) => ({ folder: joinPath(parent, each), name: current })),
      );
  });
  const all = [...folders, ...former];
  return all.filter((each, index) => all.findIndex(({ folder }) => folder === each.folder) === index);
}

/**
 * Returns the folders from which a protocol was moved: git reports its releases as moved without a change, or
 * its protocol.json as moved. A folder that still exists was copied, or belongs to another schemas folder.
 */
function findEarlierFolders(
  repository: Repository,
  { files }: Log,
  folders: readonly HistoricFolder[],
  formerNames: FormerNames,
): HistoricFolder[] {
  const releases = new Set([...files.values()].flat().map(({ commit }) => commit));
  const moves = [
    ...readMoves(repository, [...releases], "-M100%").filter(({ to }) =>
      files.has(findRelativePath(folders, to) ?? ""),
    ),
    ...readMoves(repository, findAddingCommits(repository, folders, MANIFESTS), "-M").filter(({ to }) =>
      to.endsWith("/protocol.json"),
    ),
  ];
  const knownFolders = new Set(folders.flatMap(({ folder, name }) => (name === "" ? [] : [folder])));
  const earlier: HistoricFolder[] = [];
  for (const { from, to } of moves) {
    const relative = findRelativePath(folders, to) ?? "";
    const [name = "", ...rest] = relative.split("/");
    // A file counts only if it kept its path below its schemas folder, under any name of its protocol.
    const paths = [name, ...(formerNames.get(name) ?? [])].map((each) => [each, ...rest].join("/"));
    if (rest.length === 0 || !paths.some((each) => `/${from}`.endsWith(`/${each}`))) continue;
    const folder = from.slice(0, from.length - rest.join("/").length - 1);
    if (knownFolders.has(folder) || existsSync(path.join(repository.top, folder))) continue;
    knownFolders.add(folder);
    earlier.push({ folder, name });
  }
  return earlier;
}

/** The pattern of the manifests of protocols below a schemas folder. */
const MANIFESTS = "*/v*/protocol.json";

/** Returns the commits that add a matching file in one of the folders. */
function findAddingCommits(
  { git }: Repository,
  folders: readonly HistoricFolder[],
  pattern: string,
): string[] {
  if (folders.length === 0) return [];
  const paths = folders.map((folder) => createPathspec(folder, pattern));
  const options = ["--full-history", "-m", "--diff-filter=A", "--no-renames", "--format=%H"];
  const added = git(["log", ...options, "--ignore-missing", "HEAD", "MERGE_HEAD", "--", ...paths]);
  return added?.status === 0 ? [...new Set(added.stdout.toString().split("\n").filter(Boolean))] : [];
}

/** Returns the files that commits moved. `similarity` decides which changed files git counts as moved. */
function readMoves({ git }: Repository, commits: readonly string[], similarity: string) {
  if (commits.length === 0) return [];
  const options = ["--stdin", "-r", "-m", "--raw", "-z", "--no-abbrev", similarity, "--diff-filter=R"];
  const moves = git(["diff-tree", ...options], `${commits.join("\n")}\n`);
  if (moves?.status !== 0) return [];
  return parseRaw(moves.stdout, 2).map(({ paths: [from = "", to = ""] }) => ({ from, to }));
}

/** Reads what `git diff-tree --stdin --raw -z` prints, with one path for each change, or two for renames. */
function parseRaw(output: Buffer, count: 1 | 2) {
  const tokens = output.toString().split("\0");
  const changes: { readonly commit: string; readonly object: string; readonly paths: readonly string[] }[] =
    [];
  let commit = "";
  let index = 0;
  while (index < tokens.length) {
    const token = tokens[index] ?? "";
    index++;
    if (!token.startsWith(":")) {
      commit = token;
      continue;
    }
    changes.push({ commit, object: token.split(" ")[3] ?? "", paths: tokens.slice(index, index + count) });
    index += count;
  }
  return changes;
}

/** Returns the ancestors of a commit that touch matching files or are merges. */
function collectAncestors(parents: Log["parents"], commit: string): ReadonlySet<string> {
  const found = new Set<string>();
  const pending = [...(parents.get(commit) ?? [])];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    pending.push(...(parents.get(next) ?? []));
  }
  return found;
}

function readObjects(git: Repository["git"], objects: readonly string[]): Map<string, Buffer> {
  const read = new Map<string, Buffer>();
  if (objects.length === 0) return read;
  const stdout = git(["cat-file", "--batch"], `${objects.join("\n")}\n`)?.stdout ?? Buffer.alloc(0);
  // Each object is a line with its id, type and size, followed by its bytes and a line end.
  let start = 0;
  for (let end = stdout.indexOf("\n"); end !== -1; end = stdout.indexOf("\n", start)) {
    const [object = "", type, size = "0"] = stdout.toString("utf8", start, end).split(" ");
    start = end + 1;
    if (type === "missing") continue;
    if (type === "blob") read.set(object, stdout.subarray(start, start + Number(size)));
    start += Number(size) + 1;
  }
  return read;
}

function findSkippedFiles(
  git: Repository["git"],
  folders: readonly HistoricFolder[],
  files: readonly string[],
): Set<string> {
  if (files.length === 0) return new Set();
  const listing = git([
    "ls-files",
    "-t",
    "-z",
    "--full-name",
    "--",
    ...folders.flatMap(({ folder }) => files.map((file) => `:(top,literal)${joinPath(folder, file)}`)),
  ]);
  // git marks the files that are not checked out with S.
  const skipped = (listing?.stdout.toString() ?? "").split("\0").filter((line) => line.startsWith("S "));
  return new Set(
    files.filter((file) => folders.some(({ folder }) => skipped.includes(`S ${joinPath(folder, file)}`))),
  );
}

function joinPath(folder: string, relative: string): string {
  return folder === "" ? relative : `${folder}/${relative}`;
}
