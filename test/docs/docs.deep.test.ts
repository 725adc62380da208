/** If this fails, README.md or a page of docs/ shows a command or code that does not work. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPERATOR_PAGES, PAGES, readBlocks } from "./blocks.js";
import { CREATE_BASE_BRANCH, checkBlocks, createPattern, SUCCESS } from "./check-block.js";
import { openPackages } from "./installed.js";
import { isNotRun, NOT_RUN } from "./not-run.js";
import { openShell } from "./shell.js";

const root = path.join(import.meta.dirname, "..", "..");

const INSTALL = "npm install --save-dev accrete-cli";
const OWN_PROTOCOL = [INSTALL, "npx accrete-cli init --name notes"];
const RECORDINGS = "node_modules/accrete-cli/fixtures";

/** Commands that run before the blocks of a page. */
const COMMANDS_BEFORE: { readonly [page: string]: readonly string[] } = {
  "docs/authoring-schemas.md": OWN_PROTOCOL,
  "docs/go.md": OWN_PROTOCOL,
  "docs/outputs.md": OWN_PROTOCOL,
  "docs/python.md": OWN_PROTOCOL,
  "docs/renaming.md": OWN_PROTOCOL,
  "docs/rust.md": OWN_PROTOCOL,
  "docs/vectors.md": OWN_PROTOCOL,
  "docs/living-with-a-protocol.md": OWN_PROTOCOL,
  "docs/compatibility.md": [...OWN_PROTOCOL, CREATE_BASE_BRANCH],
  "docs/serving.md": [
    INSTALL,
    `cp ${RECORDINGS}/hecate/v1/streams/mcp-call.jsonl run.jsonl`,
    `mkdir more && cp ${RECORDINGS}/frames/v1/streams/session.jsonl more`,
  ],
};

let folder: string;
let projects: string;
let packages: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "docs-accrete-")));
  projects = path.join(folder, "projects");
  packages = openPackages(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const others = [...OPERATOR_PAGES, "CONTRIBUTING.md"]; // the commands of the last one are those of .ci/run
const pages = PAGES.filter((page) => !others.includes(page))
  .map((page) => ({ page, blocks: readBlocks(page) }))
  .filter(({ blocks }) => blocks.length > 0);

describe("the blocks of a page", () => {
  it.each(pages)("$page", async ({ page, blocks }) => {
    const shell = openShell(path.join(projects, path.basename(page, ".md")), packages);
    try {
      for (const line of COMMANDS_BEFORE[page] ?? []) expect(await shell.run(line)).toMatchObject(SUCCESS);
      await checkBlocks(blocks, shell, isNotRun);
    } finally {
      await shell.close();
    }
  });
});

it("the code of pages type-checks", () => {
  const files = pages.flatMap(({ page, blocks }) =>
    blocks
      .filter((block) => (block.language === "ts" || block.language === "js") && !isNotRun(block))
      .map(({ file }) => `${path.basename(page, ".md")}/**/${file}`),
  );
  const options = {
    strict: true,
    target: "es2022",
    module: "nodenext",
    types: ["node"],
    noEmit: true,
    allowJs: true,
    checkJs: true,
    noImplicitAny: false,
    skipLibCheck: true,
    typeRoots: [path.join(root, "node_modules/@types")],
  };
  writeFileSync(
    path.join(projects, "tsconfig.json"),
    JSON.stringify({ compilerOptions: options, include: files }),
  );
  const tsc = path.join(root, "node_modules/typescript/bin/tsc");
  let output = "";
  try {
    execFileSync(process.execPath, [tsc, "-p", projects], { encoding: "utf8" });
  } catch (error) {
    output = String((error as { stdout: unknown }).stdout);
  }
  expect(output).toBe("");
  expect(files.length).toBeGreaterThan(3);
});

it("lists only existing blocks as not run", () => {
  const blocksNotRun = PAGES.flatMap((page) => readBlocks(page).filter(isNotRun));
  expect(blocksNotRun).toHaveLength(Object.keys(NOT_RUN).length);
});

it("the picture of accrete compat shows the output in README.md", () => {
  const svg = readFileSync(path.join(root, "docs/images/compat.svg"), "utf8");
  const entities: { readonly [entity: string]: string } = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };
  const drawn = svg.replace(/<[^>]*>/g, "").replace(/&\w+;/g, (entity) => entities[entity] ?? entity);
  const command = "$ npx accrete-cli compat";
  const shown = readBlocks("README.md").find(({ text }) => text.includes(command))?.text ?? "";
  const removeSpace = (text: string): string => text.replace(/\s/g, "");
  const pattern = createPattern(removeSpace(shown.slice(shown.indexOf(command))));
  expect(removeSpace(drawn)).toMatch(new RegExp(`^${pattern}$`));
});
