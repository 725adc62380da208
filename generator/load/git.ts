/** Runs git for the rooms that read a repository. No shell is involved, and paths are passed as they are. */
import { spawnSync } from "node:child_process";

/** The variables of the process, as programs that it starts get them. */
export type Environment = { readonly [name: string]: string | undefined };

/** What a run of git printed. */
export interface GitResult {
  readonly status: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Variables that say how git is set up. All other GIT_* variables could name another repository, and are dropped. */
const KEPT = /^GIT_(CONFIG|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|EXEC_PATH|SSH|ASKPASS)/;

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
    maxBuffer: 1 << 30,
    ...(environment && { env: cleaned(environment) }),
    ...(input !== undefined && { input }),
  });
  if (error && (error as NodeJS.ErrnoException).code !== "EPIPE") return undefined;
  return { status: status ?? 1, stdout, stderr: stderr.toString().trim() };
}

/** The environment without the variables that would lead git elsewhere; messages are English, and nobody is asked. */
function cleaned(environment: Environment): { [name: string]: string | undefined } {
  const kept = Object.entries(environment).filter(([name]) => !name.startsWith("GIT_") || KEPT.test(name));
  return { ...Object.fromEntries(kept), LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0" };
}
