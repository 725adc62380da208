/** Runs a fuzz case, and checks what must hold for every project and command line. */
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
import { type Outcome, runAccrete } from "../commands/run-in-process.js";
import type { FuzzCase } from "./fuzz-case.js";

/** Returns everything below a folder by path: the digest of a file, the target of a link, an empty text for a folder. */
export function snapshotFolder(root: string): Map<string, string> {
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

/** Runs a command line. */
export type Runner = (argv: readonly string[], stdin: string) => Promise<Outcome>;

/** Runs a command line in this process. */
export const runInProcess: Runner = (argv, stdin) => runAccrete(argv, stdin);

/** Returns a function that runs a command line as a process of `command`. */
export const createProcessRunner =
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

/** Runs a case and returns its faults. */
export async function runCase({ files, argv }: FuzzCase, run: Runner = runInProcess): Promise<string[]> {
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
    const before = snapshotFolder(surroundings);
    const outcome = await run(argv, stdin);
    const touched = listChangedFiles(before, snapshotFolder(surroundings));
    return [
      ...findOutputFaults(outcome, argv),
      ...findStrayWrites(touched, { surroundings, project, files, argv, exitCode: outcome.exitCode }),
      ...(await checkConsequences(touched, argv, outcome, project, run)),
    ];
  } finally {
    chdir(home);
    rmSync(surroundings, { recursive: true, force: true });
  }
}

/** Returns the faults of an output: a wrong exit code, a crash, a missing message, or invisible characters. */
export function findOutputFaults({ exitCode, stdout, stderr }: Outcome, argv: readonly string[]): string[] {
  const codes = argv.includes("subset") || argv.includes("upcast") ? [0, 1, 2, 3] : [0, 1, 2];
  const printed = `${stdout}${stderr}`;
  // A word joiner keeps Markdown from making links of addresses.
  const invisibleCharacters = [...printed.matchAll(/.{0,80}[^\P{C}\n\p{Cn}\p{Co}\u2060].{0,80}/gu)].slice(
    0,
    1,
  );
  return [
    ...(codes.includes(exitCode) ? [] : [`exit code ${exitCode}`]),
    ...(/unexpected error|internal error/i.test(stderr) ? [`crash: ${stderr.slice(0, 600)}`] : []),
    ...(/\n\s+at .*:\d+:\d+\)?\n/.test(printed) ? [`stack trace: ${printed.slice(0, 900)}`] : []),
    ...(exitCode === 2 && !isSentence(printed) ? [`no message: ${JSON.stringify(stderr)}`] : []),
    ...(exitCode === 1 && printed.trim() === "" ? ["exit code 1 without a message"] : []),
    ...invisibleCharacters.map((found) => `unseen characters: ${JSON.stringify(found[0])}`),
  ];
}

/** Returns whether a text has several words and ends with a line end. */
function isSentence(text: string): boolean {
  return text.endsWith("\n") && text.split(" ").length > 3;
}

function listChangedFiles(before: Map<string, string>, after: Map<string, string>): string[] {
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

/** The paths below the project that each command may write to. */
const MAY_WRITE: { readonly [command: string]: RegExp } = {
  init: /^(sub|schemas|fixtures|generated|\.github|package\.json|AGENTS\.md|llms\.txt)/,
  import: /^(schemas|fixtures|\.github|package\.json|AGENTS\.md|llms\.txt)/,
  generate:
    /^(generated|src|src\/events|node_modules(\/\.cache(\/accrete)?)?)$|^(generated|src|src\/events|node_modules\/\.cache\/accrete)\//,
  check: /^node_modules(\/\.cache(\/accrete(\/.*)?)?)?$/,
  release: /^schemas\/[^/]+\/v\d+\/releases/,
  compat: /^schemas\/[^/]+\/v\d+\/protocol\.json$/,
  major: /^(schemas|fixtures)\//,
  rename: /^(schemas|fixtures|generated)/,
  site: /^site/,
  monitor: /^monitor\.json$/,
  audit: /^findings\.parquet$/,
  rollout: /^refused\.jsonl$/,
  redact: /^clean/,
  upcast: /^later/,
  "map-rows": /^later/,
};

/** The commands that write although they have findings. */
const WRITES_WITH_FINDINGS: readonly string[] = ["compat", "audit", "rollout", "redact"];

/** Returns the changes that the command must not make, and the temporary files that it left. */
function findStrayWrites(
  touched: readonly string[],
  { surroundings, project, files, argv, exitCode }: Run,
): string[] {
  const command = argv[0] ?? "";
  const configs = ["package.json", "accrete.config.json"].map((file) => String(files[file] ?? ""));
  const named = [...argv.slice(1), ...configs.flatMap(listStrings)].map((word) =>
    path.resolve(project, word),
  );
  const allowed = (file: string): boolean => {
    const full = path.join(surroundings, file);
    const isNamed = named.some(
      (one) => full === one || full.startsWith(`${one}/`) || one.startsWith(`${full}/`),
    );
    const usual = MAY_WRITE[command]?.test(path.relative(project, full)) ?? false;
    return command in MAY_WRITE && (usual || isNamed);
  };
  const contents = touched.filter((file) => !file.includes("/node_modules/.cache/"));
  const frozen = Object.keys(files).filter((file) => /\/releases\//.test(file));
  return [
    ...(command === "rename" ? [] : frozen)
      .filter((file) => touched.some((each) => each.endsWith(file)))
      .map((file) => `changed ${file}`),
    ...touched.filter((file) => !allowed(file)).map((file) => `wrote ${file}`),
    ...touched
      .filter((file) => /\.accrete[-.](?!config)|\.tmp$|\.part$/.test(file))
      .map((file) => `left ${file}`),
    ...(exitCode !== 0 && !WRITES_WITH_FINDINGS.includes(command) && contents.length > 0
      ? [`exit code ${exitCode}, but changed ${contents}`]
      : []),
  ];
}

function listStrings(text: string): string[] {
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

/** Checks a successful run: the written files parse, and a second command confirms that nothing is left to do. */
async function checkConsequences(
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
  const broken = written.flatMap((file) => (/\.(js|ts|json)$/.test(file) ? findSyntaxFaults(file) : []));
  const made = touched.flatMap((file) => {
    const [, schemas, id] = /^(.*)\/([^/]+\/v\d+)\/protocol\.json$/.exec(file) ?? [];
    return schemas === undefined || id === undefined
      ? []
      : // The fixtures of a protocol that was replaced are of its old event types.
        [id, "--schemas", path.join(project, "../../../..", schemas), "--fixtures", "none"];
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

function findSyntaxFaults(file: string): string[] {
  try {
    const text = readFileSync(file, "utf8");
    if (file.endsWith(".json")) JSON.parse(text);
    else transformSync(text, { loader: file.endsWith(".ts") ? "ts" : "js" });
    return [];
  } catch (error) {
    return [`${file} does not parse: ${(error as Error).message.slice(0, 300)}`];
  }
}
