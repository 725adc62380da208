import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { chdir, cwd } from "node:process";
import { accrete, type Outcome } from "../cli/run-in-process.js";
import { ADDRESS, type Server, startServer } from "./server.js";

const root = path.join(import.meta.dirname, "..", "..");

/** A reader's terminal. */
export interface Shell {
  /** Where it is. */
  readonly folder: string;
  /** What a line gives. Lines are joined by && alone; accrete runs in this process, all else in a real shell. */
  run(line: string): Promise<Outcome>;
  /** Stops what was left running. */
  close(): Promise<void>;
}

const NOTHING: Outcome = { exitCode: 0, stdout: "", stderr: "" };

/** A terminal in a new folder `start`. `installed` is where npm puts accrete's package. */
export function openShell(start: string, installed: string): Shell {
  let folder = start;
  let server: Server | undefined;
  mkdirSync(folder, { recursive: true });

  /** `npm install` fetches nothing: the package is there already. */
  const install = (words: readonly string[]): Outcome => {
    mkdirSync(path.join(folder, "node_modules"), { recursive: true });
    link(installed, path.join(folder, "node_modules/accrete"));
    if (words.includes("accrete")) {
      const file = path.join(folder, "package.json");
      const manifest = manifestIn(folder);
      manifest.devDependencies = { ...manifest.devDependencies, accrete: "^0.1.0" };
      writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`);
    }
    return NOTHING;
  };

  const script = (name = "", rest: readonly string[] = []): Promise<Outcome> => {
    const text = manifestIn(folder).scripts?.[name];
    if (text === undefined) throw new Error(`there is no script ${name}`);
    return run([text, ...rest].join(" "));
  };

  const serve = async (argv: readonly string[]): Promise<Outcome> => {
    await server?.stop();
    server = await startServer(argv);
    return server.printed;
  };

  const npm: { readonly [name: string]: (words: readonly string[]) => Outcome | Promise<Outcome> } = {
    install,
    ci: install,
    test: (words) => script("test", words),
    run: ([name, ...rest]) => script(name, rest),
  };

  const runOne = async (command: string): Promise<Outcome> => {
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
    const here = command.replaceAll(ADDRESS, server?.address ?? ADDRESS);
    if (program !== "accrete") return spawned(here, folder);
    return redirected(here, folder, (argv) => within(folder, () => accrete(argv)));
  };

  const run = async (line: string): Promise<Outcome> => {
    let all = NOTHING;
    for (const command of line.replace(/ {2,}#.*$/, "").split(" && ")) {
      const { exitCode, stdout, stderr } = await runOne(command.trim());
      all = { exitCode, stdout: all.stdout + stdout, stderr: all.stderr + stderr };
      if (exitCode !== 0) break;
    }
    const said = (text: string): string => (server ? text.replaceAll(server.address, ADDRESS) : text);
    return { ...all, stdout: said(all.stdout), stderr: said(all.stderr) };
  };

  return {
    get folder() {
      return folder;
    },
    run,
    close: async () => server?.stop(),
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
  try {
    return await run();
  } finally {
    chdir(before);
  }
}

/** `accrete … > FILE`. */
async function redirected(
  command: string,
  folder: string,
  run: (argv: readonly string[]) => Promise<Outcome>,
): Promise<Outcome> {
  const [, line = "", file] = /^(.*?)(?: > (\S+))?$/.exec(command.replace(/^npx /, "")) ?? [];
  const outcome = await run(wordsOf(line).slice(1));
  if (file === undefined) return outcome;
  writeFileSync(path.join(folder, file), outcome.stdout);
  return { ...outcome, stdout: "" };
}

function spawned(command: string, folder: string): Outcome {
  const { VITEST: _vitest, NODE_OPTIONS: _options, FORCE_COLOR: _force, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync("bash", ["-c", command.replace(/^npx /, "")], {
    ...{ cwd: folder, encoding: "utf8", timeout: 60_000 },
    env: { ...env, NO_COLOR: "1", PATH: `${path.join(root, "node_modules/.bin")}:${env.PATH}` },
  });
  return { exitCode: status ?? -1, stdout, stderr };
}
