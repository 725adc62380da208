/** If this fails, SECURITY.md does not say what a command trusts. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { loadAllCommands } from "../../generator/commands/program.js";

const text = readFileSync(path.join(import.meta.dirname, "../../SECURITY.md"), "utf8");
const rows = text.split("\n").filter((line) => line.startsWith("| `"));

it("the table of SECURITY.md has each command once", async () => {
  const listed = rows.flatMap((row) =>
    [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  const commands = await loadAllCommands();
  expect([...listed].sort()).toEqual(commands.map(({ name }) => name).sort());
});

it("its rows name the options by which commands write files or start programs", async () => {
  const commands = await loadAllCommands();
  const options = ["--output", "--witness", "--functions", "--command", "--url", "--waive"];
  const missing = commands.flatMap(({ name, options: known }) => {
    const row = rows.find((each) => each.split("|")[1]?.includes(`\`${name}\``)) ?? "";
    return known
      .map(({ long }) => long ?? "")
      .filter((long) => options.includes(long) && !row.includes(long))
      .map((long) => `${name} ${long}`);
  });
  expect(missing).toEqual([]);
});

it("its scripts exist", () => {
  const { scripts } = JSON.parse(readFileSync(path.join(import.meta.dirname, "../../package.json"), "utf8"));
  const named = [...text.matchAll(/`(?:npm run )?((?:fuzz|measure|test):[a-z]+)`/g)].map(([, name]) => name);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !(String(name) in scripts))).toEqual([]);
});
