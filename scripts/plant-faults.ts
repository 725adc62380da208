/**
 * Plants faults in functions of generator/, one at a time, and runs the tests of the fault's component; if these pass,
 * all other tests that import the file; first the quick ones, then the deep ones. Prints what catches each fault, and puts
 * the files back.
 *
 *     npm run faults -- --functions 60 --seed 1 [--component compat] [--also-in CHECKOUT [--there]]
 *
 * With --also-in, it chooses only expressions that the other checkout contains, too. With --there, it plants the same
 * faults in the other checkout, and runs the tests of that one.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { ts } from "ts-morph";
import { groupBy } from "../generator/group-by.js";

interface SourceText {
  readonly file: string;
  readonly text: string;
}

interface Fault {
  readonly file: string;
  readonly component: string;
  readonly name: string;
  /** An expression that occurs only here, and its replacement. */
  readonly before: string;
  readonly after: string;
}

const { values } = parseArgs({
  options: {
    functions: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    "also-in": { type: "string", default: "." },
    there: { type: "boolean", default: false },
    component: { type: "string" },
  },
});

/** The replacements of operators. */
const OPERATORS: { readonly [operator: string]: string } = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "&&": "||",
  "||": "&&",
};

const faults = chooseFaults(readTree("."), readTree(values["also-in"]));
const results = faults.map((fault, index) => {
  const result = findCatcher(fault) ?? "MISSED";
  console.log(`${index + 1} ${result}  ${fault.file} ${fault.name}: ${fault.before} → ${fault.after}`);
  return result;
});
for (const [result, found] of groupBy(results, (each) => each))
  console.log(`${found.length} of ${faults.length}: ${result}`);

function readTree(root: string): SourceText[] {
  const { stdout } = spawnSync("git", ["ls-files", "generator"], { cwd: root, encoding: "utf8" });
  return stdout
    .split("\n")
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts") && !file.includes("/assembly/"))
    .map((file) => ({ file, text: readFileSync(path.join(root, file), "utf8") }));
}

/** Chooses at most one fault in each function. Components take turns, so that each has faults. */
function chooseFaults(sources: readonly SourceText[], others: readonly SourceText[]): Fault[] {
  const order = (fault: Fault): number => computeOrder(`${values.seed} ${fault.name} ${fault.before}`);
  const isOnce = ({ before }: Fault): boolean => [sources, others].every((tree) => findText(tree, before));
  const turns = new Map<string, number>();
  return sources
    .flatMap(plantFaults)
    .filter(({ component }) => values.component === undefined || component === values.component)
    .sort((a, b) => order(a) - order(b))
    .filter(isOnce)
    .filter(
      ({ file, name }, index, all) =>
        all.findIndex((each) => each.file === file && each.name === name) === index,
    )
    .map((fault) => {
      turns.set(fault.component, (turns.get(fault.component) ?? 0) + 1);
      return { fault, turn: turns.get(fault.component) ?? 0 };
    })
    .sort((a, b) => a.turn - b.turn)
    .slice(0, Number(values.functions))
    .map(({ fault }) => ({ ...fault, file: findText(values.there ? others : sources, fault.before) ?? "" }));
}

/** Returns the file that contains `text`, if there is only one occurrence. */
function findText(tree: readonly SourceText[], text: string): string | undefined {
  const [first, ...more] = tree.filter((each) => each.text.includes(text));
  return more.length === 0 && first?.text.split(text).length === 2 ? first.file : undefined;
}

/** Returns every replacement of an operator in the functions of a file. */
function plantFaults({ file, text }: SourceText): Fault[] {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  return tree.statements.filter(ts.isFunctionDeclaration).flatMap((declaration) => {
    const found: Fault[] = [];
    const visit = (node: ts.Node): void => {
      const operator = ts.isBinaryExpression(node) ? node.operatorToken.getText() : "";
      if (ts.isBinaryExpression(node) && OPERATORS[operator])
        found.push({
          file,
          component: file.split("/")[1] ?? "",
          name: declaration.name?.text ?? "",
          before: node.getText(),
          after: `${node.left.getText()} ${OPERATORS[operator]} ${node.right.getText()}`,
        });
      ts.forEachChild(node, visit);
    };
    visit(declaration);
    return found;
  });
}

/** Returns what fails with the fault: the type checker, or one of the suites. The likeliest checks run first. */
function findCatcher({ file, component, before, after }: Fault): string | undefined {
  const cwd = path.resolve(values.there ? values["also-in"] : ".");
  const place = path.join(cwd, file);
  const text = readFileSync(place, "utf8");
  const own = `test/${component}`;
  const listTests = (by: string, mode: readonly string[]) => [
    ...(existsSync(path.join(cwd, own))
      ? [{ by, args: ["vitest", "run", ...mode, "--bail", "1", "--passWithNoTests", `${own}/`] }]
      : []),
    {
      by,
      args: [
        "vitest",
        "related",
        "--run",
        ...mode,
        "--bail",
        "1",
        "--exclude",
        `${own}/**`,
        "--passWithNoTests",
        file,
      ],
    },
  ];
  const checks = [
    { by: "caught by the types", args: ["tsc", "--noEmit"] },
    ...listTests("caught by npm test", []),
    // An older checkout has one suite.
    ...(existsSync(path.join(cwd, "test/depth.ts"))
      ? listTests("caught by npm run test:deep", ["--mode", "deep"])
      : []),
  ];
  const fails = (args: readonly string[]): boolean =>
    spawnSync("npx", args, { cwd, stdio: "ignore", timeout: 1_200_000, killSignal: "SIGKILL" }).status !== 0;
  try {
    writeFileSync(place, text.split(before).join(after));
    return checks.find(({ args }) => fails(args))?.by;
  } finally {
    writeFileSync(place, text);
  }
}

/** Returns a pseudorandom number that depends only on the text. */
function computeOrder(text: string): number {
  let hash = 2166136261;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16777619) >>> 0;
  return Math.imul(hash ^ (hash >>> 15), 2246822519) >>> 0;
}
