/** If this fails, users get no help, or an error without the reason and the fix. */
import path from "node:path";
import { expect, it } from "vitest";
import { describeFailure } from "../../generator/failure.js";
import { createTemporaryFolder, createTinySchemas } from "../folders.js";
import { type Outcome, runAccrete } from "./run-in-process.js";

/** Command lines that print help or the version. */
const HELP: readonly (readonly [line: string, stdout: RegExp])[] = [
  ["", /^Usage: accrete[\s\S]*generate[\s\S]*lint[\s\S]*validate/],
  ["--help", /^Usage: accrete/],
  ["help lint", /^Usage: accrete lint/],
  ["help", /^Usage: accrete/],
  ["--version", /^\d+\.\d+\.\d+\n$/],
  ["generate --version", /^\d+\.\d+\.\d+\n$/],
  ["generate --help", /Examples:\n {2}accrete generate /],
  ["lint --help", /Examples:\n[\s\S]*Exit codes: /],
  ["validate --help", /Examples:\n[\s\S]*Exit codes: /],
];

/** Commands with an option that refuses an empty value. */
const OPTIONS_WITH_VALUES = [
  ["generate --schemas", "generate --out", "generate --fixtures", "lint --schemas", "serve --schemas"],
  ["import x --schemas", "status --consumers", "subset --pairs", "serve --host"],
].flat();

/** Wrong command lines with their messages. `@/` is a folder with a small protocol, and EMPTY is an empty word. */
const WRONG_LINES: readonly (readonly [line: string, stderr: RegExp])[] = [
  ["generat", /^accrete: Unknown command `generat`. Did you mean `generate`\?\n$/],
  ["help generat", /Unknown command `generat`. Did you mean `generate`\?/],
  ["help nonsense", /Unknown command `nonsense`. `accrete help` lists the commands\./],
  ["generate --chek", /unknown option '--chek'\n\(Did you mean --check\?\)/],
  ["lint --format xml", /Allowed choices are text, json/],
  ["lint --schemas", /argument missing/],
  ["lint tiny --schemas @/", /no protocol "tiny" in .*; did you mean "tiny\/v1"\?/],
  ["lint tinny/v1 --schemas @/", /did you mean "tiny\/v1"\?/],
  ["lint --schemas @/none", /The schemas folder .* does not exist/],
  ["lint --schemas @/tiny/v1/protocol.json", /is not a folder/],
  ["lint --schemas @/tiny", /holds no protocol/],
  ["validate", /Name what to read/],
  ["validate - - --schemas @/", /only once/],
  ["validate --limit -3 -", /whole number/],
  ["validate --protocol tiny/v2 - --schemas @/", /did you mean "tiny\/v1"\?/],
  [
    "validate none.jsonl --schemas @/",
    /^accrete: cannot read none\.jsonl: there is no such file or folder\n$/,
  ],
  ["validate --compare @/ @/ --schemas @/", /cannot read .*: it is a folder\n$/],
  ["generate --schemas @/ --out @/tiny/v1/protocol.json", /^accrete: .*\n$/],
  ...OPTIONS_WITH_VALUES.map(
    (line) => [`${line} EMPTY`, /argument '' is invalid. It must not be empty/] as const,
  ),
];

function runLine(line: string): Promise<Outcome> {
  const root = `${createTemporaryFolder(createTinySchemas()).split(path.sep).join("/")}/`;
  const words = line.split(" ").filter((word) => word !== "");
  return runAccrete(words.map((word) => word.replace("@/", root).replace("EMPTY", "")));
}

it.each(HELP)("prints help or the version for accrete %s", async (line, stdout) => {
  expect(await runLine(line)).toEqual({ exitCode: 0, stdout: expect.stringMatching(stdout), stderr: "" });
});

it.each(WRONG_LINES)("refuses accrete %s", async (line, message) => {
  const { exitCode, stdout, stderr } = await runLine(line);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
  expect(stdout).toMatch(/^$|^\d+ events?, /);
  expect(stderr).not.toMatch(/\n\s+at /);
});

it.each([
  [path.resolve("schemas/x.json"), "schemas/x.json"],
  ["schemas/x.json", "schemas/x.json"],
  [path.resolve("../x.json"), path.resolve("../x.json")],
])("shortens %s only if it is below the current folder", (file, shown) => {
  const error = Object.assign(new Error("no"), { code: "EACCES", syscall: "open", path: file });
  expect(describeFailure(error).text).toBe(`accrete: ${shown}: permission denied\n`);
});

it("asks to report a bug in one line, with a stack trace only for debugging", () => {
  const bug = new TypeError("x is\nundefined\u001b[2J");
  expect(describeFailure(bug)).toEqual({
    exitCode: 2,
    text: "accrete: unexpected error, please report it (DEBUG=accrete shows where it happened): x is\\nundefined\\u001b[2J\n",
  });
  expect(describeFailure(bug, true).text).toMatch(/\n\s+at /);
});
