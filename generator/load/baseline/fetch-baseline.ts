/** Copies the schemas folder of a git revision or of an npm package into a temporary folder. */
import { type ExecFileException, execFile, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { BaselineError } from "./baseline-spec.js";
import { PACKAGE_LIMITS, unpackPackage } from "./unpack-package.js";

/** Copies the folder `schemas` of the revision `ref` into `into`, and returns the path of the copy. */
export function fetchGit(ref: string, schemas: string, into: string): string {
  const target = path.join(into, "schemas");
  mkdirSync(target);
  const prefix = runCommand("git", ["rev-parse", "--show-prefix"], schemas);
  if (prefix.status !== 0)
    throw new BaselineError(`${schemas} is not in a git repository, so there is no revision ${ref} of it.`);
  unpackCommit(findCommit(ref, schemas), ".", schemas, target);
  return target;
}

/**
 * Copies a file or folder of the revision `ref` into `into`, a file together with the other files of its folder. The path
 * is relative to the root of the repository that holds `folder` or, if it begins with `./`, to `folder`, as for git. Returns the path of the copy.
 */
export function fetchGitPath(ref: string, file: string, into: string, folder: string): string {
  const root = runCommand("git", ["rev-parse", "--show-toplevel"], folder);
  const prefix = runCommand("git", ["rev-parse", "--show-prefix"], folder);
  if (root.status !== 0)
    throw new BaselineError(
      `${folder === "." ? "The current folder" : folder} is not in a git repository, so there is no revision ${ref}.`,
    );
  const commit = findCommit(ref, folder);
  const start = /^\.\.?\//.test(file) ? prefix.stdout.toString().trim() : "";
  const fromRoot = path.posix.join(start, file);
  const topFolder = root.stdout.toString().trim();
  const type = runCommand("git", ["cat-file", "-t", `${commit}:${fromRoot}`], topFolder);
  if (type.status !== 0) throw new BaselineError(`There is no ${fromRoot} in git:${ref}.`);
  const isFile = type.stdout.toString().trim() === "blob";
  unpackCommit(commit, isFile ? path.posix.dirname(fromRoot) : fromRoot, topFolder, into);
  return path.join(into, fromRoot);
}

/** Returns the hash of the commit that `ref` names. */
function findCommit(ref: string, folder: string): string {
  const commit = runCommand("git", ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`], folder);
  if (commit.status !== 0) throw new BaselineError(describeUnknownRevision(ref, folder));
  return commit.stdout.toString().trim();
}

function unpackCommit(commit: string, files: string, folder: string, into: string): void {
  const archive = runCommand("git", ["archive", "--format=tar", commit, files], folder);
  if (archive.status !== 0)
    throw new BaselineError(`git cannot read ${folder} at ${commit}: ${getFirstLine(archive.stderr)}`);
  const { status, stderr } = runCommand("tar", ["-x"], into, archive.stdout);
  if (status !== 0) throw new BaselineError(`tar cannot unpack the baseline: ${getFirstLine(stderr)}`);
}

function describeUnknownRevision(ref: string, schemas: string): string {
  const shallow = runCommand("git", ["rev-parse", "--is-shallow-repository"], schemas);
  const name = ref.replace(/^origin\//, "");
  if (shallow.stdout.toString().trim() === "true")
    return `The clone is shallow and does not hold ${ref}; run \`git fetch --depth=1 origin +${name}:refs/remotes/origin/${name}\` and compare against git:origin/${name}, or run \`git fetch --unshallow\`.`;
  return `git knows no revision ${ref}; run \`git fetch origin ${name}\` if it is on the server.`;
}

/** Downloads an npm package, unpacks it into `into`, and returns the path of its schemas. */
export async function fetchNpm(spec: string, into: string): Promise<string> {
  const schemas = path.join(await fetchNpmPackage(spec, into), "schemas");
  if (!existsSync(schemas)) throw new BaselineError(`The package ${spec} holds no folder schemas.`);
  return schemas;
}

/** Downloads an npm package, unpacks it into `into`, and returns its folder. */
export async function fetchNpmPackage(spec: string, into: string): Promise<string> {
  const argv = ["pack", spec, "--loglevel=error", "--ignore-scripts", "--pack-destination", into];
  const { error, stderr } = await runNpm(argv, into);
  if (typeof error?.code === "string") throw new BaselineError(`npm could not be run: ${error.message}`);
  if (error) throw new BaselineError(`npm cannot get ${spec}: ${findNpmError(stderr)}`);
  const tarball = readdirSync(into).find((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new BaselineError(`npm gave no package for ${spec}.`);
  const file = path.join(into, tarball);
  if (statSync(file).size > PACKAGE_LIMITS.bytes)
    throw new BaselineError(
      `The package ${spec} is not unpacked: it has more than ${PACKAGE_LIMITS.bytes} bytes.`,
    );
  unpackPackage(readFileSync(file), spec, into);
  // npm accepts packages whose only folder has another name.
  const folder = readdirSync(into, { withFileTypes: true }).find((entry) => entry.isDirectory());
  return path.join(into, folder?.name ?? "package");
}

/** Runs npm while other work goes on. */
function runNpm(
  argv: readonly string[],
  cwd: string,
): Promise<{ readonly error: ExecFileException | null; readonly stderr: Buffer }> {
  return new Promise((resolve) => {
    const options = { cwd, maxBuffer: 2 ** 30, encoding: "buffer" } as const;
    execFile("npm", argv, options, (error, _stdout, stderr) => resolve({ error, stderr }));
  });
}

function runCommand(command: string, args: readonly string[], cwd: string, input?: Buffer) {
  const result = spawnSync(command, args, { cwd, maxBuffer: 2 ** 30, ...(input && { input }) });
  if (result.error) throw new BaselineError(`${command} could not be run: ${result.error.message}`);
  return result;
}

/** Returns the error message of npm without its code. */
function findNpmError(stderr: Buffer): string {
  const lines = stderr.toString().matchAll(/^npm (?:error|ERR!) (?!code )(.*)$/gm);
  const [first] = [...lines].map(([, line = ""]) => line.trim());
  return first || getFirstLine(stderr) || "it does not say why.";
}

function getFirstLine(output: Buffer): string {
  return output.toString().trim().split("\n")[0] ?? "";
}
