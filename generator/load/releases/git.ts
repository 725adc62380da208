/** Runs git without a shell, so that paths are passed unchanged. */
import { spawnSync } from "node:child_process";
import { type Environment, getErrorCode } from "../../io.js";

/** The exit status and the output of git. */
export interface GitResult {
  readonly status: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Variables that configure git. All other GIT_* variables could name another repository, and are removed. */
const GIT_SETTINGS = /^GIT_(CONFIG|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|EXEC_PATH|SSH|ASKPASS)/;

/**
 * Runs git in `folder`, in the repository that holds this folder, whatever GIT_DIR says. Returns undefined if git cannot
 * be started.
 */
export function runGit(
  folder: string,
  args: readonly string[],
  environment: Environment | undefined,
  input?: string | Buffer,
): GitResult | undefined {
  const { status, stdout, stderr, error } = spawnSync("git", ["--no-replace-objects", ...args], {
    cwd: folder,
    maxBuffer: 2 ** 30,
    ...(environment && { env: cleanEnvironment(environment) }),
    ...(input !== undefined && { input }),
  });
  // EPIPE means that git ended before it had read all of its input; its status says whether it failed.
  if (error && getErrorCode(error) !== "EPIPE") return undefined;
  return { status: status ?? 1, stdout, stderr: stderr.toString().trim() };
}

/** Returns the environment without variables that name another repository. Git prints English and asks no questions. */
function cleanEnvironment(environment: Environment): { [name: string]: string | undefined } {
  const variables = Object.entries(environment).filter(
    ([name]) => !name.startsWith("GIT_") || GIT_SETTINGS.test(name),
  );
  return { ...Object.fromEntries(variables), LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0" };
}
