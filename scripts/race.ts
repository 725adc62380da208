/**
 * Asks accrete and other libraries the same questions about containment, each in one warm process, and prints a table of
 * right and wrong answers and of times. npm and pip fetch the libraries; one that cannot be fetched is left out. The questions:
 * the pairs of a labelled file, if it is there, and pairs of random schemas, whose answer follows from many values. The label
 * "contained" is corrected if Ajv and hyperjump confirm a value that refutes it.
 *
 *   npm run race -- [FILE.jsonl] [--pairs 1000] [--seed 1]
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { checkContainment } from "../generator/contain/contain.js";
import { createRandom } from "../generator/random.js";
import { createFamilyPair } from "../test/contain/families.js";
import { createOracle } from "../test/contain/oracle.js";
import { type LabelledQuestion as Question, readLabelledQuestions } from "./race/labelled-questions.js";

/** What a library says, and how many milliseconds it needs; null if it does not know. */
type Answer = readonly [answer: boolean | null, milliseconds: number];

/** A library, and how it answers. */
interface Contestant {
  readonly name: string;
  readonly answer: (questions: readonly Question[], folder: string) => Promise<readonly Answer[]>;
}

const { values, positionals } = parseArgs({
  options: { pairs: { type: "string", default: "1000" }, seed: { type: "string", default: "1" } },
  allowPositionals: true,
});

/** The questions that are asked first, without being counted, so that code is loaded and compiled. */
const WARM_UP = 50;

const CONTESTANTS: readonly Contestant[] = [
  {
    name: "accrete",
    answer: (questions) =>
      measure(questions, async ({ a, b }) => {
        const { verdict } = await checkContainment(a, b);
        return verdict === "undecided" ? null : verdict === "contained";
      }),
  },
  createPythonContestant("jsonschema-rs", "0.61.2"),
  createPythonContestant("jsonsubschema", "0.0.8"),
  {
    name: "json-schema-diff-validator 0.4.2",
    answer: (questions, folder) => {
      execFileSync("npm", ["install", "--silent", "--prefix", folder, "json-schema-diff-validator@0.4.2"]);
      const { validateSchemaCompatibility } = createRequire(path.join(folder, "index.js"))(
        "json-schema-diff-validator",
      );
      return measure(questions, async ({ a, b }) => {
        try {
          validateSchemaCompatibility(structuredClone(a), structuredClone(b));
          return true;
        } catch (error) {
          return error instanceof Error && error.name === "AssertionError" ? false : null;
        }
      });
    },
  },
];

function createPythonContestant(name: string, version: string): Contestant {
  return {
    name: `${name} ${version}`,
    answer: async (questions, folder) => {
      const environment = path.join(folder, name);
      execFileSync("python3", ["-m", "venv", environment], { stdio: "pipe" });
      const python = path.join(environment, "bin", "python");
      execFileSync(python, ["-m", "pip", "install", "--quiet", `${name}==${version}`], { stdio: "pipe" });
      const script = path.join(import.meta.dirname, "race", "ask_peers.py");
      const { stdout } = spawnSync(python, [script, name], {
        input: questions.map(({ a, b }) => `${JSON.stringify({ a, b })}\n`).join(""),
        encoding: "utf8",
        maxBuffer: 1e9,
      });
      const answers: Answer[] = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      // A library that ends the process has not answered the rest.
      return questions.map((_question, index) => answers[index] ?? [null, 0]);
    },
  };
}

async function measure(
  questions: readonly Question[],
  ask: (question: Question) => Promise<boolean | null>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const question of questions) {
    const start = performance.now();
    const answer = await ask(question);
    answers.push([answer, performance.now() - start]);
  }
  return answers;
}

/** Returns the question with the answer "no" if two validators confirm a value that shows it, whatever its label says. */
async function correctLabel(question: Question): Promise<Question> {
  const { a, b, isContained } = question;
  if (!isContained) return question;
  const answer = await checkContainment(a, b);
  if (answer.verdict !== "not-contained") return question;
  const [inA, inB] = [await createOracle(a, "2020-12"), await createOracle(b, "2020-12")];
  const isRefuted = inA?.getVerdict(answer.witness) === true && inB?.getVerdict(answer.witness) === false;
  return isRefuted ? { ...question, isContained: false } : question;
}

/** Creates random pairs of schemas of one type. The values that are likely to tell the two apart are tried with two validators. */
async function createOwnQuestions(count: number, seed: number): Promise<Question[]> {
  const random = createRandom(seed);
  const questions: Question[] = [];
  while (questions.length < count) {
    const { a, b, values: all } = createFamilyPair(random, "2020-12");
    const [inA, inB] = [await createOracle(a, "2020-12"), await createOracle(b, "2020-12")];
    if (!inA || !inB) continue;
    const verdicts = all.map((value) => [inA.getVerdict(value), inB.getVerdict(value)]);
    if (!verdicts.flat().every((each) => typeof each === "boolean")) continue;
    questions.push({ a, b, isContained: !verdicts.some(([ofA, ofB]) => ofA === true && ofB === false) });
  }
  return questions;
}

const folder = mkdtempSync(path.join(tmpdir(), "accrete-race-"));
try {
  const file = positionals[0] ?? "../shared/data/containment-2020-12.jsonl";
  const suites: { readonly name: string; readonly questions: readonly Question[] }[] = [];
  if (existsSync(file)) suites.push({ name: path.basename(file), questions: readLabelledQuestions(file) });
  else console.log(`${file} is not there; only random pairs are asked.`);
  suites.push({
    name: "random pairs",
    questions: await createOwnQuestions(Number(values.pairs), Number(values.seed)),
  });
  console.log(
    "| questions | library | right | wrong | undecided | p50 | p99 |\n|---|---|---|---|---|---|---|",
  );
  for (const { name, questions } of suites) {
    const corrected: Question[] = [];
    for (const question of questions) corrected.push(await correctLabel(question));
    for (const contestant of CONTESTANTS) console.log(await describeResult(name, corrected, contestant));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function describeResult(
  suite: string,
  questions: readonly Question[],
  { name, answer }: Contestant,
): Promise<string> {
  try {
    const all = await answer([...questions.slice(0, WARM_UP), ...questions], folder);
    const answers = all.slice(Math.min(WARM_UP, questions.length));
    const count = (test: (answer: boolean | null, isContained: boolean) => boolean): number =>
      questions.filter(({ isContained }, index) => test(answers[index]?.[0] ?? null, isContained)).length;
    const times = answers.map(([, milliseconds]) => milliseconds).sort((x, y) => x - y);
    const formatQuantile = (share: number): string =>
      `${(times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0).toFixed(2)} ms`;
    const cells = [
      `${suite} (${questions.length})`,
      name,
      count((given, right) => given === right),
      count((given, right) => given === !right),
      count((given) => given === null),
      formatQuantile(0.5),
      formatQuantile(0.99),
    ];
    return `| ${cells.join(" | ")} |`;
  } catch (error) {
    return `| ${suite} | ${name} | not measured: ${error instanceof Error ? error.message.split("\n")[0] : error} | | | | |`;
  }
}
