/**
 * Proves that an import changes only what it reports, on real packages that npm fetches into a temporary folder:
 * each version is imported, generated, type-checked and compared with the original schema, and the later is compared
 * with the earlier. With `--open`, writers have to accept what the original accepts; without it, nothing that the
 * original refuses. Prints a table; ends with 1 where anything else differs.
 *
 *     tsx scripts/prove-import.ts [depth of changes, 2 by default]
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { isObject, type JsonObject } from "../generator/json.js";
import { loadSchemas } from "../generator/load/load.js";
import { createEventMaker } from "../generator/sample/event-maker.js";
import { runAccrete } from "../test/commands/run-in-process.js";
import {
  type Agreement,
  compareOctokit,
  compileOriginal,
  countVerdicts,
  createAgreement,
  fetchPackage,
  listVariants,
  readJson,
  readOctokitExamples,
} from "../test/import/packages.js";

interface Version {
  readonly spec: string;
  readonly file: string;
  /** The union within the file, a JSON pointer; its root by default. */
  readonly union?: string;
  readonly as: string;
}

interface Subject {
  readonly name: string;
  readonly versions: readonly [before: Version, after: Version];
  readonly examples?: string;
}

const OCTOKIT = { file: "schema.json" };
const SUBJECTS: readonly Subject[] = [
  {
    name: "github",
    versions: [
      { ...OCTOKIT, spec: "@octokit/webhooks-schemas@7.1.0", as: "7.1" },
      { ...OCTOKIT, spec: "@octokit/webhooks-schemas@7.6.1", as: "7.6" },
    ],
    examples: "@octokit/webhooks-examples@7.6.1",
  },
  {
    name: "acp",
    versions: [
      {
        spec: "@agentclientprotocol/sdk@1.0.0",
        file: "schema/schema.json",
        union: "/$defs/SessionUpdate",
        as: "1.0",
      },
      {
        spec: "@agentclientprotocol/sdk@2.4.0",
        file: "schema/v1/schema.json",
        union: "/$defs/SessionUpdate",
        as: "1.1",
      },
    ],
  },
];

const MAX_SECONDS = 60;
const depth = Number(process.argv[2] ?? 2);
const root = mkdtempSync(path.join(tmpdir(), "accrete-prove-"));
symlinkSync(path.resolve("node_modules"), path.join(root, "node_modules"));
const faults: string[] = [];

/** Returns the result of `work` and its processor time in seconds. */
async function measureTime<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const start = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(start);
  return [result, (user + system) / 1e6];
}

function measureMegabytes(folder: string): string {
  const bytes = (file: string): number => (statSync(file).isFile() ? statSync(file).size : 0);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return (files.reduce((sum, file) => sum + bytes(path.join(folder, file)), 0) / 1e6).toFixed(1);
}

function passesTypeCheck(folder: string): boolean {
  const options = {
    strict: true,
    module: "nodenext",
    target: "es2022",
    noEmit: true,
    types: ["node"],
    skipLibCheck: true,
  };
  const config = path.join(folder, "tsconfig.json");
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(config, JSON.stringify({ compilerOptions: options, include: ["generated/**/*.ts"] }));
  try {
    execFileSync(path.join(root, "node_modules/.bin/tsc"), ["-p", config], { stdio: "pipe" });
    return true;
  } catch (error) {
    faults.push(String((error as { stdout?: Buffer }).stdout).slice(0, 500));
    return false;
  }
}

type Validators = {
  readonly [profile in "writer" | "reader"]: (type: string) => ((event: JsonObject) => boolean) | undefined;
};

/** Loads the generated validators. */
async function loadGenerated(folder: string): Promise<Validators> {
  const events = async (profile: string) => {
    const module = await import(pathToFileURL(path.join(folder, `${profile}.js`)).href);
    return (type: string) => module.events.get(type);
  };
  return { writer: await events("writer"), reader: await events("reader") };
}

/** Compares the validation of generated events, and of their variants, by the original and by the import. */
async function compareMade(
  schemas: string,
  original: JsonObject,
  union: string,
  after: Validators,
): Promise<Agreement> {
  const before = compileOriginal(original);
  const agreement = createAgreement();
  for (const protocol of (await loadSchemas(schemas)).protocols)
    for (const { type } of protocol.events)
      for (let seed = 0; seed < 20; seed++) {
        const made = createEventMaker(protocol, () => true).make({
          type,
          envelope: {},
          fixedFields: {},
          seed,
        });
        for (const event of made ? listVariants(made, depth) : [])
          if (isObject(event) && event[protocol.envelope.discriminator] === type) {
            const accepted = before(union, event);
            if (event === made) {
              agreement.published++;
              if (accepted) agreement.valid++;
            }
            countVerdicts(agreement, event, {
              before: accepted,
              writer: after.writer(type)?.(event) ?? false,
              reader: after.reader(type)?.(event) ?? false,
            });
          }
      }
  return agreement;
}

