/** Runs commands in a folder, in the environment of a user. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

export interface ShellResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder in which commands run. */
export interface Project {
  readonly folder: string;
  /** Runs a script in the folder. */
  shell(script: string, env?: NodeJS.ProcessEnv): ShellResult;
  /** Runs a script and returns its output. Throws its whole output if it fails. */
  runSuccessfully(script: string, env?: NodeJS.ProcessEnv): string;
  write(file: string, text: string): void;
  read(file: string): string;
}

/** Settings that make output the same everywhere, and npm as quiet and as quick as possible. */
const SETTINGS = {
  NO_COLOR: "1",
  npm_config_audit: "false",
  npm_config_fund: "false",
  npm_config_loglevel: "error",
  npm_config_prefer_offline: "true",
  npm_config_update_notifier: "false",
};

/** Returns the environment of a user who has none of this repository's programs. */
export function createUserEnvironment(): NodeJS.ProcessEnv {
  const { VITEST: _vitest, NODE_OPTIONS: _options, FORCE_COLOR: _force, ...outer } = process.env;
  const folders = (outer.PATH ?? "").split(path.delimiter).filter((each) => !each.includes("node_modules"));
  return { ...outer, ...SETTINGS, PATH: folders.join(path.delimiter) };
}

/** Opens a folder. */
export function openProject(folder: string): Project {
  const shell: Project["shell"] = (script, env = {}) => {
    const { status, stdout, stderr } = spawnSync("bash", ["-c", script], {
      cwd: folder,
      encoding: "utf8",
      timeout: 240_000,
      killSignal: "SIGKILL",
      env: { ...createUserEnvironment(), ...env },
    });
    return { status, stdout, stderr };
  };
  return {
    folder,
    shell,
    runSuccessfully: (script, env) => {
      const { status, stdout, stderr } = shell(script, env);
      if (status !== 0) throw new Error(`${script}\nexited with ${status}\n${stdout}${stderr}`);
      return stdout;
    },
    write: (file, text) => {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    },
    read: (file) => readFileSync(path.join(folder, file), "utf8"),
  };
}
