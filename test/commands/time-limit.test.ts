/** If this fails, a command with `--time-limit` calls something proven that it did not compare, or runs on after the time. */
import path from "node:path";
import { expect, it } from "vitest";
import { createSharedFolder, createTemporaryFolder, writeFiles } from "../folders.js";
import { runAccrete } from "./run-in-process.js";

const STRING = JSON.stringify({ type: "object", properties: { ms: { type: "string" } } });
const FLEET = {
  versions: { 1: "old.json", 2: "new.json" },
  writers: { backend: ["1", "2"] },
  readers: { page: ["2", "1"] },
};

const folder = createSharedFolder();
writeFiles(folder, {
  "old.json": STRING,
  "new.json": STRING,
  "pairs.jsonl": `{"id": 1, "a": ${STRING}, "b": ${STRING}}\n`,
  "fleet.json": JSON.stringify(FLEET),
});
const getFile = (name: string): string => path.join(folder, name);

it.each([
  [["rollout", getFile("fleet.json")], 1],
  [["subset", "--pairs", getFile("pairs.jsonl")], 0],
  [["upcast", "frames/v1", "frames/v2"], 3],
])("%j proves nothing after the time limit", async (command, exitCode) => {
  const end = "the time limit of 0.000001 s is over";
  const result = await runAccrete([...command, "--time-limit", "0.000001"]);
  expect([result.exitCode, result.stdout]).toEqual([exitCode, expect.stringContaining(end)]);
});

it("ends a single question of subset after the time limit", async () => {
  const wide = createTemporaryFolder({
    "a.json": JSON.stringify({ type: "string", pattern: "^(a|b|c){1,40}x(a|b|c){40}$" }),
    "b.json": JSON.stringify({ type: "string", pattern: "^(ab|bc|ca|a|b|c){1,60}x.{39,41}$" }),
  });
  const files = ["a.json", "b.json"].map((name) => path.join(wide, name));
  const { exitCode, stdout } = await runAccrete(["subset", ...files, "--time-limit", "0.001"]);
  expect([exitCode, stdout]).toEqual([3, "undecided: longer than 1 ms\n"]);
});
