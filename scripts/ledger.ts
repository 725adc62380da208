/**
 * Keeps what the commands answer: exit codes, findings, printed texts and written files, for all case files, the bundled
 * protocols and their recordings. Compared with an earlier commit, it shows every verdict that differs. Both then get the
 * inputs of the earlier commit, because it may not know later ones.
 *
 *     npm run ledger [-- --out FILE]
 *     npm run ledger -- --against COMMIT [--out FILE]
 *
 * `--out` writes the answers as JSON Lines. Ends with 1 if an answer differs.
 */
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { compareAnswers, formatDifferences } from "./ledger/compare-answers.js";
import { type Answer, hashContent } from "./ledger/entry.js";

const { values } = parseArgs({ options: { against: { type: "string" }, out: { type: "string" } } });
const folder = mkdtempSync(path.join(tmpdir(), "accrete-ledger-"));
try {
  const inputs = path.join(folder, "inputs");
  if (values.against === undefined) {
    const answers = await runCommands(".", writeInputs(".", inputs));
    keepAnswers(answers);
    console.log(summarize(answers));
  } else {
    const earlier = checkOut(values.against, path.join(folder, "earlier"));
    writeInputs(earlier, inputs);
    const [before, now] = await Promise.all([runCommands(earlier, inputs), runCommands(".", inputs)]);
    keepAnswers(now);
    const differences = compareAnswers(before, now);
    console.log(formatDifferences(differences));
    console.log(`${summarize(now)}; ${differences.length} differ from ${values.against}`);
    if (differences.length > 0) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** Writes the tree of a commit with its packages. A commit without a ledger gets the present one. */
function checkOut(commit: string, tree: string): string {
  execFileSync("git", ["clone", "--quiet", "--no-checkout", ".", tree]);
  execFileSync("git", ["checkout", "--quiet", commit], { cwd: tree });
  if (!existsSync(path.join(tree, "scripts/ledger")))
    cpSync("scripts/ledger", path.join(tree, "scripts/ledger"), { recursive: true });
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: tree, stdio: "ignore" });
  return tree;
}

/** Writes the inputs of a tree into a folder, and returns it. */
function writeInputs(tree: string, inputs: string): string {
  const script = ["--import", "tsx", "scripts/ledger/write-inputs.ts", inputs];
  execFileSync("node", script, { cwd: tree, stdio: ["ignore", "ignore", "inherit"] });
  return inputs;
}

async function runCommands(tree: string, inputs: string): Promise<Answer[]> {
  const script = ["--import", "tsx", "scripts/ledger/run-commands.ts", tree, inputs];
  const child = spawn("node", script, { stdio: ["ignore", "pipe", "inherit"] });
  const exitCode = new Promise<number | null>((resolve) => child.on("close", resolve));
  const lines = (await text(child.stdout)).trimEnd().split("\n");
  if ((await exitCode) !== 0) throw new Error(`The commands of ${tree} did not run to their end.`);
  return lines.map((line) => JSON.parse(line));
}

function keepAnswers(answers: readonly Answer[]): void {
  if (values.out !== undefined)
    writeFileSync(
      values.out,
      answers
        .map(({ printed, ...answer }) => `${JSON.stringify({ ...answer, printed: hashContent(printed) })}\n`)
        .join(""),
    );
}

function summarize(answers: readonly Answer[]): string {
  const findings = answers.reduce((sum, answer) => sum + answer.findings.length, 0);
  const files = answers.reduce((sum, answer) => sum + Object.keys(answer.files).length, 0);
  return `${answers.length} commands, ${findings} findings, ${files} files written`;
}
