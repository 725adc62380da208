/** If this fails, `accrete lint` hides errors in schemas, or reports them without their location. */
import { expect, it } from "vitest";
import { createTemporaryFolder, createTinySchemas } from "../folders.js";
import { type Outcome, runAccrete } from "./run-in-process.js";

const EVENT = "tiny/v1/events/tea.served.schema.json";
const MISSPELT = ['"minimum"', '"minimun"'] as const;

/** Runs `accrete lint` on two valid protocols, after `changes` to an event of the first one. */
function lintChanged(
  changes: readonly (readonly [from: string | RegExp, to: string])[],
  argv: readonly string[] = [],
  colors = false,
): Promise<Outcome> {
  const files = { ...createTinySchemas(), ...createTinySchemas("other") };
  const event = changes.reduce((text, [from, to]) => text.replace(from, to), files[EVENT] ?? "");
  return runAccrete(["lint", ...argv, "--schemas", createTemporaryFolder({ ...files, [EVENT]: event })], "", {
    colors,
  });
}

it("accepts valid schemas", async () => {
  const outcome = { exitCode: 0, stdout: "0 errors, 0 warnings, 2 valid protocols\n", stderr: "" };
  expect(await lintChanged([])).toEqual(outcome);
});

it("prints every error with its location and fails", async () => {
  const { exitCode, stdout } = await lintChanged([MISSPELT, ['"title"', '"titel"']]);
  expect(exitCode).toBe(1);
  for (const pointer of ["titel", "properties/cups/minimun"])
    expect(stdout).toMatch(
      new RegExp(`tea\\.served\\.schema\\.json:\\d+:\\d+: error keyword-unknown /${pointer} `),
    );
  expect(stdout).toMatch(/\n\d+ errors, 0 warnings, 1 valid protocol\n$/);
});

it("does not fail for warnings", async () => {
  const { exitCode, stdout } = await lintChanged([[/,\s*"description": "How many cups."/, ""]]);
  expect(stdout).toMatch(
    /: warning description-missing \/properties\/cups [\s\S]*\n0 errors, 1 warning, 2 valid/,
  );
  expect(exitCode).toBe(0);
});

it("checks only the protocols that are named", async () => {
  expect((await lintChanged([MISSPELT], ["other/v1"])).exitCode).toBe(0);
  expect((await lintChanged([MISSPELT])).exitCode).toBe(1);
});

it("prints JSON for programs", async () => {
  const { stdout } = await lintChanged([MISSPELT], ["--format", "json"]);
  const { summary, findings } = JSON.parse(stdout);
  expect(summary).toEqual({ errors: 1, warnings: 0, protocols: ["other/v1"] });
  expect(findings[0]).toMatchObject({
    rule: "keyword-unknown",
    severity: "error",
    at: { pointer: "/properties/cups/minimun" },
  });
});

it("escapes control characters of a schema", async () => {
  for (const format of ["text", "json"]) {
    const hostile = ['"minimum"', '"mini\\u001b[31m\\u009b\\u202emum\\n"'] as const;
    const { stdout } = await lintChanged([hostile], ["--format", format]);
    expect(stdout).toContain("\\u001b[31m\\u009b\\u202emum\\n");
    expect(stdout).not.toMatch(/[^\P{C}\n]/u);
  }
});

it("uses colours only at a terminal", async () => {
  expect((await lintChanged([MISSPELT], [], true)).stdout).toContain("\u001b[31merror\u001b[39m");
  expect((await lintChanged([MISSPELT])).stdout).not.toContain("\u001b");
});
