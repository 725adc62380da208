/** What docs/ci.md shows is what happens. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { chdir, cwd } from "node:process";
import { expect, it, onTestFinished } from "vitest";
import { WORKFLOW, workflow } from "../../generator/commands/init/workflow.js";
import { parseConfig } from "../../generator/load/config.js";
import { parseSource } from "../../generator/load/source.js";
import { folder, tree } from "./folders.js";
import { accrete } from "./run-in-process.js";

const home = cwd();
const page = readFileSync(path.join(import.meta.dirname, "../../docs/ci.md"), "utf8");
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, "g"))].map(([, text = ""]) => text);

it("shows the workflow that init writes", () => {
  expect(blocks("yaml")).toEqual([workflow("test")]);
});

it("shows commands that do what they are for", async () => {
  const root = folder();
  chdir(root);
  onTestFinished(() => chdir(home));
  const lines = blocks("sh").flatMap((block) => block.trim().split("\n"));
  const done = new Set<string>();
  for (const line of lines) {
    const scripts = JSON.parse(tree(root)["package.json"] ?? "{}").scripts ?? {};
    const command = line.replace(/^npm (?:run )?(\w+)$/, (whole, name) => scripts[name] ?? whole);
    // There is no branch to compare with here; installing and vitest are up to test/package.
    for (const one of command.replace(/ > .*| --against \S+/g, "").split(" && ")) {
      const [program, ...argv] = one.replace(/^npx /, "").split(" ");
      if (program !== "accrete") continue;
      expect([one, await accrete(argv)]).toEqual([one, expect.objectContaining({ exitCode: 0, stderr: "" })]);
      done.add(argv[0] ?? "");
    }
  }
  expect([...done].sort()).toEqual(["compat", "generate", "init", "lint", "release"]);
  expect(tree(root)[WORKFLOW]).toBe(workflow("test"));
});

it("shows a configuration that can be", () => {
  const [json = ""] = blocks("json");
  const parsed = parseSource("accrete.config.json", Buffer.from(json));
  const config = "source" in parsed && parseConfig(parsed.source, "");
  expect(config).toEqual({ config: JSON.parse(json) });
});
