import path from "node:path";
import { expect, it } from "vitest";
import { failureOf } from "../../generator/failure.js";
import { folder, tinySchemas } from "./folders.js";
import { accrete } from "./run-in-process.js";

const CASES: readonly { args: string; exitCode: number; stdout?: RegExp; stderr?: RegExp }[] = [
  { args: "", exitCode: 0, stdout: /^Usage: accrete[\s\S]*generate[\s\S]*lint[\s\S]*validate/ },
  { args: "--help", exitCode: 0, stdout: /^Usage: accrete/ },
  { args: "help lint", exitCode: 0, stdout: /^Usage: accrete lint/ },
  { args: "help", exitCode: 0, stdout: /^Usage: accrete/ },
  { args: "--version", exitCode: 0, stdout: /^\d+\.\d+\.\d+\n$/ },
  { args: "generate --version", exitCode: 0, stdout: /^\d+\.\d+\.\d+\n$/ },
  { args: "generate --help", exitCode: 0, stdout: /Examples:\n {2}accrete generate / },
  { args: "lint --help", exitCode: 0, stdout: /Examples:\n[\s\S]*Exit codes: / },
  { args: "validate --help", exitCode: 0, stdout: /Examples:\n[\s\S]*Exit codes: / },
  {
    args: "generat",
    exitCode: 2,
    stderr: /^accrete: Unknown command `generat`. Did you mean `generate`\?\n$/,
  },
  { args: "help generat", exitCode: 2, stderr: /Unknown command `generat`. Did you mean `generate`\?/ },
  {
    args: "help nonsense",
    exitCode: 2,
    stderr: /Unknown command `nonsense`. `accrete help` lists the commands\./,
  },
  { args: "generate --chek", exitCode: 2, stderr: /unknown option '--chek'\n\(Did you mean --check\?\)/ },
  { args: "lint --format xml", exitCode: 2, stderr: /Allowed choices are text, json/ },
  { args: "lint --schemas", exitCode: 2, stderr: /argument missing/ },
  {
    args: "lint tiny --schemas SCHEMAS",
    exitCode: 2,
    stderr: /no protocol "tiny" in .*; did you mean "tiny\/v1"\?/,
  },
  { args: "lint tinny/v1 --schemas SCHEMAS", exitCode: 2, stderr: /did you mean "tiny\/v1"\?/ },
  { args: "lint --schemas SCHEMAS/none", exitCode: 2, stderr: /The schemas folder .* does not exist/ },
  { args: "lint --schemas SCHEMAS/tiny/v1/protocol.json", exitCode: 2, stderr: /is not a folder/ },
  { args: "lint --schemas SCHEMAS/tiny", exitCode: 2, stderr: /holds no protocol/ },
  { args: "validate", exitCode: 2, stderr: /Name what to read/ },
  { args: "validate - - --schemas SCHEMAS", exitCode: 2, stderr: /only once/ },
  { args: "validate --limit -3 -", exitCode: 2, stderr: /whole number/ },
  {
    args: "validate --protocol tiny/v2 - --schemas SCHEMAS",
    exitCode: 2,
    stderr: /did you mean "tiny\/v1"\?/,
  },
  {
    args: "validate none.jsonl --schemas SCHEMAS",
    exitCode: 2,
    stderr: /^accrete: cannot read none\.jsonl: there is no such file or folder\n$/,
  },
  {
    args: "validate --compare SCHEMAS SCHEMAS --schemas SCHEMAS",
    exitCode: 2,
    stderr: /cannot read .*: it is a folder\n$/,
  },
  {
    args: "generate --schemas SCHEMAS --out SCHEMAS/tiny/v1/protocol.json",
    exitCode: 2,
    stderr: /^accrete: .*\n$/,
  },
  ...[
    ["generate --schemas", "generate --out", "generate --fixtures", "lint --schemas", "serve --schemas"],
    ["import x --schemas", "status --consumers", "subset --pairs", "serve --host"],
  ]
    .flat()
    .map((args) => ({
      args: `${args} EMPTY`,
      exitCode: 2,
      stderr: /argument '' is invalid. It must not be empty/,
    })),
];

it.each(CASES.map((one) => [one.args, one] as const))(
  "accrete %s",
  async (_name, { args, exitCode, stdout, stderr }) => {
    const schemas = folder(tinySchemas()).split(path.sep).join("/");
    const argv = args.split(" ").filter((word) => word !== "");
    const got = await accrete(argv.map((word) => word.replace("SCHEMAS", schemas).replace("EMPTY", "")));
    expect(got).toMatchObject({ exitCode });
    expect(got.stdout).toMatch(stdout ?? /^$|^\d+ events?, /);
    expect(got.stderr).toMatch(stderr ?? /^$/);
    expect(got.stderr).not.toMatch(/\n\s+at /);
  },
);

it.each([
  [path.resolve("schemas/x.json"), "schemas/x.json"],
  ["schemas/x.json", "schemas/x.json"],
  [path.resolve("../x.json"), path.resolve("../x.json")],
])("names %s from the current folder if it is below it", (file, shown) => {
  const error = Object.assign(new Error("no"), { code: "EACCES", syscall: "open", path: file });
  expect(failureOf(error).text).toBe(`accrete: ${shown}: permission denied\n`);
});

it("asks to report a bug in one line, with a stack trace only for debugging", () => {
  const bug = new TypeError("x is\nundefined\u001b[2J");
  expect(failureOf(bug)).toEqual({
    exitCode: 2,
    text: "accrete: unexpected error, please report it (DEBUG=accrete shows where it happened): x is\\nundefined\\u001b[2J\n",
  });
  expect(failureOf(bug, true).text).toMatch(/\n\s+at /);
});
