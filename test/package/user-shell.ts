/** A shell in which the command lines of a page run as a user types them, with the packed packages. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import path from "node:path";
import { ADDRESS } from "../docs/server.js";
import type { Printed, Shell } from "../docs/shell.js";
import { findTarball, PACKAGES } from "./build.js";
import { createUserEnvironment } from "./project.js";

/** The packages that one `npm install` left in a project. */
export interface Installation {
  readonly line: string;
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

  const runInBash = (command: string): Printed => {
    const script = `exec 2>&1; ${command}\nstatus=$?; times; exit $status`;
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

  /** Runs `npm install` with the tarballs, and links packages that another project of this shell has installed. */
  const install = (line: string): Printed => {
    const words = line.split(" ");
    const links = words.filter((word) => existsSync(path.join(start, "notes/node_modules", word)));
    const command = words
      .filter((word) => folder.endsWith("notes") || !links.includes(word))
      .map((word) => (PACKAGES.includes(word) ? `"${findTarball(packages, word)}"` : word))
      .join(" ");
    const printed = runInBash(command);
    installations.push({ line, ...measureInstallation(folder) });
    if (!folder.endsWith("notes"))
      for (const name of links) linkPackage(path.join(start, "notes"), name, folder);
    return printed;
  };

  const runCommand = async (command: string): Promise<Printed> => {
    if (command.startsWith("cd ")) {
      folder = path.resolve(folder, command.slice(3));
      return { exitCode: 0, output: "" };
    }
    if (command.startsWith("npm install")) return install(command);
    if (!command.endsWith(" &")) return runInBash(command.replaceAll(ADDRESS, server?.address ?? ADDRESS));
    server = await startServer(`${command.slice(0, -2)} --port 0`, folder);
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
      let printed: Printed = { exitCode: 0, output: "" };
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

/** Links a package of one project and its commands into another project. */
function linkPackage(from: string, name: string, to: string): void {
  const source = path.join(from, "node_modules", name);
  const target = path.join(to, "node_modules");
  mkdirSync(path.join(target, ".bin"), { recursive: true });
  symlinkSync(source, path.join(target, name));
  const { bin } = JSON.parse(readFileSync(path.join(source, "package.json"), "utf8"));
  for (const [command, file] of Object.entries<string>(bin))
    symlinkSync(path.join(source, file), path.join(target, ".bin", command));
}

/** Counts the packages of a project and their bytes. */
export function measureInstallation(project: string): { readonly packages: number; readonly bytes: number } {
  const modules = path.join(project, "node_modules");
  const { packages } = JSON.parse(readFileSync(path.join(modules, ".package-lock.json"), "utf8"));
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
