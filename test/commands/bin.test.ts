/** If this fails, the installed command crashes, hangs, or exits with a wrong code, although its functions work in tests. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createTemporaryFolder } from "../folders.js";
import { getCommand } from "../package/build.js";

const root = path.join(import.meta.dirname, "..", "..");
const command = `"${process.execPath}" "${getCommand()}"`;

function runShell(
  script: string,
  env: NodeJS.ProcessEnv = {},
): { status: number | null; stdout: string; stderr: string } {
  const { FORCE_COLOR: _force, NO_COLOR: _no, ...clean } = process.env;
  const { status, stdout, stderr } = spawnSync("bash", ["-c", script.replace(/\baccrete(?= |$)/g, command)], {
    cwd: root,
    encoding: "utf8",
    env: { ...clean, ...env },
  });
  return { status, stdout, stderr };
}

describe("the real command", () => {
  it.each([
    ["accrete", 0],
    ["accrete lint hecate/v1", 0],
    ["echo '{}' | accrete validate - --protocol evva/v0", 1],
    ["accrete lint hecate/v2", 2],
    ["accrete nonsense", 2],
  ])("%s exits with %i", (script, expectedStatus) => {
    const { status, stderr } = runShell(script);
    expect(status).toBe(expectedStatus);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it("reads standard input while it is written", () => {
    const { status, stdout } = runShell("cat fixtures/hecate/v1/streams/*.jsonl | accrete validate -");
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^\d+ events, 0 invalid\n$/),
    });
  });

  it("ends without an error when its output is no longer read", () => {
    const out = createTemporaryFolder();
    const script = `yes '{"type":1}' | head -n 20000 > ${out}/a.jsonl; accrete validate --limit 0 ${out}/a.jsonl | head -n 1`;
    const { stdout, stderr } = runShell(script);
    expect(stdout.split("\n").length).toBe(2);
    expect(stderr).toBe("");
  });

  it("prints colours only at a terminal or with FORCE_COLOR", () => {
    const script = "echo '{}' | accrete validate - --protocol evva/v0";
    expect(runShell(script).stdout).not.toContain("\u001b[");
    expect(runShell(script, { FORCE_COLOR: "1" }).stdout).toContain("\u001b[31merror");
    expect(runShell(script, { FORCE_COLOR: "0" }).stdout).not.toContain("\u001b[");
  });
});
