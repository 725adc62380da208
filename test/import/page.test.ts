/** If this fails, the commands of docs/importing.md do not print what the page shows. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { chdir, cwd } from "node:process";
import { expect, it, onTestFinished } from "vitest";
import { runAccrete } from "../cli/run-in-process.js";
import { createTemporaryFolder } from "../folders.js";

const home = cwd();
const page = readFileSync(path.join(import.meta.dirname, "../../docs/importing.md"), "utf8");
const blocks = [...page.matchAll(/```(\w+)(?: (\S+))?\n([\s\S]*?)```/g)].map(
  ([, language = "", file = "", text = ""]) => ({ language, file, text }),
);

it("shows the commands with the lines that they print", async () => {
  const files = blocks.filter(({ file }) => file !== "").map(({ file, text }) => [file, text]);
  const root = createTemporaryFolder(Object.fromEntries(files));
  chdir(root);
  onTestFinished(() => chdir(home));
  const commands: string[] = [];
  let said = "";
  for (const { language, file, text } of blocks) {
    if (language === "sh") {
      const done = [];
      for (const line of text.trim().split("\n")) {
        const argv = line.replaceAll("'", "").split(" ").slice(1);
        commands.push(argv[0] ?? "");
        done.push(await runAccrete(argv));
      }
      said = done.map(({ stdout, stderr }) => stdout + stderr).join("");
      for (const { exitCode, stderr } of done) expect(exitCode).toBe(stderr === "" ? 0 : 2);
    }
    if (language === "text" && file === "")
      for (const line of text.trim().split("\n")) expect(said.split("\n")).toContain(line);
  }
  expect(commands).toEqual(["import", "generate", "import", "import", "import", "validate"]);
});
