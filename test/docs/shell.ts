/** Runs the command lines of pages. */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { chdir, cwd } from "node:process";
import { runAccrete } from "../commands/run-in-process.js";
import { PACKAGES } from "../package/build.js";
import { replaceMissingCurl } from "./curl.js";
import { linkPackages } from "./installed.js";
import { ADDRESS, type Server, startServer } from "./server.js";

const root = path.join(import.meta.dirname, "..", "..");

/** The result of a command line. */
export interface CommandResult {
  readonly exitCode: number;
  /** Both outputs, in the order in which they came. */
  readonly output: string;
}

/** A shell in which the command lines of a page run. */
export interface Shell {
  /** The current folder. */
  readonly folder: string;
  /** Runs a command line. Commands are joined by && alone; accrete runs in this process, all else in a real shell. */
  run(line: string): Promise<CommandResult>;
  /** Stops the servers. */
  close(): Promise<void>;
}

const NO_OUTPUT: CommandResult = { exitCode: 0, output: "" };

/** Opens a shell in a new folder `start`. `packages` is the folder of the built packages. */
export function openShell(start: string, packages: string): Shell {
  let folder = start;
  const servers: Server[] = [];
  let defaultServer: Server | undefined;
  mkdirSync(folder, { recursive: true });

  /** Replaces `npm install`: links the packages that are named, and adds them to package.json. */
  const install = (words: readonly string[]): CommandResult => {
    const names = words.filter((word) => PACKAGES.includes(word));
    linkPackages(packages, names, folder);
    if (names.length > 0) {
      const manifest = readManifest(folder);
      for (const name of names) manifest.devDependencies = { ...manifest.devDependencies, [name]: "^0.1.0" };
      writeFileSync(path.join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
    }
    return NO_OUTPUT;
  };

  const runScript = (name = "", rest: readonly string[] = []): Promise<CommandResult> => {
    const text = readManifest(folder).scripts?.[name];
    if (text === undefined) throw new Error(`there is no script ${name}`);
    return run([text, ...rest].join(" "));
  };

  const serve = async (command: "serve" | "monitor", argv: readonly string[]): Promise<CommandResult> => {
    const server = await startServer(command, argv);
    servers.push(server);
    if (!argv.includes("--port")) {
      if (defaultServer) throw new Error(`two servers at ${ADDRESS}`);
      defaultServer = server;
    }
    return server.output;
  };

  const npm: {
    readonly [name: string]: (words: readonly string[]) => CommandResult | Promise<CommandResult>;
  } = {
    init: (words) => runInBash(["npm init", ...words].join(" "), folder),
    install,
    ci: install,
    test: (words) => runScript("test", words),
    run: ([name, ...rest]) => runScript(name, rest),
  };

  const runOne = async (command: string): Promise<CommandResult> => {
    const line = command.replace(/^npx accrete-cli\b/, "accrete").replace(/^npx (?!--)/, "");
    const words = splitWords(line);
    const [program, first = "", ...rest] = words;
    if (program === "cd") {
      folder = path.resolve(folder, first);
      return NO_OUTPUT;
    }
    if (program === "npm") {
      const task = npm[first];
      if (!task) throw new Error(`npm ${first} is not known here`);
      return task(rest);
    }
    if (program === "accrete" && (first === "serve" || (first === "monitor" && rest.includes("&"))))
      return runInFolder(folder, () => serve(first, rest));
    const here = line.replaceAll(ADDRESS, defaultServer?.address ?? ADDRESS);
    if (program !== "accrete") return runInBash(here, folder);
    return runInFolder(folder, () => runAccreteLine(here));
  };

  const run = async (line: string): Promise<CommandResult> => {
    let exitCode = 0;
    let output = "";
    for (const command of line.replace(/ {2,}#.*$/, "").split(" && ")) {
      const printed = await runOne(command.trim());
      exitCode = printed.exitCode;
      output += printed.output;
      if (exitCode !== 0) break;
    }
    return { exitCode, output: defaultServer ? output.replaceAll(defaultServer.address, ADDRESS) : output };
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

function readManifest(folder: string): Manifest {
  try {
    return JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  } catch {
    return {};
  }
}

/** Returns the words of a command, without quotes. */
function splitWords(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? "",
  );
}

async function runInFolder<T>(folder: string, run: () => Promise<T>): Promise<T> {
  const before = cwd();
  chdir(folder);
  if (path.resolve() === before && path.resolve(folder) !== before)
    throw new Error("The process reports its former folder; nothing was run.");
  try {
    return await run();
  } finally {
    chdir(before);
  }
}

/** Runs `accrete …` or `accrete … > FILE` in the current folder. */
async function runAccreteLine(command: string): Promise<CommandResult> {
  const [, line = "", file] = /^(.*?)(?: > (\S+))?$/.exec(command) ?? [];
  let output = "";
  let out = "";
  const stderr = (text: string): void => {
    output += text;
  };
  const stdout = (text: string): void => {
    if (file === undefined) output += text;
    else out += text;
  };
  const outcome = await runAccrete(splitWords(line).slice(1), "", { stdout, stderr });
  if (file !== undefined) writeFileSync(file, out);
  // The caller of a command prints the errors that it throws.
  return { exitCode: outcome.exitCode, output: output + outcome.stderr };
}

/** Returns the folder of the commands of installed packages. */
const getBinariesFolder = (folder: string): string => path.join(folder, "node_modules/.bin");

/** Runs any other command in a process, while the servers of this process continue. */
function runInBash(command: string, folder: string): Promise<CommandResult> {
  const { VITEST: _vitest, NODE_OPTIONS: _options, FORCE_COLOR: _force, ...env } = process.env;
  const child = spawn("bash", ["-c", `exec 2>&1; ${replaceMissingCurl(command)}`], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
    timeout: 60_000,
    env: {
      ...env,
      NO_COLOR: "1",
      PATH: `${getBinariesFolder(folder)}:${path.join(root, "node_modules/.bin")}:${env.PATH}`,
    },
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ exitCode: code ?? -1, output }));
  });
}
