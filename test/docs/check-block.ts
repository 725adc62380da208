/** Runs or parses a code block of a page, depending on its language. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "vitest";
import { GOLDEN_STREAMS } from "../../generator/init/init-project.js";
import { findSurroundings, renderWorkflow } from "../../generator/init/workflow.js";
import type { Block } from "./blocks.js";
import type { CommandResult, Shell } from "./shell.js";

const root = path.join(import.meta.dirname, "..", "..");
const { load } = createRequire(import.meta.url)("js-yaml") as { load(text: string): unknown };

/** The schemas of files, by the ends of their names. */
const SCHEMAS: readonly (readonly [end: string, schema: string])[] = [
  ["accrete.config.json", "generator/load/config.schema.json"],
];

/** A command line that creates the branch that pull requests are compared with. */
export const CREATE_BASE_BRANCH =
  "git init -q && git add --all . && git -c user.name=a -c user.email=a@example.com commit -qm first && git update-ref refs/remotes/origin/main HEAD";

/** The schemas of the installed package. */
const SCHEMAS_OF_PACKAGE = "node_modules/accrete-cli/schemas";

/** The schema whose members the blocks of docs/stream-rules.md show. */
const STREAM_RULES = "generator/load/protocol.schema.json#/properties/stream/properties/rules";

/** The state of running a page: its shell, the next block, and the output of the last command. */
interface PageRun {
  readonly shell: Shell;
  next: Block | undefined;
  output: string;
}

type Check = (block: Block, run: PageRun) => void | Promise<void>;

/** Checks a block, by its language. */
const CHECKS: { readonly [language: string]: Check } = {
  sh: async ({ at, text }, run) => {
    run.output = "";
    for (const line of text.trim().split("\n")) {
      const printed = await runLine(run, line);
      run.output += printed.output;
      // The next block shows the message of a command that fails.
      if (run.next?.language !== "text") expect([at, line, printed]).toMatchObject([at, line, SUCCESS]);
    }
  },
  console: async ({ at, text }, run) => {
    for (const step of text.split(/^\$ /m).slice(1)) {
      const [line = "", ...shown] = step.trimEnd().split("\n");
      const { output } = await runLine(run, line);
      run.output = output;
      const want = new RegExp(`^${createPattern(trimLines(shown.join("\n")))}$`);
      expect([at, line, trimLines(output)]).toEqual([at, line, expect.stringMatching(want)]);
    }
  },
  text: ({ at, text }, { output }) => {
    for (const line of text.trim().split("\n"))
      expect([at, output.split("\n")]).toEqual([at, matchAnyLine(line)]);
  },
  json: (block, { shell }) => {
    const { file, text } = block;
    const values = parseJsonBlock(text);
    if (file === "") return;
    for (const [end, schema] of SCHEMAS) if (file.endsWith(end)) expectValid(schema, values[0], block);
    if (file.endsWith(".schema.json")) expect(new Ajv2020().validateSchema(values[0] as object)).toBe(true);
    if (block.at.startsWith("docs/stream-rules.md")) expectValid(STREAM_RULES, values[0], block);
    writeBlock(shell, file, text);
  },
  yaml: async ({ at, text }, run) => {
    expect([at, load(text)]).toEqual([at, expect.any(Object)]);
    if (text.includes("jobs:") && at.startsWith("docs/ci.md"))
      expect(text).toBe(renderWorkflow(findSurroundings("/"), "test", `fixtures/${GOLDEN_STREAMS}`));
    for (const [, step = ""] of text.matchAll(/- run: (npx accrete-cli .*)/g)) {
      const line = step.replace(/\$\{\{ github.base_ref \}\}/, "main");
      expect([at, line, await runLine(run, line)]).toMatchObject([at, line, SUCCESS]);
    }
  },
  js: ({ file, text }, { shell }) => writeBlock(shell, file, text),
  ts: ({ file, text }, { shell }) => writeBlock(shell, file, text),
  // A query is answered over the archive of the page, and the next block shows the answer. test/emit/sql-questions.test.ts runs it
  // on other engines. The beginning of each generated file shows the same statements as the other blocks.
  sql: async ({ at, text }, run) => {
    const { shell } = run;
    if (text.startsWith("SELECT")) {
      const query = `npx accrete-cli audit archive --sql "${text.replace(/\s+/g, " ").trim()}"`;
      const printed = await shell.run(query);
      expect([at, printed]).toMatchObject([at, SUCCESS]);
      run.output = printed.output;
      return;
    }
    const generate = `npx accrete-cli generate --emit sql --schemas ${SCHEMAS_OF_PACKAGE} --out views`;
    expect([at, await shell.run(generate)]).toMatchObject([at, SUCCESS]);
    const folder = path.join(shell.folder, "views/hecate/v1/sql");
    const generated = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), "utf8"));
    expect(generated.join("\n").replace(/^-- ?/gm, "")).toContain(text);
  },
  // test/audit/stream-engine.test.ts runs it.
  conf: () => {},
  // Configurations of editors, which the tests do not have.
  lua: () => {},
  toml: () => {},
  // test/emit/go.test.ts, test/emit/python.deep.test.ts and test/emit/rust.deep.test.ts run these.
  go: () => {},
  python: () => {},
  rust: () => {},
  // A picture that GitHub draws; test/architecture-page.test.ts compares it with the sources.
  mermaid: () => {},
  // The block lists folders and files.
  tree: () => {},
};

