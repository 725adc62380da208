/** If this fails, logs contain escape codes, or a terminal shows no colours. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { at, history, SERVED, text } from "./tea-history.js";

/** A contract that breaks its release. */
const broken = async (): Promise<string> =>
  await history([at("1.0", { sort: text }), at("1.1", { sort: { ...text, maxLength: 4 } })]);

const root = path.join(import.meta.dirname, "../..");
const cli = ["--import", "tsx", path.join(root, "generator/cli.ts"), "compat", "--schemas"];
const COLOR = "\u001b[31m";
const hasTerminal = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0;
if (!hasTerminal) console.warn("skipped: colours on a terminal, because there is no `script -qec` here");

/** What `accrete compat` prints for a terminal. */
function onTerminal(schemas: string, env: { readonly [name: string]: string }): string {
  const command = [process.execPath, ...cli, schemas].map((word) => `'${word}'`).join(" ");
  const { FORCE_COLOR: _force, NO_COLOR: _no, ...clean } = process.env;
  return spawnSync("script", ["-qec", command, "/dev/null"], {
    cwd: root,
    encoding: "utf8",
    input: "",
    env: { ...clean, TERM: "xterm", ...env },
  }).stdout;
}

describe.skipIf(!hasTerminal)("on a terminal", () => {
  const TERMINALS = [
    { about: "findings have colours", env: {}, colored: true },
    { about: "NO_COLOR takes them away", env: { NO_COLOR: "1" }, colored: false },
    { about: "so does one that knows none", env: { TERM: "dumb" }, colored: false },
  ];
  it.each(TERMINALS)("$about", { timeout: 60_000 }, async ({ env, colored }) => {
    const printed = onTerminal(await broken(), env);
    expect(printed).toContain(SERVED);
    expect(printed.includes(COLOR)).toBe(colored);
  });
});

it("there are no colours in a file", { timeout: 60_000 }, async () => {
  const schemas = await broken();
  const { FORCE_COLOR: _force, NO_COLOR: _no, ...env } = process.env;
  const { stdout, status } = spawnSync(process.execPath, [...cli, schemas], {
    cwd: root,
    encoding: "utf8",
    env,
  });
  expect(status).toBe(1);
  expect(stdout).toContain(SERVED);
  expect(stdout).not.toContain("\u001b");
});
