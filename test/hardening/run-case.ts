/** One fuzzed run of a command, and what must hold whatever the project and the command line are. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { chdir, cwd } from "node:process";
import { transformSync } from "esbuild";
import { type Outcome, runAccrete } from "../cli/run-in-process.js";
import type { FuzzCase } from "./fuzz-case.js";

/** Everything below a folder, by path: the digest of a file, where a link leads, or that it is a folder. */
export function snapshot(root: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const what = entry.isFile()
      ? createHash("sha256").update(readFileSync(file)).digest("hex")
      : entry.isSymbolicLink()
        ? `to ${readlinkSync(file)}`
        : "";
    found.set(path.relative(root, file), what);
  }
  return found;
}

/** How a command line is run. */
export type Runner = (argv: readonly string[], stdin: string) => Promise<Outcome>;

/** Runs a command line as a process of `command`. */
export const inProcess: Runner = (argv, stdin) => runAccrete(argv, stdin);

/** Runs it as a process of its own. */
export const asProcess =
  (command: readonly string[]): Runner =>
  async (argv, input) => {
    const [program = "", ...rest] = command;
    const env = { ...process.env, NO_COLOR: "1" };
    const { status, signal, stdout, stderr } = spawnSync(program, [...rest, ...argv], {
      ...{ input, env, encoding: "utf8", timeout: 60_000, killSignal: "SIGKILL", maxBuffer: 1 << 28 },
    });
    if (status === null) throw new Error(`ended by ${signal}`);
    return { exitCode: status, stdout, stderr };
  };

/** Runs the case and tells everything that must not be; an empty list if all is well. */
export async function runCase({ files, argv }: FuzzCase, run: Runner = inProcess): Promise<string[]> {
  const [home, surroundings] = [cwd(), mkdtempSync(path.join(tmpdir(), "accrete-fuzz-"))];
  const project = path.join(surroundings, "a/b/c/project");
  try {
    mkdirSync(project, { recursive: true });
    writeFileSync(path.join(surroundings, "a/outer.json"), "{}");
    for (const [file, content] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(project, file)), { recursive: true });
      writeFileSync(path.join(project, file), content);
    }
    symlinkSync("loop", path.join(project, "loop"));
    chdir(project);
    const stdin = String(files["fixtures/tea/v1/streams/two-notes.jsonl"]);
    const before = snapshot(surroundings);
    const outcome = await run(argv, stdin);
    const touched = differences(before, snapshot(surroundings));
    return [
      ...faultsOf(outcome, argv),
      ...strayed(touched, { surroundings, project, files, argv, exitCode: outcome.exitCode }),
      ...(await consequences(touched, argv, outcome, project, run)),
    ];
  } finally {
    chdir(home);
    rmSync(surroundings, { recursive: true, force: true });
  }
}

/** What no output may be. */
function faultsOf({ exitCode, stdout, stderr }: Outcome, argv: readonly string[]): string[] {
  const codes = argv.includes("subset") ? [0, 1, 2, 3] : [0, 1, 2];
  const told = `${stdout}${stderr}`;
  // A word joiner keeps Markdown from making links of addresses.
  const unseen = [...told.matchAll(/.{0,80}[^\P{C}\n\p{Cn}\p{Co}\u2060].{0,80}/gu)].slice(0, 1);
  return [
    ...(codes.includes(exitCode) ? [] : [`exit code ${exitCode}`]),
    ...(/unexpected error|internal error/i.test(stderr) ? [`crash: ${stderr.slice(0, 600)}`] : []),
    ...(/\n\s+at .*:\d+:\d+\)?\n/.test(told) ? [`stack trace: ${told.slice(0, 900)}`] : []),
    ...(exitCode === 2 && !isSentence(told) ? [`no sentence: ${JSON.stringify(stderr)}`] : []),
    ...(exitCode === 1 && told.trim() === "" ? ["exit code 1 without a word"] : []),
    ...unseen.map((found) => `unseen characters: ${JSON.stringify(found[0])}`),
  ];
}

/** Several words and a line end. */
function isSentence(text: string): boolean {
  return text.endsWith("\n") && text.split(" ").length > 3;
}

