/** Installs the packed package in an empty project. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { packPackage } from "./pack.js";

const root = path.join(import.meta.dirname, "..", "..");

export interface ShellResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A project in which only the packed package and vitest are installed. */
export interface Project {
  readonly folder: string;
  readonly tarball: string;
  /** The processor time that installing took, in seconds. */
  readonly installSeconds: number;
  /** Runs a script in the project, in the environment of a user. */
  shell(script: string, env?: NodeJS.ProcessEnv): ShellResult;
  /** Runs a script and returns its output. Throws its whole output if it fails. */
  runSuccessfully(script: string, env?: NodeJS.ProcessEnv): string;
  write(file: string, text: string): void;
  read(file: string): string;
  remove(): void;
}

/** Packs the package and installs it with npm in a folder whose name contains a space and an umlaut. */
export function installProject(): Project {
  const parentFolder = mkdtempSync(path.join(tmpdir(), "accrete-package-"));
  const folder = path.join(parentFolder, "mein Projekt ü");
  mkdirSync(folder);
  const tarball = packPackage(parentFolder);
  const shell: Project["shell"] = (script, env = {}) => {
    const { VITEST: _vitest, NODE_OPTIONS: _options, ...outer } = process.env;
    const { status, stdout, stderr } = spawnSync("bash", ["-c", script], {
      cwd: folder,
      encoding: "utf8",
      timeout: 240_000,
      killSignal: "SIGKILL",
      env: { ...outer, NO_COLOR: "1", npm_config_update_notifier: "false", ...env },
    });
    return { status, stdout, stderr };
  };
  const runSuccessfully: Project["runSuccessfully"] = (script, env) => {
    const { status, stdout, stderr } = shell(script, env);
    if (status !== 0) throw new Error(`${script}\nexited with ${status}\n${stdout}${stderr}`);
    return stdout;
  };
  const { version } = JSON.parse(readFileSync(path.join(root, "node_modules/vitest/package.json"), "utf8"));
  const install = "npm install --save-dev --prefer-offline --no-audit --no-fund --silent";
  const installSeconds = readProcessorTime(
    runSuccessfully(`${install} "${tarball}" vitest@${version} && times`),
  );
  return {
    folder,
    tarball,
    installSeconds,
    shell,
    runSuccessfully,
    write: (file, text) => {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    },
    read: (file) => readFileSync(path.join(folder, file), "utf8"),
    remove: () => rmSync(parentFolder, { recursive: true, force: true }),
  };
}

/** Returns the seconds of processor time that the children of a shell used, from the output of `times`. */
export function readProcessorTime(printed: string): number {
  const [, ...spent] = /(\d+)m([\d.]+)s (\d+)m([\d.]+)s\n$/.exec(printed) ?? [];
  const [userMinutes = Number.NaN, user = 0, systemMinutes = 0, system = 0] = spent.map(Number);
  return (userMinutes + systemMinutes) * 60 + user + system;
}
