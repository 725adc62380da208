/** If this fails, a shell completes wrong words after `accrete`, or reports an error when it starts. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../folders.js";
import { runAccrete } from "./run-in-process.js";

/** Words that are typed after `accrete`, and completions of the last one. */
const CASES: readonly (readonly [words: readonly string[], completions: readonly string[]])[] = [
  [["ch"], ["changelog", "check"]],
  [["check", "--time"], ["--time-limit"]],
  [
    ["check", "--format", "git"],
    ["github", "gitlab"],
  ],
  [["check", "--no-cache", "--format", "s"], ["sarif"]],
  [["explain", "--format"], []],
];

/** For each shell, a program that completes words with the script, and prints a completion a line. */
const PROGRAMS: { readonly [shell: string]: (script: string, words: readonly string[]) => string } = {
  bash: (script, words) => `source ${script}
COMP_WORDS=(accrete ${words.join(" ")}); COMP_CWORD=${words.length}; _accrete; printf '%s\\n' "\${COMPREPLY[@]}"`,
  fish: (script, words) =>
    `source ${script}; complete -C 'accrete ${words.join(" ")}' | string split -f1 \\t`,
};

const hasShell = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status === 0;

async function writeScript(shell: string): Promise<string> {
  const { stdout } = await runAccrete(["completion", shell]);
  return path.join(createTemporaryFolder({ script: stdout }), "script");
}

const runProgram = (shell: string, program: string) =>
  spawnSync(shell, ["-c", program], { encoding: "utf8", env: { ...process.env, HOME: "/nonexistent" } });

for (const [shell, createProgram] of Object.entries(PROGRAMS)) {
  if (!hasShell(shell)) console.warn(`skipped: there is no ${shell}`);
  it.skipIf(!hasShell(shell))(`completes commands, options and values in ${shell}`, async () => {
    const script = await writeScript(shell);
    for (const [words, completions] of CASES) {
      const { stdout, stderr } = runProgram(shell, createProgram(script, words));
      const printed = stdout.split("\n").filter((line) => line !== "");
      expect([words, printed.sort(), stderr]).toEqual([words, completions, ""]);
    }
  });
}

if (!hasShell("zsh")) console.warn("skipped: there is no zsh");
it.skipIf(!hasShell("zsh"))("gives the commands and the options of a command to zsh", async () => {
  const script = await writeScript("zsh");
  // The functions of the completion system print what they are given.
  const listGiven = (words: readonly string[]): string =>
    runProgram(
      "zsh",
      `compdef() {}; _describe() { print -l -- \${(P)2}; }; _arguments() { print -l -- "$@"; }; source ${script}
words=(accrete ${words.join(" ")}); CURRENT=${words.length + 1}; _accrete`,
    ).stdout;
  expect(listGiven(["ch"])).toContain("check:lint, and look for stale files and breaking changes\n");
  const given = listGiven(["check", "--f"]);
  expect(given).toContain("--no-cache[neither use nor write results of earlier runs]\n");
  expect(given).toMatch(/^--format\[output format\]:value:\(text json github .*\)$/m);
  expect(given).toContain("*:file:_files\n");
});

it("names the shells if another one is asked for", async () => {
  const { exitCode, stderr } = await runAccrete(["completion", "bsh"]);
  const message =
    'accrete: Unknown shell "bsh"; did you mean "bash"? Available: bash, zsh, fish, powershell.\n';
  expect([exitCode, stderr]).toEqual([2, message]);
});