function differences(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (file) => before.get(file) !== after.get(file),
  );
}

interface Run {
  readonly surroundings: string;
  readonly project: string;
  readonly files: FuzzCase["files"];
  readonly argv: readonly string[];
  readonly exitCode: number;
}

/** Which paths a command may write to, of those below the project. */
const MAY_WRITE: { readonly [command: string]: RegExp } = {
  init: /^(sub|schemas|fixtures|generated|\.github|package\.json)/,
  import: /^(schemas|fixtures)/,
  generate: /^(generated|src|src\/events)(\/|$)/,
  release: /^schemas\/[^/]+\/v\d+\/releases/,
  compat: /^schemas\/[^/]+\/v\d+\/protocol\.json$/,
};

/** Paths that were written to and should not have been, and what writing left lying about. */
function strayed(
  touched: readonly string[],
  { surroundings, project, files, argv, exitCode }: Run,
): string[] {
  const command = argv[0] ?? "";
  const configs = ["package.json", "accrete.config.json"].map((file) => String(files[file] ?? ""));
  const named = [...argv.slice(1), ...configs.flatMap(strings)].map((word) => path.resolve(project, word));
  const allowed = (file: string): boolean => {
    const full = path.join(surroundings, file);
    const isNamed = named.some(
      (one) => full === one || full.startsWith(`${one}/`) || one.startsWith(`${full}/`),
    );
    const usual = MAY_WRITE[command]?.test(path.relative(project, full)) ?? false;
    return command in MAY_WRITE && (usual || isNamed);
  };
  const frozen = Object.keys(files).filter((file) => /\/releases\//.test(file));
  return [
    ...frozen.filter((file) => touched.some((each) => each.endsWith(file))).map((file) => `changed ${file}`),
    ...touched.filter((file) => !allowed(file)).map((file) => `wrote ${file}`),
    ...touched
      .filter((file) => /\.accrete[-.](?!config)|\.tmp$|\.part$/.test(file))
      .map((file) => `left ${file}`),
    ...(exitCode !== 0 && command !== "compat" && touched.length > 0
      ? [`exit code ${exitCode}, but changed ${touched}`]
      : []),
  ];
}

function strings(text: string): string[] {
  try {
    const found: string[] = [];
    JSON.parse(text, (_key, value) => {
      if (typeof value === "string") found.push(value);
      return value;
    });
    return found;
  } catch {
    return [];
  }
}

/** What must hold after success: what was written parses, and a second run has nothing to do. */
async function consequences(
  touched: readonly string[],
  argv: readonly string[],
  { exitCode }: Outcome,
  project: string,
  run: Runner,
): Promise<string[]> {
  if (exitCode !== 0 || touched.length === 0) return [];
  const written = touched
    .map((file) => path.join(project, "../../../..", file))
    .filter((file) => existsSync(file));
  const broken = written.flatMap((file) => (/\.(js|ts|json)$/.test(file) ? syntaxFaults(file) : []));
  const made = touched.flatMap((file) => {
    const [, schemas, id] = /^(.*)\/([^/]+\/v\d+)\/protocol\.json$/.exec(file) ?? [];
    return schemas === undefined || id === undefined
      ? []
      : [id, "--schemas", path.join(project, "../../../..", schemas)];
  });
  const again = { generate: [...argv, "--check"], release: argv, import: ["lint", ...made] }[argv[0] ?? ""];
  if (again === undefined || argv.includes("--")) return broken;
  const second = await run(again, "");
  return [
    ...broken,
    ...(second.exitCode === 0
      ? []
      : [`${again.join(" ")} then exits with ${second.exitCode}: ${second.stdout}${second.stderr}`]),
  ];
}

function syntaxFaults(file: string): string[] {
  try {
    const text = readFileSync(file, "utf8");
    if (file.endsWith(".json")) JSON.parse(text);
    else transformSync(text, { loader: file.endsWith(".ts") ? "ts" : "js" });
    return [];
  } catch (error) {
    return [`${file} does not parse: ${(error as Error).message.slice(0, 300)}`];
  }
}
