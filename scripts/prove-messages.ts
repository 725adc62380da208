/**
 * Imports protocols whose types or schemas are on npm, generates code, type-checks and tests it, compares the protocol with
 * itself, and validates real messages as writer and as reader. Messages that the original refuses, according to Ajv, are
 * counted and left out. Prints a table; ends with 1 if a step fails.
 *
 *     npm run prove:messages -- [name of a protocol]
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Json } from "../generator/json.js";
import { type Outcome, runAccrete } from "../test/commands/run-in-process.js";
import { compileOriginal } from "../test/import/packages.js";
import { SUBJECTS, type Subject } from "./messages/subjects.js";

const root = mkdtempSync(path.join(tmpdir(), "accrete-messages-"));
const faults: string[] = [];

/** Returns "yes" if the program succeeds. */
function runProgram(program: string, argv: readonly string[], folder: string): string {
  try {
    execFileSync(path.resolve("node_modules/.bin", program), argv, { cwd: folder, stdio: "pipe" });
    return "yes";
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: Buffer; stderr?: Buffer };
    faults.push(`${program}: ${stdout}${stderr}`.slice(0, 2000));
    return "NO";
  }
}

function prepareFolder({ name, packages }: Subject): string {
  const folder = path.join(root, name);
  mkdirSync(folder);
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const install = ["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", ...packages];
  execFileSync("npm", install, { cwd: folder, stdio: "pipe" });
  return folder;
}

/** Type-checks and tests the generated code in a folder with the packages of this repository. */
function checkGenerated(folder: string): readonly string[] {
  const compilerOptions = {
    strict: true,
    module: "nodenext",
    target: "es2022",
    noEmit: true,
    types: ["node"],
  };
  const config = { compilerOptions: { ...compilerOptions, skipLibCheck: true }, include: ["generated"] };
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(config));
  symlinkSync(path.resolve("node_modules"), path.join(folder, "node_modules"));
  return [
    runProgram("tsc", ["-p", "tsconfig.json"], folder),
    runProgram("vitest", ["run", "--root", folder], folder),
  ];
}

/** Splits recorded messages into those that the original accepts, and the others. A message is a line, or the data of an SSE event. */
function splitMessages(text: string, accepts: (message: Json) => boolean): readonly [Json[], Json[]] {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith(":"));
  const messages = lines.map((line): Json => JSON.parse(line.replace(/^data: ?/, "")));
  return [messages.filter(accepts), messages.filter((message) => !accepts(message))];
}

async function proveSubject(subject: Subject): Promise<void> {
  const { name } = subject;
  const folder = prepareFolder(subject);
  const operand = await subject.writeSchema(folder);
  const work = path.join(root, `${name}-protocol`);
  mkdirSync(work);
  const [schemas = "", fixtures = "", out = ""] = ["schemas", "fixtures", "generated"].map((each) =>
    path.join(work, each),
  );
  const run = async (...argv: readonly string[]): Promise<Outcome> => {
    const outcome = await runAccrete([...argv, "--schemas", schemas]);
    if (outcome.exitCode !== 0)
      faults.push(`${name}: ${argv[0]}\n${outcome.stdout}${outcome.stderr}`.slice(0, 3000));
    return outcome;
  };
  const start = Date.now();
  const discriminator = subject.discriminator === undefined ? [] : ["--discriminator", subject.discriminator];
  const options = [...discriminator, ...(subject.listOptions?.(folder) ?? [])];
  const imported = await run("import", operand, "--name", name, ...options, "--fixtures", fixtures);
  const [, proven = "?", total = "?"] = /(\d+) of (\d+) events?:? ?/.exec(imported.stdout) ?? [];
  const expected = subject.countTypes(folder);
  if (proven !== total || Number(total) !== expected)
    faults.push(`${name}: ${total} types, ${proven} of them proven, ${expected} expected`);
  const lost = imported.stdout.split("\n").filter((line) => /^(CHANGED|UNDECIDED|LOST|WRAPPED)/.test(line));
  for (const line of lost) console.error(`${name}: ${line.slice(0, 300)}`);
  const generated = await run("generate", "--out", out, "--fixtures", fixtures);
  const checks = checkGenerated(work);
  const compared = await run("compat", "--against", `dir:${schemas}`);
  const seconds = ((Date.now() - start) / 1000).toFixed(0);
  const steps = [imported, generated, compared].every(({ exitCode }) => exitCode === 0) ? "clean" : "NO";
  const messages = await validateMessages(subject, folder, operand, work);
  printRow([name, `${total}/${expected}`, proven, steps, ...checks, ...messages, seconds]);
}

/** Validates the messages that the original accepts as reader and as writer. Returns the cells of the table. */
async function validateMessages(
  subject: Subject,
  folder: string,
  operand: string,
  work: string,
): Promise<readonly string[]> {
  const text = await subject.record?.(folder);
  if (text === undefined) {
    console.error(`${subject.name}: skipped: no messages, or no program that sends some`);
    return ["0", "0", "-", "-", "0"];
  }
  const compile = (): ((message: Json) => boolean) => {
    const accepts = compileOriginal(JSON.parse(readFileSync(operand, "utf8")));
    return (message) => accepts("", message);
  };
  const accepts = subject.compileOriginal?.(folder) ?? compile();
  const [accepted, refused] = splitMessages(text, accepts);
  // A feed is validated as it was recorded; from the others, messages that the original refuses are left out.
  const lines = accepted.map((message) => `${JSON.stringify(message)}\n`).join("");
  const file = path.join(work, `messages.${subject.extension ?? "jsonl"}`);
  writeFileSync(file, subject.extension === undefined ? lines : text);
  const counts: string[] = [];
  for (const profile of ["reader", "writer"]) {
    const options = ["--profile", profile, "--format", "json", "--limit", "10000"];
    const { stdout } = await runAccrete([
      "validate",
      file,
      "--schemas",
      path.join(work, "schemas"),
      ...options,
    ]);
    const { summary, findings } = JSON.parse(stdout) as {
      readonly summary: { readonly invalid: number; readonly unknown: number; readonly events: number };
      readonly findings: readonly {
        readonly severity: string;
        readonly message: string;
        readonly at: { readonly line: number };
      }[];
    };
    counts.push(String(summary.invalid));
    // The import closes objects for writers, so that they may not send fields that the original does not declare.
    const undeclared = findings.filter(({ message }) => message.includes("is not declared here"));
    const excused = new Set(profile === "writer" ? undeclared.map(({ at }) => at.line) : []);
    const others = findings.filter(({ severity, at }) => severity === "error" && !excused.has(at.line));
    if (summary.events !== accepted.length || summary.unknown > 0 || others.length > 0)
      faults.push(`${subject.name}: messages as ${profile}: ${stdout.slice(0, 2000)}`);
  }
  const total = accepted.length + refused.length;
  return [String(total), String(refused.length), ...counts, String(subject.isWrapped ? total : 0)];
}

function printRow(cells: readonly string[]): void {
  console.log(`| ${cells.join(" | ")} |`);
}

try {
  const columns = "protocol, types found/expected, proven, import generate compat, tsc --strict, vitest";
  const more = "messages, refused by the original, invalid as reader, as writer, wrapped, s";
  const titles = `${columns}, ${more}`.split(", ");
  printRow(titles);
  printRow(titles.map(() => "---"));
  const chosen = process.argv[2];
  for (const subject of SUBJECTS)
    if (chosen === undefined || subject.name === chosen) await proveSubject(subject);
} finally {
  rmSync(root, { recursive: true, force: true });
}
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
