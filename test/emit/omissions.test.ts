/** If this fails, a team gets outputs that it does not want, or lacks others because of it. */
import path from "node:path";
import { expect, it } from "vitest";
import { OMISSIONS } from "../../generator/emit/optional-emitters.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createSharedFolder, createTinySchemas, readTree, writeFiles } from "../folders.js";

const root = createSharedFolder();
writeFiles(path.join(root, "schemas"), createTinySchemas());

/** Generates with a value of `--emit`, and returns the files of the protocol. */
async function listGenerated(emit: string): Promise<string[]> {
  const folders = ["--schemas", path.join(root, "schemas"), "--out", path.join(root, "generated")];
  const { exitCode, stderr } = await runAccrete(["generate", ...folders, "--emit", emit]);
  expect([exitCode, stderr]).toEqual([0, ""]);
  return Object.keys(readTree(path.join(root, "generated/tiny/v1"))).sort();
}

it.each([
  ["no-typescript", /\.(js|ts)$/],
  ["no-tests", /conformance/],
  ["no-schema", /^schema\.json$/],
  ["no-catalog", /^catalog/],
])("%s leaves out its files, and nothing else", async (name, files) => {
  const all = await listGenerated("vectors");
  expect(all.filter((file) => files.test(file))).not.toEqual([]);
  expect(await listGenerated(`vectors,${name}`)).toEqual(all.filter((file) => !files.test(file)));
});

it("has a test for each name", async () => {
  const all = Object.keys(OMISSIONS).join();
  expect(all).toBe("no-typescript,no-tests,no-schema,no-catalog");
  expect(await listGenerated(`vectors,${all}`)).toEqual(
    (await listGenerated("vectors")).filter((file) => file.endsWith(".jsonl")),
  );
});