/** Runs or parses blocks in their order, except those that `isNotRun` accepts. */
export async function checkBlocks(
  blocks: readonly Block[],
  shell: Shell,
  isNotRun: (block: Block) => boolean = () => false,
): Promise<void> {
  const run: PageRun = { shell, next: undefined, output: "" };
  for (const [index, block] of blocks.entries()) {
    if (isNotRun(block)) continue;
    const check = CHECKS[block.language];
    if (!check)
      throw new Error(`${block.at}: there is no check for blocks of ${block.language || "no name"}`);
    run.next = blocks[index + 1];
    await check(block, run);
  }
}

/** The result of a command without findings. */
export const SUCCESS = { exitCode: 0 };

async function runLine({ shell }: PageRun, line: string): Promise<CommandResult> {
  if (line.includes("git:origin/main")) expect(await shell.run(CREATE_BASE_BRANCH)).toMatchObject(SUCCESS);
  return shell.run(line);
}

const trimLines = (text: string): string => text.replace(/[ \t]+$/gm, "").trim();

/** Returns a pattern for a text in which … matches anything. */
export const createPattern = (text: string): string =>
  text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("…", "[^]*?");

const matchAnyLine = (line: string): unknown =>
  expect.arrayContaining([expect.stringMatching(new RegExp(`^${createPattern(line)}$`))]);

/** Parses a JSON text, members of an object, or lines of JSON. */
function parseJsonBlock(text: string): unknown[] {
  const whole = text.trimStart().startsWith('"') ? `{${text}}` : text;
  try {
    return [JSON.parse(whole)];
  } catch {
    return text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  }
}

function expectValid(schema: string, value: unknown, { at }: Block): void {
  const [file = "", fragment = ""] = schema.split("#");
  const ajv = new Ajv2020({ strict: false, formats: { uri: true } });
  ajv.addSchema(JSON.parse(readFileSync(path.join(root, file), "utf8")), "schema");
  const valid = ajv.validate({ $ref: `schema#${fragment}` }, value);
  expect([at, valid, ajv.errors]).toEqual([at, true, null]);
}

function writeBlock(shell: Shell, file: string, text: string): void {
  if (file === "") throw new Error(`The block has no file name:\n${text}`);
  const at = path.join(shell.folder, file);
  mkdirSync(path.dirname(at), { recursive: true });
  writeFileSync(at, text);
}
