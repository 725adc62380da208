import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pack } from "./pack.js";

const root = path.join(import.meta.dirname, "..", "..");

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A project that has nothing but the packed package and vitest in it. */
export interface Project {
  readonly folder: string;
  readonly tarball: string;
  /** The processor time that installing took, in seconds. */
  readonly installing: number;
  /** What the shell makes of a script there, in the environment of a user. */
  shell(script: string, env?: NodeJS.ProcessEnv): Ran;
  /** The same; a script that fails is an error with all that it printed. */
  sound(script: string, env?: NodeJS.ProcessEnv): string;
  write(file: string, text: string): void;
  read(file: string): string;
  remove(): void;
}

/** Packs, and installs with npm as a user would. The folder's name is no plain one. */
export function installed(): Project {
  const above = mkdtempSync(path.join(tmpdir(), "accrete-package-"));
  const folder = path.join(above, "mein Projekt ü");
  mkdirSync(folder);
  const tarball = pack(above);
  const shell: Project["shell"] = (script, env = {}) => {
    const { VITEST: _vitest, NODE_OPTIONS: _options, ...outer } = process.env;
    const { status, stdout, stderr } = spawnSync("bash", ["-c", script], {
      ...{ cwd: folder, encoding: "utf8", timeout: 240_000, killSignal: "SIGKILL" },
      env: { ...outer, NO_COLOR: "1", npm_config_update_notifier: "false", ...env },
    });
    return { status, stdout, stderr };
  };
  const sound: Project["sound"] = (script, env) => {
    const { status, stdout, stderr } = shell(script, env);
    if (status !== 0) throw new Error(`${script}\nexited with ${status}\n${stdout}${stderr}`);
    return stdout;
  };
  const { version } = JSON.parse(readFileSync(path.join(root, "node_modules/vitest/package.json"), "utf8"));
  const install = "npm install --save-dev --prefer-offline --no-audit --no-fund --silent";
  const installing = processorTime(sound(`${install} "${tarball}" vitest@${version} && times`));
  return {
    ...{ folder, tarball, installing, shell, sound },
    write: (file, text) => {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    },
    read: (file) => readFileSync(path.join(folder, file), "utf8"),
    remove: () => rmSync(above, { recursive: true, force: true }),
  };
}

/** The seconds that the children of a shell took, from what `times` printed last. */
export function processorTime(printed: string): number {
  const [, ...spent] = /(\d+)m([\d.]+)s (\d+)m([\d.]+)s\n$/.exec(printed) ?? [];
  const [userMinutes = Number.NaN, user = 0, systemMinutes = 0, system = 0] = spent.map(Number);
  return (userMinutes + systemMinutes) * 60 + user + system;
}
