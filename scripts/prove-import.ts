/**
 * The proof that an import changes nothing, on real packages that npm fetches into a temporary folder: each version is
 * imported, generated, type-checked and judged against the original schema, and the later is compared with the
 * earlier. Prints a table; ends with 1 where anything differs.
 *
 *     tsx scripts/prove-import.ts [how many changes deep, 2 unless said]
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { isObject, type JsonObject } from "../generator/json.js";
import { eventMaker } from "../generator/kit/event-maker.js";
import { loadSchemas } from "../generator/load/load.js";
import { accrete } from "../test/cli/run-in-process.js";
import {
  type Agreement,
  changed,
  compare,
  fetched,
  judgeOctokit,
  noAgreement,
  octokitExamples,
  originalJudge,
  readJson,
} from "../test/import/packages.js";

interface Version {
  readonly spec: string;
  readonly file: string;
  /** The union within the file, a JSON pointer; its root unless said. */
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

const MOST_SECONDS = 60;
const depth = Number(process.argv[2] ?? 2);
const root = mkdtempSync(path.join(tmpdir(), "accrete-prove-"));
symlinkSync(path.resolve("node_modules"), path.join(root, "node_modules"));
const faults: string[] = [];

/** The processor time of `work`, in seconds, and what it gives. */
async function timed<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const start = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(start);
  return [result, (user + system) / 1e6];
}

function megabytes(folder: string): string {
  const bytes = (file: string): number => (statSync(file).isFile() ? statSync(file).size : 0);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return (files.reduce((sum, file) => sum + bytes(path.join(folder, file)), 0) / 1e6).toFixed(1);
}

function typeChecks(folder: string): boolean {
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

type Judges = {
  readonly [profile in "writer" | "reader"]: (type: string) => ((event: JsonObject) => boolean) | undefined;
};

/** The generated validators themselves. */
async function generatedJudges(folder: string): Promise<Judges> {
  const events = async (profile: string) => {
    const module = await import(pathToFileURL(path.join(folder, `${profile}.js`)).href);
    return (type: string) => module.events.get(type);
  };
  return { writer: await events("writer"), reader: await events("reader") };
}

/** Events that are made of the imported schema, each changed in every place, judged by the original and by the import. */
function judgeMade(schemas: string, original: JsonObject, union: string, after: Judges): Agreement {
  const before = originalJudge(original);
  const agreement = noAgreement();
  for (const protocol of loadSchemas(schemas).protocols)
    for (const { type } of protocol.events)
      for (let seed = 0; seed < 20; seed++) {
        const made = eventMaker(protocol, () => true).make({ type, envelope: {}, wanted: {}, seed });
        for (const event of made ? changed(made, depth) : [])
          if (isObject(event) && event[protocol.envelope.discriminator] === type) {
            const accepted = before(union, event);
            if (event === made) {
              agreement.published++;
              if (accepted) agreement.sound++;
            }
            compare(agreement, event, {
              before: accepted,
              writer: after.writer(type)?.(event) ?? false,
              reader: after.reader(type)?.(event) ?? false,
            });
          }
      }
  return agreement;
}

async function prove({ name, versions, examples }: Subject): Promise<void> {
  const folders: string[] = [];
  for (const { spec, file, union, as } of versions) {
    const folder = fetched(root, spec);
    if (folder === undefined) {
      faults.push(`npm cannot fetch ${spec}`);
      return;
    }
    const work = path.join(folder, "..", "work");
    const [schemas, fixtures, generated] = ["schemas", "fixtures", "generated"].map((each) =>
      path.join(work, each),
    );
    const all = ["--schemas", schemas ?? "", "--fixtures", fixtures ?? ""];
    const operand = path.join(folder, file) + (union === undefined ? "" : `#${union}`);
    const argv = ["import", operand, "--name", name, "--as", as, "--out", schemas ?? ""];
    const [imported, importing] = await timed(() => accrete(argv));
    const [made, generating] = await timed(() => accrete(["generate", ...all, "--out", generated ?? ""]));
    const [, equal = "?", total = "?"] = /(\d+) of (\d+) events?/.exec(imported.stdout) ?? [];
    if (imported.exitCode !== 0 || made.exitCode !== 0)
      faults.push(imported.stderr + made.stdout + made.stderr);
    if (equal !== total || /LOST|CHANGED|UNDECIDED/.test(imported.stdout)) faults.push(imported.stdout);
    const code = path.join(generated ?? "", name, `v${as.split(".")[0]}`);
    const start = Date.now();
    const checks = typeChecks(work) ? "yes" : "NO";
    const checking = ((Date.now() - start) / 1000).toFixed(1);
    const after = await generatedJudges(code);
    const original = readJson(folder, file) as JsonObject;
    const source = examples === undefined ? undefined : fetched(root, examples);
    if (examples !== undefined && source === undefined) faults.push(`npm cannot fetch ${examples}`);
    const agreement =
      source === undefined
        ? judgeMade(schemas ?? "", original, union ?? "", after)
        : judgeOctokit(original, octokitExamples(source), after, depth);
    const { published, sound, accepted, refused, lost, differences } = agreement;
    faults.push(...differences, ...(lost > 0 ? [`${lost} values are lost to readers`] : []));
    if (accepted === 0 || refused === 0)
      faults.push(`${spec}: ${accepted} accepted, ${refused} refused is no test`);
    console.log(
      `| ${spec} | ${total} | ${equal} | ${importing.toFixed(1)} | ${generating.toFixed(1)} | ${megabytes(code)} | ${checks}, ${checking} s | ${sound} of ${published} | ${accepted} | ${refused} | ${differences.length} |`,
    );
    folders.push(schemas ?? "");
  }
  const start = Date.now();
  const argv = [
    "compat",
    "--schemas",
    folders[1] ?? "",
    "--against",
    `dir:${folders[0]}`,
    "--format",
    "json",
  ];
  const [done, seconds] = await timed(() => accrete(argv));
  const wall = (Date.now() - start) / 1000;
  const findings = JSON.parse(done.stdout).findings as {
    readonly severity: string;
    readonly witness?: unknown;
  }[];
  const errors = findings.filter(({ severity }) => severity === "error");
  const shown = errors.filter(({ witness }) => witness !== undefined);
  compared.push(
    `| ${versions.map(({ spec }) => spec).join(" → ")} | ${wall.toFixed(1)} | ${seconds.toFixed(1)} | ${findings.length} | ${errors.length} | ${shown.length} |`,
  );
  if (wall > MOST_SECONDS) faults.push(`compat took ${wall} s`);
  if (done.exitCode === 2) faults.push(done.stderr);
}

const compared: string[] = [];
try {
  console.log(
    "| package | events | proven equal | import, CPU s | generate, CPU s | generated, MB | type-checks | examples accepted | with changed ones: accepted | refused | differences |\n|---|---:|---:|---:|---:|---:|---|---|---:|---:|---:|",
  );
  for (const subject of SUBJECTS) await prove(subject);
  console.log(
    "\n| compat | s | CPU s | findings | errors | with a witness |\n|---|---:|---:|---:|---:|---:|",
  );
  for (const line of compared) console.log(line);
} finally {
  rmSync(root, { recursive: true, force: true });
}
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
