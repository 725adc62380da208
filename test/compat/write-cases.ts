/** Writes the case folders of the rules' own examples: `npx tsx test/compat/write-cases.ts`. Review what it changes. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { RULES } from "../../generator/compat/rules/rules.js";
import { CASES, caseNames, checkFolders, outline } from "./case-folders.js";
import { SILENT } from "./silent.js";
import { writeTea } from "./tea.js";

async function expect(folder: string): Promise<void> {
  const { findings, additions } = await checkFolders(path.join(folder, "before"), path.join(folder, "after"));
  const expected = { findings: findings.map(outline), additions: additions.map(outline) };
  writeFileSync(path.join(folder, "expected.json"), `${JSON.stringify(expected, null, 2)}\n`);
}

const examples = [
  ...RULES.map(({ id, example }) => [id, example] as const),
  ...Object.entries(SILENT).map(([name, example]) => [`silent-${name}`, example] as const),
];

async function main(): Promise<void> {
  for (const name of caseNames()) rmSync(path.join(CASES, name), { recursive: true });
  for (const [name, { before, after }] of examples) {
    const folder = path.join(CASES, name);
    if (JSON.stringify(before) === JSON.stringify(after) && !name.startsWith("silent-")) continue;
    writeTea(path.join(folder, "before"), before);
    writeTea(path.join(folder, "after"), after);
    await expect(folder);
    if (!existsSync(path.join(folder, "expected.json"))) throw new Error(name);
  }
}

await main();
