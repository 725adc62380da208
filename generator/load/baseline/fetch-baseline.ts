/** Copies the schemas folder of a git revision or of an npm package into a temporary folder. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { BaselineError } from "./baseline-spec.js";

/** Copies the folder `schemas` of the revision `ref` into `into`, and returns the path of the copy. */
export function fetchGit(ref: string, schemas: string, into: string): string {
  const target = path.join(into, "schemas");
  mkdirSync(target);
  const prefix = runCommand("git", ["rev-parse", "--show-prefix"], schemas);
  if (prefix.status !== 0)
    throw new BaselineError(`${schemas} is not in a git repository, so there is no revision ${ref} of it.`);
  const commit = runCommand("git", ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`], schemas);
  if (commit.status !== 0) throw new BaselineError(describeUnknownRevision(ref, schemas));
  const archive = runCommand(
    "git",
    ["archive", "--format=tar", commit.stdout.toString().trim(), "."],
    schemas,
  );
  if (archive.status !== 0)
    throw new BaselineError(`git cannot read ${schemas} at ${ref}: ${getFirstLine(archive.stderr)}`);
  unpack(["-x"], target, archive.stdout);
  return target;
}

function describeUnknownRevision(ref: string, schemas: string): string {
  const shallow = runCommand("git", ["rev-parse", "--is-shallow-repository"], schemas);
  const name = ref.replace(/^origin\//, "");
  if (shallow.stdout.toString().trim() === "true")
    return `The clone is shallow and does not hold ${ref}; run \`git fetch --depth=1 origin +${name}:refs/remotes/origin/${name}\` and compare against git:origin/${name}, or run \`git fetch --unshallow\`.`;
  return `git knows no revision ${ref}; run \`git fetch origin ${name}\` if it is on the server.`;
}

/** Downloads an npm package, unpacks it into `into`, and returns the path of its schemas. */
export function fetchNpm(spec: string, into: string): string {
  const packed = runCommand(
    "npm",
    ["pack", spec, "--loglevel=error", "--ignore-scripts", "--pack-destination", into],
    into,
  );
  if (packed.status !== 0) throw new BaselineError(`npm cannot get ${spec}: ${findNpmError(packed.stderr)}`);
  const tarball = readdirSync(into).find((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new BaselineError(`npm gave no package for ${spec}.`);
  unpack(["-xzf", tarball], into);
  const schemas = path.join(into, "package", "schemas");
  if (!existsSync(schemas)) throw new BaselineError(`The package ${spec} holds no folder schemas.`);
  return schemas;
}

function unpack(args: readonly string[], folder: string, input?: Buffer): void {
  const { status, stderr } = runCommand("tar", args, folder, input);
  if (status !== 0) throw new BaselineError(`tar cannot unpack the baseline: ${getFirstLine(stderr)}`);
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
