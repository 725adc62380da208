import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { chdir, cwd } from "node:process";
import { accrete } from "../cli/run-in-process.js";
import { ADDRESS, type Server, startServer } from "./server.js";

const root = path.join(import.meta.dirname, "..", "..");

/** What a line gives. */
export interface Printed {
  readonly exitCode: number;
  /** Both outputs, in the order in which they came. */
  readonly said: string;
}

/** A reader's terminal. */
export interface Shell {
  /** Where it is. */
  readonly folder: string;
  /** What a line gives. Lines are joined by && alone; accrete runs in this process, all else in a real shell. */
  run(line: string): Promise<Printed>;
  /** Stops what was left running. */
  close(): Promise<void>;
}

const NOTHING: Printed = { exitCode: 0, said: "" };

/** A terminal in a new folder `start`. `installed` is where npm puts accrete's package. */
export function openShell(start: string, installed: string): Shell {
  let folder = start;
  const servers: Server[] = [];
  let usual: Server | undefined;
  mkdirSync(folder, { recursive: true });

  /** `npm install` fetches nothing: the package is there already. */
  const install = (words: readonly string[]): Printed => {
    mkdirSync(bin(folder), { recursive: true });
    link(installed, path.join(folder, "node_modules/accrete"));
    link(path.join(installed, "dist/cli.js"), path.join(bin(folder), "accrete"));
    if (words.includes("accrete")) {
      const file = path.join(folder, "package.json");
      const manifest = manifestIn(folder);
      manifest.devDependencies = { ...manifest.devDependencies, accrete: "^0.1.0" };
      writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`);
    }
    return NOTHING;
  };

  const script = (name = "", rest: readonly string[] = []): Promise<Printed> => {
    const text = manifestIn(folder).scripts?.[name];
    if (text === undefined) throw new Error(`there is no script ${name}`);
    return run([text, ...rest].join(" "));
  };

  const serve = async (argv: readonly string[]): Promise<Printed> => {
    const server = await startServer(argv);
    servers.push(server);
    if (!argv.includes("--port")) {
      if (usual) throw new Error(`two servers at ${ADDRESS}`);
      usual = server;
    }
    return server.printed;
  };

  const npm: { readonly [name: string]: (words: readonly string[]) => Printed | Promise<Printed> } = {
    install,
    ci: install,
    test: (words) => script("test", words),
    run: ([name, ...rest]) => script(name, rest),
  };

  const runOne = async (command: string): Promise<Printed> => {
    const words = wordsOf(command.replace(/^npx (?!--)/, ""));
    const [program, first = "", ...rest] = words;
    if (program === "cd") {
      folder = path.resolve(folder, first);
      return NOTHING;
    }
    if (program === "npm") {
      const task = npm[first];
      if (!task) throw new Error(`npm ${first} is not known here`);
      return task(rest);
    }
    if (program === "accrete" && first === "serve") return within(folder, () => serve(rest));
    const here = command.replaceAll(ADDRESS, usual?.address ?? ADDRESS);
    if (program !== "accrete") return spawned(here, folder);
    return within(folder, () => inProcess(here));
  };

  const run = async (line: string): Promise<Printed> => {
    let exitCode = 0;
    let said = "";
    for (const command of line.replace(/ {2,}#.*$/, "").split(" && ")) {
      const printed = await runOne(command.trim());
      exitCode = printed.exitCode;
      said += printed.said;
      if (exitCode !== 0) break;
    }
    return { exitCode, said: usual ? said.replaceAll(usual.address, ADDRESS) : said };
  };

  return {
    get folder() {
      return folder;
    },
    run,
    close: async () => {
      for (const server of servers) await server.stop();
    },
  };
}

interface Manifest {
  scripts?: { [name: string]: string };
  devDependencies?: { [name: string]: string };
}

function manifestIn(folder: string): Manifest {
  try {
    return JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  } catch {
    return {};
  }
}

function link(target: string, at: string): void {
  try {
    symlinkSync(target, at);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** The words of a command, without quotes. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? "",
  );
}

async function within<T>(folder: string, run: () => Promise<T>): Promise<T> {
  const before = cwd();
  chdir(folder);
  if (path.resolve() === before && path.resolve(folder) !== before)
    throw new Error("This process does not know that it has changed its folder; nothing was run.");
  try {
    return await run();
  } finally {
    chdir(before);
  }
}

/** `accrete …` or `accrete … > FILE` in the current folder. */
async function inProcess(command: string): Promise<Printed> {
  const [, line = "", file] = /^(.*?)(?: > (\S+))?$/.exec(command.replace(/^npx /, "")) ?? [];
  let said = "";
  let out = "";
  const stderr = (text: string): void => {
    said += text;
  };
  const stdout = (text: string): void => {
    if (file === undefined) said += text;
    else out += text;
  };
  const outcome = await accrete(wordsOf(line).slice(1), "", { stdout, stderr });
  if (file !== undefined) writeFileSync(file, out);
  // What a command throws is printed by its caller.
  return { exitCode: outcome.exitCode, said: said + outcome.stderr };
}

/** Where the commands of a project's packages are. */
const bin = (folder: string): string => path.join(folder, "node_modules/.bin");

/** Anything else, in a shell of its own; the servers of this process go on meanwhile. */
function spawned(command: string, folder: string): Promise<Printed> {
  const { VITEST: _vitest, NODE_OPTIONS: _options, FORCE_COLOR: _force, ...env } = process.env;
  const child = spawn("bash", ["-c", `exec 2>&1; ${command.replaceAll("npx ", "")}`], {
    ...{ cwd: folder, stdio: ["ignore", "pipe", "inherit"], timeout: 60_000 },
    env: {
      ...env,
      NO_COLOR: "1",
      PATH: `${bin(folder)}:${path.join(root, "node_modules/.bin")}:${env.PATH}`,
    },
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    said += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ exitCode: code ?? -1, said }));
  });
}
