/**
 * If this fails, something tells users to install, run or import the package `accrete` of npm, which belongs to somebody
 * else. Ours are accrete-cli, accrete-client and accrete-kit.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { loadAllCommands } from "../../generator/commands/program.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryFolder, readTree } from "../folders.js";
import { PAGES } from "./blocks.js";

const root = path.join(import.meta.dirname, "..", "..");

/** The name `accrete` alone, or with a version or a path: not accrete-cli, accrete.config.json or ./accrete. */
const NAME = "(?<![\\w./-])accrete(?![\\w.-])";

const INSTALLERS =
  "npx|bunx|npm (?:i|install|add|exec|x|create|init|ci)|pnpm (?:add|dlx|i|install)|yarn (?:add|dlx)";

/** Patterns of text that makes npm or Node look for the package. */
const PATTERNS: readonly RegExp[] = [
  // A program and the rest of its command, as far as the name.
  new RegExp(`\\b(?:${INSTALLERS})\\b[^\\n\`;&|]*?${NAME}`),
  /\b(?:from|import|require)\b\s*\(?\s*["']accrete(?:["'/])/,
  /"accrete"\s*:\s*"(?:[\^~<>=*\d]|latest)/,
  /node_modules\/accrete\//,
];

const findUse = (text: string): string | undefined =>
  PATTERNS.map((pattern) => pattern.exec(text)?.[0]).find((use) => use !== undefined);

it.each([
  "npx accrete init",
  "npx --yes accrete compat",
  "npx accrete@1 init",
  "npm install accrete",
  "npm i -D vitest accrete",
  "npm exec accrete -- lint",
  "pnpm dlx accrete",
  'import { follow } from "accrete/stream";',
  "const kit = require('accrete');",
  '"devDependencies": { "accrete": "^0.1.0" }',
  "cp node_modules/accrete/fixtures .",
])("refuses %s", (text) => expect(findUse(text)).toBeDefined());

it.each([
  "npx accrete-cli init",
  "npm install --save-dev accrete-cli accrete-kit",
  '"generate": "accrete generate"',
  "npm install && npm run accrete",
  "npm run -s accrete -- lint",
  "`npm install` adds the command `accrete`",
  'import { follow } from "accrete-client/stream";',
  '"$schema": "./node_modules/accrete-cli/dist/load/config.schema.json"',
])("accepts %s", (text) => expect(findUse(text)).toBeUndefined());

it("no page, generated file, source, message or workflow names the package", () => {
  const folders = ["docs", "generated", "generator", "scripts/packages", "schemas", ".ci"];
  const inFolders = folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(md|ts|js|jsx|json|html|py|svg)$|\/run$|^run$/.test(file))
      .filter((file) => !file.includes("node_modules"))
      .map((file) => `${folder}/${file}`),
  );
  const files = [...new Set([...PAGES, ...inFolders])];
  expect(files.length).toBeGreaterThan(400);
  const uses = files
    .map((file) => ({ file, use: findUse(readFileSync(path.join(root, file), "utf8")) }))
    .filter(({ use }) => use !== undefined);
  expect(uses).toEqual([]);
});

it("neither the help nor a new project names the package", async () => {
  const helps = (await loadAllCommands()).map(({ name }) => [name, "--help"]);
  const outputs: string[] = [];
  for (const line of [["help"], ...helps]) outputs.push((await runAccrete(line)).stdout);
  const folder = createTemporaryFolder();
  outputs.push((await runAccrete(["init", folder, "--name", "notes"])).stdout);
  outputs.push(...Object.values(readTree(folder)));
  expect(outputs.join("\n")).toContain("npx accrete-cli validate");
  expect(outputs.map(findUse).filter((use) => use !== undefined)).toEqual([]);
});
