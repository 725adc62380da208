/** What README.md and docs/ show is what happens: every block is run, parsed or type-checked, in the order of its page. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { workflow } from "../../generator/commands/init/workflow.js";
import { newcomer } from "../package/newcomer.js";
import { type Block, blocksOf, PAGES } from "./blocks.js";
import { installedIn } from "./installed.js";
import { openShell, type Printed, type Shell } from "./shell.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const root = path.join(import.meta.dirname, "..", "..");
const { load } = createRequire(import.meta.url)("js-yaml") as { load(text: string): unknown };

/** Blocks that nothing can be done with here, by page and first line, and why. */
const NOT_RUN: { readonly [start: string]: string } = {
  "README.md npm ci && npm run generate    # schemas → types, validators, catalogue, tests":
    ".ci/run does, from a clean clone",
  "README.md npm test   # fixtures and validators agree": "test/package does, in a project that init made",
  "README.md npm install --save-dev vitest && npx vitest run timeline.test.mjs":
    "test/package does, with the lines that README.md shows, under three test runners",
};

/** What a file claims to be, by the end of its name. */
const SCHEMAS: readonly (readonly [end: string, schema: string])[] = [
  ["accrete.config.json", "generator/load/config.schema.json"],
];

/** Makes the branch that pull requests are compared with. */
const BRANCH =
  "git init -q && git add --all . && git -c user.name=a -c user.email=a@example.com commit -qm first && git update-ref refs/remotes/origin/main HEAD";

/** What the blocks of docs/stream-rules.md are members of. */
const STREAM_RULES = "generator/load/protocol.schema.json#/properties/stream/properties/rules";

const OWN_PROTOCOL = ["npm install accrete", "npx accrete init --name notes"];
const RECORDINGS = "node_modules/accrete/fixtures";

/** What a page takes for granted. */
const BEFORE: { readonly [page: string]: readonly string[] } = {
  "docs/outputs.md": OWN_PROTOCOL,
  "docs/compatibility.md": [...OWN_PROTOCOL, BRANCH],
  "docs/serving.md": [
    "npm install accrete",
    `cp ${RECORDINGS}/hecate/v1/streams/mcp-call.jsonl run.jsonl`,
    `mkdir more && cp ${RECORDINGS}/frames/v1/streams/session.jsonl more`,
  ],
};

/** A page on its way: where it is run, and what the last command said. */
interface Reading {
  readonly shell: Shell;
  readonly next: Block | undefined;
  said: string;
}

type Check = (block: Block, reading: Reading) => void | Promise<void>;

const CHECKS: { readonly [language: string]: Check } = {
  sh: async ({ at, text }, reading) => {
    reading.said = "";
    for (const line of text.trim().split("\n")) {
      const printed = await runLine(reading, line);
      reading.said += printed.said;
      // A command that fails has its sentence shown.
      if (reading.next?.language !== "text") expect([at, line, printed]).toMatchObject([at, line, SOUND]);
    }
  },
  console: async ({ at, text }, reading) => {
    for (const step of text.split(/^\$ /m).slice(1)) {
      const [line = "", ...shown] = step.trimEnd().split("\n");
      const { said } = await runLine(reading, line);
      reading.said = said;
      const want = new RegExp(`^${literal(trimmed(shown.join("\n")))}$`);
      expect([at, line, trimmed(said)]).toEqual([at, line, expect.stringMatching(want)]);
    }
  },
  text: ({ at, text }, { said }) => {
    for (const line of text.trim().split("\n"))
      expect([at, said.split("\n")]).toEqual([at, containing(line)]);
  },
  json: (block, { shell }) => {
    const { file, text } = block;
    const values = jsonIn(text);
    if (file === "") return;
    for (const [end, schema] of SCHEMAS) if (file.endsWith(end)) expectValid(schema, values[0], block);
    if (file.endsWith(".schema.json")) expect(new Ajv2020().validateSchema(values[0] as object)).toBe(true);
    if (block.at.startsWith("docs/stream-rules.md")) expectValid(STREAM_RULES, values[0], block);
    written(shell, file, text);
  },
  yaml: async ({ at, text }, reading) => {
    expect([at, load(text)]).toEqual([at, expect.any(Object)]);
    if (text.includes("jobs:")) expect(text).toBe(workflow("test"));
    for (const [, step = ""] of text.matchAll(/- run: (npx accrete .*)/g)) {
      const line = step.replace(/\$\{\{ github.base_ref \}\}/, "main");
      expect([at, line, await runLine(reading, line)]).toMatchObject([at, line, SOUND]);
    }
  },
  js: ({ file, text }, { shell }) => written(shell, file, text),
  ts: ({ file, text }, { shell }) => written(shell, file, text),
  // A picture that GitHub draws; test/architecture-page.test.ts compares it with the sources.
  mermaid: () => {},
  // Folders and files.
  tree: () => {},
};

