/** If this fails, README.md or a page of docs/ shows a command or code that does not work. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Block, PAGES, readBlocks } from "./blocks.js";
import { CREATE_BASE_BRANCH, checkBlocks, createPattern, SUCCESS } from "./check-block.js";
import { openPackages } from "./installed.js";
import { openShell } from "./shell.js";

const root = path.join(import.meta.dirname, "..", "..");

const TEST_PACKAGE = "test/package runs it, and all other blocks of the page";

/** Blocks that are not run here, by page and first line, with the reason. */
const NOT_RUN: { readonly [start: string]: string } = {
  "README.md npm test   # run the generated conformance tests": TEST_PACKAGE,
  "README.md npx vitest run timeline.test.mjs": TEST_PACKAGE,
  "docs/compatibility.md npm install zod@4 ai-5.0.53@npm:ai@5.0.53 ai-5.0.92@npm:ai@5.0.92":
    "it installs packages; test/rollout/published-chunks.test.ts runs it",
  "docs/compatibility.md events of  reader 5.0.53 strict  reader 5.0.92 strict":
    "it is the output of the block before",
  'docs/importing.md import { Schema } from "effect";': "it needs a package that the next block installs",
  "docs/importing.md npm install effect@4":
    "it installs packages; test/import/unusual-schemas.test.ts imports their output",
  "docs/importing.md npm install @typespec/compiler @typespec/json-schema":
    "it installs packages; test/import/unusual-schemas.test.ts imports their output",
  'docs/ag-ui.md import { writeFileSync } from "node:fs";': "it needs packages that the next block installs",
  "docs/ag-ui.md npm install --save-dev accrete-cli @ag-ui/core@1 zod@4":
    "it installs packages; npm run prove:messages imports the same schemas",
  "docs/ag-ui.md npx accrete-cli validate run.jsonl --profile writer":
    "it needs the import of a block before",
  "docs/monitoring.md npm install @platformatic/kafka   # on Node 20: @platformatic/kafka@1":
    "it needs a broker; test/monitor/brokers runs the command",
  "docs/monitoring.md npm install @nats-io/transport-node @nats-io/jetstream":
    "it needs a broker; test/monitor/brokers runs the command",
  "docs/monitoring.md npm install @opentelemetry/sdk-metrics @opentelemetry/resources @opentelemetry/exporter-metrics-otlp-http":
    "it installs packages; test/monitor/monitor.test.ts sends metrics",
  "docs/auditing.md npm install --prefix job accrete-cli   # only what the job needs": "it needs a cluster",
};

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

const isNotRun = ({ at, text }: Block): boolean =>
  Object.hasOwn(NOT_RUN, `${at.split(":")[0]} ${text.split("\n")[0]}`);

let folder: string;
let projects: string;
let packages: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "docs-accrete-")));
  projects = path.join(folder, "projects");
  packages = openPackages(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pages = PAGES.filter((page) => page !== "CONTRIBUTING.md") // its commands are those of .ci/run
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
  const blocksNotRun = pages.flatMap(({ blocks }) => blocks.filter(isNotRun));
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
