/** If this fails, logs contain escape codes, or a terminal shows no colours. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createHistory, createVersion, SERVED, text } from "./tea-history.js";

/** Creates a contract that breaks its release. */
const createBrokenSchemas = async (): Promise<string> =>
  await createHistory([
    createVersion("1.0", { sort: text }),
    createVersion("1.1", { sort: { ...text, maxLength: 4 } }),
  ]);

const root = path.join(import.meta.dirname, "../..");
const COMPAT_ARGUMENTS = ["--import", "tsx", path.join(root, "generator/cli.ts"), "compat", "--schemas"];
/** The environment of the tests without the variables that decide about colours. */
const { FORCE_COLOR: _force, NO_COLOR: _no, ...ENVIRONMENT } = process.env;
const RED = "\u001b[31m";
const canSimulateTerminal = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0;
if (!canSimulateTerminal)
  console.warn("skipped: colours on a terminal, because there is no `script -qec` here");

/** Returns the text that `accrete compat` prints on a terminal. */
function runOnTerminal(schemas: string, env: { readonly [name: string]: string }): string {
  const command = [process.execPath, ...COMPAT_ARGUMENTS, schemas].map((word) => `'${word}'`).join(" ");
  return spawnSync("script", ["-qec", command, "/dev/null"], {
    cwd: root,
    encoding: "utf8",
    input: "",
    env: { ...ENVIRONMENT, TERM: "xterm", ...env },
  }).stdout;
}

describe.skipIf(!canSimulateTerminal)("on a terminal", () => {
  const TERMINALS = [
    { about: "prints findings in colour", env: {}, colored: true },
    { about: "prints no colours with NO_COLOR", env: { NO_COLOR: "1" }, colored: false },
    { about: "prints no colours if TERM is dumb", env: { TERM: "dumb" }, colored: false },
  ];
  it.each(TERMINALS)("$about", async ({ env, colored }) => {
    const printed = runOnTerminal(await createBrokenSchemas(), env);
    expect(printed).toContain(SERVED);
    expect(printed.includes(RED)).toBe(colored);
  });
});

it("prints no colours to a file", async () => {
  const schemas = await createBrokenSchemas();
  const { stdout, status } = spawnSync(process.execPath, [...COMPAT_ARGUMENTS, schemas], {
    cwd: root,
    encoding: "utf8",
    env: ENVIRONMENT,
  });
  expect(status).toBe(1);
  expect(stdout).toContain(SERVED);
  expect(stdout).not.toContain("\u001b");
});
