/** If this fails, an update of somebody else's package breaks its users, and `accrete watch` did not report it. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryFolder } from "../folders.js";

/** A schema of one event with a required field. */
const createSchema = (field: string): string =>
  JSON.stringify({
    type: "object",
    properties: { type: { const: "usage" }, [field]: { type: "number" } },
    required: ["type", field],
  });

const createManifest = (version: string): string => JSON.stringify({ name: "their-agent", version });

/** Creates a project with version 1.0.0 of a package, and runs `accrete watch` in a folder of it. npm finds the newest version in a folder. */
async function watch(newest: { readonly version: string; readonly field: string }, ...args: string[]) {
  const root = createTemporaryFolder({
    "project/package.json": JSON.stringify({ dependencies: { "their-agent": "file:../newest" } }),
    "project/node_modules/their-agent/package.json": createManifest("1.0.0"),
    "project/node_modules/their-agent/events.json": createSchema("input"),
    "newest/package.json": createManifest(newest.version),
    "newest/events.json": createSchema(newest.field),
  });
  const folder = path.join(root, "project/src");
  mkdirSync(folder);
  const before = process.cwd();
  process.chdir(folder);
  try {
    return await runAccrete(["watch", ...args]);
  } finally {
    process.chdir(before);
  }
}

const CONTRACT = "their-agent:events.json";

it("shows what the newest version breaks, at its line in the package", async () => {
  const { stdout, exitCode } = await watch({ version: "1.1.0", field: "inputTokens" }, CONTRACT);
  expect(stdout).toContain("npm:their-agent@1.1.0:events.json:1:");
  expect(stdout).toContain("was npm:their-agent@1.0.0:events.json:1:");
  expect(stdout).toContain("their-agent 1.0.0 → 1.1.0, the newest version in ");
  expect(exitCode).toBe(1);
});

it("accepts a newest version that breaks nothing, and one that is installed already", async () => {
  const equal = await watch({ version: "1.1.0", field: "input" }, CONTRACT);
  expect(equal.stdout).toContain("0 errors");
  expect(equal.exitCode).toBe(0);
  const installed = await watch({ version: "1.0.0", field: "input" }, CONTRACT);
  expect(installed.stdout).toContain("their-agent 1.0.0 is the newest version in ");
  expect(installed.exitCode).toBe(0);
});

it("writes a summary in Markdown", async () => {
  const { stdout } = await watch(
    { version: "1.1.0", field: "inputTokens" },
    CONTRACT,
    "--format",
    "markdown",
  );
  expect(stdout).toContain("their-agent 1.0.0 → 1.1.0");
  expect(stdout).toContain("renamed to");
});

it.each([
  ["their-agent", "write NAME:PATH"],
  ["other:events.json", "The package other is not installed"],
  ["their-agent:none.json", "The package their-agent@1.0.0 holds no none.json"],
])("explains the wrong operand %s", async (operand, message) => {
  const { stderr, exitCode } = await watch({ version: "1.1.0", field: "input" }, operand);
  expect(stderr).toContain(message);
  expect(exitCode).toBe(2);
});