const SOUND = { exitCode: 0 };

async function runLine({ shell }: Reading, line: string): Promise<Printed> {
  if (line.includes("git:origin/main")) expect(await shell.run(BRANCH)).toMatchObject(SOUND);
  return shell.run(line);
}

const trimmed = (text: string): string => text.replace(/[ \t]+$/gm, "").trim();

/** A pattern for a text in which … stands for anything. */
const literal = (text: string): string =>
  text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("…", "[^]*?");

const containing = (line: string): unknown =>
  expect.arrayContaining([expect.stringMatching(new RegExp(`^${literal(line)}$`))]);

/** A JSON text, members of an object, or a line of JSON each. */
function jsonIn(text: string): unknown[] {
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

function written(shell: Shell, file: string, text: string): void {
  if (file === "") throw new Error(`a file without a name:\n${text}`);
  const at = path.join(shell.folder, file);
  mkdirSync(path.dirname(at), { recursive: true });
  writeFileSync(at, text);
}

const isNotRun = ({ at, text }: Block): boolean =>
  Object.hasOwn(NOT_RUN, `${at.split(":")[0]} ${text.split("\n")[0]}`);

let folder: string;
let projects: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "docs-accrete-")));
  projects = path.join(folder, "projects");
  installedIn(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pages = PAGES.filter((page) => page !== "CONTRIBUTING.md") // its commands are those of .ci/run
  .map((page) => ({ page, blocks: blocksOf(page) }))
  .filter(({ blocks }) => blocks.length > 0);

describe("what a page shows is what happens", () => {
  it.each(pages)("$page", async ({ page, blocks }) => {
    const shell = openShell(
      path.join(projects, path.basename(page, ".md")),
      path.join(projects, "node_modules/accrete"),
    );
    const reading = { shell, said: "" };
    try {
      for (const line of BEFORE[page] ?? []) expect(await shell.run(line)).toMatchObject(SOUND);
      for (const [index, block] of blocks.entries()) {
        if (isNotRun(block)) continue;
        const check = CHECKS[block.language];
        if (!check)
          throw new Error(`${block.at}: nothing is known of blocks of ${block.language || "no name"}`);
        const now = Object.assign(reading, { next: blocks[index + 1] });
        await check(block, now);
      }
    } finally {
      await shell.close();
    }
  });
});

it("code that pages show has the right types", () => {
  const files = pages.flatMap(({ page, blocks }) =>
    blocks
      .filter(({ language }) => language === "ts" || language === "js")
      .map(({ file }) => `${path.basename(page, ".md")}/**/${file}`),
  );
  const options = {
    ...{ strict: true, target: "es2022", module: "nodenext", types: ["node"], noEmit: true },
    ...{ allowJs: true, checkJs: true, noImplicitAny: false, skipLibCheck: true },
    typeRoots: [path.join(root, "node_modules/@types")],
  };
  writeFileSync(
    path.join(projects, "tsconfig.json"),
    JSON.stringify({ compilerOptions: options, include: files }),
  );
  const tsc = path.join(root, "node_modules/typescript/bin/tsc");
  let said = "";
  try {
    execFileSync(process.execPath, [tsc, "-p", projects], { encoding: "utf8" });
  } catch (error) {
    said = String((error as { stdout: unknown }).stdout);
  }
  expect(said).toBe("");
  expect(files.length).toBeGreaterThan(3);
});

it("README.md shows the test that test/package runs", () => {
  const shown = blocksOf("README.md").find(({ file }) => file === "timeline.test.mjs");
  expect(shown?.text).toBe(newcomer("vitest"));
});

it("lists no block as not run that is not there", () => {
  const there = pages.flatMap(({ blocks }) => blocks.filter(isNotRun));
  expect(there).toHaveLength(Object.keys(NOT_RUN).length);
});

it("the picture of accrete compat says what README.md says that it says", () => {
  const svg = readFileSync(path.join(root, "docs/images/compat.svg"), "utf8");
  const entities: { readonly [entity: string]: string } = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };
  const drawn = svg.replace(/<[^>]*>/g, "").replace(/&\w+;/g, (entity) => entities[entity] ?? entity);
  const command = "$ npx accrete compat";
  const shown = blocksOf("README.md").find(({ text }) => text.includes(command))?.text ?? "";
  const bare = (text: string): string => text.replace(/\s/g, "");
  expect(bare(drawn)).toMatch(new RegExp(`^${literal(bare(shown.slice(shown.indexOf(command))))}$`));
});