/** Imports, generates, type-checks and compares one version. Returns its schemas folder, or undefined if npm cannot fetch it. */
async function proveVersion(
  name: string,
  version: Version,
  examples: string | undefined,
  open: boolean,
): Promise<string | undefined> {
  const { spec, file, union, as } = version;
  const title = open ? `${spec} --open` : spec;
  const [folder, source] = [spec, examples].map((each) =>
    each === undefined ? "" : fetchPackage(root, each),
  );
  if (folder === undefined || source === undefined) {
    faults.push(`npm cannot fetch ${spec} or its examples`);
    return undefined;
  }
  const work = path.join(folder, "..", open ? "open" : "closed");
  mkdirSync(work, { recursive: true });
  const [schemas = "", fixtures = "", out = ""] = ["schemas", "fixtures", "generated"].map((each) =>
    path.join(work, each),
  );
  const operand = path.join(folder, file) + (union === undefined ? "" : `#${union}`);
  const importing = [
    "import",
    operand,
    "--name",
    name,
    "--as",
    as,
    "--schemas",
    schemas,
    "--fixtures",
    fixtures,
    ...(open ? ["--open"] : []),
  ];
  const [imported, importTime] = await measureTime(() => runAccrete(importing));
  const generating = ["generate", "--schemas", schemas, "--fixtures", fixtures, "--out", out];
  const [made, generateTime] = await measureTime(() => runAccrete(generating));
  const [, proven = "?", total = "?"] = /(\d+) of (\d+) events?/.exec(imported.stdout) ?? [];
  if (imported.exitCode !== 0 || made.exitCode !== 0) {
    faults.push(imported.stderr + made.stdout + made.stderr);
    return undefined;
  }
  if (proven !== total || /LOST|CHANGED|UNDECIDED/.test(imported.stdout)) faults.push(imported.stdout);
  const code = path.join(out, name, `v${as.split(".")[0]}`);
  const checks = passesTypeCheck(work) ? "yes" : "NO";
  const after = await loadGenerated(code);
  const original = readJson(folder, file) as JsonObject;
  const agreement =
    source === ""
      ? await compareMade(schemas, original, union ?? "", after)
      : compareOctokit(original, readOctokitExamples(source), after, depth);
  const { published, valid, accepted, refused, lost, closed } = agreement;
  const differences = open ? agreement.differences : agreement.added;
  if (open && closed > 0) faults.push(`${title}: writers may not send ${closed} values that were accepted`);
  faults.push(...differences, ...(lost > 0 ? [`${lost} values are lost to readers`] : []));
  if (valid === 0 || refused === 0) faults.push(`${title}: ${valid} accepted, ${refused} refused is no test`);
  printRow(
    title,
    total,
    proven,
    importTime.toFixed(1),
    generateTime.toFixed(1),
    measureMegabytes(code),
    checks,
  );
  rows.push(
    `| ${title} | ${valid} of ${published} | ${accepted} | ${refused} | ${closed} | ${differences.length} | ${lost} |`,
  );
  return schemas;
}

function printRow(...cells: readonly string[]): void {
  console.log(`| ${cells.join(" | ")} |`);
}

/** Compares two versions. The limit is on the processor time, which hardly depends on other processes. */
async function compareVersions(title: string, before: string, after: string): Promise<void> {
  const start = Date.now();
  const argv = ["compat", "--schemas", after, "--against", `dir:${before}`, "--format", "json"];
  const [done, seconds] = await measureTime(() => runAccrete(argv));
  const wall = ((Date.now() - start) / 1000).toFixed(1);
  if (done.exitCode === 2) faults.push(done.stderr);
  else {
    const findings = JSON.parse(done.stdout).findings as { severity: string; witness?: unknown }[];
    const errors = findings.filter(({ severity }) => severity === "error");
    const shown = errors.filter(({ witness }) => witness !== undefined);
    if (shown.length < errors.length) faults.push(`${title}: an error has no witness`);
    compared.push(
      `| ${title} | ${seconds.toFixed(1)} | ${wall} | ${findings.length} | ${errors.length} | ${shown.length} |`,
    );
  }
  if (seconds > MAX_SECONDS) faults.push(`compat took ${seconds} s of the processor`);
}

const rows: string[] = [];
const compared: string[] = [];
try {
  console.log(
    "| package | events | proven | import, CPU s | generate, CPU s | generated, MB | type-checks |\n|---|---:|---:|---:|---:|---:|---|",
  );
  const runs = SUBJECTS.flatMap((subject) => [false, true].map((open) => ({ ...subject, open })));
  for (const { name, versions, examples, open } of runs) {
    const folders: (string | undefined)[] = [];
    for (const version of versions) folders.push(await proveVersion(name, version, examples, open));
    const [before, after] = folders;
    const title = versions.map(({ spec }) => spec).join(" → ") + (open ? " --open" : "");
    if (before !== undefined && after !== undefined) await compareVersions(title, before, after);
  }
  console.log(
    `\n| compared, with ${depth} levels changed | examples accepted | all accepted | all refused | accepted, not sent any more | writers differ otherwise | readers refuse what was accepted |\n|---|---|---:|---:|---:|---:|---:|\n${rows.join("\n")}`,
  );
  console.log(
    `\n| compat | CPU s | s | findings | errors | with a witness |\n|---|---:|---:|---:|---:|---:|\n${compared.join("\n")}`,
  );
} finally {
  rmSync(root, { recursive: true, force: true });
}
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
