/**
 * Imports protocols whose types or schemas are on npm, generates code, type-checks and tests it, compares the protocol with
 * itself, and validates real messages as writer and as reader, without wrapping. Prints a table; ends with 1 if a step fails.
 *
 *     npm run prove:messages -- [name of a protocol]
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Outcome, runAccrete } from "../test/cli/run-in-process.js";
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

async function proveSubject(subject: Subject): Promise<void> {
  const folder = prepareFolder(subject);
  const operand = await subject.writeSchema(folder);
  const work = path.join(root, `${subject.name}-protocol`);
  mkdirSync(work);
  const [schemas = "", fixtures = "", out = ""] = ["schemas", "fixtures", "generated"].map((each) =>
    path.join(work, each),
  );
  const run = async (...argv: readonly string[]): Promise<Outcome> => {
    const outcome = await runAccrete([...argv, "--schemas", schemas]);
    if (outcome.exitCode !== 0)
      faults.push(`${subject.name}: ${argv[0]}\n${outcome.stdout.slice(0, 3000)}${outcome.stderr}`);
    return outcome;
  };
  const discriminator = subject.discriminator === undefined ? [] : ["--discriminator", subject.discriminator];
  const naming = ["--name", subject.name, ...discriminator, "--fixtures", fixtures];
  const imported = await run("import", operand, ...naming);
  const [, proven = "?", total = "?"] = /(\d+) of (\d+) events?:? ?/.exec(imported.stdout) ?? [];
  const lost = imported.stdout.split("\n").filter((line) => /^(CHANGED|UNDECIDED|WRAPPED)/.test(line));
  for (const line of lost) console.error(`${subject.name}: ${line.slice(0, 300)}`);
  await run("generate", "--out", out, "--fixtures", fixtures);
  const checks = checkGenerated(work);
  const compared = await run("compat", "--against", `dir:${schemas}`);
  const messages = await subject.record(folder);
  const validated: string[] = [];
  for (const profile of ["reader", "writer"]) {
    const file = path.join(work, `messages.${subject.extension ?? "jsonl"}`);
    writeFileSync(file, messages ?? "");
    const outcome = messages === undefined ? undefined : await run("validate", file, "--profile", profile);
    validated.push(outcome?.stdout.trim().split("\n").at(-1) ?? "no messages");
  }
  const clean = compared.exitCode === 0 ? "clean" : "NO";
  console.log(`| ${[subject.name, total, proven, ...checks, clean, ...validated].join(" | ")} |`);
}

try {
  console.log(
    "| protocol | events | proven | tsc --strict | vitest | compat with itself | as reader | as writer |",
  );
  console.log("|---|---:|---:|---|---|---|---|---|");
  const chosen = process.argv[2];
  for (const subject of SUBJECTS)
    if (chosen === undefined || subject.name === chosen) await proveSubject(subject);
} finally {
  rmSync(root, { recursive: true, force: true });
}
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
