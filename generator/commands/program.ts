import { readFileSync } from "node:fs";
import { Command, Option } from "commander";
import { changelogCommand } from "./changelog.js";
import type { CommandEntry } from "./command.js";
import { compatCommand } from "./compat.js";
import { containsCommand } from "./contains.js";
import { explainCommand } from "./explain.js";
import { generateCommand } from "./generate.js";
import { importCommand } from "./import.js";
import { EXIT, type Io } from "./io.js";
import { lintCommand } from "./lint.js";
import { fixturesOption, outOption, schemasOption } from "./options.js";
import { releaseCommand } from "./release.js";
import { replayCommand } from "./replay.js";
import { serveCommand } from "./serve.js";
import { validateCommand } from "./validate.js";

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandEntry[] = [
  importCommand,
  generateCommand,
  lintCommand,
  validateCommand,
  serveCommand,
  replayCommand,
  compatCommand,
  containsCommand,
  explainCommand,
  releaseCommand,
  changelogCommand,
];

const EXITS = "0 nothing to complain about, 1 findings, 2 wrong usage or unreadable input.";

/** Runs the command line `argv` (without node and script). Throws what failureOf understands. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = prepare(new Command("accrete"), io)
    .description(
      "Event contracts that may only grow: JSON Schemas in; types, validators, a catalogue and tests out.",
    )
    .version(version(), "--version", "print the version");
  for (const entry of COMMANDS) {
    const command = prepare(program.command(entry.name), io)
      .summary(entry.summary)
      .description(`${sentence(entry.summary)}.`);
    if (entry.operands) command.argument(entry.operands.syntax, entry.operands.description);
    for (const option of entry.options) command.addOption(option);
    // One set of folders serves every command, so that a script can pass it to all; where it is not needed, help is silent.
    for (const { flags, long } of [schemasOption, outOption, fixturesOption])
      if (!entry.options.some((option) => option.long === long))
        command.addOption(new Option(flags).hideHelp());
    command.addHelpText("after", help(entry));
    command.action(async (...parameters: unknown[]) => {
      const operands = entry.operands ? [parameters[0]].flat().map(String) : [];
      exitCode = await entry.run(operands, command.opts(), io);
    });
  }
  program.addHelpText("after", `\nExit codes: ${EXITS}\n\n\`accrete help COMMAND\` explains a command.`);
  await program.parseAsync(argv.length === 0 ? ["--help"] : argv, { from: "user" });
  return exitCode;
}

/** Lets a command print through `io` and throw instead of ending the process. */
function prepare(command: Command, io: Io): Command {
  return command
    .configureOutput({
      writeOut: (text) => io.stdout(text),
      writeErr: (text) => io.stderr(text),
      outputError: (text, write) => write(text.replace(/^error: /, "accrete: ")),
    })
    .exitOverride()
    .helpOption("-h, --help", "print this help")
    .showHelpAfterError(
      `\`accrete${command.name() === "accrete" ? "" : ` ${command.name()}`} --help\` explains the usage.`,
    );
}

function help({ examples, exits = EXITS }: CommandEntry): string {
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, meaning]) => `  accrete ${line.padEnd(width)}  ${meaning}`);
  return `\nExamples:\n${lines.join("\n")}\n\nExit codes: ${exits}`;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The version of this package. */
function version(): string {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return String(version);
}
