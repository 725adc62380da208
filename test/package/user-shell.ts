/** A shell in which the command lines of a page run as a user types them, with the packed packages. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import path from "node:path";
import { replaceMissingCurl } from "../docs/curl.js";
import { ADDRESS } from "../docs/server.js";
import type { CommandResult, Shell } from "../docs/shell.js";
import { findTarball } from "./build.js";
import { createUserEnvironment } from "./project.js";

const root = path.join(import.meta.dirname, "..", "..");

/** The packages and bytes that `npm install NAME` adds to a project. */
export interface Installation {
  readonly name: string;
  readonly packages: number;
  readonly bytes: number;
}

export interface UserShell extends Shell {
  readonly installations: readonly Installation[];
  /** The processor time of all commands that ended. */
  readonly processorSeconds: number;
}

/** Opens a shell in the folder `start`. `packages` is the folder of the tarballs. */
export function openUserShell(start: string, packages: string): UserShell {
  let folder = start;
  let processorSeconds = 0;
  let server: Server | undefined;
  const installations: Installation[] = [];
  /** The folders of installed packages by name. Those of others are the copies of this repository. */
  const installed = new Map(
    ["vitest", "@duckdb/node-api"].map((name) => [name, path.join(root, "node_modules", name)]),
  );

  const runInBash = (command: string): CommandResult => {
    const script = `exec 2>&1; ${replaceMissingCurl(command)}\nstatus=$?; times; exit $status`;
    const { status, stdout } = spawnSync("bash", ["-c", script], {
      cwd: folder,
      encoding: "utf8",
      timeout: 240_000,
      killSignal: "SIGKILL",
      env: createUserEnvironment(),
    });
    const [times = ""] = /(?:\d+m[\d.]+s ?\n?){4}$/.exec(stdout) ?? [];
    processorSeconds += sumTimes(times);
    return { exitCode: status ?? -1, output: stdout.slice(0, stdout.length - times.length) };
  };

  /**
   * Runs `npm install` with the tarballs. Instead of installing packages of others, or a package a second time, links the copy that is
   * there: npm needs seconds for each.
   */
  const install = (line: string): CommandResult => {
    const operands = line
      .split(" ")
      .slice(2)
      .filter((word) => !word.startsWith("-"));
    // Without names, npm installs what `accrete init` added to package.json.
    const names = operands.length > 0 ? operands : ["vitest"];
    const missing = names.filter((name) => !installed.has(name));
    for (const name of missing) {
      const before = measureModules(folder);
      const printed = runInBash(`npm install "${findTarball(packages, name)}"`);
      if (printed.exitCode !== 0) return printed;
      const after = measureModules(folder);
      installations.push({
        name,
        packages: after.packages - before.packages,
        bytes: after.bytes - before.bytes,
      });
    }
    for (const name of names.filter((name) => !missing.includes(name)))
      linkPackage(installed.get(name) ?? "", folder);
    for (const name of missing) installed.set(name, path.join(folder, "node_modules", name));
    return { exitCode: 0, output: "" };
  };

  const runCommand = async (command: string): Promise<CommandResult> => {
    if (command.startsWith("cd ")) {
      folder = path.resolve(folder, command.slice(3));
      return { exitCode: 0, output: "" };
    }
    if (command.startsWith("npm install")) return install(command);
    if (!command.endsWith(" &"))
      return runInBash(stopMonitor(command.replaceAll(ADDRESS, server?.address ?? ADDRESS)));
    server = await startServer(useFreePort(command.slice(0, -2)), folder);
    return { exitCode: 0, output: server.output };
  };

  return {
    get folder() {
      return folder;
    },
    get processorSeconds() {
      return processorSeconds;
    },
    installations,
    run: async (line) => {
      let printed: CommandResult = { exitCode: 0, output: "" };
      for (const command of line.replace(/ {2,}#.*$/, "").split(" && ")) {
        const next = await runCommand(command.trim());
        printed = { exitCode: next.exitCode, output: printed.output + next.output };
        if (printed.exitCode !== 0) break;
      }
      const { exitCode, output } = printed;
      return { exitCode, output: server ? output.replaceAll(server.address, ADDRESS) : output };
    },
    close: async () => server?.stop(),
  };
}

/** Returns the command of a server that listens at any free port. */
function useFreePort(command: string): string {
  const own = command.replace("--listen 4780", "--listen 0");
  return own === command ? `${command} --port 0` : own;
}

/** Returns the command of a monitor that is stopped as a user stops it, once it has read what is there. */
function stopMonitor(command: string): string {
  const [, rest] = /^npx accrete-cli (monitor .*)$/.exec(command) ?? [];
  if (rest === undefined) return command;
  const start = `node_modules/.bin/accrete-cli ${rest} & monitor=$!`;
  return `${start}; until [ -e monitor.json ]; do sleep 0.1; done; kill -INT $monitor; wait $monitor`;
}

interface Server {
  readonly address: string;
  readonly output: string;
  stop(): void;
}

/** Starts a server and waits until it prints its address. */
function startServer(command: string, folder: string): Promise<Server> {
  const child = spawn("bash", ["-c", `exec 2>&1; exec ${command}`], {
    cwd: folder,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
    env: createUserEnvironment(),
  });
  // The process group contains npx and the server.
  const stop = (): void => void (child.pid !== undefined && process.kill(-child.pid));
  let output = "";
  return new Promise((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text) => {
      output += text;
      const [, address] = /http:\/\/(\S+)\n/.exec(output) ?? [];
      if (address !== undefined) resolve({ address, output, stop });
    });
    child.on("close", () => reject(new Error(`${command} ended:\n${output}`)));
  });
}

/** Links a package and its commands into a project. */
function linkPackage(source: string, project: string): void {
  const modules = path.join(project, "node_modules");
  const { name, bin } = JSON.parse(readFileSync(path.join(source, "package.json"), "utf8"));
  mkdirSync(path.join(modules, ".bin"), { recursive: true });
  mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
  symlinkSync(source, path.join(modules, name));
  for (const [command, file] of Object.entries<string>(bin ?? {}))
    symlinkSync(path.join(source, file), path.join(modules, ".bin", command));
}

/** Counts the packages of a project and their bytes. */
function measureModules(project: string): { readonly packages: number; readonly bytes: number } {
  const modules = path.join(project, "node_modules");
  const lock = path.join(modules, ".package-lock.json");
  if (!existsSync(lock)) return { packages: 0, bytes: 0 };
  const { packages } = JSON.parse(readFileSync(lock, "utf8"));
  const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const bytes = files.reduce(
    (sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size,
    0,
  );
  return { packages: Object.keys(packages).length, bytes };
}

/** Returns the seconds of processor time in the output of `times`. */
function sumTimes(times: string): number {
  const spent = [...times.matchAll(/(\d+)m([\d.]+)s/g)];
  return spent.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0);
}
